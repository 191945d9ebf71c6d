"""A tour of strata in cells, for editors that run them one by one, and as a whole script."""

# %% A network of the zoo: no file, no torch.
import strata

profile = strata.stat("mobilenet_v2")
print(profile.total.params, profile.total.macs)

# %% The table, a tree of it, and another tool's way to count.
print(strata.stat("mobilenet_v2", report="tree", depth=1))
print(strata.stat("mobilenet_v2", report="root", count="fvcore"))

# %% Rows are plain objects.
costly = sorted(profile, key=lambda row: row.macs, reverse=True)[:3]
for row in costly:
    print(row.layer, row.type, row.macs)

# %% Why it costs that.
print(profile.explain(costly[0].layer))

# %% What half the width changes.
print(profile.diff("zoo:mobilenet_v2?width=0.5"))

# %% A budget.
try:
    strata.check(profile, {"macs": "300M"})
except strata.BudgetExceeded as error:
    print(error)

# %% A module, where torch is there.
try:
    from torch import nn
except ImportError:
    nn = None
if nn is not None:
    model = nn.Sequential(nn.Conv2d(3, 16, 3), nn.ReLU(), nn.Flatten(), nn.Linear(16 * 30 * 30, 10))
    print(strata.stat(model, (1, 3, 32, 32)))

# %% In a notebook, the last line of a cell shows the page.
profile
