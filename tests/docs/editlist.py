# SPDX-License-Identifier: LGPL-2.1-or-later
"""Replaces the edit list of an MP4 file's video: which parts are shown, and in which order."""
import struct


def boxes(data):
    """(type, content) of each box"""
    at = 0
    while at < len(data):
        size, kind = struct.unpack_from(">I4s", data, at)
        header = 8
        if size == 1:
            size, header = struct.unpack_from(">Q", data, at + 8)[0], 16
        yield kind, data[at + header:at + (size or len(data) - at)]
        at += size or len(data)


def box(kind, content):
    return struct.pack(">I4s", 8 + len(content), kind) + content


def find(data, *path):
    for kind, content in boxes(data):
        if kind == path[0]:
            return find(content, *path[1:]) if len(path) > 1 else content
    raise RuntimeError(f"the file has no {path[0]}")


def with_edits(moov, edits):
    """edits: (duration, start in the media), both in seconds; the start is None for an empty edit"""
    movie_scale = struct.unpack_from(">I", find(moov, b"mvhd"), 12)[0]
    tracks = []
    for kind, content in boxes(moov):
        if kind == b"trak" and find(content, b"mdia", b"hdlr")[8:12] == b"vide":
            media_scale = struct.unpack_from(">I", find(content, b"mdia", b"mdhd"), 12)[0]
            entries = b"".join(struct.pack(">IiI", round(length * movie_scale), -1 if begin is None else round(begin * media_scale), 0x10000)
                               for length, begin in edits)
            elst = box(b"elst", struct.pack(">II", 0, len(edits)) + entries)
            content = b"".join(box(name, inner) for name, inner in boxes(content) if name != b"edts") + box(b"edts", elst)
        tracks.append(box(kind, content))
    return b"".join(tracks)


def edit(source, target, edits):
    """The samples must precede the index, whose size changes."""
    parts = list(boxes(source.read_bytes()))
    names = [kind for kind, _ in parts]
    assert names.index(b"mdat") < names.index(b"moov"), f"{source} begins with its index"
    at, written = 0, source.read_bytes()
    for kind, content in parts:
        size = len(content) + (16 if struct.unpack_from(">I", written, at)[0] == 1 else 8)
        if kind == b"moov":
            written = written[:at] + box(b"moov", with_edits(content, edits)) + written[at + size:]
            break
        at += size
    target.write_bytes(written)
