/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The position of a frame's picture relative to another one: rotated by the angle, then moved. Lengths are in pixels of the frame's
 * height, from the middle. */
typedef struct
{
  float x, y, angle;
} pose_t;

/* Data of a frame, in a ring indexed by its number. */
typedef struct
{
  /* from the frame before to this one */
  pose_t step;
  /* from the first frame of the path to this one */
  pose_t path;
  float confidence;
  int number, begins;
} motion_t;

#define PATH_RING 2048
#define PATH_MOTION(motions, number) ((motions) + ((number) & (PATH_RING - 1)))

static inline float2
turned (float2 v, float angle)
{
  const float c = cos (angle), s = sin (angle);
  return (float2) (c * v.x - s * v.y, s * v.x + c * v.y);
}

/* a, then b */
static inline pose_t
followed (pose_t a, pose_t b)
{
  const float2 v = turned ((float2) (a.x, a.y), b.angle) + (float2) (b.x, b.y);
  const pose_t pose = {v.x, v.y, a.angle + b.angle};
  return pose;
}

static inline pose_t
inverse (pose_t a)
{
  const float2 v = turned ((float2) (a.x, a.y), -a.angle);
  const pose_t pose = {-v.x, -v.y, -a.angle};
  return pose;
}

/* Stores the motion of a frame: none where nothing of the picture before is found again (a cut), or begins says so. Backwards, the
 * frame before it has been stored after it, and continues its path. */
kernel void
note_motion (global const float4 *restrict estimate, int number, int begins, int backwards, float least,
    global motion_t *restrict motions)
{
  const float4 s = estimate[0];
  motion_t motion = {{0, 0, 0}, {0, 0, 0}, begins ? 0.0f : estimate[1].x, number, 1};
  if (!begins && motion.confidence >= least) {
    motion.begins = 0;
    motion.step.x = s.z;
    motion.step.y = s.w;
    motion.step.angle = atan2 (s.y, 1.0f + s.x);
    if (!backwards)
      motion.path = followed (PATH_MOTION (motions, number - 1)->path, motion.step);
  }
  if (backwards) {
    motion.path = PATH_MOTION (motions, number)->path;
    if (!motion.begins)
      PATH_MOTION (motions, number - 1)->path = followed (motion.path, inverse (motion.step));
  }
  *PATH_MOTION (motions, number) = motion;
}

/* How a frame is moved, and the map from positions of the result to positions of the frame.
 *
 * window    frames that are there after it, frames to look at before it, and both ends of the window
 * limits    of the shift to either side and of the angle
 * kept      of the picture's width and height; less than 1, nothing from outside of it may show
 * size      of the frame, and the width of a pixel over its height
 * map       2^32 times (m0 m1; m2 m3) and (m4, m5): what place (x, y) of the result shows, in pixels from the middle
 * report    the path, the correction, the confidence */
kernel void
find_correction (global const motion_t *restrict motions, int number, int4 window, float4 limits, float kept, float4 size,
    global long *restrict map, global float *restrict report)
{
  /* falls to exp (-2) at both ends */
  const float fall = window.z ? 2.885390f / ((float) window.z * (float) window.z) : 0.0f;
  float all = 1;
  pose_t mean = {0, 0, 0};
  for (int side = -1; side <= 1; side += 2) {
    pose_t pose = {0, 0, 0};
    const int most = side < 0 ? window.y : window.x;
    for (int i = 1; i <= most; i++) {
      /* the step between this frame and the one nearer to the middle */
      const int later = side < 0 ? number - i + 1 : number + i;
      global const motion_t *each = PATH_MOTION (motions, later);
      if (each->number != later || each->begins)
        break;
      pose = followed (pose, side < 0 ? inverse (each->step) : each->step);
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
  const float c = cos (angle), s = sin (angle);
  float2 from = -turned (shift, -angle);
  if (kept < 1) {
    const float2 across = half_size * c + half_size.yx * fabs (s);
    const float2 room = fmax (half_size - kept * across, (float2) 0.0f);
    from = clamp (from, -room, room);
    shift = -turned (from, angle);
  }
  const float one = 4294967296.0f;
  map[0] = (long) (kept * c * one);
  map[1] = (long) (kept * s / size.z * one);
  map[2] = (long) (-kept * s * size.z * one);
  map[3] = (long) (kept * c * one);
  map[4] = (long) (from.x / size.z * one);
  map[5] = (long) (from.y * one);

  global const motion_t *own = PATH_MOTION (motions, number);
  report[0] = own->path.x / size.z;
  report[1] = own->path.y;
  report[2] = own->path.angle;
  report[3] = shift.x / size.z;
  report[4] = shift.y;
  report[5] = angle;
  report[6] = own->confidence;
}
