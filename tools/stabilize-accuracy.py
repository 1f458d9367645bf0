#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""usage: tools/stabilize-accuracy.py PICTURE [FRAMES]

Measures how well clstabilize finds known motion. A camera of 1920x1080 shakes over mirrored copies of PICTURE; its frames have noise
of sigma 3, and an object that covers 14 % of them moves differently. Prints the errors of the motion from frame to frame. Needs
NumPy and a GStreamer that sees the plugin: ./run shell -- tools/stabilize-accuracy.py astronaut.png
"""

import math
import sys

import gi
import numpy as np

gi.require_version('Gst', '1.0')
gi.require_version('GstApp', '1.0')
from gi.repository import Gst, GstApp  # noqa: E402, F401

WIDTH, HEIGHT, MARGIN, NOISE, COVERED = 1920, 1080, 200, 3, 0.14


def read_scene(path):
    """The picture's luma, mirrored until it is larger than the camera's view."""
    reader = Gst.parse_launch(f'filesrc location="{path}" ! decodebin ! videoconvert ! video/x-raw,format=GRAY8 ! appsink name=out')
    reader.set_state(Gst.State.PLAYING)
    sample = reader.get_by_name('out').emit('pull-sample')
    if not sample:
        sys.exit(f'{path} has no picture')
    caps = sample.get_caps().get_structure(0)
    width, height = caps.get_value('width'), caps.get_value('height')
    data = np.frombuffer(sample.get_buffer().extract_dup(0, sample.get_buffer().get_size()), np.uint8)
    reader.set_state(Gst.State.NULL)
    picture = data.reshape(height, -1)[:, :width].astype(np.float32)
    picture = np.hstack([picture, picture[:, ::-1]])
    picture = np.vstack([picture, picture[::-1]])
    return np.tile(picture, (-(-(HEIGHT + 2 * MARGIN) // (2 * height)), -(-(WIDTH + 2 * MARGIN) // (2 * width))))


def camera_at(t):
    """The position of the scene in the middle of the picture, and the angle in degrees."""
    return (6.8 * math.sin(2.1 * t) + 3.6 * math.cos(5.3 * t) + 1.6 * t, 6 * math.sin(1.7 * t + 1) - 3.2 * math.cos(4.1 * t),
            0.3 * math.sin(2.6 * t + 2))


def cubic(fraction):
    """Catmull-Rom weights of four neighbours."""
    distances = [1 + fraction, fraction, 1 - fraction, 2 - fraction]
    return [(1.5 * d - 2.5) * d * d + 1 if i in (1, 2) else ((-0.5 * d + 2.5) * d - 4) * d + 2 for i, d in enumerate(distances)]


def look(scene, x, y, angle, size):
    """size: of the part of the picture around its middle."""
    u, v = np.meshgrid(np.arange(size[0], dtype=np.float32) - (size[0] - 1) / 2,
                       np.arange(size[1], dtype=np.float32) - (size[1] - 1) / 2)
    c, s = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    across = c * u - s * v + np.float32(x + scene.shape[1] / 2)
    down = s * u + c * v + np.float32(y + scene.shape[0] / 2)
    column, row = np.floor(across).astype(np.int32), np.floor(down).astype(np.int32)
    columns, rows = cubic(across - column), cubic(down - row)
    return sum(rows[j] * sum(columns[i] * scene[row + j - 1, column + i - 1] for i in range(4)) for j in range(4))


def step(a, b):
    """The motion between two poses."""
    angle = math.radians(b[2] - a[2])
    c, s = math.cos(angle), math.sin(angle)
    return b[0] - (c * a[0] - s * a[1]), b[1] - (s * a[0] + c * a[1]), b[2] - a[2]


def path_of(x, y, angle):
    """The motion of the camera's picture."""
    c, s = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    return -(c * x + s * y), -(c * y - s * x), -angle


def play(scene, frames):
    """The path that clstabilize finds."""
    pipeline = Gst.parse_launch(f'appsrc name=in format=time caps=video/x-raw,format=GRAY8,width={WIDTH},height={HEIGHT},'
                                'framerate=25/1 ! clstabilize smoothing=0 ! fakesink')
    pipeline.set_state(Gst.State.PLAYING)
    noise = np.random.default_rng(1)
    side = math.sqrt(COVERED)
    width, height = int(side * WIDTH), int(side * HEIGHT)
    top, left = (HEIGHT - height) // 2, (WIDTH - width) // 2
    for t in range(frames):
        frame = look(scene, *camera_at(t), (WIDTH, HEIGHT))
        frame[top:top + height, left:left + width] = look(scene, 500 - 5 * t, -150 + 3 * t, 0, (width, height))
        frame += noise.normal(0, NOISE, frame.shape)
        buffer = Gst.Buffer.new_wrapped(np.clip(np.rint(frame), 0, 255).astype(np.uint8).tobytes())
        buffer.pts = t * Gst.SECOND // 25
        pipeline.get_by_name('in').emit('push-buffer', buffer)
    pipeline.get_by_name('in').emit('end-of-stream')
    path = []
    while True:
        message = pipeline.get_bus().timed_pop_filtered(
            Gst.CLOCK_TIME_NONE, Gst.MessageType.ELEMENT | Gst.MessageType.EOS | Gst.MessageType.ERROR)
        if message.type == Gst.MessageType.ERROR:
            sys.exit(message.parse_error()[0].message)
        if message.type == Gst.MessageType.EOS:
            break
        content = message.get_structure()
        if content.get_name() == 'clstabilize':
            path.append([content.get_value(field) for field in ('shift-x', 'shift-y', 'angle')])
    pipeline.set_state(Gst.State.NULL)
    return path


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    Gst.init(None)
    frames = int(sys.argv[2]) if len(sys.argv) == 3 else 40
    found = play(read_scene(sys.argv[1]), frames)
    truth = [path_of(*camera_at(t)) for t in range(frames)]
    shifts, angles, steps = [], [], []
    for t in range(1, frames):
        wanted, got = step(truth[t - 1], truth[t]), step(found[t - 1], found[t])
        shifts.append(math.hypot(wanted[0] - got[0], wanted[1] - got[1]))
        angles.append(abs(wanted[2] - got[2]))
        steps.append(math.hypot(wanted[0], wanted[1]))
    rms = lambda values: math.sqrt(sum(v * v for v in values) / len(values))  # noqa: E731
    print(f'{frames} frames, steps of {max(steps):.1f} px at most')
    print(f'shift: {rms(shifts):.3f} px rms, {max(shifts):.3f} at most')
    print(f'angle: {rms(angles):.4f} degrees rms, {max(angles):.4f} at most')


main()
