import json
import pathlib

import numpy

WHAT = "file types from bytes, one convolution and products"
SOURCE = "standard_v3_3/model.onnx of magika 1.0.3 (pip); Apache-2.0, METADATA of the package"
SIZES = ["--batch", "1"]
# Files of Debian packages that deps/ names or that these bring, and what they are.
TYPES = (("python", "/usr/lib/python3.11", "*.py"), ("perl", "/usr/share/perl", "**/*.pm"),
         ("cmake", "/usr/share/cmake-3.25/Modules", "*.cmake"), ("c", "/usr/include/linux", "*.h"),
         ("elf", "/usr/lib/x86_64-linux-gnu", "*.so.?"), ("png", "/usr/lib/python3", "**/*.png"),
         ("npy", "/usr/lib/python3", "**/skimage/**/*.npy"), ("ttf", "/usr/share/fonts", "**/*.ttf"),
         ("pythonbytecode", "/usr/lib/python3", "**/*.pyc"),
         ("txt", "/usr/share/common-licenses", "*"),
         ("cpp", "/usr/include/c++/12/bits", "*.h"), ("rst", "/usr/share/cmake-3.25/Help", "**/*.rst"))
EACH, CALIBRATED = 8, 3
CALIBRATE, HELD_OUT = len(TYPES) * CALIBRATED, len(TYPES) * (EACH - CALIBRATED)
MEASURE = "types right, %"


def model(at):
    return at.packages / "magika/models/standard_v3_3/model.onnx"


def chosen(folder, pattern):
    """EACH files, spread evenly over all of the pattern that have 1 KiB or more."""
    found = sorted(path for path in pathlib.Path(folder).glob(pattern)
                   if path.is_file() and not path.is_symlink() and path.stat().st_size >= 1024)
    if len(found) < EACH:
        raise SystemExit(f"{folder}/{pattern}: {len(found)} files of 1 KiB; {EACH} are needed")
    return [found[i * len(found) // EACH] for i in range(EACH)]


def tokens(path):
    """The first and last 1024 bytes without white space around them; 256 where there are none."""
    content = path.read_bytes()
    first, last = content[:4096].lstrip()[:1024], content[-4096:].rstrip()[-1024:]
    out = numpy.full(2048, 256, numpy.int32)
    out[:len(first)] = list(first)
    out[2048 - len(last):] = list(last)
    return out


def samples(at):
    names = json.loads((model(at).parent / "config.min.json").read_text())["target_labels_space"]
    files = [(name, path) for name, folder, pattern in TYPES
             for path in chosen(folder, pattern)]
    # Alternate the types, so that both parts have all of them.
    files = [files[kind * EACH + turn] for turn in range(EACH) for kind in range(len(TYPES))]
    return ({"bytes": numpy.stack([tokens(path) for _, path in files])},
            {"type": numpy.array([names.index(name) for name, _ in files])})


def quality(answers, truth, at):
    right = [int(answer["target_label"].argmax()) == int(kind)
             for answer, kind in zip(answers, truth["type"])]
    return 100 * float(numpy.mean(right))
