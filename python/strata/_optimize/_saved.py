"""Optimized models in folders: an ONNX file for each part that an engine runs, and a JSON file that says how to call it.

Nothing in such a folder is code, and nothing is unpickled.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import re
import shutil
from typing import Any, Optional

import torch

from .._errors import StrataError
from ._export import Exported
from ._flat import flatten
from ._forward import EngineForward
from ._roi import RoiForward, Rows, is_roi_align
from ._sessions import open_session

_FORM = 2
_OUTPUTS = re.compile(r"transformers(\.[A-Za-z_][A-Za-z_0-9]*)+")


def _is_output(kind: type) -> bool:
    """True for the classes in which networks of transformers return their answers."""
    return bool(_OUTPUTS.fullmatch(f"{kind.__module__}.{kind.__qualname__}")) and any(
        each.__name__ == "ModelOutput" and each.__module__.startswith("transformers.") for each in kind.__mro__
    )


def _output_class(name: str) -> type:
    """The class of that name. Only modules of transformers are imported, and only classes of answers are returned."""
    if not _OUTPUTS.fullmatch(name):
        raise ValueError(f"{name} is no class of transformers")
    module, _, own = name.rpartition(".")
    try:
        kind = getattr(importlib.import_module(module), own)
    except ImportError as error:
        raise StrataError(f"its answers are a {own} of transformers, which is not installed in this Python, or in another release: "
                          "pip install transformers") from error  # fmt: skip
    if not isinstance(kind, type) or not _is_output(kind):
        raise ValueError(f"{name} is no class of answers")
    return kind


def _encoded(value: Any, rest: Any) -> Any:
    if value is None or isinstance(value, (bool, int, float, str)):
        return {"value": value}
    if isinstance(value, torch.Tensor):
        return {"tensor": next(rest)}
    if type(value) in (tuple, list):
        return {type(value).__name__: [_encoded(each, rest) for each in value]}
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        kind = "ordered" if type(value).__name__ == "OrderedDict" else "dict"
        if kind == "ordered" or type(value) is dict:
            return {kind: [[key, _encoded(each, rest)] for key, each in value.items()]}
    if _is_output(type(value)):
        name = f"{type(value).__module__}.{type(value).__qualname__}"
        return {"output": [name, [[key, _encoded(each, rest)] for key, each in value.items()]]}
    raise StrataError(f"a {type(value).__name__} among the arguments or answers cannot be saved; wrap the model so that it "
                      "takes and gives tensors, tuples, lists and dictionaries")  # fmt: skip


def _decoded(value: dict[str, Any]) -> Any:
    from collections import OrderedDict

    (kind, inside), = value.items()
    if kind == "value":
        return inside
    if kind == "tensor":
        return torch.empty(0)
    if kind in ("tuple", "list"):
        return (tuple if kind == "tuple" else list)(_decoded(each) for each in inside)
    if kind == "output":
        return _output_class(inside[0])(**{key: _decoded(each) for key, each in inside[1]})
    return (OrderedDict if kind == "ordered" else dict)((key, _decoded(each)) for key, each in inside)


def _structure(leaves: list[Any], spec: Any) -> Any:
    from ._flat import unflatten

    value = unflatten([torch.empty(0) if each is None else each[0] for each in leaves], spec)
    return _encoded(value, iter(range(len(leaves))))


def _dtype_name(dtype: torch.dtype) -> str:
    return str(dtype).split(".")[1]


def weights_hash(module: torch.nn.Module) -> str:
    digest = hashlib.sha256()
    for name, each in sorted(module.state_dict().items()):
        digest.update(f"{name} {each.dtype} {tuple(each.shape)}\n".encode())
        digest.update(each.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes())
    return digest.hexdigest()


def save(folder: str, units: dict[str, tuple[EngineForward, Optional[Exported], dict[str, Any]]], receipt: dict[str, Any],
         model: torch.nn.Module) -> None:  # fmt: skip
    if os.path.exists(folder) and os.listdir(folder):
        raise StrataError(f"{folder} is not empty; choose a new folder", 2)
    described = []
    for number, (name, (_, exported, how)) in enumerate(units.items()):
        if exported is None:  # RoI align, which needs no file
            described.append({"module": name, **how})
            continue
        described.append({
            "module": name, "file": f"{number}.onnx", **how,
            "arguments": _structure(exported.leaves, exported.spec), "answers": _structure(exported.out_leaves, exported.out_spec),
            "shapes": exported.shapes, "dtypes": [_dtype_name(each) for each in exported.dtypes],
            "out_dtypes": [_dtype_name(each) for each in exported.out_dtypes],
            "out_orders": exported.out_orders, "bounds": exported.bounds,
            "sizes": None if exported.sizes is None else sorted(exported.sizes),
            "names": exported.names, "weights": weights_hash(model.get_submodule(name)),
        })  # fmt: skip
    os.makedirs(folder, exist_ok=True)
    for number, (_, exported, _) in enumerate(units.values()):
        if exported is not None:
            shutil.copyfile(exported.path, os.path.join(folder, f"{number}.onnx"))
    with open(os.path.join(folder, "optimized.json"), "x") as file:
        json.dump({"strata_optimized": _FORM, "units": described, "receipt": receipt}, file, indent=1)


class LoadedModule(torch.nn.Module):
    """A whole model that an engine runs, without the code and the weights it was made of.

    There is no torch to fall back to: a call that the engine was not prepared for is an error.
    """

    def __init__(self) -> None:
        super().__init__()
        self.eval()

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        raise StrataError("this call differs from those that the model was optimized for, in its arguments, sizes or "
                          "types, has NaN or an index out of range, or gradients are on for its inputs; load it with its module to have torch answer: "
                          "strata.load_optimized(folder, module)")  # fmt: skip


def load(folder: str, module: Optional[torch.nn.Module]) -> tuple[torch.nn.Module, dict[str, Any], dict[str, Any]]:
    try:
        with open(os.path.join(folder, "optimized.json")) as file:
            described = json.load(file)
        if described["strata_optimized"] != _FORM:
            raise StrataError(f"{folder} was written by another version of strata")
        units = described["units"]
        if module is None and [each["module"] for each in units] != [""]:
            raise StrataError(
                "only parts of this model were exported; give the module itself: strata.load_optimized(folder, module)", 2
            )
        model = LoadedModule() if module is None else module
        loaded: dict[str, Any] = {}
        for each in units:
            inner = model.get_submodule(each["module"])
            if each["engine"] == Rows.engine:
                if not is_roi_align(inner):
                    raise StrataError(f'"{each["module"]}" is another kind of module than the one that was optimized')
                loaded[each["module"]] = (RoiForward(inner), None, {"engine": Rows.engine})
                continue
            if module is not None and weights_hash(inner) != each["weights"]:
                raise StrataError(f'the weights of "{each["module"]}" are not those that were optimized; optimize it again')
            file_name = os.path.basename(each["file"])
            leaves, spec = flatten(_decoded(each["arguments"]))
            out_leaves, out_spec = flatten(_decoded(each["answers"]))
            exported = Exported(
                os.path.join(folder, file_name), spec,
                [None if isinstance(leaf, torch.Tensor) else (leaf,) for leaf in leaves],
                [tuple(shape) for shape in each["shapes"]], [getattr(torch, name) for name in each["dtypes"]], out_spec,
                [None if isinstance(leaf, torch.Tensor) else (leaf,) for leaf in out_leaves],
                [getattr(torch, name) for name in each["out_dtypes"]],
                [order and tuple(order) for order in each["out_orders"]],
                [bound and tuple(bound) for bound in each["bounds"]],
                None if each["sizes"] is None else frozenset(tuple(sizes) for sizes in each["sizes"]),
                names=tuple(each.get("names", ())),
            )  # fmt: skip
            how = {name: each[name] for name in ("engine", "precision", "threads")}
            session = open_session(how["engine"], exported.path, how["precision"], how["threads"])
            loaded[each["module"]] = (EngineForward(inner, exported, session), exported, how)
    except (OSError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise StrataError(f"{folder} is not a folder that strata.optimize saved: {error!r}") from error
    return model, loaded, described["receipt"]
