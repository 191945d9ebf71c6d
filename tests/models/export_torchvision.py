#!/usr/bin/python3
"""Exports torchvision networks to ONNX, for the tests.

Debian's python3-torch, python3-torchvision and python3-onnx are enough. Weights
are random (nothing is downloaded): costs depend on shapes, not on values.
"""

import argparse
import contextlib
import io
import logging
import pathlib
import warnings

import onnx
import onnx.numpy_helper
import torch
import torchvision

OPSET = 17
SEED = 1
STRIP_ABOVE = 64  # elements
FLOATS = (onnx.TensorProto.FLOAT, onnx.TensorProto.FLOAT16, onnx.TensorProto.DOUBLE)

warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)


def make_weights_differ(model):
    """Replaces every constant tensor (a fresh BatchNorm's ones and zeros) by noise.

    The exporter merges initializers of equal value and leaves Identity nodes in
    their place.
    """
    with torch.no_grad():
        for tensor in [*model.parameters(), *model.buffers()]:
            if tensor.is_floating_point() and (tensor == tensor.flatten()[0]).all():
                tensor.uniform_(0.5, 1.5)


def strip_weights(model):
    """Drops the payload of large float initializers; name, dims and dtype stay."""
    for tensor in model.graph.initializer:
        elements = 1
        for dim in tensor.dims:
            elements *= dim
        if tensor.data_type in FLOATS and elements > STRIP_ABOVE:
            for field in ("raw_data", "float_data", "int32_data", "double_data"):
                tensor.ClearField(field)


def export(module, example, path, *, fold=False, strip=False, dynamic_batch=False):
    """Writes `module`, called on `example`, to `path`.

    Without `fold`, BatchNorm and what could be folded stay as they are.
    """
    mode = torch.onnx.TrainingMode
    axes = {"input": {0: "N"}, "output": {0: "N"}} if dynamic_batch else None
    buffer = io.BytesIO()
    # With grad enabled: without, nn.MultiheadAttention takes a fused fast path
    # that has no ONNX operator.
    with torch.enable_grad():
        torch.onnx.export(
            module.eval(),
            example,
            buffer,
            opset_version=OPSET,
            input_names=["input"],
            output_names=["output"],
            dynamic_axes=axes,
            training=mode.EVAL if fold else mode.PRESERVE,
            do_constant_folding=fold,
        )
    model = onnx.load_model_from_string(buffer.getvalue())
    if strip:
        strip_weights(model)
    onnx.save(model, str(path))


def make_network(name):
    if name in ("googlenet", "inception_v3"):
        return torchvision.models.get_model(name, weights=None, aux_logits=False, init_weights=False)
    if name in torchvision.models.list_models(module=torchvision.models.detection):
        return torchvision.models.get_model(name, weights=None, weights_backbone=None)
    return torchvision.models.get_model(name, weights=None)


def example_for(name):
    """The inputs of a network."""
    if name in torchvision.models.list_models(module=torchvision.models.detection):
        return ([torch.rand(3, 800, 800)],)
    side = 299 if name == "inception_v3" else 224
    return torch.randn(1, 3, side, side)


def export_network(name, path, *, untouched=False, **options):
    torch.manual_seed(SEED)
    model = make_network(name)
    if not untouched:
        make_weights_differ(model)
    export(model, example_for(name), path, **options)


@contextlib.contextmanager
def no_initial_weights():
    """Within it, torch.nn.init does nothing: new weights are memory nobody has touched."""
    names = [name for name in dir(torch.nn.init) if name.endswith("_") and name[0] != "_"]
    saved = {name: getattr(torch.nn.init, name) for name in names}
    for name in names:
        setattr(torch.nn.init, name, lambda tensor, *args, **kwargs: tensor)
    try:
        yield
    finally:
        for name, function in saved.items():
            setattr(torch.nn.init, name, function)


def sketch_network(name, path):
    """Writes a network with the names, shapes and types of its weights alone.

    The nodes are those of `export_network(name, path, strip=True)`, in a fraction of
    the time: weights are neither drawn nor copied.
    """
    with no_initial_weights():
        model = make_network(name).eval()
    weights = dict(model.state_dict())
    with torch.no_grad():
        for number, tensor in enumerate(weights.values()):
            if tensor.is_floating_point():
                tensor.view(-1)[:1] = number  # equal ones would be merged
    buffer = io.BytesIO()
    with torch.enable_grad():  # see export()
        torch.onnx.export(
            model,
            example_for(name),
            buffer,
            opset_version=OPSET,
            input_names=["input"],
            output_names=["output"],
            export_params=False,
            training=torch.onnx.TrainingMode.PRESERVE,
            do_constant_folding=False,
        )
    proto = onnx.load_model_from_string(buffer.getvalue())
    # Without export_params, weights are inputs of the graph.
    inputs = list(proto.graph.input)
    del proto.graph.input[:]
    for value in inputs:
        if value.name not in weights:
            proto.graph.input.append(value)
            continue
        weight = weights[value.name]
        tensor = proto.graph.initializer.add()
        if weight.is_floating_point():
            tensor.name = value.name
            tensor.data_type = value.type.tensor_type.elem_type
            tensor.dims.extend(weight.shape)
        else:
            tensor.CopyFrom(onnx.numpy_helper.from_array(weight.numpy(), value.name))
    onnx.save(proto, str(path))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=pathlib.Path, required=True, metavar="DIR")
    parser.add_argument("--fold", action="store_true", help="fold BatchNorm and constants")
    parser.add_argument("--untouched", action="store_true", help="leave fresh weights as they are")
    parser.add_argument("--strip", action="store_true", help="leave out large weights' payload")
    parser.add_argument("--dynamic-batch", action="store_true", help="batch is the symbol N")
    parser.add_argument("--sketch", action="store_true", help="shapes of weights only; fast")
    parser.add_argument("names", nargs="+", metavar="NAME", help="torchvision's name")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    for name in args.names:
        path = args.out / f"{name}.onnx"
        if args.sketch:
            sketch_network(name, path)
        else:
            export_network(
                name,
                path,
                untouched=args.untouched,
                fold=args.fold,
                strip=args.strip,
                dynamic_batch=args.dynamic_batch,
            )
        print(f"{path}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
