"""The commands that count, and the errors that they raise."""

from __future__ import annotations

import os
import traceback
from pathlib import Path

import pytest

import strata

MACS = 300_774_272


def test_payload() -> None:
    cuts = strata.payload("zoo:mobilenet_v2", cuts=True)
    # The input has 1·3·224·224 elements; what the average pool gives has 1280.
    assert cuts.rows[0].raw == 4 * 3 * 224 * 224 and cuts.rows[-1].int8 == 1280
    split = strata.payload(
        "zoo:resnet50", split=True, link="100Mbps", rtt="10ms",
        edge="50GFLOP/s,20GB/s", server="5TFLOP/s,600GB/s",
    )  # fmt: skip
    # All on the server: the input over 100 Mbit/s.
    best = split.facts["split"]["all_server"]
    assert best["up_seconds"] == pytest.approx(4 * 3 * 224 * 224 * 8 / 100e6)
    with pytest.raises(strata.StrataError, match="no table"):
        split.rows  # noqa: B018


def test_explain() -> None:
    # 1280 · 1000 multiply-accumulates, and a bias.
    assert "2,561,000" in strata.explain("zoo:mobilenet_v2", "classifier.1")
    assert "2,561,000" not in strata.explain("zoo:mobilenet_v2", "classifier.1", count="thop")


def test_diff_of_models_and_profiles(models: Path) -> None:
    path = models / "mobilenet_v2.onnx"
    same = strata.diff(path, strata.stat(path))
    other = strata.diff(path, "zoo:mobilenet_v2?width=0.5")
    assert same.kind == other.kind == "diff"
    assert len(other.rows) > len(same.rows)
    several = strata.diff("zoo:resnet18", "zoo:resnet34", "zoo:resnet50")
    assert "resnet50" in str(several)


def test_check_raises_with_every_verdict() -> None:
    kept = strata.check("zoo:mobilenet_v2", {"macs": "320M", "params": "4M"})
    assert kept.kind == "check" and len(kept.rows) == 2
    with pytest.raises(strata.BudgetExceeded, match="exceeds 1 of 2 budgets") as caught:
        strata.check("zoo:mobilenet_v2", {"macs": "300M", "params": "4M"})
    assert caught.value.code == 3 and len(caught.value.report.rows) == 2
    assert isinstance(caught.value, AssertionError)  # pytest shows it as a failure, not an error
    profile = strata.stat("zoo:mobilenet_v2")
    assert strata.check(profile, f"macs={MACS}").kind == "check"
    with pytest.raises(strata.BudgetExceeded):
        strata.check(profile, f"macs={MACS - 1}")


def test_zoo_and_lint() -> None:
    names = {row.network for row in strata.zoo().rows}
    assert {"resnet50", "mobilenet_v2"} <= names
    table = {row.model: row for row in strata.zoo_table(filter="mobilenet_v2*").rows}
    assert table["mobilenet_v2"].params == 3_504_872
    assert strata.lint(strata.stat("zoo:mobilenet_v2")).kind == "lint"


@pytest.mark.parametrize(
    ("call", "code", "words"),
    [
        (lambda: strata.stat("no.onnx"), 1, "no.onnx: there is no such file"),
        (lambda: strata.stat("zoo:mobilenet_v3"), 2, "did you mean mobilenet_v2"),
        (lambda: strata.stat("mobilenet_v2", report="trees"), 2, "trees"),
        (lambda: strata.stat("mobilenet_v2", colums="macs"), 2, "colums"),
        (lambda: strata.stat("mobilenet_v2", count="nobody"), None, "nobody"),
        (lambda: strata.stat(3), 2, "a int is not a model"),
        (lambda: strata.explain("mobilenet_v2", "nowhere"), None, "nowhere"),
        (lambda: strata.check("mobilenet_v2", "macs=many"), 2, "many"),
    ],
)
def test_errors_are_one_sentence_in_the_users_frame(call, code, words) -> None:
    with pytest.raises(strata.StrataError) as caught:
        call()
    assert words in str(caught.value)
    assert code is None or caught.value.code == code
    files = [frame.filename for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert __file__ in files


@pytest.mark.parametrize(
    ("call", "name", "fields", "words"),
    [
        (
            lambda: strata.stat("alexnet", columns="layer,time"),
            "column_needs",
            {"name": "time", "wanted": "time"},
            'column "time" needs timing=True',
        ),
        (lambda: strata.stat("zoo:nowhere"), "no_network", {"name": "nowhere"}, "strata.zoo() lists them"),
        (lambda: strata.explain("alexnet", "nowhere"), "no_layer", {"name": "nowhere"}, "strata.stat()"),
        (lambda: strata.stat("alexnet", roofline=True), "option_effect", {"name": "--roofline"}, "roofline=True"),
        (lambda: strata.llm("zoo:llama-3-8b", context="many"), "option_value", {"name": "--context"}, "many"),
        (lambda: strata.stat("alexnet", tpo=3), "no_option", {"name": "--tpo"}, "there is no option tpo (did you mean top"),
        (lambda: strata.stat("alexnet", top="many"), "option_value", {"name": "--top"}, "top"),
        (lambda: strata.stat("alexnet", fuse=3), "option_value", {"name": "--fuse"}, "it is true or false"),
        (lambda: strata.stat("alexnet", columns=["layer", "colour"]), "no_column", {"name": "colour"}, "colour"),
        (lambda: strata.check("alexnet", "macs=many"), "option_value", {"name": "budget"}, "many"),
        (lambda: strata.predict("alexnet", on="rtx-9999"), "no_device", {"name": "rtx-9999"}, "rtx-9999"),
    ],
)
def test_advice_names_arguments_and_errors_have_names(call, name, fields, words) -> None:
    with pytest.raises(strata.StrataError) as caught:
        call()
    assert words in str(caught.value)
    assert "--" not in str(caught.value) and "`strata" not in str(caught.value)
    assert caught.value.name == name
    assert fields.items() <= caught.value.fields.items()


def test_a_documents_record_is_a_request(models: Path) -> None:
    """The request that a document records, sent to the program unchanged, makes the same document."""
    import json
    import subprocess

    given = strata.stat(models / "resnet18.onnx", report="tree", depth=1, columns=["layer", "macs"])
    several = strata.diff(models / "resnet18.onnx", models / "resnet50.onnx", top=3)
    for document in (given.to_dict(), several.to_dict()):
        request = {"command": document["tool"]["command"], "options": document["options"]}
        done = subprocess.run(
            [str(strata._native.program()), "request", "-"],
            input=json.dumps(request).encode(), capture_output=True, cwd=models, check=True,
        )  # fmt: skip
        assert json.loads(done.stdout) == document
    assert given.to_dict()["options"] == {
        "model": "resnet18.onnx", "--report": "tree", "--depth": "1", "--columns": "layer,macs", "--format": "json",
    }  # fmt: skip
    assert several.to_dict()["options"]["files"] == ["resnet18.onnx", "resnet50.onnx"]


def test_no_value_is_taken_for_an_option(tmp_path: Path, models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names with dashes, commas, equals signs and quotes are names."""
    import shutil

    monkeypatch.chdir(tmp_path)
    names = ["--report=none", "-o", "a,b=c.onnx", "it's \"é\".onnx"]
    for name in names:
        shutil.copy(models / "resnet18.onnx", tmp_path / name)
    macs = strata.stat("zoo:resnet18").total.macs
    for name in names:
        assert strata.stat(name).total.macs == macs
    assert not strata.explain(names[0], "fc").startswith("strata")
    with pytest.raises(strata.StrataError, match="there is no column"):
        strata.stat(names[0], columns="--all")


def test_a_list_repeats_an_option_that_can_be_repeated(tmp_path: Path, models: Path) -> None:
    files = []
    for name, memory in (("one", "24 GiB"), ("two", "48 GiB")):
        described = (models.parent.parent / "data" / "devices" / "rtx-4090.toml").read_text()
        files.append(tmp_path / f"{name}.toml")
        files[-1].write_text(described.replace("24 GiB", memory))
    shown = [strata.devices(name, device_file=files).facts for name in ("one", "two")]
    assert shown[0] != shown[1]


def test_the_program_says_the_same_as_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    errors = []
    for _ in range(2):
        with pytest.raises(strata.StrataError) as caught:
            strata.stat("alexnet", columns="layer,time")
        errors.append((str(caught.value), caught.value.code, caught.value.name, caught.value.fields))
        monkeypatch.setattr(strata._native, "library", lambda: None)  # then a child process
    assert errors[0] == errors[1]


def test_a_file_that_is_no_model(tmp_path: Path) -> None:
    for content in (b"", b"\x00" * 64, b"{" * 4096, bytes(range(256)) * 16):
        path = tmp_path / "broken.onnx"
        path.write_bytes(content)
        with pytest.raises(strata.StrataError, match="broken.onnx"):
            strata.stat(path)


def test_pytest_fixture(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        def test_kept(strata_budget):
            strata_budget("zoo:mobilenet_v2", macs="320M", params="4M")

        def test_exceeded(strata_budget):
            strata_budget("zoo:mobilenet_v2", macs="300M")
        """
    )
    # An installed package names its plugin to pytest by itself.
    named = [] if "STRATA_TEST_ENVIRONMENT" in os.environ else ["-p", "strata._pytest"]
    result = pytester.runpytest_subprocess(*named, "-p", "no:cacheprovider")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*BudgetExceeded: *exceeds 1 of 1 budgets.*"])
