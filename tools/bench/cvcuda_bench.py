#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Times CV-CUDA's operators, and cucim's filters where CuPy is, for cl-bench --peer-results.

  PYTHONPATH=WHEELS python3 cvcuda_bench.py [WIDTH HEIGHT [FRAMES.rgba or - [NAME]]] > cvcuda.jsonl

WHEELS is the folder that the wheels cvcuda_cu13 and cucim_cu13 were unpacked to; NumPy and the driver are all that
CV-CUDA needs. FRAMES is the file of cl-bench --save-frames. Rows have the names and windows of cl-bench where it has
such a filter. As in npp_bench, a time is the median of single calls between two events, enqueued behind other work."""
import ctypes
import json
import statistics
import sys

import numpy as np

ROTATED, SAMPLES, SAMPLE_MS, SLOW_MS, MOST_CALLS = 8, 9, 4.0, 20, 40
HOLD_BYTES = 1 << 30


class Cuda:
    """The driver, as far as it is used here; the primary context is that of the runtime."""

    def __init__(self):
        self.library = ctypes.CDLL("libcuda.so.1")
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self.call("cuInit", 0)
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)
        self.held = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(self.held), ctypes.c_size_t(HOLD_BYTES))

    def call(self, name, *arguments):
        status = getattr(self.library, name)(*arguments)
        if status:
            raise RuntimeError(f"{name} returned {status}")

    def event(self):
        event = ctypes.c_void_p()
        self.call("cuEventCreate", ctypes.byref(event), 0)
        return event

    def record(self, event, stream):
        self.call("cuEventRecord", event, stream)

    def milliseconds(self, begin, end):
        ms = ctypes.c_float()
        name = "cuEventElapsedTime_v2" if hasattr(self.library, "cuEventElapsedTime_v2") else "cuEventElapsedTime"
        self.call(name, ctypes.byref(ms), begin, end)
        return ms.value

    def hold(self, stream, times):
        """Keeps the device busy, about 0.4 ms each time."""
        for _ in range(times):
            self.call("cuMemsetD32Async", self.held, 0, ctypes.c_size_t(HOLD_BYTES // 4), stream)

    def is_done(self, event):
        return not self.library.cuEventQuery(event)

    def wait(self):
        self.call("cuCtxSynchronize")

    def array(self, values):
        """A copy on the device."""
        values = np.ascontiguousarray(values)
        pointer = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(values.nbytes))
        self.call("cuMemcpyHtoD_v2", pointer, values.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(values.nbytes))
        return DeviceArray(self, pointer, values)


class DeviceArray:
    """Memory in the form that CuPy, PyTorch and CV-CUDA take from each other."""

    def __init__(self, cuda, pointer, values):
        self.cuda, self.pointer = cuda, pointer
        self.__cuda_array_interface__ = {"shape": values.shape, "typestr": values.dtype.str, "strides": None, "version": 3,
                                         "data": (pointer.value, False), "stream": None}

    def __del__(self):
        self.cuda.library.cuMemFree_v2(self.pointer)


class Timer:
    def __init__(self, cuda, stream):
        self.cuda, self.stream = cuda, ctypes.c_void_p(stream)
        self.begins = [cuda.event() for _ in range(MOST_CALLS)]
        self.ends = [cuda.event() for _ in range(MOST_CALLS)]
        self.turn = 0

    def sample(self, operation, n, hold):
        """The median time of n calls in ms, and whether the device waited for the host."""
        self.cuda.hold(self.stream, hold)
        for i in range(n):
            self.cuda.record(self.begins[i], self.stream)
            operation(self.turn % ROTATED)
            self.cuda.record(self.ends[i], self.stream)
            self.turn += 1
        waited = self.cuda.is_done(self.begins[n - 1])
        self.cuda.wait()
        return statistics.median(self.cuda.milliseconds(a, b) for a, b in zip(self.begins[:n], self.ends[:n])), waited

    def measure(self, operation):
        """Times in µs, and whether the host was too slow."""
        for i in range(3):
            operation(i)
        self.cuda.wait()
        once, _ = self.sample(operation, 3, 4)
        n = max(3, min(MOST_CALLS, int(SAMPLE_MS / once)))
        hold = 4 + n // 2
        self.sample(operation, n, hold)
        samples = [self.sample(operation, n, hold) for _ in range(SAMPLES if once < SLOW_MS else 3)]
        return [ms * 1000 for ms, _ in samples], all(waited for _, waited in samples)


def draw_frames(width, height):
    """Gradients, edges and noise, moved from frame to frame."""
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    tones = [90 + 50 * np.sin(x / 97 + c) + 40 * np.cos(y / 61) + 40 * ((x // 83 + y // 59) % 3 == 0) for c in range(4)]
    noise = np.random.default_rng(1).integers(-8, 9, (height, width, 4), np.int8)
    first = np.clip(np.stack(tones, axis=2) + noise, 0, 255).astype(np.uint8)
    return [np.roll(first, (3 * i, 7 * i), (0, 1)) for i in range(ROTATED)]


class Bench:
    def __init__(self, width, height, path, wanted):
        self.width, self.height, self.wanted = width, height, wanted
        if path == "-":
            self.rgba = draw_frames(width, height)
        else:
            pixels = np.fromfile(path, np.uint8, ROTATED * width * height * 4)
            self.rgba = list(pixels.reshape(ROTATED, height, width, 4))
        self.cuda = Cuda()

    def pixels(self, form):
        """Frames of height, width and components."""
        if form == "NV12":
            return [np.resize(frame[..., 1], (self.height * 3 // 2, self.width, 1)) for frame in self.rgba]
        return [frame[..., {"RGBA": slice(0, 4), "RGB": slice(0, 3), "GRAY8": slice(1, 2)}[form]] for frame in self.rgba]

    def row(self, peer, timer, name, window, form, function, prepare):
        """Times what prepare () returns; prints why if it fails."""
        if self.wanted and self.wanted not in name:
            return
        try:
            us, waited = timer.measure(prepare())
        except Exception as error:  # one row must not end the others
            print(f"{peer} {name} {window}, {form}: {type(error).__name__}: {str(error)[:300]}", file=sys.stderr)
            return
        row = {"peer": peer, "filter": name + ("-gray" if form == "GRAY8" else ""), "size": window, "width": self.width,
               "height": self.height, "channels": {"RGBA": 4, "RGB": 3, "GRAY8": 1, "NV12": 1}[form], "format": form,
               "us": round(statistics.median(us), 3), "min_us": round(min(us), 3), "max_us": round(max(us), 3),
               "function": function}
        if waited:
            row["note"] = "the device waited for the host"
        print(json.dumps(row), flush=True)


class CvCuda:
    """Operators on tensors with rotating frames."""

    def __init__(self, bench, cvcuda):
        self.bench, self.cv = bench, cvcuda
        self.stream = cvcuda.Stream()
        self.timer = Timer(bench.cuda, int(self.stream.handle))
        self.inputs, self.kept = {}, []

    def tensor(self, values, layout):
        array = self.bench.cuda.array(values)
        self.kept.append(array)
        return self.cv.as_tensor(array, layout)

    def frames(self, form):
        if form not in self.inputs:
            self.inputs = {form: [self.tensor(frame[None], "NHWC") for frame in self.bench.pixels(form)]}
        return self.inputs[form]

    def row(self, name, window, form, operator, *arguments, shape=None, **named):
        """An operator of whole frames; shape: of the result, where it is another one."""

        def prepare():
            source = self.frames(form)
            results = [self.cv.Tensor(shape or each.shape, self.cv.Type.U8, "NHWC") for each in source]
            call = getattr(self.cv, operator + "_into")
            return lambda i: call(results[i], source[i], *arguments, stream=self.stream, **named)

        self.bench.row("cvcuda", self.timer, name, window, form, operator, prepare)

    def convolution(self, window, form):
        def batch(image):
            images = self.cv.ImageBatchVarShape(1)
            images.pushback(image)
            return images

        def image(kind, pixels):
            self.kept.append(self.bench.cuda.array(pixels))
            return self.cv.as_image(self.kept[-1], kind)

        def prepare():
            kind = {"RGBA": self.cv.Format.RGBA8, "RGB": self.cv.Format.RGB8, "GRAY8": self.cv.Format.U8}[form]
            source = [batch(image(kind, pixels)) for pixels in self.bench.pixels(form)]
            results = [batch(self.cv.Image((self.bench.width, self.bench.height), kind)) for _ in source]
            taps = np.random.default_rng(1).random((window, window, 1), np.float32)
            kernel = batch(image(self.cv.Format.F32, taps / taps.sum()))
            anchor = self.tensor(np.full((1, 2), -1, np.int32), "NC")
            return lambda i: self.cv.conv2d_into(results[i], source[i], kernel, anchor, self.cv.Border.REPLICATE,
                                                 stream=self.stream)

        self.bench.row("cvcuda", self.timer, "convolve-int", window, form, "conv2d", prepare)

    def windows(self, form):
        cv, border = self.cv, {"border": self.cv.Border.REPLICATE}
        for window in (3, 5, 7, 15, 31):
            self.row("median", window, form, "median_blur", (window, window))
        for window in (3, 7, 15):
            self.convolution(window, form)
        for window, sigma in ((13, 2.0), (31, 8.0)):
            self.row("gaussian", window, form, "gaussian", (window, window), (sigma, sigma), **border)
        self.row("box", 21, form, "averageblur", (21, 21), (-1, -1), **border)
        self.row("laplacian", 3, form, "laplacian", 3, 1.0, **border)
        for window in (3, 15):
            for name, kind in (("erode", cv.MorphologyType.ERODE), ("dilate", cv.MorphologyType.DILATE)):
                self.row(name, window, form, "morphology", kind, (window, window), (-1, -1), iteration=1, **border)

    def bilateral(self, form):
        for radius in (2, 4):
            self.row("bilateral", 2 * radius + 1, form, "bilateral_filter", 2 * radius + 1, 25.5, radius / 2,
                     border=self.cv.Border.REPLICATE)

    def samples(self, form):
        cv, gray = self.cv, form == "GRAY8"
        limit, most = self.tensor(np.full(1, 127.0), "N"), self.tensor(np.full(1, 255.0), "N")
        self.row("threshold", 1, form, "threshold", limit, most, cv.ThresholdType.BINARY)
        self.row("equalize", 1, form, "histogrameq")
        self.row("levels", 1, form, "gamma_contrast", 1 / 1.5)
        self.row("noise", 1, form, "gaussiannoise", 0.0, 0.05, True, seed=1)
        if gray:
            for window in (7, 15):
                self.row("threshold-mean", window, form, "adaptivethreshold", 255.0, cv.AdaptiveThresholdType.MEAN_C,
                         cv.ThresholdType.BINARY, block_size=window, c=5.0)
            self.row("clahe", 1, form, "clahe", 2.0, (8, 8))
            counts = cv.Tensor((1, 256, 1), cv.Type.S32, "HWC")
            self.bench.row("cvcuda", self.timer, "histogram", 1, form, "histogram", lambda: (
                lambda i, source=self.frames(form): cv.histogram_into(counts, source[i], stream=self.stream)))
        else:
            twist = np.array([[.393, .769, .189, 0], [.349, .686, .168, 0], [.272, .534, .131, 0]], np.float32)
            self.row("colormatrix", 1, form, "color_twist", self.tensor(twist, "HW"))

    def places(self, form):
        cv = self.cv
        width, height = self.bench.width, self.bench.height
        components = {"RGBA": 4, "RGB": 3, "GRAY8": 1}[form]
        linear, inverse = cv.Interp.LINEAR, cv.Interp.LINEAR | cv.Interp.WARP_INVERSE_MAP
        edge = {"border_mode": cv.Border.REPLICATE, "border_value": np.zeros(4, np.float32)}
        matrix = np.array([[0.9, 0.2, 30], [-0.1, 0.8, 40], [2e-5, -3e-5, 1]], np.float32)
        self.row("warp", 2, form, "warp_perspective", matrix, inverse, **edge)
        self.row("warp-affine", 2, form, "warp_affine", matrix[:2].copy(), inverse, **edge)
        y, x = np.mgrid[0:height, 0:width].astype(np.float32)
        places = self.tensor(np.stack((x + 8 * np.sin(y / 50), y + 8 * np.cos(x / 50)), 2)[None], "NHWC")
        self.row("remap", 2, form, "remap", places, linear, linear, cv.Remap.ABSOLUTE, False, cv.Border.REPLICATE,
                 np.zeros(4, np.float32))
        for name, code in (("flip-horizontal", 1), ("flip-vertical", 0), ("flip-both", -1)):
            self.row(name, 1, form, "flip", code)
        half = (1, height // 2, width // 2, components)
        for kind in ("LINEAR", "AREA", "CUBIC"):
            self.row("resize-half-" + kind.lower(), 1, form, "resize", getattr(cv.Interp, kind), shape=half)
        for kind in ("LINEAR", "LANCZOS"):
            self.row("resize-half-antialias-" + kind.lower(), 1, form, "hq_resize", antialias=True,
                     interpolation=getattr(cv.Interp, kind), shape=half)

    def conversions(self):
        cv, bench = self.cv, self.bench
        nv12 = (1, bench.height * 3 // 2, bench.width, 1)
        for operator, extra in (("advcvtcolor", (cv.ColorSpec.BT709,)), ("cvtcolor", ())):
            for to, components in (("RGB", 3), ("RGBA", 4)):
                self.row("convert-to-" + to.lower(), 1, "NV12", operator, getattr(cv.ColorConversion, f"YUV2{to}_NV12"),
                         *extra, shape=(1, bench.height, bench.width, components))
                self.row("convert-to-nv12", 1, to, operator, getattr(cv.ColorConversion, f"{to}2YUV_NV12"), *extra,
                         shape=nv12)

    def run(self):
        for form in ("RGBA", "GRAY8", "RGB"):
            for part in (self.windows, self.samples, self.places, self.bilateral):
                if form != "RGB" or part == self.bilateral:  # bilateral rows filter three components
                    try:
                        part(form)
                    except Exception as error:
                        print(f"cvcuda {part.__name__}, {form}: {error}", file=sys.stderr)
        self.conversions()


def run_cucim(bench):
    """cucim allocates its results, and most functions want floats or make them."""
    import cupy
    from cucim.skimage import exposure, filters, morphology, transform

    timer = Timer(bench.cuda, 0)
    for form in ("GRAY8", "RGBA"):
        frames = [cupy.asarray(np.ascontiguousarray(frame[..., 0] if form == "GRAY8" else frame)) for frame in bench.pixels(form)]
        color = {} if form == "GRAY8" else {"channel_axis": 2}

        def row(name, window, function, call):
            bench.row("cucim", timer, name, window, form, function, lambda: (lambda i: call(frames[i])))

        for window in (3, 5, 7, 15, 31):
            shape = (window, window) if form == "GRAY8" else (window, window, 1)
            ones = cupy.ones(shape, bool)
            row("median", window, "filters.median", lambda frame, ones=ones: filters.median(frame, ones))
            if window in (3, 15):
                row("erode", window, "morphology.erosion", lambda frame, ones=ones: morphology.erosion(frame, ones))
        for window, sigma in ((13, 2), (31, 8)):
            row("gaussian", window, "filters.gaussian", lambda frame, sigma=sigma, window=window: filters.gaussian(
                frame, sigma, truncate=(window // 2) / sigma, preserve_range=True, **color))
        row("unsharp", 7, "filters.unsharp_mask", lambda frame: filters.unsharp_mask(frame, 1, 1, **color))
        if form == "GRAY8":
            row("sobel", 3, "filters.sobel", filters.sobel)
            row("prewitt", 3, "filters.prewitt", filters.prewitt)
            row("scharr", 3, "filters.scharr", filters.scharr)
            row("equalize", 1, "exposure.equalize_hist", exposure.equalize_hist)
            row("clahe", 1, "exposure.equalize_adapthist", exposure.equalize_adapthist)
            row("threshold-mean", 15, "filters.threshold_local", lambda frame: frame > filters.threshold_local(frame, 15))
        row("levels", 1, "exposure.adjust_gamma", lambda frame: exposure.adjust_gamma(frame, 1 / 1.5))
        row("resize-half-linear", 1, "transform.resize", lambda frame: transform.resize(
            frame, (bench.height // 2, bench.width // 2), order=1))


def main(arguments):
    width, height = (int(arguments[0]), int(arguments[1])) if len(arguments) > 1 else (3840, 2160)
    bench = Bench(width, height, arguments[2] if len(arguments) > 2 else "-", arguments[3] if len(arguments) > 3 else "")
    try:
        import cvcuda
        CvCuda(bench, cvcuda).run()
    except Exception as error:
        print(f"cvcuda left out: {error}", file=sys.stderr)
    try:
        run_cucim(bench)
    except Exception as error:
        print(f"cucim left out: {error}", file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1:])
