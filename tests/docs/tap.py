# SPDX-License-Identifier: LGPL-2.1-or-later
"""Results in TAP, the Test Anything Protocol, and the programs that tests run"""
import contextlib
import functools
import os
import pathlib
import subprocess
import sys
import tempfile
import time


@contextlib.contextmanager
def folder():
    """A folder that is removed afterwards"""
    with tempfile.TemporaryDirectory() as name:
        yield pathlib.Path(name)


def result(number, name, complaint="", skip=""):
    """complaint: a text or lines; nothing if the case is good"""
    print(f"{'not ok' if complaint else 'ok'} {number} - {name}{f' # SKIP {skip}' if skip else ''}", flush=True)
    for line in (complaint if isinstance(complaint, str) else "\n".join(complaint)).splitlines():
        print("# " + line, flush=True)


class Skipped(Exception):
    """Why a case cannot run here"""


def case(name, check, *arguments):
    """A case for results(): what a function returns or raises"""
    try:
        return name, check(*arguments) or ""
    except Skipped as reason:
        return name, "", reason
    except (AssertionError, RuntimeError, OSError, subprocess.TimeoutExpired) as error:
        return name, str(error) or "it fails"


def results(cases):
    """Each is a name, the complaint, and perhaps why it was skipped"""
    number = 0
    for number, each in enumerate(cases, 1):
        result(number, *each)
    print(f"1..{number}")


def skip_all(why):
    """Ends the test if there is a reason"""
    if why:
        print(f"1..0 # SKIP {why}")
        sys.exit()


def run(command, folder=None, timeout=120, errors=subprocess.STDOUT, **variables):
    """(exit status, output), 124 if it takes too long; errors: where standard error goes, which is the third with PIPE. A variable
    that is None is removed"""
    environment = {name: value for name, value in {**os.environ, **variables}.items() if value is not None}
    try:
        done = subprocess.run(list(map(str, command)), cwd=folder, env=environment, stdin=subprocess.DEVNULL, text=True, errors="replace",
                              stdout=subprocess.PIPE, stderr=errors, timeout=timeout, check=False)
    except subprocess.TimeoutExpired:
        late = f"still running after {timeout} s"
        return (124, "", late) if errors == subprocess.PIPE else (124, late)
    return (done.returncode, done.stdout, done.stderr) if errors == subprocess.PIPE else (done.returncode, done.stdout)


def end(process, patience):
    """The exit status; kills a process that does not end"""
    try:
        return process.wait(patience)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()


def wait_for(condition, patience, pause=0.2):
    """Whether it becomes true in time"""
    last = time.monotonic() + patience
    while not condition():
        if time.monotonic() > last:
            return False
        time.sleep(pause)
    return True


@functools.cache
def described(element=""):
    """What gst-inspect-1.0 prints of an element or a plugin, or the list of all; "" if it is not installed"""
    status, text = run(["gst-inspect-1.0", "--no-colors", *element.split()], errors=subprocess.DEVNULL)
    return "" if status else text


def python_with(*modules):
    """The system's Python has its packages' modules, even if PATH has another Python first; None if no Python has them"""
    return next((name for name in ("python3", "/usr/bin/python3") if run([name, "-c", "import " + ", ".join(modules)])[0] == 0), None)
