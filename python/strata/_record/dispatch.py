"""The dispatch mode: sees every ATen call of the thread and puts it on the tape.

On meta tensors an operator's kernel runs once per kinds of arguments; a later call with the same kinds
gets empty tensors of the shapes that the kernel gave, which is much faster than torch's own meta kernels.
"""
from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from . import flex
from .cpu_results import as_the_cpu
from .errors import NeedsValues, WantsIds
from .operators import (LOOKUPS, ONE_DEVICE, RESHAPING, STATISTICS, VIEWS_IN_SECRET, as_given, bytes_of, call_text,
                        convolution_gradients, flattened, grouped_products, held_beyond, is_small, is_sparse,
                        named_arguments, offset_of, own_dispatch, stored_elements, unpacked)
from .recurrent_cpu import LSTM_LAYER, mkldnn_gradients
from .shortcuts import new_unseen
from .tape import BACKWARD, RECOMPUTED, Kind, Tag, Tape, call_row, kind_of, meta_kind

Tensor = torch.Tensor
_META = torch.device("meta")
_empty = torch.empty_strided
_PLAIN = {Tensor, torch.nn.Parameter}

# How a repeated call is answered.
_RUN, _FRESH, _VIEW, _IN_PLACE = 0, 1, 2, 3

_entries: Dict[Tuple[Any, ...], Tuple[int, str, Any]] = {}


class Recorder(TorchDispatchMode):
    """Records while it is entered. `meta` says that tensors without values are used."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """Torch asks this of a mode's class, and would wrap every call if it were true."""
        return False

    supports_higher_order_operators = True

    def __init__(self, tape: Tape, meta: bool):
        super().__init__()
        self.tape, self.meta = tape, meta
        self.made_inputs = False  # whether inputs were made of shapes, perhaps of the wrong type
        self.keeps = True  # whether what is overwritten is kept, to be put back
        self.saved: Dict[int, Tuple[Tensor, Any, Optional[int]]] = {}  # storages of the user's that were written to
        self.generators: Dict[int, Tuple[torch.Generator, Tensor]] = {}  # the user's own, and their states

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        tape = self.tape
        mark, fixed = tape.mark, tape.fixed
        phase = tape.phase
        if phase:
            phase = self._phase(args)
        key: List[Any] = [func]
        numbers: List[int] = []
        first: Optional[Tag] = None
        for value in args:
            kind = type(value)
            if kind in _PLAIN:
                tag = getattr(value, "_strata", None)
                if tag is None or (tag[3] is not mark and tag[3] is not fixed):
                    tag = tape.tag(value)
                if first is None:
                    first = tag
                key.append(tag[1])
                numbers.append(tag[0])
            elif kind is int or value is None:
                key.append(value)
            else:
                if isinstance(value, Tensor) and own_dispatch(kind):
                    return NotImplemented
                tag = self._sign(value, key, numbers)
                if first is None:
                    first = tag
        if kwargs:
            for name, value in kwargs.items():
                if isinstance(value, Tensor) and own_dispatch(type(value)):
                    return NotImplemented
                key.append(name)
                self._sign(value, key, numbers)
        signature = tuple(key)
        try:
            entry = _entries.get(signature)
        except TypeError:  # an argument that cannot be hashed, such as a packed weight
            signature, entry = (), None
        if entry is None or entry[0] == _RUN or not self.meta:
            return self._run(func, args, kwargs or {}, signature, entry, numbers, first, phase)
        action, text, made = entry
        if action == _FRESH:
            if type(made) is Kind:
                result = _empty(made.shape, made.strides, dtype=made.dtype, device=_META)
                result._strata = tag = tape.new(made)
                outs = str(tag[0])
            else:
                result, outs = self._several(made)
        elif action == _VIEW:
            kind, offset = made
            offset += args[0].storage_offset()
            result = args[0].as_strided(kind.shape, kind.strides, offset)
            result._strata = tag = tape.new(kind, first[2], offset)
            outs = str(tag[0])
        else:
            result = args[0]
            result._strata = tag = tape.new(first[1], first[2], result.storage_offset())
            outs = str(tag[0])
        if text:
            tape.calls.append(call_row(tape.patterns[text], numbers, outs, tape.module, phase))
        return result

    def _phase(self, args: Any) -> int:
        """The phase of a call that is not the forward pass's, and where it belongs in the optimizer's step."""
        tape = self.tape
        if tape.phase == BACKWARD:
            return RECOMPUTED if torch.is_grad_enabled() else BACKWARD  # gradients are on where a forward is run again
        for value in flattened(list(args)):
            if isinstance(value, Tensor):
                owner = tape.owned_by.get(tape.tag(value)[2].number)
                if owner is not None:
                    tape.module = owner
                    break
        return tape.phase

    def _sign(self, value: Any, key: List[Any], numbers: List[int]) -> Optional[Tag]:
        """Puts an argument into the key of its call; the tag of the first tensor in it."""
        kind = type(value)
        if kind is float or kind is bool:
            key.append(kind)
            key.append(value)
        elif kind is list or kind is tuple:
            key.append(len(value))
            first = None
            for one in value:
                if type(one) is int:
                    key.append(one)
                else:
                    tag = self._sign(one, key, numbers)
                    first = first or tag
            return first
        elif isinstance(value, Tensor):
            tag = self.tape.tag(value)
            key.append(tag[1])
            numbers.append(tag[0])
            return tag
        else:
            inside = unpacked(value)
            if inside:
                key.append(object())  # never the same call twice
                numbers.extend(self.tape.tag(one)[0] for one in inside)
            else:
                key.append(value)
        return None

    def _several(self, made: Any) -> Tuple[Any, str]:
        results, numbers = [], []
        for kind in made:
            if kind is None:
                results.append(None)
                numbers.append("null")
                continue
            result = _empty(kind.shape, kind.strides, dtype=kind.dtype, device=_META)
            result._strata = tag = self.tape.new(kind)
            results.append(result)
            numbers.append(str(tag[0]))
        return (results if type(made) is list else tuple(results)), ",".join(numbers)

    def _run(self, func: Any, args: Any, kwargs: Any, signature: Tuple[Any, ...], entry: Any,
             numbers: List[int], first: Optional[Tag], phase: int) -> Any:
        """Runs the operator's kernel, and keeps what can be told from it for the next call."""
        if not hasattr(func, "_schema"):
            if str(func) in flex.NAMES:
                return flex.run(self, func, args, phase)
            with self:
                return _run_bodies(func, *args, **kwargs)
        name = func._schema.name.split("::")[-1]
        unknown, sparse = self._prepare(func, args, kwargs, name)
        given, given_kwargs, unchanged = self._given(func, args, kwargs, name, unknown)
        if unchanged is not None:
            return unchanged
        result = self._kernel(func, given, given_kwargs, name, unknown)
        if self.meta:
            result = as_the_cpu(func, args, kwargs, name, result)
        if name == LSTM_LAYER and torch.is_grad_enabled() and not result[3].numel():
            self.tape.peaks_at_least("an LSTM keeps oneDNN's workspace for the backward pass, whose size is not known "
                                     "without values: peaks of memory are lower bounds; mode=\"real\" records it")
        if func._schema.name.startswith(("prim::", "profiler::")) or _answers_only(func, result):
            return result
        if given is not args:
            result = as_given(result, (given, given_kwargs), (args, kwargs))
        if sparse:
            text, signature = call_text(func, args, kwargs, stored_elements(func, args, kwargs, result)), ()
        else:
            text = entry[1] if entry else call_text(func, args, kwargs)
        shares = str(func) in VIEWS_IN_SECRET or any(one.alias_info is not None for one in func._schema.returns)
        shared = first[2] if shares and first is not None else None
        outs, kinds, in_place = self._results(result, args, kwargs, unknown, shares, shared)
        if text:
            self.tape.calls.append(
                call_row(self.tape.patterns[text], numbers, ",".join(outs), self.tape.module, phase))
        if entry is None and signature:
            if len(_entries) > 50_000:
                _entries.clear()
            made = self._repeatable(func, name, args, result, kinds, shares, in_place)
            _entries[signature] = (_RUN, text, None) if made is None else (made[0], text, made[1])
        return result

    def _prepare(self, func: Any, args: Any, kwargs: Any, name: str) -> Tuple[bool, bool]:
        """Keeps what the call changes. Whether a tensor among the arguments lacks values, and whether one is sparse."""
        if self.made_inputs and name in LOOKUPS and len(args) > 1 and args[1].is_floating_point():
            raise WantsIds(self.tape.tag(args[1])[2].number, args[0].shape[0])
        if self.keeps:
            self._keep(func, args, kwargs, name)
        unknown = self.meta and self._unknown(args, kwargs)
        sparse = any(is_sparse(one) for one in flattened([*args, *kwargs.values()]))
        if unknown and sparse:
            raise NeedsValues("how many elements of a sparse tensor are stored is not known without them")
        return unknown, sparse

    def _keep(self, func: Any, args: Any, kwargs: Any, name: str) -> None:
        """Keeps tensors and generators that the call changes, to restore them."""
        if func._schema.is_mutable or name in STATISTICS:
            self._save(func, args, kwargs, name)
        generator = kwargs.get("generator")
        if generator is not None and id(generator) not in self.generators:
            self.generators[id(generator)] = (generator, generator.get_state())

    def _given(self, func: Any, args: Any, kwargs: Any, name: str, unknown: bool) -> Tuple[Any, Any, Any]:
        """Arguments and keywords for the kernel; third, the result of a call that needs no kernel."""
        if unknown:
            if name == "_local_scalar_dense":
                raise NeedsValues("it looks at a value of a tensor (item(), or a condition)")
            given, given_kwargs = self._without_values(func, args, kwargs)
            if name == "_to_copy" and kwargs.get("device") is not None and args[0].is_floating_point():
                given_kwargs = {**given_kwargs, "device": _META}  # from the device where there are no values to that
                if given[0] is args[0] and _only_moves(args[0], **given_kwargs):
                    return given, given_kwargs, args[0]
            return given, given_kwargs, None
        if self.meta and name == "_to_copy" and _only_moves(args[0], **kwargs):
            # A real run has one device.
            return args, kwargs, args[0] if is_small(name, args) else self._emptied(args[0])
        if self.meta and kwargs.get("device") == _META and is_small(name, args):
            return args, {**kwargs, "device": torch.device("cpu")}, None
        return args, kwargs, None

    def _kernel(self, func: Any, given: Any, given_kwargs: Any, name: str, unknown: bool) -> Any:
        """Runs the operator; where torch has no kernel without values, one of ours."""
        if unknown and name == f"{LSTM_LAYER}_backward":
            return mkldnn_gradients(*given)
        try:
            grouped = unknown and name == "_grouped_mm"
            return (grouped_products if grouped else func)(*given, **given_kwargs)
        except NotImplementedError as error:
            if unknown and torch.Tag.dynamic_output_shape in func.tags:
                raise NeedsValues(f"the size of what {name} gives depends on values") from error
            if unknown and name == "_to_copy":
                raise NeedsValues("it takes values off a tensor (tolist(), or cpu())") from error
            if name != "convolution_backward" or not unknown:
                raise
            return convolution_gradients(*given)

    def _results(self, result: Any, args: Any, kwargs: Any, unknown: bool, shares: bool,
                 shared: Any) -> Tuple[List[str], List[Any], bool]:
        """Tags the tensors of a result: their numbers, their kinds, and True if one is an argument or in more memory
        than it needs."""
        outs: List[str] = []
        kinds: List[Any] = []
        in_place = larger = False
        for one in list(result) if isinstance(result, (list, tuple)) else [result]:
            if not isinstance(one, Tensor):
                outs.append("null")
                kinds.append(None)
                continue
            kind = kind_of(one)
            tag = self._argument(one, args, kwargs)
            if tag is not None:
                in_place = True
                if unknown and not kind.meta:  # a tensor with values, to which unknown ones were written
                    tag[2].unknown = True
                    kind = meta_kind(kind)
                tag = self.tape.new(kind, tag[2], offset_of(one))
                self._retag(one, tag)
            else:
                held = held_beyond(one) if shared is None and kind.strides is not None else 0
                larger |= held > 0
                tag = self.tape.new(kind, shared, offset_of(one) if shares else 0, held)
                self.tape.mark_output(one, tag)
            outs.append(str(tag[0]))
            kinds.append(kind)
        return outs, kinds, in_place or larger

    def _repeatable(self, func: Any, name: str, args: Any, result: Any, kinds: List[Any], shares: bool,
                    in_place: bool) -> Optional[Tuple[int, Any]]:
        """How the same call is answered next time without its kernel; None: it has to run."""
        tensors = [kind for kind in kinds if kind is not None]
        if not self.meta or not _can_be_made(tensors) or name == LSTM_LAYER:
            return None
        if in_place:
            return (_IN_PLACE, None) if _is_first(result, args) and name not in RESHAPING else None
        given = [one for one in flattened(result) if one is not None]
        if any(isinstance(one, Tensor) and type(one) is not Tensor for one in given):
            return None
        if shares:
            return _repeatable_view(name, args, result, kinds)
        if func._schema.is_mutable or len(tensors) != len(given):
            return None
        if isinstance(result, Tensor):
            return (_FRESH, kinds[0])
        return (_FRESH, kinds if isinstance(result, list) else tuple(kinds))

    def _argument(self, tensor: Tensor, args: Any, kwargs: Any) -> Optional[Tag]:
        """The tag of a result that is one of the arguments."""
        for value in flattened(list(args) + list(kwargs.values())):
            if value is tensor:
                return self.tape.tag(tensor)
        return None

    def _retag(self, tensor: Tensor, tag: Tag) -> None:
        if id(tensor) in self.tape.foreign:
            self.tape.foreign[id(tensor)] = (tensor, tag)
        else:
            self.tape.mark_output(tensor, tag)

    def _unknown(self, args: Any, kwargs: Any) -> bool:
        """True if any tensor among the arguments has no values, or wrong ones."""
        for value in flattened([*args, *kwargs.values()]):
            if isinstance(value, Tensor) and (value.is_meta or self.tape.tag(value)[2].unknown):
                return True
        return False

    def _without_values(self, func: Any, args: Any, kwargs: Any) -> Tuple[Any, Any]:
        """Arguments in which tensors with values are replaced by meta tensors, where both meet."""
        written = {id(one) for argument, value in named_arguments(func, args, kwargs)
                   if argument.alias_info is not None and argument.alias_info.is_write for one in flattened([value])}

        def change(value: Any) -> Any:
            if isinstance(value, Tensor):
                alone = (value.dim() == 0 and id(value) not in written and not self.tape.tag(value)[2].unknown
                         and func._schema.name[6:] not in ONE_DEVICE)
                if value.is_meta or alone:
                    return value
                return _empty(value.shape, value.stride(), dtype=value.dtype, device=_META)
            if type(value) in (list, tuple):
                return type(value)(change(one) for one in value)
            return value

        return tuple(change(value) for value in args), {name: change(value) for name, value in kwargs.items()}

    def _emptied(self, tensor: Tensor) -> Tensor:
        """The same tensor without its values."""
        number, kind, storage, mark = self.tape.tag(tensor)
        empty = new_unseen(meta_kind(kind))
        empty._strata = (number, meta_kind(kind), storage, mark)  # type: ignore[attr-defined]
        return empty

    def _save(self, func: Any, args: Any, kwargs: Any, name: str) -> None:
        """Keeps what a call is about to overwrite, if it is the user's and not the recording's."""
        for argument, value in named_arguments(func, args, kwargs):
            writes = argument.alias_info is not None and argument.alias_info.is_write
            if not writes and not (name in STATISTICS and argument.name.startswith("running_")):
                continue
            for tensor in flattened([value]):
                if isinstance(tensor, Tensor) and not tensor.is_meta:
                    number = self.tape.tag(tensor)[2].number
                    owner = self.tape.owners.get(number)
                    if owner is not None and number not in self.saved:
                        version = None if owner.is_inference() else owner._version
                        self.saved[number] = (owner, bytes_of(owner).clone(), version)

    def restore(self) -> None:
        """Puts back what was overwritten."""
        for generator, state in self.generators.values():
            generator.set_state(state)
        for tensor, before, version in self.saved.values():
            bytes_of(tensor).copy_(before)
            if version is not None and hasattr(torch._C._autograd, "_unsafe_set_version_counter"):
                try:
                    torch._C._autograd._unsafe_set_version_counter((tensor,), (version,))
                except TypeError:
                    torch._C._autograd._unsafe_set_version_counter(tensor, version)


def _run_bodies(operator: Any, *args: Any, **kwargs: Any) -> Any:
    """Runs an operator that is given functions, of which those are recorded that a real run calls."""
    name = str(operator)
    if name == "cond":
        condition, if_true, if_false, operands = args
        return (if_true if condition else if_false)(*operands)
    if name == "while_loop":
        goes_on, body, carried, fixed = args
        while goes_on(*carried, *fixed):
            carried = body(*carried, *fixed)
        return carried
    raise NotImplementedError(f"torch's operator {name} takes functions, and cannot be recorded")


def _only_moves(tensor: Tensor, dtype: Any = None, device: Any = None, memory_format: Any = None, **_: Any) -> bool:
    """True if a copy is made for the sake of the meta device alone."""
    return device == _META and dtype in (None, tensor.dtype) and memory_format in (None, torch.preserve_format)


def _is_first(result: Any, args: Any) -> bool:
    """True if a result is the first argument, without values."""
    return isinstance(result, Tensor) and bool(args) and result is args[0] and result.is_meta


def _can_be_made(kinds: List[Any]) -> bool:
    """True if there are tensors, and each of them can be made empty on the meta device."""
    return bool(kinds) and all(kind.meta and kind.strides is not None for kind in kinds)


def _repeatable_view(name: str, args: Any, result: Any, kinds: List[Any]) -> Optional[Tuple[int, Any]]:
    """The same for a view: of an argument without values, at the same distance from its start."""
    plain = isinstance(result, Tensor) and args and type(args[0]) in _PLAIN and args[0].is_meta
    if plain and args[0].dtype == result.dtype and "_conj" not in name and "_neg" not in name:
        return (_VIEW, (kinds[0], offset_of(result) - offset_of(args[0])))
    return None


def _answers_only(func: Any, result: Any) -> bool:
    """True if a call neither makes nor changes a tensor, such as item() and is_same_size: there is nothing to count."""
    return not func._schema.is_mutable and not any(isinstance(one, Tensor) for one in flattened([result]))
