"""The forward of a module that an engine runs, wherever its answer is surely that of torch."""

from __future__ import annotations

import operator
from collections import Counter
from typing import Any, Callable, Iterable, Optional

import torch
from torch.autograd import forward_ad
from torch.nn.modules import module as torch_module
from torch.utils import _pytree as pytree

from ._arguments import rearranged
from ._export import Exported
from ._flat import by_name, same
from ._guard import Guard
from ._sessions import Compiled, Session


def _is_compiling() -> bool:
    return False


_compiling: Callable[[], bool] = getattr(getattr(torch, "compiler", None), "is_compiling", _is_compiling)


def _older_autocast() -> bool:
    return bool(torch.is_autocast_enabled() or torch.is_autocast_cpu_enabled())


_autocast: Callable[[], bool] = getattr(torch._C, "_is_any_autocast_enabled", _older_autocast)
_dispatch_modes: Callable[[], int] = getattr(torch._C, "_len_torch_dispatch_stack", lambda: 0)
_transforms: Callable[[], Any] = getattr(getattr(torch._C, "_functorch", None), "peek_interpreter_stack", lambda: None)
_requires_grad = operator.attrgetter("requires_grad")


def changes_can_be_seen(module: torch.nn.Module) -> bool:
    """False for weights made in inference mode: torch does not count their changes."""
    return not any(each.is_inference() for each in [*module.parameters(), *module.buffers()])


def has_hooks_inside(module: torch.nn.Module) -> bool:
    """True if a module inside of this one has hooks, which an engine would not call."""
    return any(each._forward_hooks or each._forward_pre_hooks for each in module.modules() if each is not module)


def _laid_out(tensor: torch.Tensor, order: tuple[int, ...]) -> torch.Tensor:
    """The same elements with the axes in memory in this order, outermost first, as torch gives them: `view` depends on it."""
    return tensor.permute(order).contiguous().permute([order.index(axis) for axis in range(len(order))])


def _narrower(a: Optional[tuple[int, int]], b: Optional[tuple[int, int]]) -> Optional[tuple[int, int]]:
    """The numbers in both ranges; None is all numbers."""
    return (max(a[0], b[0]), min(a[1], b[1])) if a is not None and b is not None else a or b


def state_that_is_torchs(module: torch.nn.Module, weights: Iterable[torch.Tensor]) -> Optional[str]:
    """The reason that torch has to answer any call now; None if there is none."""
    if module.training:
        return "training"
    if torch.is_grad_enabled() and any(map(_requires_grad, weights)):
        return "grad"
    if _autocast():
        return "autocast"
    if torch.jit.is_tracing() or _compiling() or _dispatch_modes() or _transforms() is not None:
        return "tracing"
    if forward_ad._current_level >= 0:
        return "grad"
    if torch_module._global_forward_hooks or torch_module._global_forward_pre_hooks:
        return "hooks"
    return None


class EngineForward:
    """Takes the place of `module.forward`. A call that the engine was not prepared for goes to torch, and is counted."""

    def __init__(self, module: torch.nn.Module, exported: Exported, session: Session) -> None:
        self._module = module
        self._plain = type(module).forward
        self.session = session
        self.fallbacks: Counter[str] = Counter()
        self.calls = 0
        self._spec = exported.spec
        self._leaves = exported.leaves
        self._shapes = exported.shapes
        self._dtypes = exported.dtypes
        self._out_spec = exported.out_spec
        self._out_leaves = exported.out_leaves
        self._out_dtypes = exported.out_dtypes
        self._out_orders = exported.out_orders
        self._sizes = exported.sizes
        self._bounds = [
            _narrower(bound, session.whole_numbers) if dtype is torch.int64 else bound
            for bound, dtype in zip(exported.bounds, exported.dtypes)
        ]
        self._guard = Guard(module)
        self._has_changed = self._guard.changed
        # The usual case: tensors by position in, one tensor out.
        self._only_tensors = len(self._leaves) if not any(self._leaves) else -1
        if self._only_tensors >= 0:
            places = pytree.tree_flatten((tuple(range(self._only_tensors)), {}))[1]
            self._only_tensors = self._only_tensors if places == self._spec else -1
        self._names = exported.names
        self._by_position = len(pytree.tree_unflatten([0] * len(self._leaves), self._spec)[0])
        self._one_answer = self._out_spec == pytree.tree_flatten(0)[1]

    def _why_not(self, args: Any, kwargs: Any, arrays: list[Any]) -> Optional[str]:
        """The reason that torch has to answer; None if the engine may, with its inputs in `arrays`."""
        why = state_that_is_torchs(self._module, self._guard.weights)
        if why is not None:
            return why
        grad = torch.is_grad_enabled()
        if self._only_tensors == len(args) and not kwargs:
            leaves = args
        else:
            leaves, spec = pytree.tree_flatten((args, by_name(kwargs)))
            if spec != self._spec:
                other = rearranged(args, kwargs, self._names, self._by_position) if self._names else None
                leaves, spec = pytree.tree_flatten(other)
                if spec != self._spec:
                    return "arguments"
        number = 0
        given = []
        sizes = []
        for leaf, kept in zip(leaves, self._leaves):
            if kept is not None:
                if not same(leaf, kept[0]):
                    return "arguments"
                continue
            if type(leaf) is not torch.Tensor and type(leaf) is not torch.nn.Parameter:
                return "arguments"
            if leaf.dtype is not self._dtypes[number]:
                return "dtype"
            if leaf.device.type != "cpu" or leaf.layout is not torch.strided:
                return "device"
            shape = self._shapes[number]
            if len(shape) != leaf.dim():
                return "shape"
            for size, wanted in zip(leaf.shape, shape):
                if size != wanted:
                    if wanted != -1 or size == 0:
                        return "shape"
                    sizes.append(size)
            if grad and leaf.requires_grad:
                return "grad"
            given.append(leaf)
            number += 1
        if self._sizes is not None and tuple(sizes) not in self._sizes:
            return "shape"
        changed = self._has_changed()
        if changed is not None:
            return changed
        for leaf, bound in zip(given, self._bounds):
            if leaf.requires_grad:
                leaf = leaf.detach()
            if leaf.is_neg():
                leaf = leaf.resolve_neg()
            array = (leaf if leaf.is_contiguous() else leaf.contiguous()).numpy()
            if leaf.is_floating_point():
                # Engines differ from torch in what the larger of a number and NaN is.
                total = leaf.sum().item()
                if total != total:
                    return "values"
            elif bound is not None and (array.min() < bound[0] or array.max() > bound[1]):
                return "values"
            arrays.append(array)
        return None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        arrays: list[Any] = []
        try:
            why = self._why_not(args, kwargs, arrays)
        except Exception:  # a tensor without elements that can be read
            why = "arguments"
        if why is not None:
            self.fallbacks[why] += 1
            return self._plain(self._module, *args, **kwargs)
        try:
            results = self.session.run(arrays)
        except Exception:  # torch says better what is wrong with the inputs
            self.fallbacks["engine failed"] += 1
            return self._plain(self._module, *args, **kwargs)
        self.calls += 1
        made = [torch.from_numpy(each) for each in results]
        made = [each if each.dtype is kind else each.to(kind) for each, kind in zip(made, self._out_dtypes)]
        made = [each if order is None else _laid_out(each, order) for each, order in zip(made, self._out_orders)]
        if self._one_answer:
            return made[0]
        rest = iter(made)
        leaves = [next(rest) if kept is None else kept[0] for kept in self._out_leaves]
        return pytree.tree_unflatten(leaves, self._out_spec)

    # Copies of the module run in torch: `forward` is then the method of its class. Nothing of strata is
    # needed to load them.
    def __reduce__(self) -> Any:
        return getattr, (self._module, "forward")

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        copy = memo.get(id(self._module), self._module)
        return self._plain.__get__(copy)

    def __copy__(self) -> Any:
        return self._plain.__get__(self._module)


class CompiledForward(EngineForward):
    """The same for torch.compile, which works with torch's own tensors."""

    session: Compiled

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            why = self._why_not(args, kwargs, [])
        except Exception:
            why = "arguments"
        if why is not None:
            self.fallbacks[why] += 1
            return self._plain(self._module, *args, **kwargs)
        self.calls += 1
        return self.session.call(*args, **kwargs)
