/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Document A's vectors and matrices, with the primitives that elements use. */
#include "sources.hpp"

#include "compute/compute.hpp"

#include <numeric>

#ifdef HAVE_OPENCV
#include <opencv2/core.hpp>
#endif

namespace bench {

namespace {

using gst::cl::Compute;
using Floats = std::vector<float>;

enum class Work { add, sum, dot, multiply };

/* Two operands and memory for the result, of n floats each. */
struct Operands {
  Work work;
  /** Length of a vector, or of a side of a square matrix. */
  size_t length;
  Floats a, b, result;

  Operands (Work work_, size_t length_)
      : work (work_), length (length_), a (work == Work::multiply ? length * length : length), b (a.size ()), result (a.size ())
  {
    for (size_t i = 0; i < a.size (); i++) {
      a[i] = float (i % 251) / 256;
      b[i] = float (i % 241) / 256 - 0.5f;
    }
  }
};

/* Keeps the compiler from removing the computation. */
volatile float kept;

void
run_plain (Operands &o)
{
  switch (o.work) {
    case Work::add:
      for (size_t i = 0; i < o.length; i++)
        o.result[i] = o.a[i] + o.b[i];
      break;
    case Work::sum:
      kept = std::accumulate (o.a.begin (), o.a.end (), 0.0f);
      break;
    case Work::dot:
      kept = std::inner_product (o.a.begin (), o.a.end (), o.b.begin (), 0.0f);
      break;
    case Work::multiply:
      for (size_t i = 0; i < o.length; i++)
        for (size_t j = 0; j < o.length; j++) {
          float sum = 0;
          for (size_t k = 0; k < o.length; k++)
            sum += o.a[i * o.length + k] * o.b[k * o.length + j];
          o.result[i * o.length + j] = sum;
        }
  }
  kept = o.result[o.length / 2];
}

#ifdef HAVE_OPENCV
void
run_opencv (Operands &o)
{
  const int rows = o.work == Work::multiply ? int (o.length) : 1;
  const cv::Mat a (rows, int (o.length), CV_32F, o.a.data ()), b (rows, int (o.length), CV_32F, o.b.data ());
  cv::Mat result (rows, int (o.length), CV_32F, o.result.data ());
  switch (o.work) {
    case Work::add:
      cv::add (a, b, result);
      break;
    case Work::sum:
      kept = float (cv::sum (a)[0]);
      break;
    case Work::dot:
      kept = float (a.dot (b));
      break;
    case Work::multiply:
      cv::gemm (a, b, 1, cv::noArray (), 0, result);
  }
}
#endif

/* The operands on a device, with the primitives. */
class OnDevice {
public:
  OnDevice (GstClContext *context, const Operands &operands)
      : cl (gst::cl::Context::of (context)), compute (cl, Compute::on_queue (cl.compute)), work (operands.work),
        length (operands.length), a (upload (operands.a)), b (upload (operands.b)), result (upload (operands.result))
  {
  }

  void run ()
  {
    const auto vector = [] (const ::cl::Buffer &memory) { return gst::cl::VectorSpan{memory}; };
    const auto matrix = [this] (const ::cl::Buffer &memory) { return gst::cl::MatrixSpan{memory, 0, length}; };
    const int edge = int (length);
    switch (work) {
      case Work::add:
        compute.add (vector (a), vector (b), vector (result), length);
        break;
      case Work::sum:
        compute.sum (vector (a), vector (result), length);
        break;
      case Work::dot:
        compute.dot (vector (a), vector (b), vector (result), length);
        break;
      case Work::multiply:
        compute.multiply (matrix (a), matrix (b), matrix (result), edge, edge, edge);
    }
  }
  void finish () { cl.compute.finish (); }

private:
  ::cl::Buffer upload (const Floats &content)
  {
    ::cl::Buffer memory (cl.handle, CL_MEM_READ_WRITE, content.size () * sizeof (float));
    cl.compute.enqueueWriteBuffer (memory, CL_TRUE, 0, content.size () * sizeof (float), content.data ());
    return memory;
  }

  gst::cl::Context &cl;
  Compute compute;
  const Work work;
  const size_t length;
  ::cl::Buffer a, b, result;
};

void
measure_work (Sources &sources, SourceTable &table, Work work, const char *title, size_t length, const char *published)
{
  constexpr double most_plain_products = 1.1e9;
  const auto operands = std::make_shared<Operands> (work, length);
  const double operations = work == Work::multiply ? double (length) * double (length) * double (length) : double (length);
  std::vector<Contender> contenders;
  if (operations < most_plain_products)
    contenders.push_back ({plain_code, [operands] { return time_burst ([&] { run_plain (*operands); }, [] {}); }, 3});
#ifdef HAVE_OPENCV
  contenders.push_back ({"OpenCV, all threads", [operands] { return time_burst ([&] { run_opencv (*operands); }, [] {}); }});
#endif
  for (const SourceDevice &device : sources.devices) {
    const auto there = std::make_shared<OnDevice> (device.context.get (), *operands);
    there->run (); /* builds the program */
    there->finish ();
    contenders.push_back ({device.device.name + ", on the device",
        [there] { return time_burst ([&] { there->run (); }, [&] { there->finish (); }); }});
  }
  const std::string edge = std::to_string (length);
  sources.add (table, {title, work == Work::multiply ? edge + "x" + edge : edge, published}, contenders);
}

}  // namespace

void
measure_compute (Sources &sources)
{
  if (!sources.options.wants_part ("a"))
    return;
  SourceTable vectors{"a", "A. Vectors of floats"};
  for (const auto &[work, title] : {std::pair{Work::add, "sum of two vectors"}, std::pair{Work::sum, "sum of a vector"},
           std::pair{Work::dot, "dot product"}})
    for (size_t length : {size_t (1) << 16, size_t (1) << 20, size_t (1) << 24})
      measure_work (sources, vectors, work, title, length, "");
  SourceTable matrices{"a", "A. Matrix product of floats (HD5770; one thread of a Core i7 920)"};
  for (size_t edge : {256, 512, 1000, 1024, 2048})
    measure_work (sources, matrices, Work::multiply, "matrix product", edge,
        edge == 2048 ? "GPU 206, CPU 194000" : "at 2048: GPU 206, CPU 194000");
  sources.tables.push_back (std::move (vectors));
  sources.tables.push_back (std::move (matrices));
}

}  // namespace bench
