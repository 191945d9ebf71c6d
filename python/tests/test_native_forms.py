"""The package in both of its forms: the library in this process, and the program alone."""
from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

import strata  # noqa: E402
from strata import _native  # noqa: E402


@pytest.fixture(params=["library", "program"])
def form(request, tmp_path, monkeypatch):
    if request.param == "library":
        assert _native.library() is not None
    else:
        program = _native.program()
        (tmp_path / "native").mkdir()
        (tmp_path / "native" / program.name).symlink_to(program)
        monkeypatch.setenv("STRATA_NATIVE", str(tmp_path / "native"))
        assert _native.library() is None
    return request.param


def network():
    return torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2)).eval()


def texts(profile):
    return [profile.to_json(), str(profile), profile.render("html"), profile.render("md"), *profile.notes]


def test_counts(form):
    for report in ("tape", "tree", "root"):
        profile = strata.stat(network(), (3, 4), report=report)
        assert profile.total.macs == 3 * (4 * 8 + 8 * 2)
        assert profile.facts["model"]["path"] == "Sequential.recording"
        for text in texts(profile):
            assert "memory:" not in text and "/strata-" not in text
    assert "8" in profile.explain("0")


def test_times(form):
    profile = strata.stat(network(), (3, 4), timing=True, columns="layer,time,macs")
    assert profile.total.time > 0 and profile.facts["timing"]["runs"] >= 1
    for text in texts(profile):
        assert "memory:" not in text


def test_mistakes_name_files_as_readers_know_them(form):
    with pytest.raises(strata.StrataError) as error:
        strata.explain(network(), "no_such_layer", (3, 4))
    assert "memory:" not in str(error.value) and "/strata-" not in str(error.value)
    with pytest.raises(strata.StrataError) as error:
        strata.stat(network(), (3, 4), dim={"N": 3})
    assert "Sequential.recording" in str(error.value) and "memory:" not in str(error.value)


def test_differences(form):
    wide = torch.nn.Sequential(torch.nn.Linear(4, 16), torch.nn.ReLU(), torch.nn.Linear(16, 2)).eval()
    diff = strata.stat(network(), (3, 4)).diff(strata.stat(wide, (3, 4)))
    assert "memory:" not in str(diff)
