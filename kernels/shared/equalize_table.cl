/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tables of shared/equalized.clh, from histograms (shared/histogram.cl): group `histogram`, of GROUP items, makes number first_table +
 * histogram of a ring of `held`. */
kernel __attribute__ ((reqd_work_group_size (GROUP, 1, 1))) void
equalize_table (global uint *restrict histograms, struct range range, uint total, uint limit, int first_table, int held,
    global sample_t *restrict tables)
{
  local uint shared[2 * GROUP];
  const int histogram = get_group_id (0);
  make_table (histograms + histogram * VALUES, shared, range, total, limit, tables + (size_t) ((first_table + histogram) % held) * VALUES);
}
