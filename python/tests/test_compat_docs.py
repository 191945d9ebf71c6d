"""The table of docs/compat.md: where other counters are wrong. STRATA_REWRITE_DOCS=1 rewrites it.

Every number of another package is counted by that package here, and what is right is arithmetic.
"""

import copy
import os

import pytest
import torch
from compat_tools import SOURCE, original, said
from torch import nn

import strata

# torch 2.13's operators and its own counter are what the table is about.
pytest.importorskip("torch.utils.flop_counter")

OPEN, CLOSE = "<!-- wrong -->\n", "<!-- /wrong -->"


class SelfAttention(nn.Module):
    """Three projections and two products of matrices; `fused` lets torch run the products as one."""

    def __init__(self, fused):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(64, 64, bias=False) for _ in range(3))
        self.fused = fused

    def forward(self, x):
        q, k, v = self.q(x), self.k(x), self.v(x)
        if self.fused:
            return nn.functional.scaled_dot_product_attention(q[None], k[None], v[None])
        scores = nn.functional.softmax(torch.matmul(q, k.transpose(-1, -2)), -1)
        return torch.matmul(scores, v)


class Outer(nn.Module):
    def forward(self, x):
        return torch.einsum("bhid,bhjd->bhij", x, x)


def shared():
    linear = nn.Linear(100, 100, bias=False)
    return nn.Sequential(nn.Sequential(linear), nn.Sequential(linear))


# A name, the module, its input, and its MACs worked out.
CASES = [
    ("self-attention, 128 × 64, written out", SelfAttention(False), torch.zeros(1, 128, 64),
     3 * 128 * 64 * 64 + 2 * 128 * 128 * 64),
    ("the same by `scaled_dot_product_attention`", SelfAttention(True), torch.zeros(1, 128, 64),
     3 * 128 * 64 * 64 + 2 * 128 * 128 * 64),
    ("`Linear(64, 64)` on 128 positions", nn.Linear(64, 64, bias=False), torch.zeros(1, 128, 64), 128 * 64 * 64),
    ("one `Linear(100, 100)` in two places", shared(), torch.zeros(1, 100), 2 * 100 * 100),
    ("`ConvTranspose2d(64, 32, 2, stride=2)` on 16 × 16", nn.ConvTranspose2d(64, 32, 2, stride=2, bias=False),
     torch.zeros(1, 64, 16, 16), 16 * 16 * 64 * 32 * 2 * 2),
    ("`Embedding(50000, 512)` of 10 ids", nn.Embedding(50000, 512), torch.zeros(1, 10, dtype=torch.long), 0),
    ("`einsum` of 1 × 3 × 111 × 37 with itself", Outer(), torch.zeros(1, 3, 111, 37), 3 * 111 * 111 * 37),
    ("`BatchNorm2d(16)` on 8 × 8", nn.BatchNorm2d(16), torch.zeros(1, 16, 8, 8), 0),
]  # fmt: skip


def fvcore(package, model, inputs):
    analysis = package.FlopCountAnalysis(model, inputs)
    return analysis.unsupported_ops_warnings(False).uncalled_modules_warnings(False).total()


def ptflops(package, model, inputs, backend):
    options = {"as_strings": False, "print_per_layer_stat": False, "backend": backend}
    call = package.get_model_complexity_info
    return said(call, model, (1,), input_constructor=lambda _: inputs, **options)[0][0]


def counter(package, model, inputs):
    with package.FlopCounterMode(display=False) as mode, torch.no_grad():
        model(inputs)
    return mode.get_total_flops() // 2


TOOLS = {
    "fvcore": ("fvcore.nn", "fvcore", fvcore),
    "thop": ("thop", "thop", lambda p, m, x: int(p.profile(m, (x,), verbose=False)[0])),
    "ptflops": ("ptflops", "ptflops", lambda p, m, x: ptflops(p, m, x, "pytorch")),
    "ptflops (aten)": ("ptflops", "ptflops", lambda p, m, x: ptflops(p, m, x, "aten")),
    "torchinfo": ("torchinfo", "torchinfo", lambda p, m, x: p.summary(m, input_data=[x], verbose=0).total_mult_adds),
    "FlopCounterMode / 2": ("torch.utils.flop_counter", "flop_counter", counter),
}


@pytest.mark.parametrize("at", range(len(CASES)))
def test_case(at):
    _, model, inputs, macs = CASES[at]
    model.eval()
    assert strata.stat(model, inputs).total.macs == macs
    for tool, (package, ours, count) in TOOLS.items():
        module = __import__(f"strata.compat.{ours}", fromlist=["x"])
        theirs = count(original(package), copy.deepcopy(model), inputs)
        assert count(module, model, inputs) == theirs, tool


def table():
    lines = ["| | MACs | " + " | ".join(TOOLS) + " |", "|---|" + "---:|" * (len(TOOLS) + 1)]
    for title, model, inputs, macs in CASES:
        cells = []
        for package, _, count in TOOLS.values():
            found = int(count(original(package), copy.deepcopy(model).eval(), inputs))
            cells.append(f"{found:,}" if found == macs else f"**{found:,}**")
        lines.append(f"| {title} | {macs:,} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def test_the_table():
    path = SOURCE / "docs" / "compat.md"
    page = path.read_text()
    before, rest = page.split(OPEN)
    stored, after = rest.split(CLOSE)
    made = table()
    if os.environ.get("STRATA_REWRITE_DOCS"):
        path.write_text(before + OPEN + made + CLOSE + after)
    else:
        assert made == stored, "run this test with STRATA_REWRITE_DOCS=1"
