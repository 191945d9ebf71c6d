import kept_classes

WHAT = "handwritten digits, MBConv"
SOURCE = "trained by train_digits.py on scikit-learn's digits (BSD-3-Clause)"
SIZES = ["--batch", "1"]
CALIBRATE, HELD_OUT = 100, 260
MEASURE = "classes right, %"


def model(at):
    return at.kept("digits") / "digits.onnx"


def samples(at):
    return kept_classes.samples(at.kept("digits"), "images.npz", CALIBRATE + HELD_OUT)


def quality(answers, truth, at):
    return kept_classes.accuracy(answers, truth)


def labels(at):
    return at.kept("digits") / "labels.txt"
