#!/usr/bin/env python3
"""Records NeuSight's transformers on meta tensors, with the modules of Hugging Face.

    python record_transformers.py --out FOLDER

Needs torch, transformers and strata's own Python package. Attention is the kind that takes products, softmax and
mask apart, as in the version of the library that was measured.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import pathlib
import re

import torch
import transformers
from strata import _record

NETWORKS = pathlib.Path(__file__).parent / "measured" / "neusight" / "networks.csv"
# kind, width, heads, layers
SIZES = {
    "bert_large": ("bert", 1024, 16, 24), "gpt2_large": ("gpt", 1280, 20, 36), "gpt3_27": ("gpt", 2560, 32, 32),
    "gpt3_xl": ("gpt", 3072, 24, 24), "opt_13": ("opt", 2048, 32, 24),
}  # fmt: skip


def network(name: str, tokens: int) -> torch.nn.Module:
    kind, width, heads, layers = SIZES[name]
    if kind == "bert":
        config = transformers.BertConfig(hidden_size=width, num_attention_heads=heads, num_hidden_layers=layers,
                                         intermediate_size=4 * width)  # fmt: skip
        made = transformers.BertModel
    elif kind == "gpt":
        config = transformers.GPT2Config(n_embd=width, n_head=heads, n_layer=layers, n_positions=tokens)
        made = transformers.GPT2LMHeadModel
    else:
        config = transformers.OPTConfig(hidden_size=width, num_attention_heads=heads, num_hidden_layers=layers, ffn_dim=4 * width,
                                        max_position_embeddings=tokens, word_embed_proj_dim=width)  # fmt: skip
        made = transformers.OPTForCausalLM
    config.use_cache = False
    config._attn_implementation = "eager"
    with torch.device("meta"):
        return made(config)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    with open(NETWORKS, newline="", encoding="utf-8") as file:
        names = sorted({row["network"] for row in csv.DictReader(file)})
    for name in names:
        found = re.fullmatch(r"(\w+)-(inf|train)-(\d+)-(\d+)", name)
        if not found or found[1] not in SIZES:
            continue
        trains, tokens, batch = found[2] == "train", int(found[3]), int(found[4])
        words = torch.empty(batch, tokens, dtype=torch.long, device="meta")
        made = _record.record(network(found[1], tokens).train(trains), (words,), mode="meta", backward=trains)
        (options.out / f"{name}.gz").write_bytes(gzip.compress(made, 1))


if __name__ == "__main__":
    main()
