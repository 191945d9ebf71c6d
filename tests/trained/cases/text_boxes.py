import pathlib

import numpy
import PIL.Image
import scipy.ndimage

import written

WHAT = "finding lines of text in photos, convolutions"
SOURCE = ("ch_PP-OCRv4_det_infer.onnx of rapidocr-onnxruntime 1.4.4 (pip), PaddleOCR's; "
          "Apache-2.0, METADATA of the package")
SIDE = 320
SIZES = ["--input", f"x=1x3x{SIDE}x{SIDE}"]
CALIBRATE, HELD_OUT = 12, 20
SENSITIVITY = 6  # samples, since it is slow
MEASURE = "lines found (F1 of boxes, IoU ≥ 0.5), %"
LINES = 4  # a photo
PHOTOS = pathlib.Path("/usr/lib/python3/dist-packages/skimage/data")  # Debian's python3-skimage
NAMES = ("astronaut", "coffee", "chelsea", "brick", "grass", "gravel", "moon", "motorcycle_left")


def model(at):
    return at.packages / "rapidocr_onnxruntime/models/ch_PP-OCRv4_det_infer.onnx"


def photo(name, random):
    image = PIL.Image.open(PHOTOS / f"{name}.png").convert("RGB")
    side = int(min(image.size) * random.uniform(0.5, 1))
    left, top = (int(random.integers(0, size - side + 1)) for size in image.size)
    image = image.crop((left, top, left + side, top + side)).resize((SIDE, SIDE))
    return numpy.array(image, numpy.float32)


def samples(at):
    random = numpy.random.default_rng(5)
    every = written.words()
    inputs, boxes = [], []
    for i in range(CALIBRATE + HELD_OUT):
        pixels = photo(NAMES[i % len(NAMES)], random)
        for k in range(LINES):
            height = int(random.integers(18, 30))
            line = written.line(written.phrase(every, random, 14), random, height)[:, :SIDE - 20]
            top = k * SIDE // LINES + int(random.integers(4, SIDE // LINES - height - 4))
            left = int(random.integers(4, SIDE - line.shape[1] - 4))
            pixels[top:top + height, left:left + line.shape[1]] = line
            boxes.append((left, top, left + line.shape[1], top + height))
        inputs.append(written.elements(pixels))
    return {"x": numpy.stack(inputs)}, {"boxes": numpy.array(boxes).reshape(-1, LINES, 4)}


def found_boxes(text):
    """Boxes around what is above 0.3, grown as the network's authors do: it marks lines' cores."""
    parts, _ = scipy.ndimage.label(text > 0.3)
    out = []
    for rows, columns in scipy.ndimage.find_objects(parts):
        height, width = rows.stop - rows.start, columns.stop - columns.start
        if min(height, width) < 3 or text[rows, columns].mean() < 0.4:
            continue
        grow = 1.6 * height * width / (2 * (height + width))
        out.append((columns.start - grow, rows.start - grow, columns.stop + grow, rows.stop + grow))
    return out


def overlap(a, b):
    width, height = (min(a[k + 2], b[k + 2]) - max(a[k], b[k]) for k in (0, 1))
    both = max(0, width) * max(0, height)
    area = sum((box[2] - box[0]) * (box[3] - box[1]) for box in (a, b))
    return both / (area - both)


def quality(answers, truth, at):
    hits = found = 0
    for answer, boxes in zip(answers, truth["boxes"]):
        seen = found_boxes(next(iter(answer.values())).reshape(SIDE, SIDE))
        found += len(seen)
        hits += sum(any(overlap(box, other) >= 0.5 for other in seen) for box in boxes)
    return 100 * 2 * hits / (found + truth["boxes"].shape[0] * LINES)
