"""A model made ready to run for real, many times, and to be left as it was."""
from __future__ import annotations

import contextlib
from typing import Any, Iterator, Mapping, Optional, Tuple

import torch

from .borrow import Borrowed, unwrapped, walk
from .errors import RecordingError, recording_error
from .inputs import arguments, filled, mapped
from .plan import Plan


def _copy_of_buffers(tensor: torch.Tensor) -> torch.Tensor:
    return tensor if isinstance(tensor, torch.nn.Parameter) else tensor.clone()


@contextlib.contextmanager
def ready(model: Any, inputs: Any, kwargs: Optional[Mapping[str, Any]]) -> Iterator[Tuple[Any, Any, Any, int]]:
    """What calls the model once, its device, the paths of its modules by id, and the number of threads."""
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
        yield call, device, {id(one): path for path, one in modules}, torch.get_num_threads()
