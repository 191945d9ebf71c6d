"""Profiles of files and of networks of the zoo."""

from __future__ import annotations

import copy
import json
import pickle
import threading
from pathlib import Path

import pytest

import strata

# MobileNetV2 of its paper and torchvision: 3 504 872 parameters, 300.8 million MACs. Its last layer
# has 1280 inputs and 1000 outputs.
PARAMS, MACS = 3_504_872, 300_774_272
LINEAR = {"params": 1280 * 1000 + 1000, "macs": 1280 * 1000, "flops": 2 * 1280 * 1000 + 1000}


@pytest.fixture
def profile(models: Path) -> strata.Profile:
    return strata.stat(models / "mobilenet_v2.onnx")


def test_totals_and_rows(profile: strata.Profile) -> None:
    assert (profile.total.params, profile.total.macs) == (PARAMS, MACS)
    row = profile["classifier.1"]
    assert {name: row[name] for name in LINEAR} == LINEAR
    assert row.output == [(1, 1000)] and row.type == "Linear"
    assert sum(each.macs for each in profile) == MACS
    assert profile[0].layer == "features.0.0" and len(profile) == len(profile.rows)
    with pytest.raises(KeyError):
        profile["classifier.7"]
    with pytest.raises(AttributeError, match="no column 'mac'.*macs"):
        row.mac  # noqa: B018
    with pytest.raises(AttributeError):
        row.macs = 0


def test_rows_are_copied_and_pickled(profile: strata.Profile) -> None:
    row = profile["classifier.1"]
    assert pickle.loads(pickle.dumps(row)) == copy.deepcopy(row) == row


def test_options_are_those_of_the_program(models: Path) -> None:
    path = models / "mobilenet_v2.onnx"
    root = strata.stat(path, report="root", columns=["layer", "macs"])
    assert root.table.columns == ["layer", "macs"] and [row.macs for row in root] == [MACS]
    by_macs = strata.stat(path, sort="macs", top=1, columns="layer,macs,macs%")
    best = max(strata.stat(path), key=lambda row: row.macs)
    assert by_macs[0].macs == best.macs
    assert by_macs[0]["macs%"] == pytest.approx(100 * best.macs / MACS)
    assert strata.stat(path, count="fvcore").facts["convention"] == "fvcore"
    assert strata.stat(path, device_memory="pytorch-cuda")[3].dev_mem_alloc is not None
    assert len(strata.stat(path, fuse=True)) < len(strata.stat(path))


def test_open_sizes_are_formulas(models: Path) -> None:
    path = models / "mobilenet_v2_dynamic.onnx"
    total = strata.stat(path).total.macs
    assert isinstance(total, strata.Formula) and total == f"{MACS}·N"
    assert strata.stat(path, dim={"N": 3}).total.macs == 3 * MACS
    assert strata.stat(path, batch=2).total.macs == 2 * MACS
    assert strata.stat(path, (5, 3, 224, 224)).total.macs == 5 * MACS
    assert strata.stat(path, {"input": (5, 3, 224, 224)}).total.macs == 5 * MACS
    with pytest.raises(strata.StrataError, match="has 1 inputs .input., and 2 are given"):
        strata.stat(path, [(1, 3, 224, 224), (1, 3)])


def test_what_is_not_known_is_none_and_never_zero(models: Path) -> None:
    # Two activations of 3x4 elements, and an operator that nobody but its author knows between them.
    profile = strata.stat(models / "pt2/custom.pt2")
    assert [row.flops for row in profile] == [12, None, 12]
    assert profile.total.flops == strata.AtLeast(24) and profile.total.macs is None
    assert profile.facts["unknown_ops"] == ["strata_demo.twist (no rule)"]
    assert strata.stat("mobilenet_v2", count="thop", columns="layer,flops").total.flops is None


def test_notes_say_what_is_not_counted(models: Path) -> None:
    profile = strata.stat(models / "pt2/custom.pt2")
    assert any("Not counted" in note and "strata_demo.twist" in note for note in profile.notes)
    # The sentence stands once, in the table that people read as well.
    assert str(profile).count("strata_demo.twist") == 1


def test_notes_say_what_disturbed_a_measurement(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    from strata import _native
    from strata._models import given_model
    from strata._timing import Measured, ProbeCost

    given = given_model(torch.nn.Sequential(torch.nn.Linear(4, 4)).eval(), (1, 4))
    waits = [0.0] * 5 + [0.6] * 15  # of 1 s each: most runs waited for a processor
    measured = Measured(
        "torch", "cpu", 2, 1.0, [1.0], ProbeCost(0.0, 0.0), [1.0] * 20, waits, [20], [1.0] * 20, waits, [20],
        {("0", 0): [0.9] * 20}, False,
    )  # fmt: skip
    given.files["measured.json"] = measured.encode()
    request = given.request("stat", measured="memory:measured.json")
    profile = strata.Profile(_native.run(request), given)
    assert profile.facts["timing"]["disturbed"] is True
    assert any(note.startswith("Disturbed: other work ran on this machine") for note in profile.notes)


def test_a_formula_of_ones_own_counts_a_custom_operator(models: Path, tmp_path: Path) -> None:
    # Two activations of 12 elements around an operator that nobody knows.
    rules = tmp_path / "mine.json"
    rules.write_text('{"default": "strata", "layers": {"onnx:twist": {"macs": "n", "flops": "5*n"}}}')
    profile = strata.stat(models / "pt2/custom.pt2", count=str(rules))
    assert [row.flops for row in profile] == [12, 60, 12]
    assert (profile.total.macs, profile.total.flops) == (12, 84)
    assert profile.facts["unknown_ops"] == [] and profile.notes == [] and "Not counted" not in str(profile)
    alone = tmp_path / "alone.json"
    alone.write_text('{"metrics": {"flops": "FLOPs"}, "functional": true, "layers": {"onnx:twist": {"flops": "5*n"}}}')
    profile = strata.stat(models / "pt2/custom.pt2", count=str(alone), columns="layer,flops")
    assert profile.total.flops == 60 and "Not counted" not in str(profile)


def test_prints_the_terminals_table(profile: strata.Profile) -> None:
    lines = str(profile).splitlines()
    assert lines[0].split()[:2] == ["Layer", "Type"]
    assert any(line.startswith("Total") and "300.8 M" in line for line in lines)
    assert repr(profile) == str(profile)


def test_page_is_isolated_in_a_frame(profile: strata.Profile) -> None:
    import html
    import re

    page = profile._repr_html_()
    found = re.fullmatch(r"<iframe srcdoc='([^']*)' sandbox=\"([^\"]*)\"[^>]*></iframe>", page)
    assert found and "allow-same-origin" not in found[2]
    assert html.unescape(found[1]) == profile.render("html")
    assert "features.0.0" in found[1]
    assert len(page.encode()) < 200_000


def test_saves_by_ending(profile: strata.Profile, tmp_path: Path) -> None:
    starts = {
        "html": b"<!doctype html", "json": b"{", "csv": b"layer,type", "md": b"|", "svg": b"<svg",
        "txt": b"Layer", "png": b"\x89PNG",
    }  # fmt: skip
    for ending, start in starts.items():
        path = tmp_path / f"profile.{ending}"
        profile.save(path)
        content = path.read_bytes()
        assert start in content[:2000].lower() or start in content[:2000], ending
    document = json.loads((tmp_path / "profile.json").read_text())
    assert document["tables"]["layers"]["totals"]["macs"] == MACS
    with pytest.raises(strata.StrataError, match="docx"):
        profile.save(tmp_path / "profile.docx")
    assert not (tmp_path / "profile.docx").exists()


def test_explains_and_compares(profile: strata.Profile) -> None:
    text = profile.explain("classifier.1")
    assert "1,280,000" in text and text.startswith("classifier.1")
    half = strata.stat("zoo:mobilenet_v2?width=0.5")
    diff = profile.diff(half)
    assert diff.kind == "diff"
    assert profile.diff(profile).to_dict() != diff.to_dict()
    with pytest.raises(strata.StrataError, match="classifier.9"):
        profile.explain("classifier.9")


def test_several_threads_at_once() -> None:
    totals, errors = [], []

    def work() -> None:
        try:
            profile = strata.stat("zoo:mobilenet_v2")
            totals.append((profile.total.macs, len(str(profile))))
        except Exception as error:  # reported below, by the thread that looks
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors and len(totals) == 8 and len(set(totals)) == 1 and totals[0][0] == MACS
