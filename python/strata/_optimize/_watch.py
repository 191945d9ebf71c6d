"""What a module does that an exported file, or an engine that runs it, would not: seen in one plain run."""

from __future__ import annotations

import warnings
from typing import Any, Optional, Sequence

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from ._flat import Call, copied, flatten, tensors, unflatten
from ._guard import Guard
from ._sessions import first_line

READS = "what it does depends on the values of tensors, which an exported file would not see"
_CHOOSES = "how much it gives depends on the values of tensors, and an exported file might keep the sizes of one call"
#: Operators whose answers have sizes that depend on values.
_CHOOSING = ("nonzero", "masked_select", "unique", "nms", "bincount", "repeat_interleave", "argwhere")
#: Operators that torch.onnx.export writes as a division that rounds towards zero.
_ROUNDING = ("floor_divide", "__rshift__", "bitwise_right_shift")
#: Operators that it writes in a form with other answers: for zeros, and below about -20.
_DIFFERING = ("atan2", "log_sigmoid", "log_sigmoid_forward")
#: Operators whose answers may have many times the digits of their inputs, apart from products and sums.
_GROWING = ("pow", "square", "prod", "cumprod", "mm", "bmm", "mv", "dot", "__lshift__", "bitwise_left_shift")
#: Operators that begin again at zero where 8 or 16 bits are not enough.
_WRAPPING = ("add", "sub", "rsub", "neg", "mul", *_GROWING)
#: Where the elements of tensors are that have several places for them, or none.
_ELSEWHERE = -1
#: Operators that answer with numbers that are no elements.
_OF_SIZES = {"is_same_size", "size", "stride", "dim", "numel", "sym_size", "sym_stride", "sym_numel", "sym_storage_offset",
             "storage_offset", "is_contiguous", "is_pinned", "result_type", "can_cast"}  # fmt: skip
#: How many times as large as the inputs, which engines with 32 bits take up to 2**20, whole numbers may become.
_MOST_TIMES = 2**10


class SeesValues(TorchDispatchMode):
    """Notes whether Python reads the value of a tensor, as `if x.sum() > 0` does, or sizes depend on values; which
    inputs choose rows of weights, of how many; and whether 32 bits are enough."""

    chooses = rounds = False
    #: Whether what it reads was computed of the inputs, or of sizes and weights alone.
    reads_inputs = reads_others = False
    #: Whether a plain run reads, and not one that is traced.
    reads = False
    #: An operator whose answers are others in a file for some numbers; empty if there is none.
    differing = ""
    #: What an engine with 32 bits does instead; empty if that is the same.
    wide = ""

    def __init__(self, given: Sequence[torch.Tensor], weights: Sequence[torch.Tensor], traced: bool = False) -> None:
        super().__init__()
        self._traced = traced  # sizes are tensors then, too
        self._given = {_storage(each): number for number, each in enumerate(given) if not each.is_floating_point()}
        self._of_inputs = {_storage(each) for each in given}  # what was computed of them, by where its elements are
        self._weights = {_storage(each) for each in weights}
        self.bounds: list[Optional[tuple[int, int]]] = [None] * len(given)
        # Of tensors of int64: how many times as large as the inputs their elements may be. Those that only depend on
        # sizes are not in it.
        self._times = {id(each): 1 for each in given if each.dtype is torch.int64}
        self._alive: list[torch.Tensor] = []  # so that no identity is given twice

    def _limit(self, weight: Any, index: Any, low: int, high: int) -> None:
        number = self._given.get(_storage(index))
        if number is None or _storage(weight) not in self._weights:
            return
        known = self.bounds[number] or (low, high)
        self.bounds[number] = max(low, known[0]), min(high, known[1])

    def _times_of(self, value: Any) -> int:
        if not isinstance(value, torch.Tensor):
            return 0
        return 1 if value.is_floating_point() else self._times.get(id(value), 0)

    def _largest(self, value: Any) -> int:
        if isinstance(value, torch.Tensor):
            return int(value.abs().max()) if value.numel() and value.dtype is not torch.bool else 1
        return abs(int(value))

    def _widen(self, operator: str, args: Any, out: torch.Tensor) -> None:
        if out.dtype is torch.float64:
            self.wide = "computes float64 in fp32"
        elif out.dtype in (torch.uint8, torch.int8, torch.int16) and operator in _WRAPPING:
            self.wide = "computes whole numbers of 8 and 16 bits with 32"
        if out.dtype is not torch.int64:
            return
        times = max(map(self._times_of, tensors(args)), default=0)
        if times and operator == "mul":
            known = [each for each in args[:2] if not self._times_of(each)]
            times *= max(1, self._largest(known[0])) if known else _MOST_TIMES + 1
        elif times and operator in ("sum", "cumsum"):
            times *= max(1, args[0].numel() // max(1, out.numel()) if operator == "sum" else max(args[0].shape, default=1))
        elif times and operator in _GROWING:
            times = _MOST_TIMES + 1
        if times > _MOST_TIMES:
            self.wide = "computes int64 with 32 bits, which may be too few here"
        if times:
            self._times[id(out)] = min(times, _MOST_TIMES + 1)
            self._alive.append(out)

    def _follow(self, given: Sequence[torch.Tensor], out: Sequence[torch.Tensor]) -> None:
        """What is computed of the inputs, too, lies where the answers of this operator do. Memory that was freed is used again."""
        if self._has_inputs(given):
            self._of_inputs.update(_storage(each) for each in out or given)
        else:
            self._of_inputs.difference_update(_storage(each) for each in out if _storage(each) != _ELSEWHERE)

    def _has_inputs(self, given: Sequence[torch.Tensor]) -> bool:
        return any(_storage(each) in self._of_inputs for each in given)

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = str(func).split(".")
        given = tensors((args, kwargs))
        of_inputs = self._has_inputs(given)
        if of_inputs or not self._traced:
            self.rounds = self.rounds or any(part in _ROUNDING for part in name)
            if "div" in name and (kwargs or {}).get("rounding_mode") == "floor":
                self.rounds = self.rounds or not args[0].is_floating_point()
        if any(part in _DIFFERING for part in name) or "softplus" in name and any(each != 20 for each in args[2:3]):
            self.differing = name[1]
        if "embedding" in name:
            self._limit(args[0], args[1], 0, len(args[0]) - 1)
        elif ("index_select" in name or "gather" in name) and len(args) > 2:
            self._limit(args[0], args[2], 0, args[0].shape[args[1]] - 1)
        elif "index" in name and len(args) > 1:
            for axis, each in enumerate(args[1]):
                if each is not None:
                    self._limit(args[0], each, -args[0].shape[axis], args[0].shape[axis] - 1)
        out = func(*args, **(kwargs or {}))
        if _reads(name, out):
            self.reads_inputs, self.reads_others = self.reads_inputs or of_inputs, self.reads_others or not of_inputs
        else:
            self._follow(given, tensors(out))
        self.chooses = self.chooses or any(part.lstrip("_").startswith(_CHOOSING) for part in name)
        if "index" in name and len(args) > 1:
            masks = (torch.bool, torch.uint8)
            self.chooses = self.chooses or any(each is not None and each.dtype in masks for each in args[1])
        operator = name[1] if len(name) > 1 else ""
        for each in tensors(out):
            self._widen(operator if operator.endswith("__") else operator.rstrip("_"), args, each)
        return out


def _reads(name: Sequence[str], out: Any) -> bool:
    """True for operators that tell Python something of the elements, as `item` does, and `equal`."""
    return "_local_scalar_dense" in name or isinstance(out, (bool, int, float, complex)) and not set(name) & _OF_SIZES


def _storage(tensor: torch.Tensor) -> int:
    if tensor.layout is not torch.strided:
        return _ELSEWHERE
    own = tensor.untyped_storage() if hasattr(tensor, "untyped_storage") else tensor.storage()
    return own.data_ptr()


class _Watched(torch.nn.Module):
    """The module with tensors in, watched while it is traced."""

    def __init__(self, module: torch.nn.Module, call: Call) -> None:
        super().__init__()
        self.module = module
        self._leaves, self._spec = flatten((call.args, call.kwargs))
        self.seen: Optional[SeesValues] = None

    def forward(self, *given: torch.Tensor) -> tuple[torch.Tensor, ...]:
        rest = iter(given)
        leaves = [next(rest) if isinstance(each, torch.Tensor) else each for each in self._leaves]
        args, kwargs = unflatten(leaves, self._spec)
        self.seen = SeesValues(given, [*self.module.parameters(), *self.module.buffers()], traced=True)
        with self.seen:
            return tuple(tensors(self.module(*args, **kwargs)))


def _seen_while_traced(module: torch.nn.Module, call: Call) -> Optional[SeesValues]:
    """What is seen where the module looks at the values of its inputs in plain runs, but not while it is traced: networks of
    transformers look whether all of a mask is 1, to leave it out. None if it looks at them then, too."""
    watched = _Watched(module, Call(*copied((call.args, call.kwargs)), None)).eval()
    with warnings.catch_warnings(), torch.enable_grad():  # as it is exported
        warnings.simplefilter("ignore")
        torch.jit.trace(watched, tuple(tensors((call.args, call.kwargs))), check_trace=False)
    seen = watched.seen
    return None if seen is None or seen.reads_inputs or seen.chooses else seen


def what_files_lack(module: torch.nn.Module, call: Call, traced: bool = False) -> tuple[str, SeesValues]:
    """The reason why a file cannot replace the module, empty if there is none; and all that was seen.

    If Python decides by values of tensors, a file would have only the way that was taken while it was traced.
    This is a plain run, in which sizes are whole numbers: torch.jit.trace takes them for tensors, and warns of both.
    With `traced`, a module may decide by values where it is not traced: `reads` of what was seen says so.
    """
    guard = Guard(module)
    args, kwargs = copied((call.args, call.kwargs))
    given = tensors((args, kwargs))
    before = [each._version for each in given]
    random = torch.get_rng_state()
    seen = SeesValues(given, [*module.parameters(), *module.buffers()])
    try:
        with seen, torch.no_grad():
            module(*args, **kwargs)
        if seen.reads_inputs and not seen.reads_others and not seen.chooses and traced:
            file = _seen_while_traced(module, call)
            if file is None:
                return READS, seen
            file.reads, file.rounds = True, file.rounds or seen.rounds
            seen = file
        elif seen.reads_inputs or seen.reads_others or seen.chooses:
            return _CHOOSES if not (seen.reads_inputs or seen.reads_others) else READS, seen
    except Exception as error:  # some operators of torch 1.13 cannot be watched
        return f"torch does not let its operators be watched: {first_line(error)}", seen
    if [each._version for each in given] != before:
        return "it changes its inputs, which an engine would leave as they are", seen
    if seen.rounds:
        return "it divides and rounds down, where an exported file rounds towards zero", seen
    if seen.differing:
        return f"an exported file gives other answers than torch's {seen.differing} for some numbers", seen
    if not torch.equal(torch.get_rng_state(), random):
        return "it draws random numbers", seen
    return "it changes its own attributes or weights when it is called" if guard.changed() else "", seen
