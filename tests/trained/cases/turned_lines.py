import numpy

import written

WHAT = "lines of text, upright or upside down, MobileNetV3"
SOURCE = ("ch_ppocr_mobile_v2.0_cls_infer.onnx of rapidocr-onnxruntime 1.4.4 (pip), PaddleOCR's; "
          "Apache-2.0, METADATA of the package")
SIZES = ["--input", "x=1x3x48x192"]
CALIBRATE, HELD_OUT = 32, 64
MEASURE = "lines right, %"


def model(at):
    return at.packages / "rapidocr_onnxruntime/models/ch_ppocr_mobile_v2.0_cls_infer.onnx"


def samples(at):
    random = numpy.random.default_rng(3)
    every = written.words()
    inputs, turned = [], []
    for i in range(CALIBRATE + HELD_OUT):
        pixels = written.line(written.phrase(every, random, 10), random)
        pixels = pixels[::-1, ::-1] if i % 2 else pixels
        inputs.append(written.padded(pixels, 192))
        turned.append(i % 2)
    return {"x": numpy.stack(inputs)}, {"turned": numpy.array(turned)}


def quality(answers, truth, at):
    right = [int(next(iter(answer.values())).argmax()) == int(turned)
             for answer, turned in zip(answers, truth["turned"])]
    return 100 * float(numpy.mean(right))
