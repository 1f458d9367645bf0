/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Relief: a sample plus its gradient (edges/gradient.clh) along the light's direction.
 *
 *   round (v + along_x * gx + along_y * gy)
 */
kernel void
emboss (PLANE_ARGS, float along_x, float along_y)
{
#define EMBOSS_RELIEF(gx, gy, v) \
  fma (gx, along_x * GRADIENT_FACTOR, fma (gy, along_y * GRADIENT_FACTOR, (v) * GRADIENT_FACTOR))
  GRADIENT_EACH_SAMPLE (EMBOSS_RELIEF)
}

#ifdef WEIGHT0

/* Factors in units of 1 / one; shared/quotient.clh divides the hundredfold sum. */
kernel void
emboss_intensity (PLANE_ARGS, sum_t along_x, sum_t along_y, sum_t one, QUOTIENT_ARGS)
{
#define EMBOSS_HUNDRED_RELIEF(gx, gy, v) \
  QUOTIENT (MULTIPLY_ADD ((sum_t) (gx), along_x, MULTIPLY_ADD ((sum_t) (gy), along_y, (sum_t) (v) * one)))
  GRADIENT_EACH_PIXEL (EMBOSS_HUNDRED_RELIEF)
}

#endif
