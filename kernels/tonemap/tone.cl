/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Makes the table of tones of tonemap.clh; docs/elements/cltonemap.md has the formulas. */
/* Hertz's perceptual quantizer: SMPTE ST 2084. M1 and M2 are in units of 1/16384 and 1/32, C1 of 1/4096, C2 and C3 of 1/128. */
enum { PQ_M1 = 2610, PQ_M2 = 2523, PQ_C1 = 3424, PQ_C2 = 2413, PQ_C3 = 2392 };

static inline float pq_of_nits (float nits)
{
  const float p = powr (nits / 10000.0f, PQ_M1 / 16384.0f);
  return powr ((PQ_C1 / 4096.0f + PQ_C2 / 128.0f * p) / (1.0f + PQ_C3 / 128.0f * p), PQ_M2 / 32.0f);
}

/* Report BT.2390, 5.4.1: the display's peak in place of the picture's, both in PQ, by a Hermite spline above the knee. */
static inline float bt2390 (float nits, float peak, float target)
{
  const float whole = pq_of_nits (peak), v = pq_of_nits (nits) / whole, most = pq_of_nits (target) / whole, knee = 1.5f * most - 0.5f;
  if (v <= knee)
    return nits;
  const float t = (v - knee) / (1.0f - knee), t2 = t * t, t3 = t2 * t;
  const float bent = (2.0f * t3 - 3.0f * t2 + 1.0f) * knee + (t3 - 2.0f * t2 + t) * (1.0f - knee) + (3.0f * t2 - 2.0f * t3) * most;
  const float p = powr (bent * whole, 1.0f / (PQ_M2 / 32.0f));
  return 10000.0f * powr (max (p - PQ_C1 / 4096.0f, 0.0f) / (PQ_C2 / 128.0f - PQ_C3 / 128.0f * p), 1.0f / (PQ_M1 / 16384.0f));
}

/* Hable's filmic curve, 2010. */
static inline float filmic (float x)
{
  const float a = 0.15f, b = 0.5f, c = 0.1f, d = 0.2f, e = 0.02f, f = 0.3f;
  return (x * (a * x + c * b) + d * e) / (x * (a * x + b) + d * f) - e / f;
}

/* The line up to 0.3, then a Moebius transformation with the same slope that goes through (peak, 1). */
static inline float mobius (float x, float peak)
{
  const float j = 0.3f, a = -j * j * (peak - 1.0f) / (j * j - 2.0f * j + peak), b = (j * j - 2.0f * j * peak + peak) / (peak - 1.0f);
  return x <= j ? x : (b * b + 2.0f * b * j + j * j) / (b - a) * (x + a) / (x + b);
}

/* Maps light of a picture with this peak to a display with the lower peak `target`; all in nits. */
static inline float toned (int algorithm, float nits, float peak, float target)
{
  const float x = nits / target, p = peak / target;
  switch (algorithm) {
    case 0: return bt2390 (nits, peak, target);
    case 1: return target * filmic (x) / filmic (p);
    case 2: return target * mobius (x, p);
    case 3: /* Reinhard et al. 2002, formula 3, so that the peak comes to 1 */
      return target * x / (1.0f + x) * (1.0f + p) / p;
    case 4: return target * x / p;
    default: return nits;
  }
}

/* unit: nits of the source's greatest signal. An item makes an entry, the share of light to remove; the greatest light follows. */
kernel void tone_table (global const float *restrict peaks, int slot, int algorithm, float unit, float target, global float *restrict tone)
{
  const int i = min ((int) get_global_id (0), LIGHTS);
  const float peak = peaks[slot];
  const bool compresses = peak > target * 1.0001f;
  if (i == LIGHTS) {
    tone[i] = compresses ? peak / unit : 1.0f;
    return;
  }
  const float light = as_float (as_int (LEAST_LIGHT) + (i << STEP_BITS)), nits = light * unit;
  tone[i] = compresses ? (nits - toned (algorithm, nits, peak, target)) / nits : 0.0f;
}
