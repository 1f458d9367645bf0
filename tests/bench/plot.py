#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plots of what gst-cl-bench --json wrote: time against window, and time against pixels, as SVG files."""

import argparse
import collections
import json
import pathlib
import re
import sys

try:
    import matplotlib
    matplotlib.use('svg')
    import matplotlib.pyplot as pyplot
except ImportError:
    sys.exit('plot.py needs matplotlib: install python3-matplotlib, or the package matplotlib for this python3')

OURS = 'kernel'
HIDDEN = {'pipeline-proposed', 'pipeline-opencl'}


def load(paths):
    """Every section of the files, later ones after earlier ones."""
    sections = []
    for path in paths:
        sections += json.loads(pathlib.Path(path).read_text())['sections']
    return sections


def slug(text):
    return re.sub(r'[^a-z0-9]+', '-', text.lower()).strip('-')


def label(name):
    return {'kernel': 'gst-plugins-cl, kernel', 'pipeline-system': 'gst-plugins-cl, whole pipeline'}.get(name, name)


def draw(path, title, axis, lines, log_x):
    """lines: name -> [(x, median, min, max)]; a line of one point says nothing."""
    lines = {name: sorted(points) for name, points in lines.items() if len(points) > 1}
    if OURS not in lines:
        return
    figure, axes = pyplot.subplots(figsize=(7, 4.5))
    for name in sorted(lines, key=lambda name: (name != OURS, name)):
        x, y, low, high = zip(*lines[name])
        width = 2.4 if name == OURS else 1.2
        drawn, = axes.plot(x, y, marker='o', markersize=4, linewidth=width, label=label(name))
        axes.fill_between(x, low, high, alpha=0.12, color=drawn.get_color())
    ticks = sorted({point[0] for points in lines.values() for point in points})
    axes.set_yscale('log')
    if log_x:
        axes.set_xscale('log')
    axes.set_xticks(ticks, [f'{tick:g}' for tick in ticks])
    axes.minorticks_off()
    axes.set_xlabel(axis)
    axes.set_ylabel('milliseconds per frame')
    axes.set_title(title, fontsize=10)
    axes.grid(True, alpha=0.3)
    axes.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(path)
    pyplot.close(figure)
    print(path)


def point(x, times):
    return (x, times['median_us'] / 1000, times['min_us'] / 1000, times['max_us'] / 1000)


def plot_windows(sections, folder):
    for section in sections:
        groups = collections.defaultdict(lambda: collections.defaultdict(list))
        for row in section['rows']:
            for name, times in row['times'].items():
                if name not in HIDDEN:
                    groups[row['filter']][name].append(point(row['size'], times))
        size = f"{section['width']}x{section['height']}"
        for name, lines in groups.items():
            draw(folder / f"window-{slug(name)}-{slug(section['name'])}-{size}.svg",
                 f"{name}, {section['name']}, {size} RGBA", 'edge of the window, pixels', lines, False)


def plot_pixels(sections, folder):
    groups = collections.defaultdict(lambda: collections.defaultdict(list))
    titles = {}
    for section in sections:
        pixels = section['width'] * section['height'] / 1e6
        for row in section['rows']:
            key = (section['name'], row['filter'], row['size'])
            titles[key] = row['title']
            for name, times in row['times'].items():
                if name not in HIDDEN:
                    groups[key][name].append(point(pixels, times))
            groups[key]['copy limit'].append((pixels,) + (section['copy_us'] / 1000,) * 3)
    for key, lines in groups.items():
        device, name, size = key
        draw(folder / f'pixels-{slug(name)}-{size}-{slug(device)}.svg', f'{titles[key]}, {device}', 'megapixels', lines,
             True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('json', nargs='+', help='what gst-cl-bench --json wrote; repeat --size there for time by pixels')
    parser.add_argument('--output', default='.', type=pathlib.Path, help='folder for the plots')
    arguments = parser.parse_args()
    arguments.output.mkdir(parents=True, exist_ok=True)
    sections = load(arguments.json)
    plot_windows(sections, arguments.output)
    plot_pixels(sections, arguments.output)


if __name__ == '__main__':
    main()
