"""flex_attention: recorded as one operator, and counted by the blocks that its mask lists."""
from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")
flex = pytest.importorskip("torch.nn.attention.flex_attention")

import strata  # noqa: E402

BATCH, HEADS, LENGTH, SIZE, BLOCK = 3, 2, 40, 8, 16


def causal(b, h, i, j):
    return i >= j


def window(b, h, i, j):
    return (i - j).abs() < 8


class Attention(torch.nn.Module):
    def __init__(self, mask=None, change=None, function=flex.flex_attention):
        super().__init__()
        self.project = torch.nn.Linear(HEADS * SIZE, 3 * HEADS * SIZE)
        self.mask, self.change, self.function = mask, change, function

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = self.project(x).view(batch, length, 3, HEADS, SIZE).permute(2, 0, 3, 1, 4)
        mask = self.mask(x) if callable(self.mask) else self.mask
        return self.function(q, k, v, score_mod=self.change, block_mask=mask).transpose(1, 2).reshape(x.shape)


def block_mask(rule):
    return flex.create_block_mask(rule, None, None, LENGTH, LENGTH, device="cpu", BLOCK_SIZE=BLOCK)


def computed(rule):
    """Scores in blocks in which the rule lets any through, one by one."""
    seen = [[bool(rule(0, 0, torch.tensor(i), torch.tensor(j))) for j in range(LENGTH)] for i in range(LENGTH)]
    total = 0
    for top in range(0, LENGTH, BLOCK):
        for left in range(0, LENGTH, BLOCK):
            block = [row[left:left + BLOCK] for row in seen[top:top + BLOCK]]
            if any(any(row) for row in block):
                total += sum(len(row) for row in block)
    return BATCH * HEADS * total


def attention(profile):
    """The count of the attention's own operator: all but the projection."""
    projected = BATCH * LENGTH * (HEADS * SIZE) * (3 * HEADS * SIZE)
    return profile.total.macs - projected


SHAPE = (BATCH, LENGTH, HEADS * SIZE)


@pytest.mark.parametrize("mode", ["meta", "real"])
@pytest.mark.parametrize("rule", [causal, window])
def test_by_blocks(rule, mode):
    profile = strata.stat(Attention(block_mask(rule)), SHAPE, mode=mode)
    assert attention(profile) == 2 * SIZE * computed(rule) < 2 * SIZE * BATCH * HEADS * LENGTH ** 2
    assert profile.facts["unknown_ops"] == [] and profile.notes == []


def test_without_a_mask_it_is_attention():
    ours = strata.stat(Attention(), SHAPE)
    plain = strata.stat(Attention(function=lambda q, k, v, score_mod, block_mask:
                                  torch.nn.functional.scaled_dot_product_attention(q, k, v)), SHAPE)
    assert ours.total.macs == plain.total.macs and ours.total.flops == plain.total.flops


def test_compiled_and_made_inside():
    inside = Attention(lambda x: block_mask(causal), function=torch.compile(flex.flex_attention))
    assert attention(strata.stat(inside, SHAPE)) == 2 * SIZE * computed(causal)


def test_a_mask_that_depends_on_values_is_a_lower_bound():
    def documents(x):
        starts = (x[0, :, 0] > 0).cumsum(0)
        return block_mask(lambda b, h, i, j: starts[i] == starts[j])

    total = strata.stat(Attention(documents), SHAPE, mode="meta").total
    assert isinstance(total.macs, strata.AtLeast) and total.macs > 0


def test_a_function_of_scores_is_a_lower_bound_and_said():
    profile = strata.stat(Attention(block_mask(causal), lambda s, b, h, i, j: s * 2), SHAPE)
    assert isinstance(profile.total.flops, strata.AtLeast)


def test_backward():
    profile = strata.stat(Attention(block_mask(causal)), SHAPE, backward=True)
    rows = [row for row in profile if row.get("backward_macs")]
    # The scores again, and two products for each of the gradients of scores and values, queries and keys;
    # a gradient of the projection's weight and none of the input's.
    projected = BATCH * LENGTH * (HEADS * SIZE) * (3 * HEADS * SIZE)
    assert sum(row.backward_macs for row in rows) == 5 * SIZE * computed(causal) + projected


def test_torch_is_left_as_it_was():
    before = flex.flex_attention.__code__
    strata.stat(Attention(block_mask(causal)), SHAPE)
    assert flex.flex_attention.__code__ is before and not hasattr(flex, "_strata_flex_attention")
    assert not flex._FLEX_ATTENTION_DISABLE_COMPILE_DEBUG
