"""The predictor's formula, and the fit of its constants, in numpy.

    t(kernel) = max(operations / (peak * e_compute), bytes / (bandwidth * e_memory)) + launch

Of the bytes of activations, the first that fit into the last cache of a GPU count a quarter.

The constants of a class are fitted in the logarithm, by Gauss and Newton, to the logarithm of whole
networks' times. Nothing here knows a network's name.
"""

from __future__ import annotations

import csv
import dataclasses
import pathlib

import numpy

HERE = pathlib.Path(__file__).parent
CLASSES = (
    "conv1x1 conv conv_stem conv_grouped depthwise depthwise_large gemm batched_gemm attention batch_norm layer_norm"
    " group_norm pointwise softmax reduction pool copy gather resize recurrent other unknown"
).split()
MATRIX = {"conv1x1", "conv", "conv_stem", "conv_grouped", "gemm", "batched_gemm", "attention", "recurrent"}
MACS, FLOPS, READ, WRITE, OUTPUTS, RUNS, WEIGHTS = range(7)
TILE = 64 * 64
CACHED = 0.75  # saved of the time of a byte that the cache holds
SMOOTH = 0.03  # of the logarithm: smaller errors count as squares, larger ones as they are

# Where the fit starts, and what it stays near where the measurements say little.
PRIOR_COMPUTE = {"conv1x1": 0.7, "conv": 0.8, "conv_stem": 0.3, "conv_grouped": 0.4, "depthwise": 0.05,
                 "depthwise_large": 0.05, "gemm": 0.85, "batched_gemm": 0.4, "attention": 0.5}  # fmt: skip
PRIOR_MEMORY = {"layer_norm": 0.3, "group_norm": 0.3, "copy": 0.6, "gather": 0.3, "softmax": 0.5, "pool": 0.5}


@dataclasses.dataclass(frozen=True)
class Machine:
    """Peaks as in data/devices, and the batch and bytes that its measurements ran with."""

    name: str
    matrix: float  # operations/s
    vector: float
    bandwidth: float
    units: int  # 0: no term for work too small for all of them
    element_bytes: float
    cache: float = 0  # bytes of the last cache of a GPU


class Networks:
    """Kernels of all networks, in one list; costs are affine in the batch."""

    def __init__(self, path: pathlib.Path) -> None:
        made = numpy.load(path)
        self.names = [str(name) for name in made["names"]]
        self.first = numpy.concatenate([[0], numpy.cumsum(made["counts"])])
        place = {name: at for at, name in enumerate(CLASSES)}
        self.classes = numpy.array([place[str(name)] for name in made["classes"]])
        self.figures = made["figures"]
        self.at = {name: i for i, name in enumerate(self.names)}


class Problem:
    """Networks measured on one machine: times at efficiencies of 1, by kernel."""

    def __init__(self, networks: Networks, machine: Machine, measured: dict[str, tuple[float, float]]) -> None:
        self.machine = machine
        self.names = [name for name in measured if name in networks.at]
        self.seconds = numpy.array([measured[name][1] for name in self.names])
        kinds, nets, figures = [], [], []
        for i, name in enumerate(self.names):
            n = networks.at[name]
            part = slice(networks.first[n], networks.first[n + 1])
            batch = measured[name][0]
            figures.append(numpy.maximum(0, networks.figures[part, :, 0] + batch * networks.figures[part, :, 1]))
            kinds.append(networks.classes[part])
            nets.append(numpy.full(len(kinds[-1]), i))
        self.kinds, self.nets = numpy.concatenate(kinds), numpy.concatenate(nets)
        f = numpy.concatenate(figures)
        matrix = numpy.isin(self.kinds, [CLASSES.index(name) for name in MATRIX])
        used = numpy.ones(len(f))
        if machine.units:
            used = numpy.where(matrix, numpy.minimum(1, numpy.maximum(1, f[:, OUTPUTS] / TILE) / machine.units), 1)
        operations = numpy.where(f[:, MACS] > 0, 2 * f[:, MACS], f[:, FLOPS])
        self.compute = f[:, RUNS] * operations / (numpy.where(matrix, machine.matrix, machine.vector) * used)
        moved = (f[:, READ] + f[:, WRITE]) * machine.element_bytes / 4
        activations = numpy.maximum(0, moved - f[:, WEIGHTS] * machine.element_bytes / 4)
        moved -= CACHED * numpy.minimum(activations, machine.cache)
        self.memory = f[:, RUNS] * moved / machine.bandwidth
        self.macs = numpy.bincount(self.nets, f[:, RUNS] * f[:, MACS], len(self.names))
        self.written = numpy.bincount(self.nets, f[:, RUNS] * f[:, WRITE], len(self.names))
        self.launches = numpy.bincount(self.nets, f[:, RUNS], len(self.names))
        self._join_equal_kernels()

    def _join_equal_kernels(self) -> None:
        """Blocks repeat: kernels of one network that are alike are kept once, with their sum."""
        key = numpy.stack([self.nets, self.kinds, self.compute, self.memory], axis=1)
        one, count = numpy.unique(key, axis=0, return_counts=True)
        self.nets, self.kinds = one[:, 0].astype(int), one[:, 1].astype(int)
        self.compute, self.memory = one[:, 2] * count, one[:, 3] * count

    def roofline(self) -> numpy.ndarray:
        return numpy.bincount(self.nets, numpy.maximum(self.compute, self.memory), len(self.names))


K = len(CLASSES)


def start(launch: float) -> numpy.ndarray:
    compute = [PRIOR_COMPUTE.get(name, 0.7) for name in CLASSES]
    memory = [PRIOR_MEMORY.get(name, 0.8) for name in CLASSES]
    return numpy.log(numpy.array(compute + memory + [launch]))


def predict(problem: Problem, theta: numpy.ndarray, jacobian: bool = False):
    count = len(problem.names)
    compute = problem.compute / numpy.exp(theta[:K])[problem.kinds]
    memory = problem.memory / numpy.exp(theta[K : 2 * K])[problem.kinds]
    is_compute = compute > memory
    work = numpy.where(is_compute, compute, memory)
    launch = problem.launches * numpy.exp(theta[2 * K])
    seconds = numpy.bincount(problem.nets, work, count) + launch
    if not jacobian:
        return seconds
    place = problem.nets * (2 * K) + problem.kinds + numpy.where(is_compute, 0, K)
    parts = numpy.bincount(place, work, count * 2 * K).reshape(count, 2 * K)
    return seconds, numpy.hstack([-parts, launch[:, None]]) / seconds[:, None]


def loss(problems, theta: numpy.ndarray, theta0: numpy.ndarray, pull: float) -> float:
    total = pull / 2 * ((theta - theta0) ** 2).sum()
    for problem, mask in problems:
        residual = numpy.log(predict(problem, theta) / problem.seconds)
        total += (mask * numpy.sqrt(residual**2 + SMOOTH**2)).sum()
    return float(total)


def fit(problems: list[tuple[Problem, numpy.ndarray]], theta0: numpy.ndarray, begin: numpy.ndarray | None = None,
        rounds: int = 60, pull: float = 0.3) -> numpy.ndarray:  # fmt: skip
    """The constants for networks that the masks choose, by Levenberg and Marquardt: a step that makes
    it worse is taken back. Efficiencies stay between 0.005 and 1. The launch of a GPU stays where it starts,
    because large batches do not tell it."""
    theta = (theta0 if begin is None else begin).copy()
    low = numpy.concatenate([numpy.full(2 * K, numpy.log(0.005)), [numpy.log(2e-7)]])
    high = numpy.concatenate([numpy.zeros(2 * K), [numpy.log(2e-4)]])
    if any(problem.machine.units for problem, _ in problems):
        low[2 * K] = high[2 * K] = theta0[2 * K]
    best, damping, made = loss(problems, theta, theta0, pull), 1.0, None
    for _ in range(rounds):
        if made is None:
            made = numpy.diag(numpy.full(2 * K + 1, pull)), pull * (theta - theta0)
            for problem, mask in problems:
                seconds, jacobian = predict(problem, theta, jacobian=True)
                residual = numpy.log(seconds / problem.seconds)
                weight = mask / numpy.sqrt(residual**2 + SMOOTH**2)
                made = (made[0] + jacobian.T @ (weight[:, None] * jacobian), made[1] + jacobian.T @ (weight * residual))
        normal = made[0] + numpy.diag(numpy.diag(made[0]) * 0.1 * damping)
        step = numpy.clip(numpy.linalg.solve(normal, -made[1]), -0.3, 0.3)
        candidate = numpy.clip(theta + step, low, high)
        now = loss(problems, candidate, theta0, pull)
        if now < best:
            theta, best, damping, made = candidate, now, max(damping / 3, 1e-3), None
        else:
            damping *= 4
            if damping > 1e5:
                break
    return theta


def families() -> dict[str, str]:
    with open(HERE / "families.tsv", newline="", encoding="utf-8") as file:
        return {row["network"]: row["family"] for row in csv.DictReader(file, delimiter="\t")}
