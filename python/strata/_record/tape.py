"""The tape: what a recording holds, as texts that are appended while the model runs.

Nothing is counted and nothing is looked at twice: a tensor's text is made once per kind of tensor, a
call's text once per operator and kinds of arguments, and what is left for the run is to write down numbers.
Texts are joined as the run goes on, because a string of Python's takes twice the memory of its text.
"""
from __future__ import annotations

import json
import threading
from io import BytesIO
from typing import Any, Dict, List, Optional, Sequence, Tuple

import torch

quoted = json.dumps

FORWARD, BACKWARD, OPTIMIZER, RECOMPUTED = 0, 1, 2, 3


class Kind:
    """A dtype, sizes and strides, and whether there are values: what tensors of one kind share."""

    __slots__ = ("bytes", "dtype", "meta", "shape", "strides", "text")

    def __init__(self, dtype: torch.dtype, shape: Sequence[int], strides: Optional[Sequence[int]], meta: bool):
        self.dtype, self.shape, self.strides, self.meta = dtype, tuple(shape), strides, meta
        plain = strides is None or tuple(strides) == _default_strides(shape)
        sizes = quoted([int(size) for size in shape], separators=(",", ":"))
        steps = quoted([int(step) for step in strides or ()], separators=(",", ":"))
        self.text = f'["{str(dtype)[6:]}",{sizes}]' if plain else f'["{str(dtype)[6:]}",{sizes},{steps}]'
        elements = 1
        if 0 in self.shape:
            elements = 0
        elif strides is None:
            for size in shape:
                elements *= int(size)
        else:
            elements += sum((int(size) - 1) * int(step) for size, step in zip(shape, strides))
        self.bytes = elements * _width(dtype)


def _default_strides(shape: Sequence[int]) -> Tuple[int, ...]:
    steps, step = [], 1
    for size in reversed(shape):
        steps.append(step)
        step *= max(int(size), 1)
    return tuple(reversed(steps))


def _width(dtype: torch.dtype) -> int:
    if hasattr(dtype, "itemsize"):
        return int(dtype.itemsize)
    return torch.empty(0, dtype=dtype, device="meta").element_size()


_kinds: Dict[Tuple[Any, ...], Kind] = {}


def kind_of(tensor: torch.Tensor) -> Kind:
    """The one Kind of a tensor; sparse and other tensors without strides have none in it."""
    try:
        strides: Optional[Tuple[int, ...]] = tensor.stride()
    except (RuntimeError, NotImplementedError):
        strides = None
    key = (tensor.dtype, tensor.shape, strides, tensor.is_meta)
    kind = _kinds.get(key)
    if kind is None:
        if len(_kinds) > 100_000:
            _kinds.clear()
        kind = _kinds[key] = Kind(*key)
    return kind


def meta_kind(kind: Kind) -> Kind:
    """The kind of a tensor that looks the same and has no values."""
    key = (kind.dtype, torch.Size(kind.shape), kind.strides, True)
    found = _kinds.get(key)
    if found is None:
        found = _kinds[key] = Kind(*key)
    return found


class Numbers(Dict[Any, int]):
    """Numbers things in the order in which they are met."""

    def __missing__(self, thing: Any) -> int:
        number = self[thing] = len(self)
        return number


def tensor_row(kind: int, storage: int, offset: int) -> str:
    return f"[{kind},{storage},{offset}]" if offset else f"[{kind},{storage}]"


def storage_row(size: int, device: str) -> str:
    return str(size) if device == "cpu" else f'[{size},"{device}"]'


def call_row(pattern: int, tensors: List[int], results: str, module: int, phase: int) -> str:
    return f"[{pattern},{tensors},[{results}],{module},{phase}]" if phase else \
        f"[{pattern},{tensors},[{results}],{module}]"


MOST_PENDING = 256  # rows that are not joined


class Rows:
    """The rows of one table: the last ones as strings, those before them joined into a few texts."""

    __slots__ = ("_pending", "_texts", "append", "extend", "joined")

    def __init__(self) -> None:
        self._pending: List[str] = []
        self._texts: List[bytes] = []  # not one that grows, whose old places would stay behind as holes
        self.joined = 0  # rows that are in the texts
        self.append, self.extend = self._pending.append, self._pending.extend

    def __len__(self) -> int:
        return self.joined + len(self._pending)

    def since(self, number: int) -> List[str]:
        """The rows from `number` on, none of which is joined."""
        return self._pending[number - self.joined:]

    def replace(self, rows: List[str]) -> None:
        """Other rows in the place of all, none of which is joined."""
        self._pending[:] = rows

    def join(self, fewest: int = 1) -> None:
        """Joins what is pending, if it is as much as that."""
        if len(self._pending) >= fewest:
            self._texts.append(("," if self.joined else "").encode() + ",".join(self._pending).encode())
            self.joined += len(self._pending)
            self._pending.clear()

    def write(self, to: BytesIO, last: bool) -> None:
        """Writes all rows; if it is the last time, each text is given up when it is written."""
        self.join()
        texts = self._texts if last else self._texts.copy()
        texts.reverse()
        while texts:
            to.write(texts.pop())


class Storage:
    """Stands for one storage while any tensor that looks at it is alive; its end is the storage's."""

    __slots__ = ("calls", "frees", "number", "unknown")

    def __init__(self, number: int, calls: Sequence[Any], frees: Any):
        self.number, self.calls, self.frees = number, calls, frees
        self.unknown = False  # there are values, but values that are not known were written over them

    def __del__(self) -> None:
        self.frees.append(f"[{self.number},{len(self.calls) - 1}]")


# A tensor carries this while it is recorded: its number, its kind, its storage, and the tape's own mark.
Tag = Tuple[int, Kind, Storage, object]


class Tape:
    """One recording in the making."""

    def __init__(self, source: str, name: str, mode: str, training: bool):
        self.source, self.name, self.mode, self.training = source, name, mode, training
        self.kinds, self.patterns = Numbers(), Numbers()  # what rows of tensors and calls refer to
        self.modules, self.tensors, self.storages = Rows(), Rows(), Rows()
        self.calls, self.frees = Rows(), Rows()
        self.joins = False  # whether rows may be joined now
        self.leaves: List[str] = []
        self.parameters: List[str] = []
        self.buffers: List[str] = []
        self.inputs: List[str] = []
        self.outputs: List[str] = []
        self.larger: List[str] = []  # tensors that are in more memory than their elements take, and its bytes
        self.notes: List[str] = []
        self.extra: Dict[str, str] = {}  # further members, each as JSON text
        self.mark = object()
        self.fixed: object = self.mark  # the mark of the plan's twins
        self.thread = threading.get_ident()
        self.module = 0  # the module call that runs now
        self.phase = FORWARD
        self.device = "cpu"
        self.owned_by: Dict[int, int] = {}  # in the optimizer's step: storages and the module calls they belong to
        # Tensors that are not ours to mark: by id, and held so that an id stays theirs.
        self.foreign: Dict[int, Tuple[torch.Tensor, Tag]] = {}
        self.places: Dict[int, Storage] = {}  # storages by address, for tensors that are met and not made
        self.owners: Dict[int, torch.Tensor] = {}  # a tensor of each such storage, by the storage's number
        self.trains = False  # whether gradients will be made, which are to stay away from such tensors
        self.gradients: List[Tuple[torch.Tensor, Optional[torch.Tensor]]] = []  # what they had before

    def start(self, plan: Any, ours: bool) -> None:
        """Takes over a plan's tensors; those that are the user's own are known by their ids."""
        self.fixed = plan.mark
        self.kinds.update(plan.kinds)
        self.tensors.extend(plan.tensors)
        self.storages.extend(plan.storages)
        self.parameters, self.buffers = plan.parameters.copy(), plan.buffers.copy()
        if not ours:
            for tensor, tag in plan.tags.values():
                self.foreign[id(tensor)] = (tensor, tag)
                self.places[storage_address(tensor)] = tag[2]
                self.owners[tag[2].number] = tensor

    def new(self, kind: Kind, storage: Optional[Storage] = None, offset: int = 0, held: int = 0) -> Tag:
        """The tag of a new tensor, on a storage of its own unless one is given. `held` are the bytes of that storage
        if they are more than the elements of the tensor take."""
        if storage is None:
            if held:
                self.larger.append(f"[{len(self.tensors)},{held}]")
            storage = Storage(len(self.storages), self.calls, self.frees)
            self.storages.append(storage_row(held or kind.bytes, self.device))
            if self.phase == OPTIMIZER:
                self.owned_by[storage.number] = self.module
        number = len(self.tensors)
        self.tensors.append(tensor_row(self.kinds[kind], storage.number, offset))
        return (number, kind, storage, self.mark)

    def storage(self, number: int) -> Storage:
        return Storage(number, self.calls, self.frees)

    def tag(self, tensor: torch.Tensor) -> Tag:
        """The tag of any tensor: its own, or one made for a tensor that was there before."""
        tag = getattr(tensor, "_strata", None)
        if tag is not None and (tag[3] is self.mark or tag[3] is self.fixed):
            return tag
        found = self.foreign.get(id(tensor))
        if found is not None:
            return found[1]
        return self.adopt(tensor)

    def adopt(self, tensor: torch.Tensor) -> Tag:
        """A tag for a tensor that the recording did not make: a parameter, an input, a constant."""
        place = storage_address(tensor)
        tag = self.new(kind_of(tensor), self.places.get(place), _offset(tensor))
        if place not in self.places:
            self.places[place] = tag[2]
            self.owners[tag[2].number] = tensor
        self.foreign[id(tensor)] = (tensor, tag)
        if self.trains and tensor.requires_grad and tensor.is_leaf:
            self.gradients.append((tensor, tensor.grad))
            tensor.grad = None
        return tag

    def mark_output(self, tensor: torch.Tensor, tag: Tag) -> None:
        """Marks a tensor that the recording made."""
        try:
            tensor._strata = tag  # type: ignore[attr-defined]
        except AttributeError:
            self.foreign[id(tensor)] = (tensor, tag)

    def leaf(self, number: int, given: List[torch.Tensor], result: List[torch.Tensor]) -> None:
        """Notes a module call in which no operator ran."""
        inputs = ",".join(str(self.tag(tensor)[0]) for tensor in given)
        outputs = ",".join(str(self.tag(tensor)[0]) for tensor in result)
        self.leaves.append(f"[{number},[{inputs}],[{outputs}],{len(self.calls)}]")

    def note(self, sentence: str) -> None:
        if sentence not in self.notes:
            self.notes.append(sentence)

    def peaks_at_least(self, why: str) -> None:
        """Says that a run takes memory that the recording does not have."""
        self.extra["peaks_at_least"] = "true"
        self.note(why)

    def join(self) -> None:
        """Joins rows that have become many. Numbers of rows stay as they are."""
        if self.joins:
            for rows in (self.calls, self.tensors, self.storages, self.frees):
                rows.join(MOST_PENDING)
            if not self.trains:  # or the optimizer's step looks for modules
                self.modules.join(MOST_PENDING)

    def encode(self, last: bool = False) -> bytes:
        """The recording as JSON; if it is the last time, the tape is given up."""
        out = BytesIO()  # whose text is taken out without a copy
        out.write((f'{{"strata_recording":2,"source":{quoted(self.source)},"name":{quoted(self.name)},'
                   f'"mode":"{self.mode}","training":{"true" if self.training else "false"},'
                   f'"sizes":[{len(self.tensors)},{len(self.calls) + len(self.leaves)}],'
                   f'"notes":{quoted(self.notes)}').encode())
        for name, texts in (("kinds", [kind.text for kind in self.kinds]),
                            ("patterns", [pattern_text(text) for text in self.patterns])):
            out.write(f',\n"{name}":[{",".join(texts)}]'.encode())
        for name in ("modules", "tensors", "storages", "parameters", "buffers", "inputs", "outputs", "calls", "leaves",
                     "frees", "larger"):
            rows = getattr(self, name)
            out.write(f',\n"{name}":['.encode())
            if isinstance(rows, Rows):
                rows.write(out, last)
            else:
                out.write(",".join(rows).encode())
            out.write(b"]")
        for name, text in self.extra.items():
            out.write(f',\n"{name}":{text}'.encode())
        out.write(b"}")
        return out.getvalue()


def pattern_text(text: str) -> str:
    """A pattern of calls, in which tensors are numbered as they come."""
    return text % tuple(range(text.replace("%%", "").count("%d")))


def storage_address(tensor: torch.Tensor) -> int:
    """A key for a tensor's storage: meta tensors have no data, yet a storage of their own."""
    try:
        if hasattr(tensor, "untyped_storage"):
            return tensor.untyped_storage()._cdata
        return tensor.storage()._cdata
    except (RuntimeError, NotImplementedError, AttributeError):
        return -id(tensor)


def _offset(tensor: torch.Tensor) -> int:
    try:
        return int(tensor.storage_offset())
    except (RuntimeError, NotImplementedError):
        return 0
