"""strata.llm takes what transformers has, by what it can do, so these stand-ins are enough."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import strata

# The parameters of Llama-3-8B as its authors count them.
CONFIG: dict[str, Any] = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "hidden_size": 4096,
    "intermediate_size": 14336,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "num_hidden_layers": 32,
    "vocab_size": 128256,
    "max_position_embeddings": 8192,
    "torch_dtype": "bfloat16",
}
PARAMETERS = 8030261248


class _Type:
    """Prints itself like torch.float16."""

    def __str__(self) -> str:
        return "torch.float16"


class _Config:
    def to_dict(self) -> dict[str, Any]:
        return {key: value for key, value in CONFIG.items() if key not in ("architectures", "torch_dtype")}


class LlamaForCausalLM:
    config = _Config()
    dtype = _Type()


def test_a_mapping_a_config_and_a_model() -> None:
    for model in (CONFIG, _Config(), LlamaForCausalLM()):
        facts = strata.llm(model, on="h100", context="8k", batch=4).facts
        assert facts["model"]["parameters"] == PARAMETERS
        assert facts["setup"]["batch"] == 4
        assert facts["setup"]["context"] == 8192
    assert strata.llm(LlamaForCausalLM(), on="h100").facts["setup"]["weights"] == "f16"


def test_a_folder(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(CONFIG))
    assert strata.llm(tmp_path, on="l4").facts["model"]["parameters"] == PARAMETERS


def test_a_sweep() -> None:
    document = strata.llm(CONFIG, sweep={"on": ["l4", "2xh100"], "weights": ["bf16", "fp8"]})
    assert [(row.device, row.weights) for row in document.rows] == [
        ("l4", "bf16"),
        ("l4", "fp8"),
        ("h100", "bf16"),
        ("h100", "fp8"),
    ]


def test_what_is_no_language_model() -> None:
    with pytest.raises(strata.StrataError, match="a list is not a language model"):
        strata.llm([])
    with pytest.raises(strata.StrataError, match="num_attention_heads of 0"):
        strata.llm({**CONFIG, "num_attention_heads": 0})


def test_transformers() -> None:
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    config = transformers.LlamaConfig(**{k: v for k, v in CONFIG.items() if k != "architectures"})
    with torch.device("meta"):
        model = transformers.AutoModelForCausalLM.from_config(config)
    assert strata.llm(model, on="h100").facts["model"]["parameters"] == PARAMETERS
    assert strata.llm(config, on="h100").facts["model"]["parameters"] == PARAMETERS
