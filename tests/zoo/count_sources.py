#!/usr/bin/env python3
"""Counts networks where they come from, for tests/zoo/sources.csv.

    /usr/bin/python3 count_sources.py torchvision              # Debian's, 0.14
    python count_sources.py transformers                       # torch 2.13, transformers 5.23
    python count_sources.py yolox --checkout DIR               # a clone of the authors' repository
    … --list NAME                                              # its weights and calls, to find a difference

No weights are made: modules are on the device "meta", or in memory that nobody touches. Parameters
are counted as torch counts them, and each once if several modules share it. MACs are counted by
torch.utils.flop_counter, or, for torchvision's version of torch, by a formula for convolutions and
linear layers, which are all of their products. The last columns are hashes: of the names and shapes
of all weights and of the numbers that norms keep, and of the paths and classes of all modules without
children, in the order of their calls.
"""

import argparse
import csv
import pathlib
import sys
import types

import torch

TORCHVISION = [
    *[f"efficientnet_b{i}" for i in range(8)],
    *[f"efficientnet_v2_{size}" for size in "sml"],
    "mobilenet_v3_small",
    "mobilenet_v3_large",
    *[f"convnext_{size}" for size in ("tiny", "small", "base", "large")],
    *[f"regnet_y_{size}" for size in ("400mf", "800mf", "1_6gf", "3_2gf", "8gf", "16gf", "32gf", "128gf")],
    *[f"regnet_x_{size}" for size in ("400mf", "800mf", "1_6gf", "3_2gf", "8gf", "16gf", "32gf")],
    "maskrcnn_resnet50_fpn",
]
GPT2 = {"small": (768, 12, 12), "medium": (1024, 24, 16), "large": (1280, 36, 20), "xl": (1600, 48, 25)}
# Width, layers of the encoder, of the decoder, heads, mel bands, tokens of the vocabulary.
WHISPER = {
    "tiny": (384, 4, 4, 6, 80, 51865),
    "base": (512, 6, 6, 8, 80, 51865),
    "small": (768, 12, 12, 12, 80, 51865),
    "medium": (1024, 24, 24, 16, 80, 51865),
    "large": (1280, 32, 32, 20, 80, 51865),
    "large_v3": (1280, 32, 32, 20, 128, 51866),
    "turbo": (1280, 32, 4, 20, 128, 51866),
}
TOKENS = 128  # given to GPT-2 and to Whisper's decoder
YOLOX = {  # depth, width, whether convolutions are depthwise, side of the image
    "nano": (0.33, 0.25, True, 416),
    "tiny": (0.33, 0.375, False, 416),
    "s": (0.33, 0.50, False, 640),
    "m": (0.67, 0.75, False, 640),
    "l": (1.0, 1.0, False, 640),
    "x": (1.33, 1.25, False, 640),
}


def weights_of(model):
    """The name and shape of each, sorted: parameters once, and floating-point buffers."""
    found = {name: weight.shape for name, weight in model.named_parameters()}
    kept = model.state_dict()
    for name, buffer in model.named_buffers():
        if name in kept and buffer.is_floating_point():
            found[name] = buffer.shape
    return sorted(f"{name} {','.join(str(size) for size in shape)}" for name, shape in found.items())


def hash_of(lines):
    value = 0xCBF29CE484222325  # FNV-1a of 64 bits
    for byte in "".join(line + "\n" for line in lines).encode():
        value = ((value ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return f"{value:016x}"


def parameters_of(model):
    return sum(weight.numel() for weight in model.parameters())


def watch_calls(model):
    """A list that every call of a module without children adds its path and class to."""
    calls = []

    def watch(line):
        return lambda *_: calls.append(line)

    for path, module in model.named_modules():
        if not list(module.children()):
            module.register_forward_hook(watch(f"{path} {type(module).__name__}"))
    return calls


def macs_by_formula(model, call):
    total = 0

    def convolution(module, _, output):
        nonlocal total
        total += output.numel() * module.weight[0].numel()

    def linear(module, _, output):
        nonlocal total
        total += output.numel() * module.in_features

    for module in model.modules():
        if isinstance(module, torch.nn.Conv2d):
            module.register_forward_hook(convolution)
        elif isinstance(module, torch.nn.Linear):
            module.register_forward_hook(linear)
    call()
    return total


def macs_of(model, call):
    try:
        from torch.utils.flop_counter import FlopCounterMode
    except ImportError:
        return macs_by_formula(model, call)
    with FlopCounterMode(display=False) as counter:
        call()
    return counter.get_total_flops() // 2


def torchvision_networks(_):
    sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "models"))
    import torchvision
    from export_torchvision import make_network, no_initial_weights

    source = "torchvision " + torchvision.__version__.split("a")[0]
    for name in TORCHVISION:
        with no_initial_weights():
            model = make_network(name).eval().to("meta")
        if name.startswith("maskrcnn"):  # its work depends on what it finds
            yield name, "", source, model, None
            continue
        weights = torchvision.models.get_model_weights(name)["IMAGENET1K_V1"] if "128gf" not in name else None
        side = weights.transforms().crop_size[0] if weights else 224
        image = torch.empty(1, 3, side, side, device="meta")
        yield name, f"resolution={side}", source, model, lambda: model(image)


def transformers_networks(_):
    import transformers

    source = f"transformers {transformers.__version__}"
    meta = torch.device("meta")
    # Without one, transformers looks at positions, which have no values here.
    mask = torch.zeros(1, 1, TOKENS, TOKENS, device=meta)
    for size, (width, layers, heads) in GPT2.items():
        config = transformers.GPT2Config(
            n_embd=width, n_layer=layers, n_head=heads, attn_implementation="eager", use_cache=False
        )
        with meta:
            model = transformers.GPT2LMHeadModel(config).eval()
            tokens = torch.zeros(1, TOKENS, dtype=torch.long)
        call = lambda: model(tokens, attention_mask=mask)
        yield "gpt2", f"size={size}&sequence={TOKENS}", source, model, call
    for size, (width, encoders, decoders, heads, mels, vocabulary) in WHISPER.items():
        config = transformers.WhisperConfig(
            d_model=width,
            encoder_layers=encoders,
            decoder_layers=decoders,
            encoder_attention_heads=heads,
            decoder_attention_heads=heads,
            encoder_ffn_dim=4 * width,
            decoder_ffn_dim=4 * width,
            num_mel_bins=mels,
            vocab_size=vocabulary,
            attn_implementation="eager",
            use_cache=False,
        )
        with meta:
            model = transformers.WhisperModel(config).eval()
            sound = torch.empty(1, mels, 3000)
            tokens = torch.zeros(1, TOKENS, dtype=torch.long)
        inputs = {"input_features": sound, "decoder_input_ids": tokens, "decoder_attention_mask": mask}
        call = lambda: model(**inputs)
        yield "whisper", f"size={size}&sequence={TOKENS}", source, model, call


def yolox_networks(checkout):
    # Training alone uses the rest of the package's tools, which need OpenCV, and a logger.
    logger = types.ModuleType("loguru")
    logger.logger = None
    stand_in = types.ModuleType("yolox.utils")
    stand_in.meshgrid = lambda tensors: torch.meshgrid(*tensors, indexing="ij")
    for name in ("bboxes_iou", "cxcywh2xyxy", "visualize_assign"):
        setattr(stand_in, name, None)
    package = types.ModuleType("yolox")
    package.__path__ = [str(checkout / "yolox")]
    sys.modules.update({"yolox": package, "yolox.utils": stand_in, "loguru": logger})
    from yolox.models import YOLOPAFPN, YOLOX as Network, YOLOXHead

    for size, (depth, width, depthwise, side) in YOLOX.items():
        channels = [256, 512, 1024]
        trunk = YOLOPAFPN(depth, width, in_channels=channels, depthwise=depthwise)
        head = YOLOXHead(80, width, in_channels=channels, depthwise=depthwise)
        head.decode_in_inference = False  # which asks for a type by name, as meta has none
        model = Network(trunk, head).eval().to("meta")
        image = torch.empty(1, 3, side, side, device="meta")
        yield f"yolox_{size}", f"resolution={side}", "YOLOX 0.3.0", model, lambda: model(image)


def main():
    sources = {
        "torchvision": torchvision_networks,
        "transformers": transformers_networks,
        "yolox": yolox_networks,
    }
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source", choices=sources)
    parser.add_argument("--checkout", type=pathlib.Path, metavar="DIR")
    parser.add_argument("--list", metavar="NAME", help="weights and calls of one network")
    args = parser.parse_args()
    out = csv.writer(sys.stdout, lineterminator="\n")
    for name, arguments, source, model, call in sources[args.source](args.checkout):
        if args.list not in (None, name, f"{name}?{arguments}"):
            continue
        macs, calls = "", []
        if call:
            calls = watch_calls(model)
            with torch.no_grad():
                macs = macs_of(model, call)
        if args.list:
            print("\n".join(weights_of(model) + calls))
            return
        hashes = [hash_of(weights_of(model)), hash_of(calls) if calls else ""]
        out.writerow([name, arguments, source, parameters_of(model), macs, *hashes])
        sys.stdout.flush()


if __name__ == "__main__":
    main()
