"""The networks of the benchmarks, with the arguments of one call."""
from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Dict, Tuple

import torch

sys.path.insert(0, str(Path(__file__).parent.parent.parent / "tests" / "pt2"))

NAMES = ("mobilenet_v2", "resnet50", "vit_b_16", "llama_7b")


def network(name: str) -> Tuple[torch.nn.Module, Dict[str, Any]]:
    """A network and its keyword arguments. The Llama has no weights: it is built on the meta device."""
    if name in ("mobilenet_v2", "resnet50"):
        import convolutional

        model = convolutional.MobileNetV2() if name == "mobilenet_v2" else convolutional.ResNet([3, 4, 6, 3], 4)
        return model.eval(), {"x": torch.rand(1, 3, 224, 224)}
    import transformers

    if name == "vit_b_16":
        model = transformers.ViTForImageClassification(transformers.ViTConfig(num_labels=1000))
        return model.eval(), {"pixel_values": torch.rand(1, 3, 224, 224)}
    with torch.device("meta"):
        model = transformers.LlamaForCausalLM(transformers.LlamaConfig())
        ids = torch.zeros(1, 128, dtype=torch.long)
    return model.eval(), {"input_ids": ids}
