# SPDX-License-Identifier: LGPL-2.1-or-later
"""Builds for arm64 without warnings, and runs cl-info --check on arm64's PoCL, with instructions translated by QEMU."""
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import common

PACKAGES = """g++ libgstreamer-plugins-base1.0-dev libjson-glib-dev ocl-icd-opencl-dev opencl-headers opencl-clhpp-headers libvulkan-dev
    pocl-opencl-icd gstreamer1.0-plugins-base""".split()
SOURCE = common.HERE.parents[2]
# ELF of 64 bits, little-endian, executable or shared, for machine 183; F: the interpreter is opened here, outside the root
RULE = (r":gst-cl-arm64:M::\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00:"
    r"\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff:{}:F")
# The rule applies only in this user namespace (Linux 6.7 and later).
ENTER = """set -e
mount -t binfmt_misc none /proc/sys/fs/binfmt_misc
printf %s "$1" >/proc/sys/fs/binfmt_misc/register
root=$2
for name in dev sys; do mount --rbind /$name "$root/$name"; done
mount --bind "$3" "$root/mnt"
mount -t proc none "$root/proc"
shift 3
exec chroot "$root" "$@"
"""
# exit statuses of unshare, mount and bash when these are not permitted; failures inside the root end differently
REFUSED = (1, 32)
ENVIRONMENT = {"PATH": "/usr/bin:/usr/sbin:/bin:/sbin", "HOME": "/tmp", "GST_CL_TUNE": "off", "GST_CL_BUILD_OPTIONS": "-cl-opt-disable", "LD_LIBRARY_PATH": "/mnt/common",
    "GST_PLUGIN_PATH_1_0": "/mnt/gst", "GST_REGISTRY_1_0": "/tmp/registry.bin", "GST_REGISTRY_FORK": "no", "XDG_CACHE_HOME": "/tmp/cache", "POCL_CACHE_DIR": "/tmp/cache/pocl"}


def run_apt(state, *arguments):
    """Runs apt-get for arm64, with separate lists and packages."""
    options = [f"Dir::State={state}", f"Dir::State::status={state}/status", f"Dir::Cache={state}", "APT::Architecture=arm64", "APT::Architectures=arm64",
        "Acquire::Languages=none", "Debug::NoLocking=1", "APT::Sandbox::User=root"]
    command = ["apt-get", *(part for option in options for part in ("-o", option)), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=1200, check=False)


def fetch(root):
    """Returns the problem, if packages are unavailable. They are unpacked and not installed."""
    if (root / "complete").exists():
        return ""
    if not shutil.which("apt-get"):
        return "no apt"
    shutil.rmtree(root, ignore_errors=True)
    for name in ("lib", "bin", "sbin"):
        (root / "usr" / name).mkdir(parents=True)
        (root / name).symlink_to(f"usr/{name}")
    for name in ("dev", "sys", "proc", "mnt", "tmp"):
        (root / name).mkdir()
    with tempfile.TemporaryDirectory(dir=root.parent) as state:
        for name in ("lists/partial", "archives/partial"):
            (Path(state) / name).mkdir(parents=True)
        (Path(state) / "status").touch()
        for arguments in (["update"], ["--yes", "--no-install-recommends", "--download-only", "install", *PACKAGES]):
            apt = run_apt(state, *arguments)
            if apt.returncode:
                return (apt.stderr.strip().splitlines() or ["apt-get failed"])[-1]
        for archive in sorted(Path(state).glob("archives/*.deb")):
            with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", archive], stdout=subprocess.PIPE) as packed:
                subprocess.run(["tar", "-x", "--keep-directory-symlink", "--no-same-owner", "-C", root], stdin=packed.stdout, check=True)
    (root / "complete").touch()
    return ""


def build_for(root, build):
    """The lines with the compiler's errors, and with warnings, which count as errors here."""
    if not (build / "build.ninja").exists():
        build.mkdir(exist_ok=True)
        constants = build / "root.ini"
        constants.write_text(f"[constants]\nroot = '{root}'\n", encoding="utf-8")
        setup = subprocess.run(["meson", "setup", build, SOURCE, "--cross-file", constants, "--cross-file", common.HERE / "arm64.ini", "-Doptimization=2", "-Ddebug=false",
            "-Dwerror=true", "-Dtests=disabled", "-Dexamples=disabled", "-Dstudio=disabled", "-Dintrospection=disabled"], capture_output=True, text=True, check=False)
        if setup.returncode:
            return setup.stdout.splitlines()[-5:]
    ninja = subprocess.run(["ninja", "-C", build, "-k", "0", "plugin", "info", "common/gst-cl-compiler"], capture_output=True, text=True, check=False)
    return [line for line in ninja.stdout.splitlines() if "error:" in line] or ninja.stdout.splitlines()[-5:] if ninja.returncode else []


def play(root, build, *command, seconds=3600):
    """Runs a command in the root, with the build folder in /mnt."""
    rule = RULE.format(shutil.which("qemu-aarch64-static"))
    enter = ["unshare", "--user", "--map-root-user", "--mount", "--pid", "--fork", "--kill-child", "bash", "-c", ENTER, "enter", rule, root, build]
    return subprocess.run([*enter, *command], env=ENVIRONMENT, capture_output=True, text=True, timeout=seconds, check=False)


def check(root, build):
    """Programs are kept between attempts, so that a frame succeeds at the second one if its programs take longer to build than
    cl-info waits."""
    shutil.rmtree(root / "tmp/cache", ignore_errors=True)
    for _ in range(3):
        try:
            played = play(root, build, "/mnt/pipelines/apps/info/cl-info", "--check")
        except subprocess.TimeoutExpired:
            common.say(False, "arm64: cl-info --check takes longer than an hour")
            return
        lines = played.stdout.splitlines() or [""]
        if played.returncode == 0:
            break
    found = re.match(r"(\d+) of (\d+) right", lines[-1])
    common.say(played.returncode == 0 and found and found[1] == found[2], f"arm64, PoCL on QEMU: {lines[-1] or 'status ' + str(played.returncode)}", lines[:-1] if found else played.stderr.splitlines()[-3:])


def run(_build, cache, _everything):
    folder = Path(cache).resolve()
    root, build = folder / "arm64", folder / "arm64-build"
    folder.mkdir(parents=True, exist_ok=True)
    problem = fetch(root)
    if problem:
        common.skip("arm64", problem)
        return
    errors = build_for(root, build)
    common.say(not errors, "arm64: plugin, library and cl-info build without warnings", errors)
    if errors:
        return
    probe = play(root, build, "/usr/bin/ld", "--version")
    if probe.returncode in REFUSED:
        common.skip("arm64, PoCL on QEMU", (probe.stderr.strip().splitlines() or ["no user namespace with binfmt_misc"])[-1])
    else:
        check(root, build)
