#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""cl-info ends well whatever there is, and its forms agree. Prints TAP.

usage: test-info.py PROGRAM
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import tap

PATIENCE = 250
COLUMNS = 80
# the numbers that docs/info.md promises for a device
NUMBERS = ("compute-units", "clock-mhz", "memory-bytes", "max-buffer-bytes", "local-memory-bytes", "cache-bytes",
           "cache-line-bytes", "max-work-group", "alignment-bits")
STRINGS = ("device", "name", "type", "rank", "platform", "driver", "version", "c-version", "host-memory", "backend",
           "extensions")
FIGURES = ("copy-gb-s", "copy-by-4-gb-s", "copy-by-1-gb-s", "cached-read-gb-s", "launch-us", "launch-flush-us",
           "launch-wait-us", "upload-pinned-gb-s", "download-pinned-gb-s", "upload-pageable-gb-s",
           "download-pageable-gb-s")
# 0 if the device does not support it
OPTIONAL_FIGURES = ("image-copy-gb-s", "local-read-gb-s")

cache = tempfile.TemporaryDirectory()


def run(*arguments, **environment):
    """(exit status, output)"""
    return tap.run([sys.argv[1], *arguments], timeout=PATIENCE, errors=None, **{"XDG_CACHE_HOME": cache.name, **environment})


def report_of(*arguments, **environment):
    """(exit status, the report)"""
    status, output = run("--json", *arguments, **environment)
    return status, json.loads(output)


def too_wide(text):
    """Lines longer than 80 columns that could have been broken."""
    return [f"{len(line)} columns: {line}" for line in text.splitlines()
            if len(line) > COLUMNS and len(line.split()) > 2 and "=" not in line]


def check_fields():
    """The fields of the JSON are there"""
    status, report = report_of()
    found = [] if status == 0 else [f"ends with {status}"]
    found += [f"no {name}" for name in ("plugin", "version", "gstreamer", "system", "opencl-loader")
              if not report["system"].get(name)]
    for platform in report["platforms"]:
        found += [f"platform without {name}" for name in ("platform", "name", "vendor", "version", "devices")
                  if name not in platform]
    for device in report["devices"]:
        found += [f"{name} is no number" for name in NUMBERS if not isinstance(device.get(name), int)]
        found += [f"{name} is no string" for name in STRINGS if not isinstance(device.get(name), str)]
        found += ["figures though nobody measured"] if device["figures"] else []
        found += [f"tuned without {name}" for name in ("file", "entries", "improved", "mean-gain-percent",
                                                       "best-gain-percent") if name not in device["tuned"]]
    if report["choice"]["device"] not in [device["device"] for device in report["devices"]]:
        found.append(f"chooses {report['choice']}")
    return found


def check_text():
    """The text says the same, in 80 columns"""
    devices = report_of()[1]["devices"]
    found = []
    for arguments in ((), ("--all",)):
        status, text = run(*arguments)
        found += [f"{arguments}: ends with {status}"] if status else []
        words = " ".join(text.split())
        found += [f"{arguments}: no {name}" for device in devices
                  for name in (device["device"], device["name"], device["platform"], device["driver"])
                  if " ".join(name.split()) not in words]
        found += too_wide(text)
    return found


def check_gl():
    """It says of every pair of device and GL what it can do"""
    report = report_of("--gl")[1]
    found = ["no GL without being asked"] if "gl" in report_of()[1] else []
    for pair in report["gl"]["pairs"]:
        for method in pair["methods"]:
            where = f"{pair['device']} {pair['gl']} {method['method']}"
            found += [f"{where}: {method['died']}"] if method["died"] else []
            found += [f"{where} {each['format']}: refused without a reason"
                      for each in method["formats"] if not each["works"] and not each["reason"]]
            working = [each["format"] for each in method["formats"] if each["works"]]
            if method["method"] == "staged" and "RGBA" not in working:
                found.append(f"{where}: RGBA does not even pass through the host")
    return found


def check_video():
    """It says what every device does with memory of decoders and cameras"""
    status, text = run("--video")
    report = report_of("--video")[1]
    found = [f"ends with {status}"] if status else []
    found += ["no video memory without being asked"] if "video" in report_of()[1] else []
    found += ["not every device"] if len(report["video"]) != len(report["devices"]) else []
    for device in report["video"]:
        found += [f"{device['device']}: {device['died']}"] if device["died"] else []
        for method in device["methods"]:
            found += [] if method["method"] in text else [f"{method['method']} is not in the text"]
            found += [f"{method['method']} {each['format']}: refused without a reason"
                      for each in method["formats"] if not each["works"] and not each["reason"]]
    return found + too_wide(text)


def check_measure():
    """It measures, keeps the figures, and believes no damaged ones"""
    found = []
    measured = report_of("--measure")[1]
    for device in measured["devices"]:
        figures = device["figures"]
        if not figures:
            return [f"{device['device']} has no figures"]
        found += [f"{name} is {figures[name]}" for name in FIGURES if not 0 < figures[name] < 1e6]
        found += [f"{name} is {figures[name]}" for name in OPTIONAL_FIGURES if not 0 <= figures[name] < 1e6]
        found += ["measured at another time"] if abs(figures["measured"] - time.time()) > PATIENCE else []
    again = report_of()[1]
    if [each["figures"] for each in again["devices"]] != [each["figures"] for each in measured["devices"]]:
        found.append("figures change without being measured")
    files = list(pathlib.Path(cache.name, "gst-cl").glob("figures-*.ini"))
    if not files:
        return found + ["nothing was kept"]
    for file in files:
        file.write_bytes(file.read_bytes()[:100] + b"\xff\x00[figures\nlaunch-us=-1\n")
    status, report = report_of()
    if status or any(device["figures"] for device in report["devices"]):
        found.append("a damaged file is believed")
    return found


def check_cache():
    """It knows the program cache and clears it"""
    before = report_of()[1]["cache"]
    found = [] if before["entries"] > 0 and 0 < before["bytes"] <= before["limit-bytes"] else [f"holds {before}"]
    if not time.time() - PATIENCE < before["oldest"] <= before["newest"] <= time.time() + 2:
        found.append(f"times of {before}")
    status, text = run("--clear-cache")
    after = report_of()[1]["cache"]
    if status or str(before["entries"]) not in text or after["entries"] or after["bytes"]:
        found.append(f"--clear-cache: {status}, {text}, leaves {after}")
    return found


def check_choice():
    """It tells what a device string picks"""
    first = report_of()[1]["devices"][0]
    found = []
    for wanted in (first["device"], first["name"].upper(), first["type"].lower()):
        status, report = report_of("--device", wanted)
        if status or report["choice"]["wanted"] != wanted or "device" not in report["choice"]:
            found.append(f"{wanted}: {status}, {report['choice']}")
    by_variable = report_of(GST_CL_DEVICE=first["device"])[1]
    if not by_variable["choice"]["wanted"] == by_variable["variables"]["GST_CL_DEVICE"] == first["device"]:
        found.append(f"by GST_CL_DEVICE: {by_variable['choice']}")
    strange = 'a "name" \\ of\ttwo\x01words'
    told = report_of(GST_CL_DEVICE=strange)[1]["variables"]["GST_CL_DEVICE"]
    if told != strange:
        found.append(f"{strange!r} becomes {told!r}")
    status, report = report_of("--device=no such device")
    if status != 1 or "no such device" not in " ".join(report["advice"]):
        found.append(f"no such device: {status}, {report['advice']}")
    return found


def check_none():
    """Without a driver it gives advice"""
    nowhere = "/nonexistent"
    status, report = report_of(OCL_ICD_VENDORS=nowhere, OCL_ICD_FILENAMES="", OPENCL_LAYERS="")
    found = [] if status == 1 else [f"ends with {status}"]
    found += ["finds devices"] if report["devices"] or report["platforms"] else []
    advice = " ".join(report["advice"])
    found += [f"no word of {word}" for word in (nowhere, "pocl-opencl-icd") if word not in advice]
    for arguments in ((), ("--all",), ("--measure",)):
        status, text = run(*arguments, OCL_ICD_VENDORS=nowhere, OCL_ICD_FILENAMES="", OPENCL_LAYERS="")
        found += [f"{arguments}: {status}"] if status != 1 or "pocl-opencl-icd" not in text else []
        found += too_wide(text)
    return found


def library_of(folder, text):
    """Makes a shared library; None without a compiler."""
    source, library = pathlib.Path(folder, "bad.c"), pathlib.Path(folder, "libbad.so")
    source.write_text(text, encoding="utf-8")
    done = subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=False)
    return None if done.returncode else library


def check_bad_driver():
    """A driver that ends the process is a line of the report"""
    with tempfile.TemporaryDirectory() as folder:
        library = library_of(folder, "#include <stdlib.h>\n"
                             "__attribute__ ((constructor)) static void end (void) { abort (); }\n")
        if not library:
            return []
        pathlib.Path(folder, "bad.icd").write_text(f"{library}\n", encoding="utf-8")
        status, report = report_of(OCL_ICD_VENDORS=folder)
    advice = " ".join(report["advice"])
    if status != 1 or "signal" not in report["devices-ending"] or "crashed the program" not in advice:
        return [f"{status}, {report['devices-ending']}, {advice}"]
    return []


def check_late_crash():
    """What a driver said before it ended the process is in the report"""
    with tempfile.TemporaryDirectory() as folder:
        library = library_of(folder, "#include <stdio.h>\n#include <stdlib.h>\n"
                             "int clGetDeviceIDs (void) { puts (\"{}\"); fflush (stdout); abort (); }\n")
        status, report = report_of(LD_PRELOAD=str(library)) if library else (1, None)
    if not report:
        return []
    named = [platform["name"] for platform in report["platforms"]]
    if status != 1 or not named or "signal" not in report["devices-ending"] or report["devices"]:
        return [f"{status}, {named}, {report['devices-ending']}, {report['devices']}"]
    return []


def check_elements():
    """It compares every element with PoCL's results; other groups check these, and ./run test full does so here"""
    known = (pathlib.Path(__file__).parents[2] / "pipelines/apps/info/check_results.inc").read_text(encoding="utf-8")
    found = [f"--check leaves {name} out" for name in re.findall(r"^  (cl\w+):", tap.described("cl"), re.M)
             if not re.search(rf'[" ]{name}[ "]', known)]
    if os.environ.get("GST_CL_TEST_FULL"):
        status, output = run("--check")
        counts = re.fullmatch(r"(\d+) of (\d+) right .*\n", output)
        found += [] if status == 0 and counts and counts[1] == counts[2] else [output]
    return found


def check_arguments():
    """It refuses what it does not know"""
    return [f"{each}: ends with {status}" for each in ("--nonsense", "word", "--timeout=0")
            if (status := run(each)[0]) != 2] + ([] if run("--check", "--device", "nosuch") == (1, "") else ["--check takes any device"])


tap.skip_all("" if report_of()[1]["devices"] else "no OpenCL device")
tap.results((check.__doc__, check()) for check in (
    check_fields, check_text, check_gl, check_video, check_measure, check_cache, check_choice,
    check_none, check_bad_driver, check_late_crash, check_elements, check_arguments))
