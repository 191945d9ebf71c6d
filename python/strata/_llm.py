"""`strata llm`: whether a language model fits a device, and how fast it is served there."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from . import _native
from ._document import Document
from ._errors import StrataError
from ._models import is_file_or_name, path_word
from ._options import Request, options_of


def llm(model: Any, **options: Any) -> Document:
    """Says whether a language model fits a device, with its cache and tokens per second.

    Options are those of `strata llm`: `on="8xh200"`, `context="32k"`, `batch=16`, `weights="fp8"`, …

    `model` is a transformers model (on meta, or with weights), its config, the same as a mapping, a
    folder with a config.json, a GGUF file, or a name of the zoo. Nothing is run.

    >>> llm("zoo:llama-3-8b", on="h100").facts["fits"]
    True
    >>> llm({"architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
    ...      "num_attention_heads": 4, "intermediate_size": 128, "vocab_size": 100,
    ...      "dtype": "bfloat16"}).facts["model"]["parameters"]
    95040
    """
    if is_file_or_name(model):
        word, files = path_word(model), {}
    else:
        name, config = _config_of(model)
        file = f"{name}.json"
        word, files = f"memory:{file}", {file: json.dumps(config, default=_plain).encode()}
    return Document(_native.run(Request("llm", {"model": word, **options_of(options)}, files)))


def _config_of(model: Any) -> tuple[str, dict[str, Any]]:
    """A name, and what would be in config.json."""
    if isinstance(model, Mapping):
        config = dict(model)
        return _name(config, "config"), config
    inner: Any = model if hasattr(model, "to_dict") else getattr(model, "config", None)
    if isinstance(inner, Mapping):
        config = dict(inner)
    elif hasattr(inner, "to_dict"):
        config = dict(inner.to_dict())
    else:
        raise StrataError(
            f"a {type(model).__name__} is not a language model: give a transformers model, its config, a"
            " folder, a GGUF file or a name of the zoo",
            2,
        )
    if inner is not model:
        # A model that was made of a config knows its class and its type better.
        config["architectures"] = [type(model).__name__]
        if getattr(model, "dtype", None) is not None:
            config["dtype"] = model.dtype
    return _name(config, type(model).__name__), config


def _name(config: Mapping[str, Any], otherwise: str) -> str:
    given = str(config.get("_name_or_path") or otherwise).rstrip("/").rpartition("/")[2]
    return re.sub(r"[^\w.-]", "_", given) or otherwise


def _plain(value: Any) -> Any:
    """Replace values that JSON has no word for: torch.bfloat16 is "bfloat16".

    >>> _plain({1, 2}), _plain(float)
    ([1, 2], "<class 'float'>")
    """
    if isinstance(value, (set, frozenset, tuple)):
        return list(value)
    return str(value).removeprefix("torch.")
