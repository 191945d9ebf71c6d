"""all-MiniLM-L6-v2 as ONNX: the package has weights alone. The module tree is BERT's own."""

import json
import struct

import numpy
import torch
from torch import nn

WIDTH, HEADS, LAYERS = 384, 12, 6


class Embeddings(nn.Module):
    def __init__(self):
        super().__init__()
        self.word_embeddings = nn.Embedding(30522, WIDTH)
        self.position_embeddings = nn.Embedding(512, WIDTH)
        self.token_type_embeddings = nn.Embedding(2, WIDTH)
        self.LayerNorm = nn.LayerNorm(WIDTH, 1e-12)

    def forward(self, ids):
        places = torch.arange(ids.shape[1])
        return self.LayerNorm(self.word_embeddings(ids) + self.position_embeddings(places)
                              + self.token_type_embeddings.weight[0])


class SelfAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(WIDTH, WIDTH) for _ in range(3))

    def forward(self, x, hide):
        def heads(y):
            return y.reshape(-1, x.shape[1], HEADS, WIDTH // HEADS).transpose(1, 2)

        scores = heads(self.query(x)) @ heads(self.key(x)).transpose(2, 3)
        weights = torch.softmax(scores / (WIDTH // HEADS) ** 0.5 + hide, -1)
        return (weights @ heads(self.value(x))).transpose(1, 2).reshape(-1, x.shape[1], WIDTH)


class Output(nn.Module):
    def __init__(self, inputs):
        super().__init__()
        self.dense = nn.Linear(inputs, WIDTH)
        self.LayerNorm = nn.LayerNorm(WIDTH, 1e-12)

    def forward(self, x, shortcut):
        return self.LayerNorm(self.dense(x) + shortcut)


class Intermediate(nn.Module):
    def __init__(self):
        super().__init__()
        self.dense = nn.Linear(WIDTH, 4 * WIDTH)
        self.act = nn.GELU()

    def forward(self, x):
        return self.act(self.dense(x))


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = nn.ModuleDict({"self": SelfAttention(), "output": Output(WIDTH)})
        self.intermediate = Intermediate()
        self.output = Output(4 * WIDTH)

    def forward(self, x, hide):
        x = self.attention["output"](self.attention["self"](x, hide), x)
        return self.output(self.intermediate(x), x)


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.ModuleList(Layer() for _ in range(LAYERS))

    def forward(self, x, hide):
        for layer in self.layer:
            x = layer(x, hide)
        return x


class Sentence(nn.Module):
    def __init__(self):
        super().__init__()
        self.embeddings = Embeddings()
        self.encoder = Encoder()

    def forward(self, ids, mask):
        shown = mask.to(torch.float32)
        hide = (1 - shown)[:, None, None, :] * -1e4
        x = self.encoder(self.embeddings(ids), hide) * shown[:, :, None]
        x = x.sum(1) / shown.sum(1, keepdim=True)
        return x / (x * x).sum(1, keepdim=True).sqrt()


def weights(path):
    """Reads a .safetensors file: a length, a table in JSON, the elements."""
    data = path.read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    out = {}
    for name, entry in json.loads(data[8:8 + size]).items():
        if name == "__metadata__" or entry["dtype"] != "F32":
            continue
        begin, end = (8 + size + offset for offset in entry["data_offsets"])
        values = numpy.frombuffer(data[begin:end], numpy.float32).reshape(entry["shape"])
        out[name] = torch.from_numpy(values.copy())
    return out


def write(folder, path, length):
    model = Sentence().eval()
    found = {name: value for name, value in weights(folder / "model.safetensors").items()
             if not name.startswith("pooler.")}
    model.load_state_dict(found)
    ids = torch.zeros(1, length, dtype=torch.int64)
    torch.onnx.export(model, (ids, torch.ones_like(ids)), str(path), opset_version=17,
                      input_names=["ids", "mask"], output_names=["embedding"],
                      dynamic_axes={"ids": {0: "N"}, "mask": {0: "N"}, "embedding": {0: "N"}})


def tokens(text, vocabulary, length):
    """WordPiece: the longest piece first, `##` before all but a word's first."""
    import re

    out = [vocabulary["[CLS]"]]
    for word in re.findall(r"[a-z0-9]+|[^a-z0-9\s]", text.lower()):
        at, pieces = 0, []
        while at < len(word):
            end = len(word)
            while end > at and ("##" if at else "") + word[at:end] not in vocabulary:
                end -= 1
            if end == at:
                pieces = [vocabulary["[UNK]"]]
                break
            pieces.append(vocabulary[("##" if at else "") + word[at:end]])
            at = end
        out += pieces
    out = out[:length - 1] + [vocabulary["[SEP]"]]
    mask = numpy.zeros(length, numpy.int64)
    mask[:len(out)] = 1
    return numpy.array(out + [0] * (length - len(out)), numpy.int64), mask
