/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/cl/gstclmemory.h>

G_BEGIN_DECLS

/**
 * SECTION:gstclmotionmeta
 * @title: GstClMotionMeta
 * @short_description: where the blocks of a frame are found in another frame
 *
 * The element `clmotion` adds one to each frame for the frame before it, one for the frame after it, or both. The vectors stay on the
 * device until they are mapped:
 *
 * |[<!-- language="C" -->
 *   GstClMotionMeta *meta = gst_cl_motion_meta_get (buffer, -1);
 *   GstMapInfo map;
 *   if (meta && gst_memory_map (meta->vectors, &map, GST_MAP_READ)) {
 *     const GstClMotionField *field = (const GstClMotionField *) map.data;
 *     for (guint i = 0; !field->scene_cut && i < field->columns * field->rows; i++)
 *       use (&field->vectors[i]);
 *     gst_memory_unmap (meta->vectors, &map);
 *   }
 * ]|
 */

/**
 * GstClMotionVector:
 * @x: how far to the right of its own place a block is found, in quarter pixels
 * @y: how far down
 * @sad: mean absolute difference of luma there; 65535 is full scale
 * @confidence: 0 .. 255: how much the place stands out from those around it; 0 after a scene cut
 * @reserved: 0
 *
 * The motion of a block.
 *
 * Since: 0.3
 */
typedef struct {
  gint16 x, y;
  guint16 sad;
  guint8 confidence, reserved;
} GstClMotionVector;

/**
 * GstClMotionField:
 * @scene_cut: 1 if a scene cut lies between the two frames, else 0
 * @unmatched: fraction of the picture without a match in the other frame; 65535 is all of it
 * @columns: number of blocks in a row
 * @rows: number of rows of blocks
 * @vectors: (array): row by row
 *
 * The content of a #GstClMotionMeta's memory.
 *
 * Since: 0.3
 */
typedef struct {
  guint32 scene_cut, unmatched, columns, rows;
  GstClMotionVector vectors[];
} GstClMotionField;

/**
 * GstClMotionMeta:
 * @meta: parent
 * @distance: the frame in which the blocks are found: -1 is the frame before this one, 1 the frame after it
 * @block_width: width of a block in pixels
 * @block_height: height of a block
 * @step_x: how far the left edges of neighbours are apart; the first block begins at the left edge of the picture
 * @step_y: how far the upper edges of neighbours are apart; the first block begins at the upper edge of the picture
 * @columns: number of blocks in a row
 * @rows: number of rows of blocks
 * @vectors: a #GstClMemory that holds a #GstClMotionField
 *
 * Motion between two frames.
 *
 * Since: 0.3
 */
typedef struct {
  GstMeta meta;
  gint distance;
  guint block_width, block_height, step_x, step_y, columns, rows;
  GstMemory *vectors;
} GstClMotionMeta;

/**
 * gst_cl_motion_meta_api_get_type:
 *
 * Returns: the type of the metadata's API
 *
 * Since: 0.3
 */
GST_CL_API
GType gst_cl_motion_meta_api_get_type (void);

/**
 * gst_cl_motion_meta_get_info: (skip)
 *
 * Returns: (transfer none): how GStreamer handles the metadata
 *
 * Since: 0.3
 */
GST_CL_API
const GstMetaInfo *gst_cl_motion_meta_get_info (void);

/**
 * gst_cl_motion_meta_add:
 * @buffer: a frame, writable
 * @description: the content of the new metadata, except `meta`; it takes its own reference to the vectors
 *
 * Returns: (transfer none): the metadata that was added to @buffer
 *
 * Since: 0.3
 */
GST_CL_API
GstClMotionMeta *gst_cl_motion_meta_add (GstBuffer *buffer, const GstClMotionMeta *description);

/**
 * gst_cl_motion_meta_get:
 * @buffer: a frame
 * @distance: -1 for motion to the frame before it, 1 for motion to the frame after it
 *
 * Returns: (transfer none) (nullable): the metadata of @buffer, or %NULL if it has none of that distance
 *
 * Since: 0.3
 */
GST_CL_API
GstClMotionMeta *gst_cl_motion_meta_get (GstBuffer *buffer, gint distance);

G_END_DECLS
