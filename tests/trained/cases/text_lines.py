import json

import numpy

import written

WHAT = "reading lines of text, convolutions and attention"
SOURCE = ("ch_PP-OCRv4_rec_infer.onnx of rapidocr-onnxruntime 1.4.4 (pip), PaddleOCR's; "
          "Apache-2.0, METADATA of the package")
SIZES = ["--input", "x=1x3x48x320"]
CALIBRATE, HELD_OUT = 16, 32
SENSITIVITY = 8  # samples, since it is slow
MEASURE = "letters right (100 % - character error rate)"
OUTPUT = "softmax_11.tmp_0"


def model(at):
    return at.packages / "rapidocr_onnxruntime/models/ch_PP-OCRv4_rec_infer.onnx"


def samples(at):
    random = numpy.random.default_rng(4)
    every = written.words()
    texts = [written.phrase(every, random, 16) for _ in range(CALIBRATE + HELD_OUT)]
    inputs = [written.padded(written.blurred(written.line(text, random), random), 320)
              for text in texts]
    return {"x": numpy.stack(inputs)}, {"text": numpy.array(texts)}


def alphabet(at):
    kept = at.of("text_lines") / "letters.json"
    if not kept.exists():
        import onnx

        file = onnx.load(str(model(at)))
        known = {entry.key: entry.value for entry in file.metadata_props}["character"]
        kept.write_text(json.dumps([""] + known.splitlines() + [" "]))
    return json.loads(kept.read_text())


def read(rows, letters):
    """The letter of every step, where it is not the one before it; the first letter is none."""
    best = rows.reshape(-1, len(letters)).argmax(1)
    return "".join(letters[k] for i, k in enumerate(best) if i == 0 or k != best[i - 1]).strip()


def edits(a, b):
    """Levenshtein's distance."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        before, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (x != y))
    return row[-1]


def quality(answers, truth, at):
    letters = alphabet(at)
    wrong = sum(edits(read(answer[OUTPUT], letters), str(text))
                for answer, text in zip(answers, truth["text"]))
    return 100 * (1 - wrong / sum(len(str(text)) for text in truth["text"]))


AGREEMENT = 4  # samples, since a program is started for each and every layer


def agreement(floats, others, at):
    """Percent of the letters that are read as in float."""
    letters = alphabet(at)
    a, b = (read(outputs[OUTPUT], letters) for outputs in (floats, others))
    return 100 * (1 - edits(a, b) / max(1, len(a), len(b)))
