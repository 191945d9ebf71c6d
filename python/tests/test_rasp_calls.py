"""Every call that RASP's page documents, on AlexNet as there, against what RASP itself prints.

tests/python/compat/make_rasp_expected.py has written rasp_expected.json with RASP.
"""

import csv
import json
import pathlib

import compat_networks
import pytest
import torch
from compat_tools import SOURCE, said
from torch import nn

import strata
import strata.rasp as rasp

EXPECTED = json.loads((pathlib.Path(__file__).parent / "rasp_expected.json").read_text())
SHAPE = (1, 3, 224, 224)


@pytest.fixture(scope="module")
def model():
    with compat_networks.uninitialized():
        if compat_networks.has_torchvision():
            from torchvision.models import AlexNet

            return AlexNet()
        return compat_networks._definitions("convolutional").AlexNet()


@pytest.fixture(autouse=True)
def few_batches():
    kept = dict(rasp.CFG.profile)
    rasp.CFG.profile.num_batches, rasp.CFG.profile.warmup_batches = 2, 1
    yield
    rasp.CFG.profile.update(kept)


def printed(model, **options):
    return said(rasp.stat, model, **options)[1]


def test_basic_stats(model):
    assert printed(model, input_shape=SHAPE) == EXPECTED["basic"]["text"]


def test_macc_instead_of_flops(model):
    text = printed(model, input_shape=SHAPE, includes=["macc"], excludes=["flops"])
    assert text == EXPECTED["macc"]["text"]


def test_energy(model):
    import strata.rasp.addons.energy  # noqa: F401

    assert printed(model, input_shape=SHAPE, includes=["energy"]) == EXPECTED["energy"]["text"]


def test_own_input(model):
    assert printed(model, inputs=torch.randn(8, 3, 224, 224)) == EXPECTED["own input"]["text"]
    assert "Total FLOPS" in printed(model, inputs=torch.randn(8, 3, 224, 224), timing=True)


def test_shape_without_a_batch(model):
    assert printed(model, input_shape=SHAPE[1:]) == EXPECTED["no batch"]["text"]


@pytest.mark.parametrize("kind", ["tape", "node", "leaves", "root", "all", None])
def test_report_types(model, kind):
    assert printed(model, input_shape=SHAPE, report_type=kind) == EXPECTED[f"report {kind}"]["text"]


@pytest.mark.parametrize("kind", ["tape", "node", "leaves", "root", None])
def test_report_types_with_times(model, kind):
    text = printed(model, input_shape=SHAPE, report_type=kind, timing=True)
    assert ("lat[%]" in text) == (kind is not None)


def test_root_and_fields(model):
    assert printed(model, input_shape=SHAPE, include_root=True) == EXPECTED["include root"]["text"]
    fields = ["name", "params", "flops"]
    assert printed(model, input_shape=SHAPE, report_fields=fields) == EXPECTED["fields"]["text"]


def test_runtime_stats(model):
    frame = rasp.stat(model, input_shape=SHAPE, timing=True, print_stat=False, returns="data")
    assert list(frame.columns) == EXPECTED["timing columns"]
    assert [str(kind) for kind in frame.dtypes[4:]] == EXPECTED["timing types"][4:]
    rows = frame.iloc[:-1]
    assert (rows["lat"] > 0).all() and (rows["net_lat"] <= rows["lat"]).all()
    assert rows["lat[%]"].sum() == pytest.approx(100)
    # The definitions: flops per second of milliseconds, a total of sums.
    assert frame["FLOPS"].iloc[0] == pytest.approx(1000 * frame["flops"].iloc[0] / frame["net_lat"].iloc[0])
    assert frame["net_lat"].iloc[-1] == pytest.approx(rows["net_lat"].sum())


@pytest.mark.parametrize("kind", ["root", "node", "all", "leaves"])
def test_rates_are_of_all_the_time_that_the_work_took(kind):
    """A model that does everything in its modules, so that next to no time is its own."""
    net = nn.Sequential(nn.Sequential(nn.Linear(256, 256), nn.ReLU()), nn.Linear(256, 256)).eval()
    frame = rasp.stat(net, inputs=torch.randn(64, 256), report_type=kind, timing=True, print_stat=False, returns="data")
    for _, row in frame.iloc[:-1].iterrows():
        assert row["FLOPS"] == pytest.approx(1000 * row["flops"] / row["lat"])
    work, took = frame["flops"].iloc[0], frame["lat"].iloc[0]
    if kind in ("root", "node"):
        assert frame["FLOPS"].iloc[-1] == pytest.approx(1000 * work / took)
    elif kind == "all":  # the container and the layer beside it; what is inside of the container counts once
        outer = frame[frame["name"].isin([".0", ".1"])]
        assert frame["FLOPS"].iloc[-1] == pytest.approx(1000 * outer["flops"].sum() / outer["lat"].sum())


def test_data_frame(model):
    frame, text = said(rasp.stat, model, input_shape=SHAPE, returns="data", print_stat=False)
    assert text == ""
    assert list(frame.columns) == EXPECTED["basic"]["columns"]
    assert [str(each) for each in frame.index] == EXPECTED["basic"]["index"]
    assert frame["flops"].iloc[-1] == 1429056000 and frame.loc["total"].params == 61100840
    both = rasp.stat(model, input_shape=SHAPE, returns="sum, data", print_stat=False)
    assert both[0] + "\n" == EXPECTED["basic"]["text"] and len(both[1]) == len(frame)
    with pytest.raises(ValueError, match="invalid return type"):
        rasp.stat(model, input_shape=SHAPE, returns="table", print_stat=False)


def test_profiling_parameters(model):
    """`num_batches` runs are timed after `warmup_batches`, and one records."""
    runs = []
    handle = model.register_forward_hook(lambda *_: runs.append(1))
    try:
        rasp.CFG.profile.num_batches, rasp.CFG.profile.warmup_batches = 3, 2
        rasp.stat(model, input_shape=SHAPE, timing=True, print_stat=False)
    finally:
        handle.remove()
    assert len(runs) == 3 + 2 + 1
    assert rasp.set_config({"profile": {"num_batches": 7}}).profile.num_batches == 7
    assert rasp.get_config().profile.warmup_batches == 2


def test_save(model, tmp_path):
    path = tmp_path / "reports" / "alexnet.csv"
    printed(model, input_shape=SHAPE, save_path=str(path))
    assert path.read_text() == EXPECTED["saved"]
    assert list(rasp.load_report(str(path)).columns) == EXPECTED["basic"]["columns"]
    printed(model, input_shape=SHAPE, timing=True, save_path=str(tmp_path / "reports" / "times"))
    with open(tmp_path / "reports" / "times") as file:
        assert next(csv.reader(file)) == EXPECTED["timing columns"]
    printed(model, input_shape=SHAPE, save_path=str(tmp_path / "reports"))
    assert (tmp_path / "reports" / "report.csv").read_text() == EXPECTED["saved"]


def test_device(model):
    assert "Total lat" in printed(model, input_shape=SHAPE, device="cpu", timing=True)
    if not torch.cuda.is_available():
        with pytest.raises(strata.StrataError, match="there is no CUDA device to measure on"):
            rasp.stat(model, input_shape=SHAPE, device="cuda", timing=True)


def test_the_module_is_left_as_it_was(model):
    model.train()
    model.classifier[0].eval()
    rasp.stat(model, input_shape=SHAPE, print_stat=False, timing=True)
    assert model.training and not model.classifier[0].training
    assert not any(module._forward_hooks or module._forward_pre_hooks for module in model.modules())
    model.train()


def test_wrong_calls(model):
    with pytest.raises(ValueError, match="input_shape required"):
        rasp.stat(model)
    with pytest.raises(ValueError, match="unsupported report type"):
        rasp.stat(model, input_shape=SHAPE, report_type="rows")
    with pytest.raises(strata.StrataError, match="there is no column 'joules'"):
        rasp.stat(model, input_shape=SHAPE, includes=["joules"], print_stat=False)


def test_round_value():
    for number, (plain, binary) in EXPECTED["rounded"].items():
        assert [rasp.round_value(int(number)), rasp.round_value(int(number), True)] == [plain, binary]


def test_memory_of_mobilenet_v2_equals_the_published_table():
    """Measured on a GPU by RASP's authors; here the model of the allocator says it."""
    with compat_networks.uninitialized():
        if compat_networks.has_torchvision():
            from torchvision.models import MobileNetV2
        else:
            MobileNetV2 = compat_networks._definitions("convolutional").MobileNetV2
        network = MobileNetV2()
    frame = rasp.stat(
        network, input_shape=SHAPE, device="cuda", memory=True, includes=["macc"], print_stat=False, returns="data"
    )
    with open(SOURCE / "tests" / "golden" / "rasp_mobilenet_v2.csv", newline="") as file:
        published = list(csv.DictReader(file))
    assert len(published) == 141 == len(frame) - 1
    for column in list(published[0])[1:]:
        assert [str(cell) for cell in frame[column].iloc[:-1]] == [row[column] for row in published], column


def test_the_table_of_torchvision_models():
    with open(SOURCE / "tests" / "golden" / "rasp_torchvision_models.csv", newline="") as file:
        published = list(csv.DictReader(file))
    rows = rasp.torchvision_models(print_stat=False)
    assert [row["model"] for row in rows] == [row["model"] for row in published]
    for ours, theirs in zip(rows, published):
        for column, title in (("params", "params"), ("flops", "flops"), ("energy", "energy_pj")):
            assert rasp.round_value(ours[column]) == theirs[title], (ours["model"], column)
