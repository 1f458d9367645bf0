/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cases.hpp"

namespace bench {

Case
erode_case (int radius)
{
  const std::string text = std::to_string (radius);
  return {"erode", 2 * radius + 1, "erode r " + text, Operation::erode, "clerode", {{"radius", text}}, 15, {}};
}

Case
dilate_case (int radius)
{
  const std::string text = std::to_string (radius);
  return {"dilate", 2 * radius + 1, "dilate r " + text, Operation::dilate, "cldilate", {{"radius", text}}, 15, {}};
}

namespace {

Case
morphology_case (const char *operation, Operation what)
{
  return {operation, 7, std::string ("morphology ") + operation + " r 3", what, "clmorphology",
      {{"operation", operation}, {"radius", "3"}}, 15, {}};
}

/* A fixed matrix; peers take its taps directly. */
Case
matrix_case (
    const char *name, const char *element, std::vector<std::pair<std::string, std::string>> properties, std::vector<float> taps)
{
  return {name, 3, name, Operation::convolve, element, std::move (properties), 15, std::move (taps), true};
}

std::vector<Case>
neighbourhood_cases ()
{
  std::vector<Case> all;
  for (int radius : {1, 7}) {
    all.push_back (erode_case (radius));
    all.push_back (dilate_case (radius));
  }
  all.push_back (morphology_case ("open", Operation::open));
  all.push_back (morphology_case ("gradient", Operation::gradient));
  for (const char *name : {"prewitt", "sobel", "scharr"})
    all.push_back ({name, 3, name, Operation::edges, std::string ("cl") + name, {{"domain", "per-component"}}, 7, {}});
  Case unsharp{"unsharp", 7, "sharpen, unsharp sigma 1", Operation::unsharp, "clsharpen", {{"sigma", "1"}}, 15, {}};
  unsharp.sigma_space = 1;
  all.push_back (unsharp);
  all.push_back (matrix_case ("sharpen", "clsharpen", {{"method", "laplacian"}}, {0, -1, 0, -1, 5, -1, 0, -1, 0}));
  all.push_back (matrix_case ("emboss", "clemboss", {}, {-2, -1, 0, -1, 1, 1, 0, 1, 2}));
  for (const char *name : {"nlmeans", "nlmeans-gray"}) {
    Case nlmeans{name, 15, "nlmeans, patch 7, search 15", Operation::nlmeans, "clnlmeans",
        {{"patch-radius", "3"}, {"search-radius", "7"}, {"strength", "0.05"}}, 7, {}};
    nlmeans.gray = nlmeans.filter.ends_with ("-gray");
    nlmeans.title += nlmeans.gray ? ", gray" : "";
    all.push_back (nlmeans);
  }
  all.push_back ({"deblock", 8, "deblock", Operation::deblock, "cldeblock", {}, 15, {}});
  all.push_back ({"warp", 2, "warp, perspective", Operation::warp, "clwarp",
      {{"matrix", "0.9 0.2 30; -0.1 0.8 40; 2e-5 -3e-5 1"}}, 15, {}});
  return all;
}

/* Some cases use only gray, which is all that OpenCV supports. */
std::vector<Case>
tone_cases ()
{
  std::vector<Case> all{
      {"threshold", 1, "threshold", Operation::threshold, "clthreshold", {{"domain", "per-component"}}, 15, {}},
      {"colormatrix", 1, "colour matrix", Operation::color_matrix, "clcolormatrix", {{"preset", "sepia"}}, 7, {}},
      {"levels", 1, "levels, gamma 1.5", Operation::levels, "cllevels",
          {{"black", "0.05"}, {"white", "0.95"}, {"gamma", "1.5"}}, 15, {}},
      {"noise", 1, "noise, gaussian", Operation::noise, "clnoise", {{"type", "gaussian"}}, 7, {}},
      {"equalize", 1, "equalize, global", Operation::equalize, "clequalize", {}, 7, {}},
      {"equalize-gray", 1, "equalize, global, gray", Operation::equalize, "clequalize", {}, 7, {}},
      {"clahe-gray", 1, "equalize, clahe, gray", Operation::clahe, "clequalize", {{"method", "clahe"}}, 7, {}},
  };
  for (Case &c : all)
    c.gray = c.filter.ends_with ("-gray");
  return all;
}

/* With one component, like the peers; decoded video also has planes with one sample per pixel. */
Case
in_gray (Case c)
{
  c.filter += "-gray";
  c.title += ", gray";
  c.gray = true;
  return c;
}

/* Cases with several frames, and cases that only observe frames. */
std::vector<Case>
frame_cases ()
{
  Case average{"temporal-average", 5, "temporal, average of 5", Operation::temporal_average, "cltemporal", {}, 15, {}};
  Case median{
      "temporal-median", 5, "temporal, median of 5", Operation::temporal_median, "cltemporal", {{"method", "median"}}, 15, {}};
  average.delay = median.delay = 2;
  average.copies = median.copies = 3; /* reads five frames and writes one */
  Case bwdif{"deinterlace-bwdif", 9, "deinterlace, bwdif", Operation::deinterlace, "cldeinterlace",
      {{"mode", "always"}, {"fields", "top"}}, 15, {}};
  Case yadif{"deinterlace-yadif", 7, "deinterlace, yadif", Operation::deinterlace, "cldeinterlace",
      {{"method", "yadif"}, {"mode", "always"}, {"fields", "top"}}, 15, {}};
  bwdif.delay = yadif.delay = 1;
  bwdif.copies = yadif.copies = 1.75; /* reads two and a half frames and writes one */
  Case blend{"blend", 2, "blend, average of 2", Operation::blend, "clblend", {{"mode", "average"}}, 15, {}};
  blend.inputs = 2;
  blend.copies = 1.5;
  Case histogram{"histogram", 1, "histogram, 256 bins", Operation::histogram, "clhistogram", {}, 15, {}};
  histogram.looks_only = true;
  histogram.copies = 0.5;
  Case compare{"compare", 2, "compare, mse", Operation::compare, "clcompare", {{"metrics", "mse"}}, 15, {}};
  compare.inputs = 2;
  compare.looks_only = true;
  return {average, median, bwdif, yadif, blend, histogram, compare};
}

}  // namespace

std::vector<Case>
more_cases ()
{
  std::vector<Case> all = neighbourhood_cases ();
  for (auto make : {tone_cases, frame_cases})
    for (Case &c : make ())
      all.push_back (std::move (c));
  const std::vector<Case> of_rgba = all;
  for (const Case &c : of_rgba)
    if (c.key () == "erode 3" || c.key () == "prewitt 3" || c.key () == "sobel 3" || c.key () == "threshold 1"
        || c.key () == "warp 2")
      all.push_back (in_gray (c));
  for (const Case &c : {convolve_case (3, true), median_case (3)})
    all.push_back (in_gray (c));
  return all;
}

}  // namespace bench
