"""Models that look at devices, at masks and at sizes: recorded without values as a real run has them."""
from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from recordings import flops, operators, taken  # noqa: E402

import strata  # noqa: E402

FUSED = hasattr(torch.ops.aten, "_scaled_dot_product_flash_attention_for_cpu")


class Moves(torch.nn.Module):
    """Its buffer goes where the small input is, whose positions go where the buffer is."""

    def __init__(self):
        super().__init__()
        self.register_buffer("table", torch.rand(70, 1200))
        self.constant = torch.rand(70, 1200)

    def forward(self, ids):
        rows = self.table.to(ids.device)[ids] + self.table.to(device=ids.device, dtype=torch.float32)[ids]
        mask = torch.ones(ids.shape, device=self.table.device).to(rows.device) + ids.to(self.table.device)
        return rows.to(rows) * mask.unsqueeze(-1) + self.constant.to(rows.device)[ids]


def test_nothing_is_moved():
    real, empty = (taken(Moves(), torch.arange(6), mode=mode) for mode in ("real", "meta"))
    assert operators(real) == operators(empty) and "aten._to_copy.default" not in operators(empty)
    assert real["storages"] == empty["storages"]


@pytest.mark.skipif(torch.__version__ < "2", reason="torch.device is not a context in 1.13")
def test_a_model_on_the_meta_device_that_moves_its_buffers():
    with torch.device("meta"):
        model = Moves()
    model.constant = torch.rand(70, 1200)
    made = taken(model, torch.arange(6))
    assert made["mode"] == "meta" and made["tensors"][made["outputs"][0][0]][1] == [6, 1200]


def test_what_is_replaced_is_put_back():
    before = torch.Tensor.to
    taken(Moves(), torch.arange(6), mode="meta")
    assert torch.Tensor.to is before and "to" not in vars(torch.Tensor)


@pytest.mark.skipif(not FUSED, reason="the fused kernel is new in 2.2")
@pytest.mark.parametrize("shape", [(2, 1, 60, 60), (2, 4, 60, 60), (1, 1, 1, 60), (60, 60), (4, 60, 60)])
@pytest.mark.parametrize("dtype", [torch.bool, torch.float32])
@pytest.mark.parametrize("backward", [False, True])
def test_attention_with_masks(shape, dtype, backward):
    class Attends(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.rand(2, 4, 60, 12))

        def forward(self, mask):
            return torch.nn.functional.scaled_dot_product_attention(self.weight, self.weight, self.weight, mask)

    mask = torch.ones(shape, dtype=dtype)
    real, empty = (taken(Attends(), mask, mode=mode, backward=backward) for mode in ("real", "meta"))
    assert [(call[0], call[3:]) for call in real["calls"]] == [(call[0], call[3:]) for call in empty["calls"]]
    assert real["storages"] == empty["storages"]


@pytest.mark.skipif(not hasattr(torch, "_grouped_mm"), reason="_grouped_mm is new in 2.8")
@pytest.mark.parametrize("backward", [False, True])
def test_products_by_groups(backward):
    class Experts(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.rand(4, 20, 32))

        def forward(self, x):
            ends = torch.full((4,), x.shape[0] // 4, dtype=torch.int32).cumsum(0, dtype=torch.int32)
            return torch._grouped_mm(x, self.weight.transpose(1, 2), offs=ends)

    x = torch.rand(200, 32)
    loss = (lambda out: (out * out).sum()) if backward else None  # a loss means a step of training
    real, empty = (strata.stat(Experts(), x, mode=mode, loss=loss) for mode in ("real", "meta"))
    assert real.total == empty.total and empty.total.macs == 200 * 32 * 20 * (2 if backward else 1)


def test_a_mask_that_is_filled_with_a_tensor():
    made = taken(lambda x: x.masked_fill(x > 1, torch.tensor(0.5)), (80, 80))
    assert made["mode"] == "meta" and "aten.masked_fill.Tensor" in operators(made)


def test_values_that_are_taken_off():
    made = taken(lambda x: x * sum(x.argmax(1).tolist()), torch.ones(80, 80))
    assert made["notes"] == ["recorded with real tensors, because it does not run without values: "
                             "it takes values off a tensor (tolist(), or cpu())"]


def test_sizes_that_depend_on_values():
    made = taken(lambda x: x.nonzero() * 2, torch.ones(80, 80))
    assert made["mode"] == "real" and made["tensors"][made["outputs"][0][0]][1] == [6400, 2]
    assert made["notes"] == ["recorded with real tensors, because it does not run without values: "
                             "the size of what nonzero gives depends on values"]


@pytest.mark.skipif(not FUSED, reason="scaled_dot_product_attention is new in 2.0")
def test_attention_between_small_and_large_tensors():
    shapes = [(2, 4, 30, 16), (2, 4, 25, 16), (2, 4, 25, 24)]
    made = taken(lambda *tensors: torch.nn.functional.scaled_dot_product_attention(*tensors),
                 [torch.rand(shape) for shape in shapes])
    assert made["mode"] == "meta" and flops(made) == 2 * 8 * 30 * 25 * (16 + 24)


@pytest.mark.skipif(not hasattr(torch.nn, "RMSNorm"), reason="RMSNorm is new in 2.4")
def test_a_small_input_of_a_norm_without_values():
    made = taken(torch.nn.RMSNorm(6, device="meta"), torch.rand(2, 6))
    assert made["mode"] == "meta" and made["tensors"][made["outputs"][0][0]][1] == [2, 6]


def test_gradients_that_are_not_wanted_are_not_made():
    norm = torch.nn.BatchNorm2d(3).eval()
    real, empty = (taken(norm, (2, 3, 8, 8), backward=True, mode=mode) for mode in ("real", "meta"))
    assert [call[3] for call in real["calls"]] == [call[3] for call in empty["calls"]]
    assert real["storages"] == empty["storages"]


def test_sparse_weights_are_called_sparse():
    model = torch.nn.Module()
    model.register_buffer("graph", torch.eye(5).to_sparse())
    model.forward = lambda x: torch.sparse.mm(model.graph, x)
    assert taken(model, (5, 6))["notes"] == ["recorded with real tensors, because it does not run without values: "
                                             "a sparse coo tensor has no form without values"]


@pytest.mark.skipif(not hasattr(torch, "cond"), reason="torch.cond is new in 2.1")
def test_conditions_and_loops_that_are_operators():
    from torch._higher_order_ops.while_loop import while_loop

    weight = torch.rand(6, 6)
    profile = strata.stat(lambda x: torch.cond(x.sum() > 0, lambda x: x @ weight, lambda x: x @ weight @ weight, (x,)),
                          torch.ones(2000, 6))
    assert profile.total.macs == 2000 * 6 * 6
    start = torch.tensor(0)
    profile = strata.stat(lambda x: while_loop(lambda i, x: i < 5, lambda i, x: (i + 1, x @ weight), (start, x)),
                          torch.ones(20, 6))
    assert profile.total.macs == 5 * 20 * 6 * 6


def test_views_of_parts_keep_their_places():
    def parts(x):
        return [part.permute(1, 0).relu_() for part in x.split([30, 30, 40], dim=1)]

    real, empty = (taken(parts, torch.rand(80, 100), mode=mode) for mode in ("real", "meta"))
    assert real["tensors"] == empty["tensors"]
    assert [real["tensors"][number][4] for number, _ in real["outputs"]] == [0, 30, 60]


@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("shape, order", [((2, 900, 6), (0, 2, 1)), ((2, 30, 30, 6), (0, 3, 1, 2)),
                                          ((6, 2, 30, 30), (1, 0, 2, 3)), ((2, 9, 9, 9, 6), (0, 4, 1, 2, 3))])
def test_norms_lay_out_their_results_as_kernels_do(shape, order, training):
    class Norm(torch.nn.Module):
        def __init__(self):
            super().__init__()
            kinds = (torch.nn.BatchNorm1d, torch.nn.BatchNorm2d, torch.nn.BatchNorm3d)
            self.norm = kinds[len(shape) - 3](6)

        def forward(self, x):
            return self.norm(x.permute(order)) + 1

    real, empty = (taken(Norm().train(training), torch.rand(shape), mode=mode) for mode in ("real", "meta"))
    assert real["tensors"] == empty["tensors"]
