"""A user's program, which is never run: mypy and pyright, both strict, say what its types are."""

from __future__ import annotations

from typing_extensions import assert_type

import strata

profile = strata.stat("resnet50", (1, 3, 224, 224), report="tree", depth=2, columns=["layer", "macs"], top=3)
assert_type(profile, strata.Profile)
assert_type(profile["layer1"], strata.Row)
assert_type(profile.rows, "list[strata.Row]")
assert_type(profile.notes, "list[str]")
assert_type(profile.explain("conv1"), str)
assert_type([row for row in profile], "list[strata.Row]")
assert_type(profile.table.columns, "list[str]")
for phase in strata.stat("resnet50", backward=True, optimizer="adam").memory_by_phase:
    assert_type(phase.peak_bytes, "int | strata.AtLeast")

with strata.record(name="step") as recorded:
    pass
assert_type(recorded, strata.record)
assert_type(recorded.profile, strata.Profile)
assert_type(recorded.stat(report="root"), strata.Profile)
assert_type(recorded.to_bytes(), bytes)

assert_type(strata.check("resnet50", {"macs": "5G"}), strata.Document)
assert_type(strata.predict("resnet50", on=["a100", "l4"]), strata.Document)
try:
    strata.check(recorded, {"macs": "5G"})
except strata.BudgetExceeded as error:
    assert_type(error.code, int)

strata.stat("resnet50", reprot="tree")  # type: ignore[call-arg] # pyright: ignore[reportCallIssue]
strata.stat("resnet50", depth="two")  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
