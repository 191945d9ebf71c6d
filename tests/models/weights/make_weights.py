#!/usr/bin/env python3
"""make_weights.py: writes the files of weights beside it, and what the real libraries read in them.

Each `NAME.txt` has a line for each tensor: its name, type, shape and bytes, as safetensors, torch or
gguf give them back from the file. Needs torch, safetensors, numpy and gguf; the files were made with
torch 2.13.0, safetensors 0.8.0 and gguf 0.17.1.
"""
import collections
import json
import pathlib

import gguf
import numpy
import safetensors
import safetensors.torch
import torch

HERE = pathlib.Path(__file__).parent


def network():
    torch.manual_seed(1)
    return torch.nn.Sequential(collections.OrderedDict(
        stem=torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3, bias=False), torch.nn.BatchNorm2d(8)),
        head=torch.nn.Linear(8, 10)))


def short(dtype):
    names = {torch.float32: "f32", torch.float16: "f16", torch.bfloat16: "bf16",
             torch.int64: "i64", torch.float64: "f64", torch.uint8: "u8", torch.bool: "bool"}
    return names[dtype]


def write_facts(name, rows):
    lines = [" ".join([key, kind, "x".join(map(str, shape)) or "-", str(size)])
             for key, kind, shape, size in rows]
    (HERE / f"{name}.txt").write_text("\n".join(lines) + "\n")


def torch_rows(state):
    return [(key, short(t.dtype), tuple(t.shape), t.numel() * t.element_size())
            for key, t in state.items()]


def safetensors_rows(*paths):
    rows = []
    for path in paths:
        with safetensors.safe_open(path, "pt") as file:
            rows += torch_rows({key: file.get_tensor(key) for key in file.keys()})
    return rows


def make_safetensors():
    state = {key: value.contiguous() for key, value in network().state_dict().items()}
    state["head.weight"] = state["head.weight"].to(torch.bfloat16)
    path = HERE / "plain.safetensors"
    safetensors.torch.save_file(state, path, metadata={"format": "pt"})
    write_facts(path.name, safetensors_rows(path))

    keys = sorted(state)
    parts = {"model-00001-of-00002.safetensors": keys[:3], "model-00002-of-00002.safetensors": keys[3:]}
    folder = HERE / "sharded"
    folder.mkdir(exist_ok=True)
    for name, own in parts.items():
        safetensors.torch.save_file({key: state[key] for key in own}, folder / name)
    index = {"metadata": {"total_size": sum(t.nbytes for t in state.values())},
             "weight_map": {key: name for name, own in parts.items() for key in own}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index, indent=2))
    write_facts("sharded", safetensors_rows(*(folder / name for name in parts)))


def make_state_dicts():
    net = network()
    state = net.state_dict()
    state["tied.weight"] = state["head.weight"]
    state["turned"] = state["head.weight"].t()
    for name, is_zip in (("state_dict.pth", True), ("old_state_dict.pth", False)):
        path = HERE / name
        torch.save(state, path, _use_new_zipfile_serialization=is_zip)
        write_facts(name, torch_rows(torch.load(path, weights_only=True)))
    optimizer = torch.optim.SGD(net.parameters(), 0.1, momentum=0.9)
    for parameter in net.parameters():
        parameter.grad = torch.ones_like(parameter)
    optimizer.step()
    path = HERE / "checkpoint.pth"
    torch.save({"epoch": 3, "lr": 0.1, "state_dict": {k: v.half() for k, v in net.state_dict().items()},
                "optimizer": optimizer.state_dict()}, path)
    write_facts(path.name, torch_rows(torch.load(path, weights_only=True)["state_dict"]))
    path = HERE / "parameters.bin"
    torch.save(dict(net.named_parameters()), path)
    write_facts(path.name, torch_rows(torch.load(path, weights_only=True)))
    torch.jit.script(torch.nn.Linear(2, 2)).save(HERE / "torchscript.pt")


def make_gguf():
    generator = numpy.random.default_rng(1)

    def rows(*shape):
        return generator.standard_normal(shape, dtype=numpy.float32)

    def quantized(kind, *shape):
        # gguf quantizes few types in Python; the bytes of the others are of no interest here.
        block, size = gguf.GGML_QUANT_SIZES[kind]
        return numpy.zeros((*shape[:-1], shape[-1] // block * size), dtype=numpy.uint8)

    kinds = gguf.GGMLQuantizationType
    path = HERE / "q4_k_m.gguf"
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name("small")
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_Q4_K_M)
    writer.add_array("tokenizer.ggml.tokens", ["<s>", "</s>", "a"])
    writer.add_array("tokenizer.ggml.scores", [0.0, 1.0, 2.0])
    writer.add_tensor("token_embd.weight", quantized(kinds.Q4_K, 6, 256), raw_dtype=kinds.Q4_K)
    writer.add_tensor("blk.0.attn_norm.weight", rows(256))
    writer.add_tensor("blk.0.attn_q.weight", quantized(kinds.Q4_K, 2, 256), raw_dtype=kinds.Q4_K)
    writer.add_tensor("blk.0.ffn_down.weight", quantized(kinds.Q6_K, 2, 256), raw_dtype=kinds.Q6_K)
    writer.add_tensor("output.weight", rows(2, 256).astype(numpy.float16))
    close(writer, path)

    path = HERE / "types.gguf"
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_Q8_0)
    for kind in kinds:
        block, _ = gguf.GGML_QUANT_SIZES[kind]
        if block > 1:
            writer.add_tensor(f"{kind.name}.weight", quantized(kind, 1, block), raw_dtype=kind)
    close(writer, path)


def close(writer, path):
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    reader = gguf.GGUFReader(path)
    plain = {"F32": "f32", "F16": "f16", "BF16": "bf16"}
    write_facts(path.name, [
        (t.name, plain.get(t.tensor_type.name, t.tensor_type.name),
         tuple(int(n) for n in reversed(t.shape)), int(t.n_bytes)) for t in reader.tensors])


if __name__ == "__main__":
    make_safetensors()
    make_state_dicts()
    make_gguf()
