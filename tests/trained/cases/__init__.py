"""The networks that `make models` runs, smallest first. Each is a module of this folder with

    WHAT         the network in a few words
    SOURCE       where it comes from, and its licence
    SIZES        options that give strata the open sizes of its inputs
    CALIBRATE    samples that ranges come from; HELD_OUT: those behind them, which judge
    SENSITIVITY  samples for `strata sensitivity`, 16 if not given
    MEASURE      what its own quality is called; more is better
    model(at)    path of the ONNX file; `at` are the folders, see places.py
    samples(at)  two dicts of arrays: the inputs, one item a sample, and what is known of them
    quality(answers, truth, at)  the measure, of a list of output dicts of the samples held out
    labels(at)   a file of classes, or agreement(floats, others, at), for sensitivity in the terms
                 of the task; AGREEMENT: samples for that
"""

NAMES = ("digits", "words", "fashion", "turned_lines", "speech", "vad", "files", "text_lines",
         "text_boxes", "sentences")


def load(name):
    import importlib

    return importlib.import_module(f"cases.{name}")
