"""Writes a GGUF file of a Llama with random weights: for engines to run, and for strata to predict.

python3 make_gguf.py OUT.gguf [--hidden 1024 --layers 24 --heads 16 --kv-heads 4 --ffn 5632 --vocab 32000]

Matrices are Q8_0 (34 bytes for 32 weights), vectors f32. Needs numpy.
"""

from __future__ import annotations

import argparse
import struct

import numpy as np

F32, Q8_0 = 0, 8
U32, I32, FLOAT, STRING, ARRAY = 4, 5, 6, 8, 9
ALIGNMENT = 32


def text(value: str) -> bytes:
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def number(key: str, value: int | float) -> bytes:
    kind, form = (FLOAT, "<f") if isinstance(value, float) else (U32, "<I")
    return text(key) + struct.pack("<I", kind) + struct.pack(form, value)


def word(key: str, value: str) -> bytes:
    return text(key) + struct.pack("<I", STRING) + text(value)


def array(key: str, kind: int, items: list[bytes]) -> bytes:
    return text(key) + struct.pack("<IIQ", ARRAY, kind, len(items)) + b"".join(items)


def metadata(sizes: argparse.Namespace) -> list[bytes]:
    specials = ["<unk>", "<s>", "</s>"]
    bytes_of = [f"<0x{byte:02X}>" for byte in range(256)]
    rest = [f"word{i}" for i in range(sizes.vocab - len(specials) - 256)]
    kinds = [2, 3, 3] + [6] * 256 + [1] * len(rest)  # unknown, control, byte, normal
    tokens = specials + bytes_of + rest
    return [
        word("general.architecture", "llama"),
        word("general.name", "random"),
        number("general.file_type", 7),
        number("llama.block_count", sizes.layers),
        number("llama.context_length", 4096),
        number("llama.embedding_length", sizes.hidden),
        number("llama.feed_forward_length", sizes.ffn),
        number("llama.attention.head_count", sizes.heads),
        number("llama.attention.head_count_kv", sizes.kv_heads),
        number("llama.attention.layer_norm_rms_epsilon", 1e-5),
        number("llama.rope.dimension_count", sizes.hidden // sizes.heads),
        number("llama.vocab_size", sizes.vocab),
        word("tokenizer.ggml.model", "llama"),
        array("tokenizer.ggml.tokens", STRING, [text(token) for token in tokens]),
        array("tokenizer.ggml.scores", FLOAT, [struct.pack("<f", -float(i)) for i in range(sizes.vocab)]),
        array("tokenizer.ggml.token_type", I32, [struct.pack("<i", kind) for kind in kinds]),
        number("tokenizer.ggml.bos_token_id", 1),
        number("tokenizer.ggml.eos_token_id", 2),
        number("tokenizer.ggml.unknown_token_id", 0),
    ]


def tensors(sizes: argparse.Namespace) -> list[tuple[str, tuple[int, ...], int]]:
    """Names, sizes with the fastest first, and types."""
    hidden, ffn = sizes.hidden, sizes.ffn
    shared = hidden // sizes.heads * sizes.kv_heads
    out = [
        ("token_embd.weight", (hidden, sizes.vocab), Q8_0),
        ("output_norm.weight", (hidden,), F32),
        ("output.weight", (hidden, sizes.vocab), Q8_0),
    ]
    for layer in range(sizes.layers):
        for name, dims in {
            "attn_norm": (hidden,),
            "attn_q": (hidden, hidden),
            "attn_k": (hidden, shared),
            "attn_v": (hidden, shared),
            "attn_output": (hidden, hidden),
            "ffn_norm": (hidden,),
            "ffn_gate": (hidden, ffn),
            "ffn_up": (hidden, ffn),
            "ffn_down": (ffn, hidden),
        }.items():
            out.append((f"blk.{layer}.{name}.weight", dims, F32 if len(dims) == 1 else Q8_0))
    return out


def size_of(dims: tuple[int, ...], kind: int) -> int:
    elements = int(np.prod(dims))
    return elements * 4 if kind == F32 else elements // 32 * 34


def elements(dims: tuple[int, ...], kind: int, random: np.random.Generator) -> bytes:
    count = int(np.prod(dims))
    if kind == F32:
        return np.ones(count, np.float32).tobytes()
    blocks = np.zeros(count // 32, np.dtype([("scale", "<f2"), ("items", "i1", 32)]))
    blocks["scale"] = 1 / (74 * np.sqrt(dims[0]))  # a deviation of 1/√inputs
    blocks["items"] = random.integers(-127, 128, (count // 32, 32), np.int8)
    return blocks.tobytes()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("out")
    for name, usual in {
        "hidden": 1024, "layers": 24, "heads": 16, "kv-heads": 4, "ffn": 5632, "vocab": 32000
    }.items():  # fmt: skip
        parser.add_argument(f"--{name}", type=int, default=usual)
    sizes = parser.parse_args()
    random = np.random.default_rng(1)
    keys, named = metadata(sizes), tensors(sizes)
    with open(sizes.out, "wb") as file:
        file.write(b"GGUF" + struct.pack("<IQQ", 3, len(named), len(keys)) + b"".join(keys))
        at = 0
        for name, dims, kind in named:
            file.write(text(name) + struct.pack("<I", len(dims)))
            file.write(struct.pack(f"<{len(dims)}QIQ", *dims, kind, at))
            at += -(-size_of(dims, kind) // ALIGNMENT) * ALIGNMENT
        for name, dims, kind in named:
            file.write(b"\0" * (-file.tell() % ALIGNMENT))
            file.write(elements(dims, kind, random))


if __name__ == "__main__":
    main()
