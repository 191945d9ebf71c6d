#!/usr/bin/python3
"""Trained detectors from pip, faster and judged by their boxes: NudeNet and ddddocr as ONNX files, which `strata quantize`
makes int8 files of, and facenet-pytorch's MTCNN as a cascade of PyTorch modules, by strata.optimize.

    trained.py --packages FOLDER [--only NAME]

FOLDER is what `pip install --no-deps --target FOLDER nudenet==3.4.2 ddddocr==1.6.1 facenet-pytorch==2.6.0 tqdm
scikit-image` wrote; pip's onnxruntime and openvino have to be importable, and strata. The images are those that
scikit-image brings (a portrait, 200 small faces and patches) and rendered text: boxes are those of the fp32 model,
and the share of them that the other answers have, too, with an overlap above 0.9, is printed with the speedup.
"""

import argparse
import json
import pathlib
import statistics
import sys
import tempfile
import time

import numpy
import torch
from PIL import Image, ImageDraw, ImageFont

HERE = pathlib.Path(__file__).parent
# The convolutions of ddddocr's head: eight for each of three sizes.
DDDDOCR_HEAD = [f"Conv_{start + each}" for start in (245, 266, 287) for each in (0, 3, 6, 9, 10, 13, 16, 17)]
FONT = "/usr/share/fonts/truetype/dejavu/DejaVuSans-Bold.ttf"


def portraits(packages, count, side, seed):
    """Scenes: the portrait, turned, cut and lit differently, with small faces enlarged beside it."""
    random = numpy.random.default_rng(seed)
    portrait = Image.open(packages / "skimage" / "data" / "astronaut.png").convert("RGB")
    small = numpy.load(packages / "skimage" / "data" / "lfw_subset.npy")[:100]  # the rest are not faces
    for _ in range(count):
        left, top = random.integers(0, 120, 2)
        size = int(random.integers(300, 392))
        scene = portrait.crop((left, top, left + size, top + size)).resize((side, side), Image.BILINEAR)
        if random.random() < 0.5:
            scene = scene.transpose(Image.FLIP_LEFT_RIGHT)
        for _ in range(2):
            face = small[random.integers(len(small))]
            face = (255 * (face - face.min()) / (face.max() - face.min())).astype(numpy.uint8)
            wide = int(side * random.uniform(0.2, 0.3))
            face = Image.fromarray(face).convert("RGB").resize((wide, wide), Image.BICUBIC)
            scene.paste(face, (int(random.integers(0, side - wide)), int(side * 0.99) - wide))
        light = random.uniform(0.7, 1.2)
        yield numpy.clip(numpy.asarray(scene, numpy.float32) * light, 0, 255).astype(numpy.uint8)


def texts(count, side, seed):
    """Letters in colours on a noisy ground, as on the pages that ask whether one is a robot."""
    random = numpy.random.default_rng(seed)
    letters = "ABCDEFGHKLMNPRSTUVWXYZ23456789"
    try:
        fonts = [ImageFont.truetype(FONT, size) for size in range(40, 90, 10)]
    except OSError:
        fonts = [ImageFont.load_default()]
    for _ in range(count):
        ground = random.integers(150, 255, (side // 8, side // 8, 3)).astype(numpy.uint8)
        scene = Image.fromarray(ground).resize((side, side), Image.BILINEAR)
        draw = ImageDraw.Draw(scene)
        for row in range(2):
            for column in range(int(random.integers(2, 5))):
                place = (20 + 95 * column + int(random.integers(-8, 8)), 40 + 190 * row + int(random.integers(-20, 60)))
                colour = tuple(int(each) for each in random.integers(0, 120, 3))
                font = fonts[random.integers(len(fonts))]
                draw.text(place, letters[random.integers(len(letters))], font=font, fill=colour)
        yield numpy.asarray(scene)


def suppressed(boxes, scores, labels, overlap=0.45):
    """Boxes that no better one overlaps, as torchvision's detectors give them."""
    order, kept = list(numpy.argsort(-scores)), []
    while order:
        best = order.pop(0)
        kept.append(best)
        rest = []
        for other in order:
            low, high = numpy.maximum(boxes[best, :2], boxes[other, :2]), numpy.minimum(boxes[best, 2:], boxes[other, 2:])
            both = numpy.prod(numpy.clip(high - low, 0, None))
            union = sum(numpy.prod(boxes[each, 2:] - boxes[each, :2]) for each in (best, other)) - both
            if both <= overlap * union:
                rest.append(other)
        order = rest
    return {"boxes": torch.from_numpy(boxes[kept]), "labels": torch.from_numpy(labels[kept]),
            "scores": torch.from_numpy(scores[kept])}


def nudenet_boxes(output):
    rows = output[0].T  # centre, size and a score for each class
    scores, labels = rows[:, 4:].max(1), rows[:, 4:].argmax(1)
    own = scores >= 0.25
    centre, half = rows[own, :2], rows[own, 2:4] / 2
    return suppressed(numpy.concatenate([centre - half, centre + half], 1), scores[own], labels[own])


def ddddocr_boxes(output, side=416):
    grids, steps = [], []
    for step in (8, 16, 32):
        grid = numpy.stack(numpy.meshgrid(numpy.arange(side // step), numpy.arange(side // step)), 2).reshape(-1, 2)
        grids.append(grid)
        steps.append(numpy.full((len(grid), 1), step))
    grid, step = numpy.concatenate(grids), numpy.concatenate(steps)
    rows = output[0]
    centre, half = (rows[:, :2] + grid) * step, numpy.exp(rows[:, 2:4]) * step / 2
    scores = rows[:, 4] * rows[:, 5:].max(1)
    own = scores >= 0.1
    return suppressed(numpy.concatenate([centre - half, centre + half], 1)[own], scores[own], rows[own, 5:].argmax(1))


def judged(name, path, inputs, boxes_of, held_out, kept_layers):
    """The file in fp32, bf16 and int8 (also with the last layers in float): boxes and processor time, by turns."""
    import strata
    from strata._optimize._judge import matched_boxes
    from strata._optimize._sessions import open_session

    folder = pathlib.Path(tempfile.mkdtemp())
    for number, image in enumerate(inputs):
        numpy.save(folder / f"{number:03}.npy", image)
    int8 = folder.with_suffix(".int8.onnx")
    strata.quantize(path, int8, data=folder, no_time=True)
    kept = folder.with_suffix(".kept.onnx")
    strata.quantize(path, kept, data=folder, no_time=True, keep_float=kept_layers)
    ways = {"onnxruntime fp32": ("onnxruntime", path, "fp32"), "openvino fp32": ("openvino", path, "fp32"),
            "openvino bf16": ("openvino", path, "bf16"),
            "onnxruntime int8": ("onnxruntime", int8, "fp32"), "openvino int8": ("openvino", int8, "fp32"),
            "onnxruntime int8, head in fp32": ("onnxruntime", kept, "fp32"),
            "openvino int8, head in bf16": ("openvino", kept, "bf16")}  # fmt: skip
    sessions = {way: open_session(engine, str(file), precision, 1) for way, (engine, file, precision) in ways.items()}
    found = {way: [boxes_of(session.run([image])[0].copy()) for image in held_out] for way, session in sessions.items()}
    times = {way: [] for way in ways}
    for turn in range(8):
        for way in ways if turn % 2 else reversed(ways):
            began = time.process_time()
            sessions[way].run([held_out[0]])
            times[way].append(time.process_time() - began)
    want = found["onnxruntime fp32"]
    for way in ways:
        ratios = [a / b for a, b in zip(times["onnxruntime fp32"], times[way])]
        print(json.dumps({
            "model": name, "way": way, "boxes": sum(len(each["boxes"]) for each in want), "images": len(held_out),
            "matched": round(matched_boxes(want, found[way]), 4),
            "matched_at_0.5": round(matched_boxes(want, found[way], 0.5), 4),
            "ms": round(1000 * statistics.median(times[way]), 2), "speedup": round(statistics.median(ratios), 2)}), flush=True)


class Faces(torch.nn.Module):
    """MTCNN with its boxes in torchvision's form."""

    def __init__(self):
        super().__init__()
        from facenet_pytorch.models.mtcnn import MTCNN

        self.mtcnn = MTCNN(keep_all=True, post_process=False)

    def forward(self, image):
        boxes, scores = self.mtcnn.detect(image)
        if boxes is None:
            boxes, scores = numpy.zeros((0, 4), numpy.float32), numpy.zeros(0, numpy.float32)
        return [{"boxes": torch.as_tensor(boxes.astype(numpy.float32)), "labels": torch.ones(len(boxes), dtype=torch.long),
                 "scores": torch.as_tensor(scores.astype(numpy.float32))}]


def mtcnn(packages):
    import strata

    scenes = [(torch.from_numpy(each.copy()),) for each in portraits(packages, 10, 512, 3)]
    for precisions, least in [(["fp32"], None), (["fp32", "bf16", "int8"], 0.95)]:
        model = Faces().eval()
        with torch.no_grad():
            count = sum(len(model(*each)[0]["boxes"]) for each in scenes[4:])
        strata.optimize(model, scenes[:4], check=scenes[4:], threads=1, precisions=precisions, min_quality=least,
                        max_time=900)
        print(f"MTCNN, {'+'.join(precisions)}: {count} boxes on {len(scenes) - 4} images")
        print(model.strata.receipt, model.strata.fallbacks(), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--packages", type=pathlib.Path, required=True)
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    sys.path.insert(0, str(args.packages))
    torch.set_num_threads(1)
    if args.only in "nudenet":
        images = [numpy.ascontiguousarray(each.transpose(2, 0, 1)[None] / 255, numpy.float32)
                  for each in portraits(args.packages, 48, 320, 1)]
        judged("nudenet", args.packages / "nudenet" / "320n.onnx", images[:16], nudenet_boxes, images[16:], ["model.22"])
    if args.only in "ddddocr":
        images = [numpy.ascontiguousarray(each[..., ::-1].transpose(2, 0, 1)[None]).astype(numpy.float32)
                  for each in texts(32, 416, 2)]
        judged("ddddocr", args.packages / "ddddocr" / "common_det.onnx", images[:16], ddddocr_boxes, images[16:], DDDDOCR_HEAD)
    if args.only in "mtcnn":
        mtcnn(args.packages)


if __name__ == "__main__":
    main()
