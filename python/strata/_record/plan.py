"""The plan of a model, made before it runs: its modules, and a twin for each of its tensors.

A plan is kept as long as the model lives, so that the second recording of a model starts at once; it is
checked against the model each time, and made anew if anything has changed.
"""
from __future__ import annotations

import weakref
from operator import is_
from typing import Any, Callable, Dict, List, Optional, Tuple

import torch

from .errors import NeedsValues, RecordingError
from .tape import Kind, Numbers, Storage, Tag, kind_of, quoted, storage_address, storage_row, tensor_row

Module = torch.nn.Module
Make = Callable[[torch.Tensor], torch.Tensor]
_SIMPLE = (torch.Tensor, torch.nn.Parameter, getattr(torch.nn, "Buffer", torch.nn.Parameter))
_GROUPS = ("_parameters", "_buffers")


def meta_twin(tensor: torch.Tensor) -> torch.Tensor:
    """A meta tensor of the same type, sizes, strides and dtype."""
    if type(tensor) not in _SIMPLE or tensor.layout is not torch.strided or tensor.is_quantized:
        kind = "quantized" if tensor.is_quantized else str(tensor.layout)[6:].replace("_", " ")
        which = f"a tensor of type {type(tensor).__name__}" if type(tensor) not in _SIMPLE else f"a {kind} tensor"
        raise NeedsValues(f"{which} has no form without values")
    twin = torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype, device="meta")
    if isinstance(tensor, torch.nn.Parameter):
        return torch.nn.Parameter(twin, requires_grad=tensor.requires_grad)
    return twin.requires_grad_() if tensor.requires_grad else twin


def alias_twin(tensor: torch.Tensor) -> torch.Tensor:
    """The same values in a tensor of its own, so that gradients do not reach the user's."""
    if isinstance(tensor, torch.nn.Parameter):
        return torch.nn.Parameter(tensor.detach(), requires_grad=tensor.requires_grad)
    return tensor.detach()


def own_tensors(module: Module, group: str) -> Dict[str, Optional[torch.Tensor]]:
    """A module's own parameters or buffers by name, without its children's."""
    if isinstance(module, torch.jit.ScriptModule):
        found = module.named_parameters(recurse=False) if group == _GROUPS[0] else module.named_buffers(recurse=False)
        return dict(found)
    return module.__dict__.get(group) or {}


class Planned:
    """One module of a plan."""

    __slots__ = ("groups", "head", "kinds", "module", "numbers", "path", "storages", "twins")

    def __init__(self, path: str, module: Module):
        self.path, self.module = path, id(module)
        self.head = f"[{quoted(path)},{quoted(_class_name(module))},"
        # For each group that is not empty: its name, its tensors' names, weak references to them, their kinds.
        self.groups: List[Tuple[str, List[str], List[Any], List[Any]]] = []
        # For each of them: its name, its twins by name as the module has them in a run, and the twins.
        self.twins: List[Tuple[str, Dict[str, Any], Tuple[Any, ...]]] = []
        self.numbers: Tuple[int, ...] = ()
        self.storages: Tuple[int, ...] = ()
        self.kinds: Tuple[Kind, ...] = ()


    def lend(self, own: Dict[str, Any]) -> None:
        """Puts twins in the place of the module's tensors."""
        for group, twins, _ in self.twins:
            own[group] = twins

    def take_back(self) -> None:
        """Undoes what a run did to the lent dictionaries: modules may add, remove and replace tensors."""
        for (_, twins, before), (_, names, _, _) in zip(self.twins, self.groups):
            if len(twins) != len(names) or not all(map(is_, twins.values(), before)) or list(twins) != names:
                twins.clear()
                twins.update(zip(names, before))


class Plan:
    """The modules and tensors of one model, numbered as its recordings number them."""

    def __init__(self, modules: List[Tuple[str, Module]], make: Optional[Make]):
        self.make = make
        self.mark = object()
        self.modules: List[Planned] = []
        self.kinds = Numbers()
        self.tensors: List[str] = []
        self.storages: List[str] = []
        self.parameters: List[str] = []
        self.buffers: List[str] = []
        self.tags: Dict[int, Tuple[torch.Tensor, Tag]] = {}  # by the id of the model's own tensor
        self._places: Dict[int, Storage] = {}
        for path, module in modules:
            self._add(path, module)
        self.known = {planned.module: planned for planned in self.modules}

    def _add(self, path: str, module: Module) -> None:
        planned = Planned(path, module)
        tags: List[Tag] = []
        for group in _GROUPS:
            tensors = own_tensors(module, group)
            if not tensors:
                continue
            twins = type(tensors)()
            for name, tensor in tensors.items():
                if tensor is None:
                    twins[name] = None
                    continue
                if type(tensor).__name__.startswith("Uninitialized"):
                    raise RecordingError(f"the parameter {path + '.' if path else ''}{name} has no size yet: "
                                         "run the model once, then profile it")
                twin, tag = self._twin(tensor, f"{path}.{name}" if path else name, path, group)
                tags.append(tag)
                twins[name] = twin
            planned.groups.append((group, list(tensors), [one if one is None else weakref.ref(one)
                                                          for one in tensors.values()],
                                   [one if one is None else _looks(one) for one in tensors.values()]))
            planned.twins.append((group, twins, tuple(twins.values())))
        planned.numbers = tuple(tag[0] for tag in tags)
        planned.kinds = tuple(tag[1] for tag in tags)
        planned.storages = tuple(tag[2].number for tag in tags)
        self.modules.append(planned)

    def _twin(self, tensor: torch.Tensor, name: str, path: str, group: str) -> Tuple[torch.Tensor, Tag]:
        found = self.tags.get(id(tensor))
        if found is not None:
            return found
        twin = tensor if self.make is None else self.make(tensor)
        kind = kind_of(twin)
        place = storage_address(tensor)
        storage = self._places.get(place)
        if storage is None:
            storage = self._places[place] = Storage(len(self.storages), [], [])
            self.storages.append(storage_row(kind.bytes, _device(tensor)))
        number = len(self.tensors)
        self.tensors.append(tensor_row(self.kinds[kind], storage.number, _offset(tensor)))
        if group == _GROUPS[0]:
            trainable = "true" if tensor.requires_grad else "false"
            self.parameters.append(f"[{number},{quoted(name)},{quoted(path)},{trainable}]")
        else:
            self.buffers.append(f"[{number},{quoted(name)}]")
        tag = (number, kind, storage, self.mark)
        self.tags[id(tensor)] = (twin, tag)
        return twin, tag

    def fits(self, modules: List[Tuple[str, Module]]) -> bool:
        """True if the model is unchanged since the plan was made."""
        if len(modules) != len(self.modules):
            return False
        for (path, module), planned in zip(modules, self.modules):
            if id(module) != planned.module or path != planned.path:
                return False
            own, at = module.__dict__, 0
            for group in _GROUPS:
                tensors = own.get(group)
                if not tensors:
                    continue
                if at == len(planned.groups) or planned.groups[at][0] != group:
                    return False
                _, names, references, looks = planned.groups[at]
                at += 1
                if list(tensors) != names:
                    return False
                for tensor, reference, look in zip(tensors.values(), references, looks):
                    if tensor is None or reference is None:
                        if tensor is not reference:
                            return False
                    elif reference() is not tensor or (tensor.dtype, tensor.shape, tensor.stride(),
                                                       tensor.requires_grad) != look:
                        return False
            if at != len(planned.groups):
                return False
        return True


def _looks(tensor: torch.Tensor) -> Any:
    try:
        return (tensor.dtype, tensor.shape, tensor.stride(), tensor.requires_grad)
    except (RuntimeError, NotImplementedError):
        return None


def _class_name(module: Module) -> str:
    return str(getattr(module, "original_name", "")) or type(module).__name__ if isinstance(
        module, torch.jit.ScriptModule) else type(module).__name__


def _device(tensor: torch.Tensor) -> str:
    return "cpu" if tensor.is_meta else str(tensor.device)


def _offset(tensor: torch.Tensor) -> int:
    try:
        return int(tensor.storage_offset())
    except (RuntimeError, NotImplementedError):
        return 0


_kept: "weakref.WeakKeyDictionary[Module, Plan]" = weakref.WeakKeyDictionary()


def plan_of(modules: List[Tuple[str, Module]]) -> Plan:
    """The plan for recordings on meta tensors, kept from one to the next."""
    if not modules:
        return Plan([], meta_twin)
    root = modules[0][1]
    plan = _kept.get(root)
    if plan is None or not plan.fits(modules):
        plan = _kept[root] = Plan(modules, meta_twin)
    for number, planned in enumerate(plan.modules):  # the same paths, which need not be there twice
        modules[number] = (planned.path, modules[number][1])
    return plan
