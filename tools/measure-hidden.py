#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What clpixelate and clblur hide: filters printed text and faces with rising settings, and prints as Markdown how much of the text
tesseract still reads and how many of the faces OpenCV's detectors still find. Beside each number stands chance: the same count where there
is nothing to find, in pictures without a face that are treated alike, and for letters against a random text of the same lengths.

usage: measure-hidden.py [--defaults] [FOLDER]
       --defaults  the settings that the recipes name, and nothing else
       FOLDER      where samples of treated pictures are written

Needs tesseract-ocr, python3-opencv, opencv-data, python3-pil, python3-skimage and fonts-dejavu-core of Debian, and a GStreamer that sees
the plugin (./run shell).
"""
import difflib
import functools
import os
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
DEFAULTS = {"clpixelate": {"faces": (3,), "text": (0.5,)}, "clblur": {"faces": (4,), "text": (0.75,)}}
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
        # its threads wait for one another on a busy machine
        done = subprocess.run(["tesseract", path, "-", "--psm", "6"], text=True, capture_output=True, check=True,
                              env=dict(os.environ, OMP_THREAD_LIMIT="1"))
        found.append(done.stdout.lower().split())
    return found


def enlarged(small):
    """A picture of 25 x 25 pixels, with a border"""
    large = cv2.resize(np.uint8(np.rint(small * 255)), (150, 150), interpolation=cv2.INTER_CUBIC)
    return cv2.copyMakeBorder(large, 45, 45, 45, 45, cv2.BORDER_REPLICATE)


def faces():
    """(picture, rectangle of the face) for every sample in which the detectors find a face before filtering"""
    found = []
    astronaut = cv2.imread(str(DATA / "astronaut.png"), cv2.IMREAD_GRAYSCALE)
    pictures = [cv2.resize(astronaut[:280, 60:400], None, fx=f, fy=f, interpolation=cv2.INTER_AREA) for f in (1, 0.75, 0.5)]
    # the first hundred of the set have a face
    pictures += [enlarged(small) for small in np.load(DATA / "lfw_subset.npy")[:100]]
    for picture in pictures:
        rectangles = detected(picture)
        if rectangles:
            found.append((picture, max(rectangles, key=lambda r: r[2])))
    return found, len(pictures)


def no_faces():
    """(picture, rectangle) of pictures without a face: the second hundred of the set, and squares of photographs"""
    pictures = [enlarged(small) for small in np.load(DATA / "lfw_subset.npy")[100:]]
    for name in ("brick", "coffee", "grass", "gravel", "hubble_deep_field", "moon", "motorcycle_left"):
        photograph = cv2.imread(str(next(DATA.glob(name + ".*"))), cv2.IMREAD_GRAYSCALE)
        pictures += [photograph[y:y + 240, x:x + 240] for y in range(0, photograph.shape[0] - 239, 240)
                     for x in range(0, photograph.shape[1] - 239, 240)]
    return [(picture, (45, 45, 150, 150)) for picture in pictures]


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


def random_words(words, seed):
    """Letters at random, as many as the words have"""
    random = np.random.default_rng(seed)
    return ["".join(chr(97 + n) for n in random.integers(0, 26, len(word))) for word in words]


def likeness(words, found):
    """The share of letters that two texts have in common, in order"""
    return difflib.SequenceMatcher(None, " ".join(words), " ".join(found), autojunk=False).ratio()


def text_shares(element, shares, scratch, samples):
    """share of a letter's height -> of the words what is read, and of the letters what is like, and like a random text"""
    result = {}
    for share in shares:
        read = total = 0
        like, by_chance = [], []
        for number, font in enumerate(FONTS):
            for capitals in CAPITALS:
                page, words = page_of_text(font, capitals, 100 * number + capitals)
                settings = {"size": max(round(share * capitals), 2)} if element == "clpixelate" else {"sigma": share * capitals / 2}
                treated = filter_of(element, *page.shape)(page, **settings) if share else page
                if samples and number == 0 and capitals == 32:
                    cv2.imwrite(f"{samples}/text-{element}-{share}.png", treated)
                pages = read_words(treated, capitals, scratch)
                read += max(len(set(words) & set(found)) for found in pages)
                total += len(words)
                like.append(max(likeness(words, found) for found in pages))
                by_chance.append(max(likeness(random_words(words, seed), found) for found in pages for seed in range(5)))
        result[share] = (read, total, np.mean(like), np.mean(by_chance))
    return result


def face_shares(element, parts_along, pictures, samples):
    """blocks or sigmas along a face -> pictures in whose rectangle a face is found"""
    result = {}
    for parts in parts_along:
        hits = 0
        for number, (picture, (x, y, width, height)) in enumerate(pictures):
            settings = {"roi_x": x, "roi_y": y, "roi_width": width, "roi_height": height}
            settings |= {"blocks": parts, "anchor": "region"} if element == "clpixelate" else {"sigma": width / max(parts, 1)}
            treated = filter_of(element, *picture.shape)(picture, **settings) if parts else picture
            if samples and number in (0, 3, 4):
                cv2.imwrite(f"{samples}/face-{element}-{parts}-{number}.png", treated)
            hits += any(overlap(r, (x, y, width, height)) > 0.3 for r in detected(treated))
        result[parts] = (hits, len(pictures))
    return result


def percent(hits, total):
    return f"{hits} of {total} ({100 * hits / total:.0f} %)"


def show_faces(element, found, by_chance):
    column = "blocks along the face" if element == "clpixelate" else "width of the face / sigma"
    print(f"\n{element}: faces\n\n| {column} | faces found | found without a face |\n|---|---|---|")
    for key, counts in found.items():
        print(f"| {key or 'untreated'} | {percent(*counts)} | {percent(*by_chance[key])} |", flush=True)


def show_text(element, table):
    column = "`size`" if element == "clpixelate" else "2 sigma"
    print(f"\n{element}: text\n\n| {column} / height of a capital letter | words read | letters alike | random letters alike |\n|---|---|---|---|")
    for key, (read, total, like, by_chance) in table.items():
        print(f"| {key or 'untreated'} | {percent(read, total)} | {100 * like:.0f} % | {100 * by_chance:.0f} % |", flush=True)


def main():
    Gst.init(None)
    cv2.setNumThreads(1)
    arguments = sys.argv[1:]
    only_defaults = "--defaults" in arguments
    samples = next((each for each in arguments if not each.startswith("--")), None)
    detected.cascades = [cv2.CascadeClassifier("/usr/share/opencv4/" + name) for name in CASCADES]
    (all_faces, tried), others = faces(), no_faces()
    print(f"{len(all_faces)} of {tried} faces are found untreated", flush=True)
    with tempfile.TemporaryDirectory() as scratch:
        for element, parts in (("clpixelate", BLOCKS), ("clblur", SIGMAS)):
            parts = DEFAULTS[element]["faces"] if only_defaults else parts
            show_faces(element, face_shares(element, parts, all_faces, samples), face_shares(element, parts, others, None))
            show_text(element, text_shares(element, DEFAULTS[element]["text"] if only_defaults else SHARES, scratch, samples))


main()
