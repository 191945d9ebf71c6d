import kept_classes

WHAT = "spoken words, MobileNetV3"
SOURCE = "trained by train_words.py on what espeak-ng says"
SIZES = ["--batch", "1"]
CALIBRATE, HELD_OUT = 48, 192
MEASURE = "classes right, %"


def model(at):
    return at.kept("words") / "words.onnx"


def samples(at):
    return kept_classes.samples(at.kept("words"), "sounds.npz", CALIBRATE + HELD_OUT)


def quality(answers, truth, at):
    return kept_classes.accuracy(answers, truth)


def labels(at):
    return at.kept("words") / "labels.txt"
