#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What clpixelate and clblur hide: filters printed text and faces with rising settings, and prints as Markdown how much of the text
tesseract still reads and how many of the faces OpenCV's detectors still find.

usage: measure-hidden.py [FOLDER]    FOLDER: where samples of treated pictures are written

Needs tesseract-ocr, python3-opencv, opencv-data, python3-pil, python3-skimage and fonts-dejavu-core of Debian, and a GStreamer that sees
the plugin (./run shell).
"""
import functools
import pathlib
import subprocess
import sys
import tempfile

import cv2
import gi
import numpy as np
from PIL import Image, ImageDraw, ImageFont
import skimage

gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402

SHARES = (0, 0.125, 0.25, 0.375, 0.5, 0.75)  # of a letter's height
BLOCKS = (0, 32, 24, 16, 12, 8, 6, 4, 3)  # along a face
SIGMAS = (0, 32, 24, 16, 12, 8, 6, 4)  # a face is so many sigmas wide
FONTS = ("DejaVuSans.ttf", "DejaVuSerif.ttf", "DejaVuSansMono.ttf")
CAPITALS = (20, 32)  # heights of capital letters, in pixels
WORDS = """river stone market window garden letter number winter summer doctor bridge yellow silver people school street
forest island camera paper bottle kitchen station morning evening picture journey village captain teacher measure problem
history science weather student language business question industry contract document""".split()
CASCADES = ("haarcascades/haarcascade_frontalface_default.xml", "haarcascades/haarcascade_frontalface_alt.xml",
            "haarcascades/haarcascade_frontalface_alt2.xml", "lbpcascades/lbpcascade_frontalface.xml")
DATA = pathlib.Path(skimage.__file__).parent / "data"


class Filter:
    """An element that filters grey pictures of one size, with new settings for each"""

    def __init__(self, element, height, width):
        self.stride = (width + 3) // 4 * 4
        self.shape = height, width
        self.pipeline = Gst.parse_launch(
            f"appsrc name=in caps=video/x-raw,format=GRAY8,width={width},height={height},framerate=0/1 ! {element} name=filter ! "
            "appsink name=out sync=false")
        self.pipeline.set_state(Gst.State.PLAYING)

    def __call__(self, picture, **settings):
        height, width = self.shape
        for name, value in settings.items():
            Gst.util_set_object_arg(self.pipeline.get_by_name("filter"), name.replace("_", "-"), str(value))
        rows = np.pad(picture, ((0, 0), (0, self.stride - width)))
        self.pipeline.get_by_name("in").emit("push-buffer", Gst.Buffer.new_wrapped(rows.tobytes()))
        sample = self.pipeline.get_by_name("out").emit("pull-sample")
        if sample is None:
            raise SystemExit(self.pipeline.get_bus().pop_filtered(Gst.MessageType.ERROR).parse_error()[1])
        buffer = sample.get_buffer()
        return np.frombuffer(buffer.extract_dup(0, buffer.get_size()), np.uint8).reshape(height, self.stride)[:, :width].copy()


@functools.cache
def filter_of(element, height, width):
    return Filter(element, height, width)


def page_of_text(font, capitals, seed):
    """40 words in black on white, in lines, and the words"""
    face = ImageFont.truetype("/usr/share/fonts/truetype/dejavu/" + font, round(capitals / 0.729))
    words = list(np.random.default_rng(seed).permutation(WORDS))[:40]
    image = Image.new("L", (capitals * 34, capitals * 20), 255)
    for line in range(10):
        ImageDraw.Draw(image).text((capitals, capitals * (1 + 1.8 * line)), " ".join(words[4 * line:4 * line + 4]), fill=0, font=face)
    return np.array(image), words


def read_words(image, capitals, folder):
    """The text that tesseract reads, at its best size and at the given one"""
    found = []
    for scale in {1, max(1, round(40 / capitals))}:
        path = pathlib.Path(folder) / "page.png"
        cv2.imwrite(str(path), cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC))
        done = subprocess.run(["tesseract", path, "-", "--psm", "6"], text=True, capture_output=True, check=True)
        found.append(done.stdout.lower().split())
    return found


def faces():
    """(picture, rectangle of the face) for every sample in which the detectors find a face before filtering"""
    found = []
    astronaut = cv2.imread(str(DATA / "astronaut.png"), cv2.IMREAD_GRAYSCALE)
    pictures = [cv2.resize(astronaut[:280, 60:400], None, fx=f, fy=f, interpolation=cv2.INTER_AREA) for f in (1, 0.75, 0.5)]
    # the set's first faces, enlarged because they are small
    for small in np.load(DATA / "lfw_subset.npy")[:60]:
        large = cv2.resize(np.uint8(np.rint(small * 255)), (150, 150), interpolation=cv2.INTER_CUBIC)
        pictures.append(cv2.copyMakeBorder(large, 45, 45, 45, 45, cv2.BORDER_REPLICATE))
    for picture in pictures:
        rectangles = detected(picture)
        if rectangles:
            found.append((picture, max(rectangles, key=lambda r: r[2])))
    return found, len(pictures)


def detected(picture):
    """Every rectangle that any of the cascades finds"""
    return [tuple(r) for cascade in detected.cascades
            for r in cascade.detectMultiScale(picture, scaleFactor=1.1, minNeighbors=3, minSize=(24, 24))]


def overlap(a, b):
    """Intersection over union"""
    width = min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0])
    height = min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1])
    common = max(width, 0) * max(height, 0)
    return common / (a[2] * a[3] + b[2] * b[3] - common)


def text_shares(element, scratch, samples):
    """share of a letter's height -> share of the words that are read"""
    result = {}
    for share in SHARES:
        read = total = 0
        for number, font in enumerate(FONTS):
            for capitals in CAPITALS:
                page, words = page_of_text(font, capitals, 100 * number + capitals)
                settings = {"size": max(round(share * capitals), 2)} if element == "clpixelate" else {"sigma": share * capitals / 2}
                treated = filter_of(element, *page.shape)(page, **settings) if share else page
                if samples and number == 0 and capitals == 32:
                    cv2.imwrite(f"{samples}/text-{element}-{share}.png", treated)
                read += max(len(set(words) & set(found)) for found in read_words(treated, capitals, scratch))
                total += len(words)
        result[share] = (read, total)
    return result


def face_shares(element, all_faces, samples):
    """blocks or sigmas along a face -> faces that are found"""
    result = {}
    for parts in BLOCKS if element == "clpixelate" else SIGMAS:
        hits = 0
        for number, (picture, (x, y, width, height)) in enumerate(all_faces):
            settings = {"roi_x": x, "roi_y": y, "roi_width": width, "roi_height": height}
            settings |= {"blocks": parts, "anchor": "region"} if element == "clpixelate" else {"sigma": width / max(parts, 1)}
            treated = filter_of(element, *picture.shape)(picture, **settings) if parts else picture
            if samples and number in (0, 3, 4):
                cv2.imwrite(f"{samples}/face-{element}-{parts}-{number}.png", treated)
            hits += any(overlap(r, (x, y, width, height)) > 0.3 for r in detected(treated))
        result[parts] = (hits, len(all_faces))
    return result


def show(title, column, table):
    print(f"\n{title}\n\n| {column} | recognised | of |\n|---|---|---|")
    for key, (hits, total) in table.items():
        print(f"| {key or 'untreated'} | {hits} ({100 * hits / total:.0f} %) | {total} |", flush=True)


def main():
    Gst.init(None)
    cv2.setNumThreads(1)
    samples = sys.argv[1] if len(sys.argv) > 1 else None
    detected.cascades = [cv2.CascadeClassifier("/usr/share/opencv4/" + name) for name in CASCADES]
    all_faces, tried = faces()
    print(f"{len(all_faces)} of {tried} faces are found untreated", flush=True)
    with tempfile.TemporaryDirectory() as scratch:
        for element, unit in (("clpixelate", "size"), ("clblur", "2 sigma")):
            show(f"{element}: faces", "blocks along the face" if element == "clpixelate" else "width of the face / sigma",
                 face_shares(element, all_faces, samples))
            show(f"{element}: words", unit + " / height of a capital letter", text_shares(element, scratch, samples))


main()
