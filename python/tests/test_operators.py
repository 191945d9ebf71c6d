"""Operators that networks rarely use: their FLOPs by hand, through the recorder and the core."""
from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

import strata  # noqa: E402

functional = torch.nn.functional


def elimination(n: int) -> int:
    """Quotients, products and differences of taking an n×n matrix apart into L and U, counted one by one."""
    count = 0
    for pivot in range(n):
        for _ in range(pivot + 1, n):
            count += 1 + 2 * (n - pivot - 1)
    return count


def substitution(n: int, columns: int, divides: bool) -> int:
    return columns * sum(2 * known + divides for known in range(n))


def cholesky(n: int) -> int:
    count = 0
    for column in range(n):
        count += 2 * column + 1  # the root of what is left of the diagonal
        count += (n - column - 1) * (2 * column + 1)
    return count


CASES = {
    "inverse": (torch.linalg.inv, [(5, 5)], 0,
                elimination(5) + substitution(5, 5, False) + substitution(5, 5, True)),
    "solve": (torch.linalg.solve, [(4, 4), (4, 3)], 0,
              elimination(4) + substitution(4, 3, False) + substitution(4, 3, True)),
    "triangle": (lambda a, b: torch.linalg.solve_triangular(a, b, upper=True), [(6, 6), (6, 2)], 0,
                 substitution(6, 2, True)),
    "cholesky": (lambda x: torch.linalg.cholesky_ex(x)[0], [(4, 4)], 0, cholesky(4)),
    "polar": (torch.polar, [(2, 3), (2, 3)], 0, 6 * 4),
    "vdot": (torch.vdot, [(7,), (7,)], 7, 14),
    "addr": (torch.addr, [(3, 4), (3,), (4,)], 0, 2 * 12),
    "bilinear": (torch.nn.Bilinear(5, 6, 7), [(3, 5), (3, 6)], 3 * 7 * 30, 3 * 3 * 7 * 30 + 21),
    "soft_margin": (functional.soft_margin_loss, [(3, 4), (3, 4)], 0, 12 * 6 + 1),
    "multinomial": (lambda x: torch.multinomial(x, 2), [(5,)], 0, 5 + 5 + 2 + 10),
    "unpool": (lambda x: functional.max_unpool2d(x, torch.zeros(1, 1, 2, 2, dtype=torch.long), 2), [(1, 1, 2, 2)], 0, 0),
}
if torch.__version__ >= "2":  # torch 1.13 writes this loss as several operators
    # (1 - y)·x, a sigmoid of 3, its logarithm, a difference; then 12 sums and a quotient
    CASES["logits"] = (functional.binary_cross_entropy_with_logits, [(3, 4), (3, 4)], 0, 12 * 8 + 1)


@pytest.mark.parametrize("name", CASES)
def test_by_hand(name: str) -> None:
    function, shapes, macs, flops = CASES[name]
    total = strata.stat(function, shapes, mode="real").total
    assert (total.macs, total.flops) == (macs, flops)


def test_a_quantized_module_has_the_products_of_its_layers() -> None:
    model = torch.nn.Sequential(torch.nn.Linear(6, 4), torch.nn.ReLU(), torch.nn.Linear(4, 2)).eval()
    quantized = torch.ao.quantization.quantize_dynamic(model, {torch.nn.Linear}, dtype=torch.qint8)
    total = strata.stat(quantized, (3, 6)).total
    assert total.macs == 3 * 6 * 4 + 3 * 4 * 2
    assert total.flops == 2 * total.macs + 3 * 4 + 3 * 4 + 3 * 2  # biases and the activation


def test_a_network_that_runs_in_int8() -> None:
    class Net(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.last = torch.ao.quantization.QuantStub(), torch.ao.quantization.DeQuantStub()
            self.conv, self.act, self.head = torch.nn.Conv2d(4, 6, 3, groups=2), torch.nn.ReLU(), torch.nn.Linear(6, 3)

        def forward(self, x):
            return self.last(self.head(self.act(self.conv(self.first(x))).mean((2, 3))))

    model = Net().eval()
    model.qconfig = torch.ao.quantization.get_default_qconfig("fbgemm")
    torch.ao.quantization.fuse_modules(model, [["conv", "act"]], inplace=True)
    torch.ao.quantization.prepare(model, inplace=True)
    model(torch.rand(2, 4, 8, 8))
    torch.ao.quantization.convert(model, inplace=True)
    rows = {row.layer: row for row in strata.stat(model, (2, 4, 8, 8)).rows}
    outputs = 2 * 6 * 6 * 6
    assert (rows["conv"].macs, rows["conv"].flops) == (outputs * 18, outputs * (2 * 18 + 2))
    assert (rows["head"].macs, rows["head"].flops) == (36, 72 + 6)
    assert (rows["first"].flops, rows["last"].flops) == (5 * 2 * 4 * 8 * 8, 2 * 6)


def test_what_one_phase_lacks_is_no_gap_of_another() -> None:
    """The backward pass of a layer may have an operator without a rule; its forward pass is exact all the same."""

    class Odd(torch.autograd.Function):
        @staticmethod
        def forward(context, x):
            return x * 2

        @staticmethod
        def backward(context, gradient):
            return gradient + torch.linalg.svdvals(torch.ones(2, 2)).sum()

    class Net(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = torch.nn.Linear(6, 4)

        def forward(self, x):
            return Odd.apply(self.layer(x))

    total = strata.stat(Net(), (3, 6), backward=True, mode="real").total
    assert total.forward_macs == 72 and total.optimizer_flops == 0
    assert isinstance(total.backward_flops, strata.AtLeast)
