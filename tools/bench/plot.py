#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Draws what cl-bench wrote with --json, as SVG files: frames per second against windows and pixels, and every curve of
`growth` with its limits. Lines are labelled at their right end, sizes have names, and 60 frames per second is marked. Needs
nothing but Python."""

import argparse
import collections
import html
import json
import math
import pathlib
import re

OURS = 'kernel'
HIDDEN = {'pipeline-proposed', 'pipeline-opencl'}
LABELS = {'kernel': 'gst-plugins-cl, kernel', 'pipeline-system': 'gst-plugins-cl, whole pipeline', 'copy': 'copy limit'}
DASHES = ['6 4', '2 3', '10 3']
COLORS = ['#0b6e99', '#d1495b', '#66a182', '#edae49', '#6a4c93', '#8d6e63', '#2e4057', '#c06c84', '#3d8361', '#b5651d',
          '#5b7db1', '#a23b72', '#7a8450']
WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 860, 440, 76, 40, 250, 50
LABEL_HEIGHT = 15
SMOOTH = 60  # frames per second
SIZES = {'640x480': '480p', '1280x720': '720p', '1920x1080': '1080p', '3840x2160': '4K', '7680x4320': '8K'}
MEGAPIXELS = {0.3072: '480p', 0.9216: '720p', 2.0736: '1080p', 8.2944: '4K', 33.1776: '8K'}
TIME, RATE = 'milliseconds a frame', 'frames per second'

Line = collections.namedtuple('Line', 'name points is_limit')


class Axis:
    """Maps values to a range of pixels, on a linear or a logarithmic scale."""

    def __init__(self, values, log, start, end):
        low, high = min(values), max(values)
        self.log, self.start, self.end = log and low > 0, start, end
        if self.log:
            self.low, self.high = math.log10(low) - 0.04, math.log10(high) + 0.04
        else:
            self.low, self.high = min(low, 0), (high * 1.05 or 1)
        if self.high <= self.low:
            self.high = self.low + 1

    def __call__(self, value):
        value = math.log10(max(value, 1e-12)) if self.log else value
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)

    def ticks(self):
        if not self.log:
            step = 10 ** math.floor(math.log10(self.high - self.low))
            step = next(step * part for part in (0.1, 0.2, 0.5, 1, 2) if (self.high - self.low) / (step * part) <= 8)
            return [i * step for i in range(math.ceil(self.low / step), math.floor(self.high / step) + 1)]
        decades = range(math.floor(self.low), math.ceil(self.high) + 1)
        every = [digit * 10.0 ** decade for decade in decades for digit in ((1, 2, 5) if len(decades) < 5 else (1,))]
        return [tick for tick in every if self.low <= math.log10(tick) <= self.high]


def text(x, y, content, anchor='start', more=''):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {more}>{html.escape(content)}</text>'


def size_name(megapixels):
    """Names sizes: 1080p for 2.07"""
    return next((name for known, name in MEGAPIXELS.items() if abs(known - megapixels) < 0.01 * known), f'{megapixels:.3g}')


def readable(title):
    """Common names of sizes and devices"""
    for size, name in SIZES.items():
        title = title.replace(size, name)
    title = re.sub(r'\bpthread-(?:[a-z0-9]+-)*', 'CPU (PoCL), ', title).replace('frames a second', RATE)
    title = title.replace(TIME, 'milliseconds per frame')
    return title[:1].upper() + title[1:]


def grid(x_axis, y_axis, x_ticks, labels, names):
    """Ticks with names or numbers; numbers that would overlap are omitted"""
    parts, last = [], -1e9
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    for tick in y_axis.ticks():
        y = y_axis(tick)
        parts.append(f'<path class="g" d="M{LEFT} {y:.1f}H{right}"/>' + text(LEFT - 6, y + 4, f'{tick:,.6g}', 'end'))
    for tick in x_ticks:
        x = x_axis(tick)
        parts.append(f'<path class="g" d="M{x:.1f} {TOP}V{bottom}"/>')
        if labels:
            name = labels[int(tick) - 1]
            parts.append(text(x + 3, bottom + 12, name, 'end', f'transform="rotate(-60 {x + 3:.1f} {bottom + 12})" '
                                                               'style="font-size:9px"'))
        elif x - last > 28:
            parts.append(text(x, bottom + 16, names(tick), 'middle'))
            last = x
    return parts


def curve(line, color, dash, x_axis, y_axis, is_joined):
    """A line with its spread; only points if nothing lies between them"""
    points = [(x_axis(x), y_axis(y)) for x, y, _, _ in line.points]
    path = 'M' + 'L'.join(f'{x:.1f} {y:.1f}' for x, y in points)
    if line.is_limit:
        return [f'<path class="l" stroke="{color}" stroke-dasharray="{dash}" d="{path}"/>']
    circles = [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{color}"/>' for x, y in points]
    if not is_joined:
        return circles
    up = [f'{x_axis(x):.1f} {y_axis(high):.1f}' for x, _, _, high in line.points]
    down = [f'{x_axis(x):.1f} {y_axis(low):.1f}' for x, _, low, _ in reversed(line.points)]
    width = 3 if line.name == OURS else 1.6
    return [f'<path fill="{color}" opacity="0.12" d="M{"L".join(up + down)}Z"/>',
            f'<path class="l" stroke="{color}" stroke-width="{width}" d="{path}"/>'] + circles


def spread_out(wanted, low, high):
    """Positions near the wanted ones, in the same order, at least one label apart"""
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    places = [0.0] * len(wanted)
    nearest = low
    for i in order:
        places[i] = max(wanted[i], nearest)
        nearest = places[i] + LABEL_HEIGHT
    furthest = high
    for i in reversed(order):
        places[i] = min(places[i], furthest)
        furthest = places[i] - LABEL_HEIGHT
    return places


def end_labels(lines, colors, dashes, x_axis, y_axis):
    """Labels each line at its last point"""
    parts, x = [], WIDTH - RIGHT + 26
    ends = [(x_axis(line.points[-1][0]), y_axis(line.points[-1][1])) for line in lines]
    places = spread_out([y for _, y in ends], TOP, HEIGHT - BOTTOM)
    for line, (end, y), place in zip(lines, ends, places):
        color = colors[line.name]
        dash = dashes.get(line.name, 'none')
        parts.append(f'<path class="l" style="stroke-width:0.8" stroke="{color}" stroke-dasharray="{dash}" '
                     f'd="M{end + 4:.1f} {y:.1f}L{x - 4} {place:.1f}"/>')
        parts.append(text(x, place + 4, LABELS.get(line.name, line.name), more=f'style="fill:{color}"'))
    return parts


def smooth_line(y_axis, y_label):
    """Marks 60 frames per second, if the plot shows it"""
    value = {RATE: SMOOTH, TIME: 1000 / SMOOTH}.get(y_label)
    if value is None or not HEIGHT - BOTTOM >= y_axis(value) >= TOP:
        return []
    y = y_axis(value)
    return [f'<path class="s" d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}"/>',
            text(LEFT + 6, y - 4, f'{SMOOTH} frames per second', more='style="fill:#b00020"')]


def draw(path, title, x_label, y_label, lines, log_x, log_y, labels=(), names=lambda tick: f'{tick:.3g}'):
    """lines hold points (x, y, least y, greatest y); labels are names for x = 1, 2, ...; names maps other values of x"""
    lines = [Line(line.name, sorted(line.points), line.is_limit) for line in lines if line.points]
    if not any(len(line.points) > 1 and not line.is_limit for line in lines):
        return
    lines.sort(key=lambda line: (line.is_limit, line.name != OURS))
    shown = [line for line in lines if not line.is_limit]
    colors = {line.name: COLORS[i % len(COLORS)] for i, line in enumerate(shown)}
    limits = [line.name for line in lines if line.is_limit]
    colors.update(dict.fromkeys(limits, '#777'))
    dashes = {name: DASHES[i % len(DASHES)] for i, name in enumerate(limits)}
    everything = [point for line in lines for point in line.points]
    height = HEIGHT + int(4.4 * max(map(len, labels), default=0))
    x_axis = Axis([point[0] for point in everything], log_x, LEFT, WIDTH - RIGHT)
    values = [y for point in everything for y in point[1:] if y > 0 or not log_y]
    y_axis = Axis(values + [SMOOTH] * (y_label == RATE), log_y, HEIGHT - BOTTOM, TOP)
    parts = ['<svg xmlns="http://www.w3.org/2000/svg" '
             f'viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}">',
             '<style>text{font:12px sans-serif;fill:#222}.g{stroke:#ddd;fill:none}.l{fill:none;stroke-width:2}'
             '.s{stroke:#b00020;stroke-dasharray:1 3;fill:none}</style>',
             f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>',
             text(LEFT, 22, readable(title), more='style="font-size:14px"')]
    parts += grid(x_axis, y_axis, sorted({point[0] for point in everything}), labels, names)
    parts += smooth_line(y_axis, y_label)
    for line in lines:
        parts += curve(line, colors[line.name], dashes.get(line.name), x_axis, y_axis, not labels)
    parts += end_labels(lines, colors, dashes, x_axis, y_axis)
    middle = (HEIGHT - BOTTOM + TOP) / 2
    parts += [text((LEFT + WIDTH - RIGHT) / 2, height - 12, x_label, 'middle'),
              text(16, middle, readable(y_label), 'middle', f'transform="rotate(-90 16 {middle:.0f})"'), '</svg>']
    path.write_text('\n'.join(parts) + '\n')
    print(path)


def slug(content):
    return re.sub(r'[^a-z0-9]+', '-', content.lower()).strip('-')


def lines_of(groups):
    return [Line(name, points, name == 'copy') for name, points in groups.items()]


def rates_in(section):
    """(row, name, (frames per second, least, most)) for every time that is shown"""
    for row in section['rows']:
        for name, times in row['times'].items():
            if name not in HIDDEN:
                yield row, name, tuple(1e6 / times[which] for which in ('median_us', 'max_us', 'min_us'))


def plot_windows(sections, folder):
    for section in sections:
        groups = collections.defaultdict(lambda: collections.defaultdict(list))
        for row, name, rates in rates_in(section):
            groups[row['filter']][name].append((row['size'],) + rates)
        size = f"{section['width']}x{section['height']}"
        for name, lines in groups.items():
            draw(folder / f"window-{slug(name)}-{slug(section['name'])}-{size}.svg",
                 f"{name}, {section['name']}, {size} RGBA", 'edge of the window, pixels', RATE,
                 lines_of(lines), False, True)


def plot_pixels(sections, folder):
    groups = collections.defaultdict(lambda: collections.defaultdict(list))
    for section in sections:
        pixels = section['width'] * section['height'] / 1e6
        for row, name, rates in rates_in(section):
            groups[section['name'], row['filter'], row['size'], row['title']][name].append((pixels,) + rates)
    for (device, name, size, title), lines in groups.items():
        draw(folder / f'pixels-{slug(name)}-{size}-{slug(device)}.svg', f'{title}, {device}', 'size of the frame', RATE,
             lines_of(lines), True, True, names=size_name)


def rates_of(line):
    """Converts times of a frame to frames per second"""
    return Line(line.name, [(x, 1000 / y, 1000 / most, 1000 / least) for x, y, least, most in line.points], line.is_limit)


def plot_growth(plots, folder):
    for plot in plots:
        lines = [Line(line['name'], [tuple(point) for point in line['points']], line['limit'])
                 for line in plot['lines']]
        x_label, y_label, names, title = plot['x'], plot['y'], lambda tick: f'{tick:.3g}', plot['title']
        # sums of times are shown as times, speeds of filters as frames per second
        if plot['part'] in ('pixels', 'windows') and y_label == TIME:
            lines, y_label = [rates_of(line) for line in lines], RATE
            title = title.replace('kernel time against pixels', 'speed of the kernels by frame size').replace(
                'kernel time against the window', 'speed of the kernels by window')
        if x_label == 'megapixels':
            x_label, names = 'size of the frame', size_name
        name = plot['part'] + ('-' + plot['title'] if plot['part'] == 'pipelines' else '')
        draw(folder / f"growth-{slug(name)}-{slug(plot['device'])}.svg", f"{title}, {plot['device']}",
             x_label, y_label, lines, plot['log_x'], plot['log_y'], plot['labels'], names)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('json', nargs='+', help='files; repeat --size in the table for time against pixels')
    parser.add_argument('--output', default='.', type=pathlib.Path, help='folder for the plots')
    arguments = parser.parse_args()
    arguments.output.mkdir(parents=True, exist_ok=True)
    try:
        documents = [json.loads(pathlib.Path(path).read_text()) for path in arguments.json]
    except (OSError, ValueError) as error:
        parser.error(str(error))
    sections = [section for document in documents for section in document.get('sections', [])]
    plot_windows(sections, arguments.output)
    plot_pixels(sections, arguments.output)
    plot_growth([plot for document in documents for plot in document.get('plots', [])], arguments.output)


if __name__ == '__main__':
    main()
