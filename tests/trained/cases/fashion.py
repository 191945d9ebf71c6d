import kept_classes

WHAT = "clothes, EfficientViT"
SOURCE = "trained by train_fashion.py on Fashion-MNIST (MIT, Debian's dataset-fashion-mnist)"
SIZES = ["--batch", "1"]
CALIBRATE, HELD_OUT = 64, 192
MEASURE = "classes right, %"


def model(at):
    return at.kept("fashion") / "fashion.onnx"


def samples(at):
    return kept_classes.samples(at.kept("fashion"), "images.npz", CALIBRATE + HELD_OUT)


def quality(answers, truth, at):
    return kept_classes.accuracy(answers, truth)


def labels(at):
    return at.kept("fashion") / "labels.txt"
