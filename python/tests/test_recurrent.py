"""Recurrent layers by arithmetic: gates × hidden × (inputs + hidden) MACs for each step and sample."""

from __future__ import annotations

from typing import Any, Dict

import pytest

torch = pytest.importorskip("torch")

from test_recorded_peak import peak_of_run  # noqa: E402

import strata  # noqa: E402

GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}


def macs(kind: str, inputs: int, hidden: int, layers: int, directions: int, steps: int, batch: int) -> int:
    total = 0
    for layer in range(layers):
        size = inputs if layer == 0 else hidden * directions
        total += directions * GATES[kind] * hidden * (size + hidden)
    return total * steps * batch


@pytest.mark.parametrize("mode", ["meta", "real"])
@pytest.mark.parametrize("directions", [1, 2])
@pytest.mark.parametrize("layers", [1, 3])
@pytest.mark.parametrize("kind", list(GATES))
def test_macs(kind: str, layers: int, directions: int, mode: str) -> None:
    module = getattr(torch.nn, kind)(5, 7, num_layers=layers, bidirectional=directions == 2, batch_first=True).eval()
    profile = strata.stat(module, (2, 3, 5), mode=mode)
    assert profile.total.macs == macs(kind, 5, 7, layers, directions, steps=3, batch=2)
    assert profile.facts["unknown_ops"] == [] and not any("real tensors" in note for note in profile.notes)


FORMS = {
    "as it is": {}, "batch first": {"batch_first": True}, "both ways": {"bidirectional": True, "num_layers": 2},
    "no bias": {"bias": False, "batch_first": True, "bidirectional": True}, "doubles": {"dtype": torch.float64},
}  # fmt: skip


@pytest.mark.parametrize(("kind", "form"), [*((kind, form) for kind in GATES for form in FORMS.values()),
                                            ("LSTM", {"proj_size": 3})])  # fmt: skip
def test_without_values_it_is_the_run_of_the_cpu(kind: str, form: Dict[str, Any]) -> None:
    """The rows and costs of a run with values, and the memory of real storages."""
    module = getattr(torch.nn, kind)(8, 6, **form).eval().requires_grad_(False)
    given = torch.rand(4, 10, 8, dtype=form.get("dtype", torch.float32))
    without, real = (strata.stat(module, given, mode=mode) for mode in ("meta", "real"))
    assert [row.flops for row in without] == [row.flops for row in real]
    assert without.total.macs == real.total.macs > 0
    assert without.facts["memory"]["peak_bytes"] == peak_of_run(module, [given])


@pytest.mark.parametrize("kind", list(GATES))
def test_short_inputs_and_states_keep_their_values_elsewhere(kind: str) -> None:
    """A tensor of a few elements is recorded with its values, which a recurrent layer does not take."""
    module = getattr(torch.nn, kind)(5, 7)
    state = torch.zeros(1, 2, 7)
    profile = strata.stat(module, torch.rand(3, 2, 5), kwargs={"hx": (state, state) if kind == "LSTM" else state})
    assert profile.total.macs == macs(kind, 5, 7, 1, 1, steps=3, batch=2)
    assert not any("real tensors" in note for note in profile.notes)
    assert "lstm" not in torch._VF.__dict__


@pytest.mark.parametrize("kind", list(GATES))
def test_cells(kind: str) -> None:
    profile = strata.stat(getattr(torch.nn, kind + "Cell")(5, 7), (2, 5))
    assert profile.total.macs == macs(kind, 5, 7, 1, 1, steps=1, batch=2)


class Packs(torch.nn.Module):
    """Four, four, two and one steps of four sequences."""

    def __init__(self, kind: str, **form: Any) -> None:
        super().__init__()
        self.layer, self.batch_first = getattr(torch.nn, kind)(8, 6, **form), form.get("batch_first", False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        lengths = torch.tensor([4, 4, 2, 1])
        return self.layer(torch.nn.utils.rnn.pack_padded_sequence(x, lengths, self.batch_first))[0].data


@pytest.mark.parametrize(("kind", "form"), [*((kind, form) for kind in GATES for form in list(FORMS.values())[:4]),
                                            ("LSTM", {"proj_size": 3})])  # fmt: skip
def test_packed_sequences(kind: str, form: Dict[str, Any]) -> None:
    module = Packs(kind, **form).eval().requires_grad_(False)
    given = torch.rand(4, 4, 8)
    profile, real = (strata.stat(module, given, mode=mode) for mode in ("meta", "real"))
    if not form or "bias" in form:  # eleven rows in one layer, in one direction or two
        assert profile.total.macs == macs(kind, 8, 6, 1, 1 + form.get("bidirectional", False), steps=11, batch=1)
    assert [row.flops for row in profile] == [row.flops for row in real]
    memory = profile.facts["memory"]
    assert (memory["peak_bytes"], memory["certainty"]) == (peak_of_run(module, [given]), "exact")


@pytest.mark.parametrize("kind", list(GATES))
@pytest.mark.parametrize("make", [lambda kind: getattr(torch.nn, kind)(8, 6), Packs], ids=["plain", "packed"])
def test_a_step_of_training(make: Any, kind: str) -> None:
    """Like a run with values, except for the workspace that oneDNN takes for an LSTM: that is a lower bound."""
    module, given = make(kind), torch.rand(4, 4, 8)
    bound, real = (strata.stat(module, given, backward=True, mode=mode) for mode in ("meta", "real"))
    assert [row.flops for row in bound] == [row.flops for row in real]
    assert bound.total.backward_macs == real.total.backward_macs
    memory, taken = bound.facts["memory"], real.facts["memory"]
    assert taken["certainty"] == "exact"
    if any(row.type == "mkldnn_rnn_layer" for row in bound):
        assert memory["certainty"] == "lower_bound" and memory["peak_bytes"] < taken["peak_bytes"]
        assert all(isinstance(phase.peak_bytes, strata.AtLeast) for phase in bound.memory_by_phase)
        assert [note for note in bound.notes if "workspace" in note]
        assert "Peak of the backward pass ≥" in str(bound) and "Peak activations ≥" in str(bound)
    else:
        assert (memory["peak_bytes"], memory["certainty"]) == (taken["peak_bytes"], "exact")
        assert bound.memory_by_phase == real.memory_by_phase


def test_layers_free_what_they_read() -> None:
    module, given = torch.nn.RNN(8, 6, 2, dropout=0.1), torch.rand(5, 2, 8)
    bound, real = (strata.stat(module, given, backward=True, mode=mode).memory_by_phase for mode in ("meta", "real"))
    assert [phase.peak_bytes for phase in bound] == [phase.peak_bytes for phase in real]


def test_a_step_of_training_is_thrice_the_forward_pass() -> None:
    module = torch.nn.LSTM(5, 7)
    given = torch.rand(3, 2, 5, requires_grad=True)
    profile = strata.stat(module, given, backward=True)
    forward = macs("LSTM", 5, 7, 1, 1, steps=3, batch=2)
    assert profile.total.forward_macs == forward
    # Each product has two gradients. oneDNN's kernel makes all; others none of the first state, a constant.
    whole = any(row.type == "mkldnn_rnn_layer" for row in profile)
    assert profile.total.backward_macs == 2 * forward - (0 if whole else 4 * 7 * 7 * 2)
