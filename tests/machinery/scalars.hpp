/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The numbers, booleans and enums among an element's properties. */
#pragma once

#include <cstring>

#include "../elements/suite.hpp"

namespace test {

inline bool
is_scalar (const GParamSpec *spec)
{
  const GType type = G_TYPE_FUNDAMENTAL (spec->value_type);
  if (!std::strcmp (spec->name, "ignore-inactive-pads")) /* clcompositor has it as compositor does */
    return false;
  return type == G_TYPE_ENUM || type == G_TYPE_BOOLEAN || type == G_TYPE_DOUBLE || type == G_TYPE_INT || type == G_TYPE_UINT
         || type == G_TYPE_UINT64;
}

/* A value at the end of the property's range, or 2 if pixels have no end. */
inline GValue
last_value (GParamSpec *spec)
{
  GValue value = G_VALUE_INIT;
  g_value_init (&value, spec->value_type);
  if (G_IS_PARAM_SPEC_ENUM (spec)) {
    const GEnumClass *values = G_PARAM_SPEC_ENUM (spec)->enum_class;
    const GEnumValue *last = values->values + values->n_values - 1;
    /* needs a library that may be missing */
    g_value_set_enum (&value, !std::strcmp (last->value_nick, "analytics") ? last[-1].value : last->value);
  } else if (G_IS_PARAM_SPEC_BOOLEAN (spec))
    g_value_set_boolean (&value, !G_PARAM_SPEC_BOOLEAN (spec)->default_value);
  else if (G_IS_PARAM_SPEC_DOUBLE (spec))
    g_value_set_double (&value, G_PARAM_SPEC_DOUBLE (spec)->maximum);
  else if (G_IS_PARAM_SPEC_INT (spec))
    g_value_set_int (&value, G_PARAM_SPEC_INT (spec)->maximum == G_MAXINT ? 2 : G_PARAM_SPEC_INT (spec)->maximum);
  else if (G_IS_PARAM_SPEC_UINT (spec))
    g_value_set_uint (&value, G_PARAM_SPEC_UINT (spec)->maximum);
  else
    g_value_set_uint64 (&value, G_PARAM_SPEC_UINT64 (spec)->maximum);
  return value;
}

/* Calls what () for each property of the project's own that is not an old name. */
template <typename What>
void
each_property (GstElement *element, What what)
{
  guint n = 0;
  GParamSpec **specs = g_object_class_list_properties (G_OBJECT_GET_CLASS (element), &n);
  for (guint i = 0; i < n; i++)
    if (g_str_has_prefix (g_type_name (specs[i]->owner_type), "GstCl") && !(specs[i]->flags & G_PARAM_DEPRECATED))
      what (specs[i]);
  g_free (specs);
}

}  // namespace test
