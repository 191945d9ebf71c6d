"""A model made ready to run for real, many times, and to be left as it was."""
from __future__ import annotations

import contextlib
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Tuple

import torch

from .borrow import Borrowed, unwrapped, walk
from .errors import RecordingError, recording_error
from .inputs import filled, mapped
from .plan import Plan


_COPIED_PER_SECOND = 1e9  # bytes, and less than what machines do
_MOST_COPIED = 4 << 30


def _copy_of_buffers(tensor: torch.Tensor) -> torch.Tensor:
    return tensor if isinstance(tensor, torch.nn.Parameter) else tensor.clone()


def _copy(tensor: torch.Tensor) -> torch.Tensor:
    """A copy of parameters, too: there are models that write to them, such as an embedding with max_norm."""
    if type(tensor) is torch.nn.Parameter and tensor.layout is torch.strided and not tensor.is_quantized:
        return torch.nn.Parameter(tensor.detach().clone(), requires_grad=tensor.requires_grad)
    return _copy_of_buffers(tensor)


class Prepared:
    """A model that runs when it is told to, on its own device."""

    def __init__(self, model: Any, modules: List[Tuple[str, Any]], plan: Plan, call: Callable[[], Any],
                 refresh: Callable[[], None]):
        tensors = [twin for twin, _ in plan.tags.values()]
        #: runs it; before each run, what it is given is made as it was
        self.call, self.refresh, self._modules = call, refresh, modules
        self.device = tensors[0].device if tensors else torch.device("cpu")
        self.paths = {id(one): path for path, one in modules}
        self.threads = torch.get_num_threads()
        weights = sum(tensor.numel() * tensor.element_size() for tensor in tensors)
        #: whether the weights can be put elsewhere; what was compiled for them would be compiled again
        self.can_renew = unwrapped(model) is model and weights <= _MOST_COPIED and all(
            type(tensor) in (torch.Tensor, torch.nn.Parameter) and tensor.layout is torch.strided
            and not tensor.is_quantized for tensor in tensors)
        self.renewing_seconds = weights / _COPIED_PER_SECOND

    def renew(self) -> None:
        """Puts the weights into other places of memory, as if the model were loaded anew."""
        made: Dict[int, torch.Tensor] = {}
        for _, module in self._modules:
            for group in ("_parameters", "_buffers"):
                tensors = module.__dict__.get(group)
                for name, tensor in list(tensors.items()) if tensors else []:
                    if tensor is None:
                        continue
                    if id(tensor) not in made:
                        copy = tensor.detach().clone()
                        if isinstance(tensor, torch.nn.Parameter):
                            copy = torch.nn.Parameter(copy, requires_grad=tensor.requires_grad)
                        made[id(tensor)] = copy
                    tensors[name] = made[id(tensor)]


def _put_back_unwritten(modules: List[Tuple[str, Any]], plan: Plan, own: Dict[int, torch.Tensor]) -> None:
    """The model's own parameters in the place of the copies that a run did not write to."""
    kept = {id(twin): own[place] for place, (twin, _) in plan.tags.items()
            if place in own and twin is not own[place] and not twin._version}
    for _, module in modules:
        tensors = module.__dict__.get("_parameters") or {}
        tensors.update({name: kept[id(one)] for name, one in tensors.items() if id(one) in kept})


@contextlib.contextmanager
def ready(model: Any, inputs: Any, kwargs: Optional[Mapping[str, Any]], dtype: Any = None) -> Iterator[Prepared]:
    """A model that was run once; its state is put back in the end."""
    module = isinstance(model, torch.nn.Module)
    modules = walk(unwrapped(model)) if module else []
    weights = sum(tensor.numel() * tensor.element_size() for tensor in model.parameters()) if module else 0
    plan = Plan(modules, _copy if unwrapped(model) is model and weights <= _MOST_COPIED else _copy_of_buffers)
    tensors = [twin for twin, _ in plan.tags.values()]
    if any(tensor.is_meta for tensor in tensors):
        raise RecordingError("a model on the meta device has no values and cannot be timed")
    device = tensors[0].device if tensors else torch.device("cpu")
    floating = next((tensor.dtype for tensor in tensors if tensor.is_floating_point()), torch.get_default_dtype())
    from . import settled_arguments

    given = mapped(settled_arguments(model, inputs, dict(kwargs or {}), dtype), lambda value: filled(value, floating, device))
    taken = [given]

    def refresh() -> None:  # a decoder adds to the cache that it is given
        taken[0] = mapped(given, lambda tensor: tensor)

    def call() -> Any:
        positional, named = taken[0]
        return model(*positional, **named)

    own = {id(one): one for _, part in modules for one in (part.__dict__.get("_parameters") or {}).values()}
    with Borrowed(modules, plan), torch.no_grad():
        try:
            refresh()
            call()
        except Exception as error:
            raise recording_error(error, None) from error
        _put_back_unwritten(modules, plan, own)
        yield Prepared(model, modules, plan, call, refresh)
