#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""How late frames of a live source are after a start: ./run bench live.

A row is an element with its defaults in a format and mode, from empty caches and from full ones. `start` is how long the change of
state took, in which the driver opens the device, and programs are built for the caps of a capsfilter. From PLAYING on frames are pushed when a camera would give them: `first` is when the
first result came, `late` how many came more than one frame time after they were due (the element's reported latency is allowed for),
`late3` more than three, `lag` the greatest delay, `until` when the last late frame came; `steady` is the median delay of the last
second. Times are in milliseconds."""
import argparse
import statistics
import subprocess
import sys
import tempfile

from builds import SETTINGS, TWO_INPUTS, add_options, device_of, elements, end, environment_in

MODES = {"720p30": (1280, 720, 30), "1080p60": (1920, 1080, 60), "2160p30": (3840, 2160, 30)}
FORMATS = ["RGBA", "NV12"]
# The time limit in ms for the last late frame after a cold start: of a GPU by mode, and of a CPU.
UNTIL, UNTIL_OF_PROCESSOR = {"720p30": 500, "1080p60": 500, "2160p30": 700}, 600


def launch_line(element, caps):
    source, sink = f"appsrc name=source ! {caps}" if caps else "appsrc name=source", "fakesink name=sink"
    if element in TWO_INPUTS:
        reference = "two.reference" if element == "clcompare" else "two."
        return f"{TWO_INPUTS[element]} ! {sink} {source} ! tee name=both ! queue ! two. both. ! queue ! {reference}"
    return f"{source} ! {element} {SETTINGS.get(element, '')} ! {sink}"


def start(element, video_format, mode, seconds, environment, is_open):
    """The figures of one start; nothing if the element does not take the format."""
    width, height, rate = MODES[mode]
    caps = f"video/x-raw,format={video_format},width={width},height={height},framerate={rate}/1"
    run = subprocess.run(["cl-bench-live", launch_line(element, "" if is_open else caps), caps, str(seconds * rate)],
        env=environment, capture_output=True, text=True, timeout=300)
    began, *frames = [tuple(map(float, line.split())) for line in run.stdout.splitlines()] or [None]
    if run.returncode or not frames:
        return None
    period = 1000 / rate
    late = [(came, came - due) for due, came in frames if came - due > period]
    return {"start": began[0], "first": frames[0][1], "late": len(late), "late3": sum(lag > 3 * period for _, lag in late),
        "lag": max(came - due for due, came in frames), "until": max((came for came, _ in late), default=0),
        "steady": statistics.median(came - due for due, came in frames[-rate:])}


def measure(element, video_format, mode, seconds, device, is_open):
    """[(caches, figures)]"""
    with tempfile.TemporaryDirectory() as caches:
        environment = environment_in(caches, device)
        found = [(state, start(element, video_format, mode, seconds, environment, is_open)) for state in ("cold", "warm")]
    return [(state, figures) for state, figures in found if figures]


def missed(state, mode, row, on_processor):
    """Why the row is late; nothing if it is not. In a warm stream only the first frame may be late."""
    if state == "cold":
        return row["until"] > (UNTIL_OF_PROCESSOR if on_processor else UNTIL[mode])
    return row["until"] > row["first"] + 1000 / MODES[mode][2]


def main():
    parser = argparse.ArgumentParser(prog="./run bench live", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    add_options(parser, FORMATS, "fail where frames are late for longer than they may")
    parser.add_argument("--mode", action="append", choices=MODES, help="may be repeated; 720p30 on processors, the others on GPUs without it")
    parser.add_argument("--seconds", type=int, default=3, help="how long a stream plays (3)")
    parser.add_argument("--open-caps", action="store_true", help="no capsfilter follows the source, so elements learn the caps after PLAYING")
    options = parser.parse_args()
    if options.seconds < 1:
        parser.error("--seconds wants at least 1")
    on_processor = device_of(options.device)[1]
    rows, slow = [], []
    if not options.json:
        print(f"{'element':14} {'format':8} {'mode':8} {'caches':6} {'start':>7} {'first':>7} {'late':>5} {'late3':>5} {'lag':>7} {'until':>7} {'steady':>7}")
    for mode in options.mode or (["720p30"] if on_processor else ["1080p60", "2160p30"]):
        for element in elements():
            for video_format in options.format or FORMATS:
                for state, figures in measure(element, video_format, mode, options.seconds, options.device, options.open_caps) if options.filter in element else []:
                    rows.append(dict(figures, element=element, format=video_format, mode=mode, caches=state))
                    is_slow = missed(state, mode, figures, on_processor)
                    slow += [f"{element} {video_format} {mode} {state}"] if is_slow else []
                    if not options.json:
                        print(f"{element:14} {video_format:8} {mode:8} {state:6} {figures['start']:7.0f} {figures['first']:7.0f} {figures['late']:5} {figures['late3']:5} "
                            f"{figures['lag']:7.0f} {figures['until']:7.0f} {figures['steady']:7.1f}{'  *' if is_slow else ''}", flush=True)
    return end(rows, slow, options, "late")


if __name__ == "__main__":
    sys.exit(main())
