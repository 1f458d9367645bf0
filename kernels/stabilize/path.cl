/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The path of the picture, from its motion between frames, and the correction of each frame. */
/* A picture relative to another one: rotated by the angle, then moved. Lengths are in heights of a pixel, from the middle. */
typedef struct { float x, y, angle; } pose_t;
/* A frame in a ring indexed by the frame's number: its motion since the previous frame, and since the first of the path. */
typedef struct { pose_t step, path; float confidence; int number, begins; } motion_t;
enum { MOTIONS = 2048 };
static inline float2 turned (float2 v, float c, float s) { return (float2) (c * v.x - s * v.y, s * v.x + c * v.y); }

/* Cosine and sine of angles up to an eighth of a turn, and the arc tangent of ratios up to `steepest`, by S. Moshier's polynomials (Cephes).
 * The drivers' functions, which take any number, would be a fifth of the program. */
constant float steepest = 0.41421356f;

static inline float2 cosine_and_sine (float angle)
{
  const float z = angle * angle, c = ((2.443315711809948e-5f * z - 1.388731625493765e-3f) * z + 4.166664568298827e-2f) * z * z;
  return (float2) (c - 0.5f * z + 1, ((-1.9515295891e-4f * z + 8.3321608736e-3f) * z - 1.6666654611e-1f) * z * angle + angle);
}

static inline float arc_tangent (float ratio)
{
  const float z = ratio * ratio;
  return (((8.05374449538e-2f * z - 1.38776856032e-1f) * z + 1.99777106478e-1f) * z - 3.33329491539e-1f) * z * ratio + ratio;
}

/* A pose followed by a step, or for side -1 by its inverse. Sums, because NVIDIA's compiler copies a loop for a select. */
static inline pose_t followed (pose_t a, pose_t step, int side)
{
  const float angle = (float) side * step.angle, forward = (float) (side > 0);
  const float2 by = cosine_and_sine (angle), ahead = (float2) (step.x, step.y), behind = -turned (ahead, by.x, by.y);
  const float2 v = turned ((float2) (a.x, a.y), by.x, by.y) + forward * ahead + (1 - forward) * behind;
  return (pose_t) {v.x, v.y, a.angle + angle};
}

/* Stores the motion of a frame, with a rotation of at most a sixteenth of a turn; no motion after a cut, or if `begins`. In reverse, the
 * earlier frame is stored later, and continues its path. */
kernel void
note_motion (global const float4 *restrict estimate, int number, int begins, int backwards, float least, global motion_t *restrict motions)
{
  const float4 s = estimate[0];
  motion_t motion = {{0, 0, 0}, {0, 0, 0}, begins ? 0.0f : estimate[1].x, number, 1};
  if (!begins && motion.confidence >= least) {
    motion.begins = 0;
    motion.step = (pose_t) {s.z, s.w, arc_tangent (clamp (s.y / (1.0f + s.x), -steepest, steepest))};
  }
  global motion_t *own = motions + (number & (MOTIONS - 1)), *previous = motions + ((number - 1) & (MOTIONS - 1));
  if (backwards)
    motion.path = own->path;
  if (!motion.begins) {
    const pose_t path = followed (backwards ? motion.path : previous->path, motion.step, backwards ? -1 : 1);
    if (backwards)
      previous->path = path;
    else
      motion.path = path;
  }
  *own = motion;
}

/* Finds how a frame is moved. window: how many frames after it and before it to look at, and the distance of both ends. limits: of the
 * shift to either side and the angle. kept: the share of the picture's width and height; below 1, nothing from outside may show. size: of
 * the frame, and a pixel's width over its height. map: 2^32 times (m0 m1; m2 m3) and (m4, m5), which take a place of the result to the
 * place that it shows, in pixels from the middle. report: the path, the correction and the confidence. */
kernel void find_correction (global const motion_t *restrict motions, int number, int4 window, float4 limits, float kept, float4 size,
    global long *restrict map, global float *restrict report)
{
  /* falls to exp (-2) at both ends */
  const float fall = window.z ? 2.885390f / ((float) window.z * (float) window.z) : 0.0f;
  float all = 1;
  pose_t mean = {0, 0, 0};
  ROLLED for (int side = -1; side <= 1; side += 2) {
    pose_t pose = {0, 0, 0};
    ROLLED for (int i = 1; i <= (side < 0 ? window.y : window.x); i++) {
      const int later = number + side * i + (side < 0);
      global const motion_t *each = motions + (later & (MOTIONS - 1));
      if (each->number != later || each->begins)
        break;
      pose = followed (pose, each->step, side);
      const float weight = exp2 (-fall * (float) (i * i));
      all += weight;
      mean.x += weight * pose.x;
      mean.y += weight * pose.y;
      mean.angle += weight * pose.angle;
    }
  }
  const float2 half_size = 0.5f * (float2) (size.x * size.z, size.y);
  float angle = clamp (mean.angle / all, -limits.z, limits.z);
  float2 shift = clamp ((float2) (mean.x, mean.y) / all, -limits.xy, limits.xy);
  if (kept < 1) {
    const float most = fmin (half_size.x, half_size.y) / fmax (half_size.x, half_size.y) * (1 - kept) / kept;
    angle = clamp (angle, -most, most);
  }
  const float2 turn = cosine_and_sine (angle);
  const float c = turn.x, s = turn.y;
  float2 from = -turned (shift, c, -s);
  if (kept < 1) {
    const float2 across = half_size * c + half_size.yx * fabs (s), room = fmax (half_size - kept * across, (float2) 0.0f);
    from = clamp (from, -room, room);
    shift = -turned (from, c, s);
  }
  const float one = 4294967296.0f;
  map[0] = map[3] = (long) (kept * c * one);
  map[1] = (long) (kept * s / size.z * one);
  map[2] = (long) (-kept * s * size.z * one);
  map[4] = (long) (from.x / size.z * one);
  map[5] = (long) (from.y * one);

  const motion_t own = motions[number & (MOTIONS - 1)];
  const float reported[] = {own.path.x / size.z, own.path.y, own.path.angle, shift.x / size.z, shift.y, angle, own.confidence};
  for (int i = 0; i < 7; i++)
    report[i] = reported[i];
}
