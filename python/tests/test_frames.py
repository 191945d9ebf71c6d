"""Profiles as data frames and Arrow streams."""

from __future__ import annotations

import gc

import pandas
import polars
import pytest

import strata

MACS = 300_774_272


@pytest.fixture
def profile() -> strata.Profile:
    return strata.stat("zoo:mobilenet_v2")


def test_pandas(profile: strata.Profile) -> None:
    frame = profile.to_pandas()
    assert list(frame.columns) == profile.table.columns
    assert frame["macs"].sum() == MACS and frame["macs"].dtype == "int64"
    assert frame["intensity"].dtype == "float64"
    by_type = frame.groupby("type")["macs"].sum()
    assert by_type["Linear"] == 1280 * 1000


def test_what_is_not_known_is_missing() -> None:
    from strata._document import _series

    cells = _series(pandas, [1, None, 3])
    assert cells.dtype == "Int64" and list(cells.isna()) == [False, True, False]
    assert _series(pandas, [None, None]) == [None, None]
    assert _series(pandas, [1.5, None]) == [1.5, None]


def test_polars(profile: strata.Profile) -> None:
    frame = profile.to_polars()
    assert frame["macs"].sum() == MACS and frame["macs"].dtype == polars.Int64


def test_arrow_stream(profile: strata.Profile) -> None:
    frame = polars.DataFrame(profile)
    assert frame.columns == profile.table.columns
    assert frame["macs"].sum() == MACS
    assert frame["layer"].to_list() == [row.layer for row in profile]
    again = polars.DataFrame(profile)  # each stream is read once; a document gives many
    assert again.equals(frame)


def test_arrow_stream_outlives_its_profile_and_may_be_left() -> None:
    from strata import _arrow

    class Holder:
        def __init__(self) -> None:
            self.capsule = strata.stat("zoo:alexnet").__arrow_c_stream__()

        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            return self.capsule

    holder = Holder()
    gc.collect()
    assert len(_arrow._streams) == 1
    # AlexNet of torchvision: 61 100 840 parameters.
    assert polars.DataFrame(holder)["params"].sum() == 61_100_840
    del holder
    strata.stat("zoo:alexnet").__arrow_c_stream__()  # nobody takes the stream out of it
    gc.collect()
    assert not _arrow._streams


