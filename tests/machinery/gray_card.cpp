/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A grey picture stays grey in YUV, whatever a filter does to its luma, because chroma is a signed number around the neutral
 * sample. */
#include "../elements/filtercase.hpp"

namespace test::gray_card_suite {

static Tests tests ("gray_card", Needs::Device);

const char *const lines[] = {"clconvolve preset=edge", "clconvolve preset=laplacian8 bias=0.5", "clconvolve preset=emboss",
    "clconvolve preset=edge absolute=true", "clconvolve matrix=\"-1 0 1; -2 0 2; -1 0 1\" divisor=2",
    "clconvolve matrix=\"0.1 0.2 0.3\"", "clconvolve preset=box3 border=constant", "clemboss",
    "clmorphology operation=gradient", "clmorphology operation=tophat shape=ellipse radius=2",
    "clmorphology operation=blackhat border=constant", "clsobel", "clsobel domain=per-component",
    "clscharr domain=per-component output=l1", "clprewitt domain=per-component output=x",
    "clprewitt domain=per-component output=y signed=true", "clsobel domain=intensity", "clmedian border=constant",
    "clblur border=constant", "clerode border=constant"};

TEST (stays)
{
  for (const GstVideoFormat format : {GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_I420_10LE})
    for (const char *line : lines) {
      const Case c = case_of (line, format, 63, 34);
      ref::Picture in = noise_for (c, 1);
      for (ref::Component &component : in.components)
        if (component.is_chroma ())
          std::ranges::fill (component.value, in.neutral ());
      const ref::Picture out = filtered (c, in);
      for (const ref::Component &component : out.components)
        if (component.is_chroma ())
          for (const int v : component.value)
            fail_unless (
                v == in.neutral (), "%s on %s: %c is %d", line, gst_video_format_to_string (format), component.name, v);
    }
}

}  // namespace test::gray_card_suite
