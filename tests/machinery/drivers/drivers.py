#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""One part of ./run drivers: prints TAP. usage: drivers.py [--all] BUILD CACHE PART"""
import argparse
import importlib


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--all", action="store_true", help="tables of all kernels")
    parser.add_argument("build")
    parser.add_argument("cache")
    parser.add_argument("part")
    options = parser.parse_args()
    importlib.import_module(options.part.replace("-", "_")).run(options.build, options.cache, options.all)


if __name__ == "__main__":
    main()
