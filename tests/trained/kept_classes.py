"""Shared by the three networks of tests/models: samples with labels are in the folder."""

import numpy


def samples(folder, file, count):
    arrays = dict(numpy.load(folder / file))
    labels = numpy.array([int(line) for line in (folder / "labels.txt").read_text().split()])
    return {name: values[:count] for name, values in arrays.items()}, {"label": labels[:count]}


def accuracy(answers, truth):
    """Percent of the samples whose largest output is that of their label."""
    right = [int(answer["logits"].argmax()) == int(label)
             for answer, label in zip(answers, truth["label"])]
    return 100 * float(numpy.mean(right))
