"""A model made ready to run for real, many times, and to be left as it was."""
from __future__ import annotations

import contextlib
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Tuple

import torch

from .borrow import Borrowed, unwrapped, walk
from .errors import RecordingError, recording_error
from .inputs import arguments, filled, mapped
from .plan import Plan


_COPIED_PER_SECOND = 1e9  # bytes, and less than what machines do
_MOST_COPIED = 4 << 30


def _copy_of_buffers(tensor: torch.Tensor) -> torch.Tensor:
    return tensor if isinstance(tensor, torch.nn.Parameter) else tensor.clone()


class Prepared:
    """A model that runs when it is told to, on its own device."""

    def __init__(self, model: Any, modules: List[Tuple[str, Any]], plan: Plan, call: Callable[[], Any]):
        tensors = [twin for twin, _ in plan.tags.values()]
        self.call, self._modules = call, modules
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


@contextlib.contextmanager
def ready(model: Any, inputs: Any, kwargs: Optional[Mapping[str, Any]]) -> Iterator[Prepared]:
    """A model that was run once; its state is put back in the end."""
    module = isinstance(model, torch.nn.Module)
    modules = walk(unwrapped(model)) if module else []
    plan = Plan(modules, _copy_of_buffers)
    tensors = [twin for twin, _ in plan.tags.values()]
    if any(tensor.is_meta for tensor in tensors):
        raise RecordingError("a model on the meta device has no values and cannot be timed")
    device = tensors[0].device if tensors else torch.device("cpu")
    floating = next((tensor.dtype for tensor in tensors if tensor.is_floating_point()), torch.get_default_dtype())
    positional, named = mapped(arguments(inputs, dict(kwargs or {})), lambda value: filled(value, floating, device))

    def call() -> Any:
        return model(*positional, **named)

    with Borrowed(modules, plan), torch.no_grad():
        try:
            call()
        except Exception as error:
            raise recording_error(error, None) from error
        yield Prepared(model, modules, plan, call)
