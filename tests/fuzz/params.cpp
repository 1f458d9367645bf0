/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fields of a structure as arguments of a kernel: "TYPE NAME" for each, followed by the value's type and the value. */
#include "program/params.hpp"

#include "fuzz.hpp"

using namespace gst::cl;

namespace {

const char *const types[] = {"int", "int2", "int4", "uint", "uint2", "uint4", "float", "float2", "float3", "float4", "double"};

void
set_value (GstStructure *fields, const char *name, fuzz::Reader &reader)
{
  switch (reader.take<uint8_t> () % 7) {
    case 0:
      return gst_structure_set (fields, name, G_TYPE_INT, reader.take<int> (), nullptr);
    case 1:
      return gst_structure_set (fields, name, G_TYPE_UINT64, reader.take<guint64> (), nullptr);
    case 2:
      return gst_structure_set (fields, name, G_TYPE_DOUBLE, reader.take<double> (), nullptr);
    case 3:
      return gst_structure_set (fields, name, G_TYPE_BOOLEAN, reader.take<uint8_t> () & 1, nullptr);
    case 4: {
      g_auto (GValue) array = G_VALUE_INIT;
      gst_value_array_init (&array, 0);
      for (int n = reader.take<uint8_t> () % 6; n > 0; n--) {
        GValue v = G_VALUE_INIT;
        g_value_init (&v, G_TYPE_DOUBLE);
        g_value_set_double (&v, reader.take<float> ());
        gst_value_array_append_and_take_value (&array, &v);
      }
      return gst_structure_set_value (fields, name, &array);
    }
    default: {
      const std::string text = reader.line ();
      if (g_utf8_validate (text.c_str (), -1, nullptr))
        gst_structure_set (fields, name, G_TYPE_STRING, text.c_str (), nullptr);
    }
  }
}

}  // namespace

extern "C" int
LLVMFuzzerInitialize (int *, char ***)
{
  gst_init (nullptr, nullptr);
  return 0;
}

void
fuzz::run (const uint8_t *data, size_t size)
{
  Reader reader (data, size);
  std::vector<ProgramArgument> arguments;
  GstStructure *fields = gst_structure_new_empty ("params");
  for (const char *name : {"a", "b"}) {
    arguments.push_back ({name, types[reader.take<uint8_t> () % std::size (types)]});
    set_value (fields, name, reader);
  }
  set_value (fields, "other", reader);
  try {
    const std::vector<ArgumentBytes> values = bind_arguments (arguments, fields);
    require (values.size () == arguments.size ());
    for (const ArgumentBytes &bytes : values)
      require (bytes.size () == 4 || bytes.size () == 8 || bytes.size () == 16);
  } catch (const Failure &failure) {
    require (failure.code == GST_RESOURCE_ERROR_SETTINGS);
  }
  unused_fields (arguments, fields);
  gst_structure_free (fields);
}
