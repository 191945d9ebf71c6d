#!/usr/bin/env python3
"""make_folders.py: writes the folders beside it, and what transformers makes of them.

A folder of `tiny/` has config.json and, for some, model.safetensors, as save_pretrained writes them.
A folder of `real/` has the sizes that the authors published, and no weights. `facts.txt` has a line
for each: parameters, tensors, the SHA-256 of the sorted lines `name 4096x14336`, and for the tiny
ones the MACs of a text, as torch.utils.flop_counter counts them with the attention of matrix
products (batch 2, 7 tokens). `modules.txt` has the modules of the tiny ones, and their classes.

Made with transformers 5.23.0 and torch 2.13.0.
"""
import hashlib
import json
import pathlib
import shutil

import torch
import transformers as hf
from torch.utils.flop_counter import FlopCounterMode

HERE = pathlib.Path(__file__).parent
BATCH, LENGTH = 2, 7

TEXT = dict(vocab_size=13, hidden_size=8, intermediate_size=12, num_hidden_layers=2,
            num_attention_heads=2, max_position_embeddings=16)
GROUPED = dict(TEXT, num_key_value_heads=1)

TINY = {
    "llama": ("LlamaForCausalLM", hf.LlamaConfig(**GROUPED)),
    "llama_biases": ("LlamaForCausalLM", hf.LlamaConfig(
        **GROUPED, attention_bias=True, mlp_bias=True, head_dim=6, tie_word_embeddings=True)),
    "llama_body": ("LlamaModel", hf.LlamaConfig(**TEXT)),
    "mistral": ("MistralForCausalLM", hf.MistralConfig(**GROUPED, sliding_window=3)),
    "mixtral": ("MixtralForCausalLM", hf.MixtralConfig(
        **GROUPED, num_local_experts=4, num_experts_per_tok=2)),
    "qwen2": ("Qwen2ForCausalLM", hf.Qwen2Config(
        **GROUPED, use_sliding_window=True, sliding_window=4, max_window_layers=1)),
    "qwen3": ("Qwen3ForCausalLM", hf.Qwen3Config(**GROUPED, head_dim=6, tie_word_embeddings=True)),
    "qwen3_moe": ("Qwen3MoeForCausalLM", hf.Qwen3MoeConfig(
        **dict(GROUPED, num_hidden_layers=3), moe_intermediate_size=10, num_experts=6,
        num_experts_per_tok=3, mlp_only_layers=[1])),
    "bert": ("BertModel", hf.BertConfig(**TEXT)),
    "bert_words": ("BertForMaskedLM", hf.BertConfig(**TEXT)),
    "bert_pretraining": ("BertForPreTraining", hf.BertConfig(**TEXT)),
    "bert_next": ("BertForNextSentencePrediction", hf.BertConfig(**TEXT)),
    "bert_texts": ("BertForSequenceClassification", hf.BertConfig(**TEXT, num_labels=5)),
    "bert_tokens": ("BertForTokenClassification", hf.BertConfig(**TEXT, num_labels=9)),
    "bert_answers": ("BertForQuestionAnswering", hf.BertConfig(**TEXT)),
}
WITH_WEIGHTS = {"llama", "mixtral", "qwen3", "qwen3_moe", "bert_words"}

REAL = {
    "llama-3-8b": ("LlamaForCausalLM", "llama", dict(
        vocab_size=128256, hidden_size=4096, intermediate_size=14336, num_hidden_layers=32,
        num_attention_heads=32, num_key_value_heads=8, rope_theta=500000.0)),
    "mistral-7b": ("MistralForCausalLM", "mistral", dict(
        vocab_size=32000, hidden_size=4096, intermediate_size=14336, num_hidden_layers=32,
        num_attention_heads=32, num_key_value_heads=8, sliding_window=4096)),
    "mixtral-8x7b": ("MixtralForCausalLM", "mixtral", dict(
        vocab_size=32000, hidden_size=4096, intermediate_size=14336, num_hidden_layers=32,
        num_attention_heads=32, num_key_value_heads=8, num_local_experts=8,
        num_experts_per_tok=2, sliding_window=None)),
    "qwen2.5-0.5b": ("Qwen2ForCausalLM", "qwen2", dict(
        vocab_size=151936, hidden_size=896, intermediate_size=4864, num_hidden_layers=24,
        num_attention_heads=14, num_key_value_heads=2, tie_word_embeddings=True,
        use_sliding_window=False)),
    "qwen3-8b": ("Qwen3ForCausalLM", "qwen3", dict(
        vocab_size=151936, hidden_size=4096, intermediate_size=12288, num_hidden_layers=36,
        num_attention_heads=32, num_key_value_heads=8, head_dim=128)),
    "qwen3-30b-a3b": ("Qwen3MoeForCausalLM", "qwen3_moe", dict(
        vocab_size=151936, hidden_size=2048, intermediate_size=6144, moe_intermediate_size=768,
        num_hidden_layers=48, num_attention_heads=32, num_key_value_heads=4, head_dim=128,
        num_experts=128, num_experts_per_tok=8, norm_topk_prob=True)),
    "bert-base": ("BertModel", "bert", dict(
        vocab_size=30522, hidden_size=768, intermediate_size=3072, num_hidden_layers=12,
        num_attention_heads=12, max_position_embeddings=512, type_vocab_size=2)),
    "bert-large": ("BertForMaskedLM", "bert", dict(
        vocab_size=30522, hidden_size=1024, intermediate_size=4096, num_hidden_layers=24,
        num_attention_heads=16, max_position_embeddings=512, type_vocab_size=2)),
}


def facts(model):
    shapes = {name: "x".join(map(str, p.shape)) for name, p in model.named_parameters()}
    lines = "".join(f"{name} {shape}\n" for name, shape in sorted(shapes.items()))
    total = sum(p.numel() for p in model.parameters())
    return f"{total} {len(shapes)} {hashlib.sha256(lines.encode()).hexdigest()}"


def macs(model):
    ids = torch.arange(BATCH * LENGTH).reshape(BATCH, LENGTH) % 13
    counter = FlopCounterMode(display=False)
    with torch.no_grad(), counter:
        model(input_ids=ids, attention_mask=torch.ones_like(ids))
    return counter.get_total_flops() // 2


def main():
    lines, modules = [], []
    for name, (cls, config) in TINY.items():
        folder = HERE / "tiny" / name
        shutil.rmtree(folder, ignore_errors=True)
        torch.manual_seed(1)
        config._attn_implementation = "eager"
        config._experts_implementation = "eager"
        model = getattr(hf, cls)(config).eval()
        lines.append(f"tiny/{name} {facts(model)} {macs(model)}")
        for path, module in model.named_modules():
            if path and any(True for _ in module.parameters()):
                modules.append(f"{name} {path} {type(module).__name__}")
        model.save_pretrained(folder)
        for path in folder.iterdir():
            if path.suffix != ".json" and name not in WITH_WEIGHTS or path.name == "generation_config.json":
                path.unlink()
            else:
                path.chmod(0o644)
    for name, (cls, model_type, sizes) in REAL.items():
        folder = HERE / "real" / name
        folder.mkdir(parents=True, exist_ok=True)
        with torch.device("meta"):
            model = getattr(hf, cls)(hf.AutoConfig.for_model(model_type, **sizes))
        config = dict(architectures=[cls], model_type=model_type, dtype="bfloat16", **sizes)
        (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n")
        lines.append(f"real/{name} {facts(model)} -")
    (HERE / "facts.txt").write_text("\n".join(lines) + "\n")
    (HERE / "modules.txt").write_text("\n".join(modules) + "\n")


if __name__ == "__main__":
    main()
