#!/usr/bin/python3
"""Trains a small MobileNetV3 to tell twelve spoken words apart and writes what the tests need:
words.onnx, sounds.npz (log-mel spectrograms) and labels.txt.

Debian's espeak-ng speaks the words in 20 voices at several speeds and pitches; noise and a shift
in time are added. The 240 samples that are kept are of five voices that the training never heard.
"""

import argparse
import io
import pathlib
import subprocess
import wave

import numpy
import torch
from torch import nn

OPSET = 17
SEED = 5
RATE, WINDOW, HOP, FRAMES, BANDS = 22050, 551, 441, 48, 40  # espeak-ng's rate; 25 ms every 20 ms
WORDS = ("yes", "no", "up", "down", "left", "right", "on", "off", "stop", "go", "light", "music")
VOICES = ("en+m1", "en+m2", "en+m3", "en+m5", "en+m7", "en+f1", "en+f2", "en+f4", "en+klatt",
          "en+klatt3", "en-us", "en-us+m4", "en-us+f3", "en-gb-scotland", "en-gb-scotland+f2",
          "en-gb-x-rp", "en-gb-x-rp+f5", "en+Alex", "en+Annie", "en+steph")
OTHER_VOICES = ("en+m6", "en+f5", "en-us+f1", "en-gb-x-gbclan", "en+Andy")


def speak(word, voice, speed, pitch):
    made = subprocess.run(["espeak-ng", "-v", voice, "-s", str(speed), "-p", str(pitch), "--stdout",
                           word], check=True, capture_output=True).stdout
    with wave.open(io.BytesIO(made)) as file:
        if file.getframerate() != RATE:
            raise SystemExit(f"espeak-ng speaks at {file.getframerate()} Hz, not {RATE}")
        sound = numpy.frombuffer(file.readframes(1 << 30), numpy.int16)
    sound = sound.astype(numpy.float32) / 32768
    loud = numpy.flatnonzero(numpy.abs(sound) > 0.01)
    return sound[loud[0]:loud[-1] + 1]


def clips(voices, speeds, pitches):
    made = [(speak(word, voice, speed, pitch), label) for label, word in enumerate(WORDS)
            for voice in voices for speed in speeds for pitch in pitches]
    return [sound for sound, _ in made], numpy.array([label for _, label in made])


def mel_filters():
    mel = numpy.linspace(*(2595 * numpy.log10(1 + hz / 700) for hz in (80, 8000)), BANDS + 2)
    edges = 700 * (10 ** (mel / 2595) - 1)
    hz = numpy.fft.rfftfreq(1024, 1 / RATE)
    rise = (hz - edges[:-2, None]) / (edges[1:-1] - edges[:-2])[:, None]
    fall = (edges[2:, None] - hz) / (edges[2:] - edges[1:-1])[:, None]
    return numpy.maximum(0, numpy.minimum(rise, fall)).astype(numpy.float32)


def features(sounds, random):
    """Each sound somewhere in a second of noise, 10 to 30 dB below it, as a log-mel spectrogram."""
    length = WINDOW + HOP * (FRAMES - 1)
    filters, taper = mel_filters(), numpy.hanning(WINDOW).astype(numpy.float32)
    out = numpy.empty((len(sounds), 1, FRAMES, BANDS), numpy.float32)
    for i, sound in enumerate(sounds):
        sound = sound[:length]
        noise = random.normal(size=length).astype(numpy.float32)
        if random.random() < 0.5:  # the lower the louder
            noise = numpy.convolve(noise, numpy.exp(-numpy.arange(64) / 12), "same")
        level = numpy.sqrt(numpy.mean(sound ** 2)) * 10 ** (-random.uniform(10, 30) / 20)
        whole = (noise * level / noise.std()).astype(numpy.float32)
        at = random.integers(0, length - len(sound) + 1)
        whole[at:at + len(sound)] += sound
        whole *= 10 ** (random.uniform(-6, 6) / 20)
        frames = numpy.lib.stride_tricks.sliding_window_view(whole, WINDOW)[::HOP] * taper
        power = numpy.abs(numpy.fft.rfft(frames, 1024)) ** 2
        out[i, 0] = numpy.log10(power @ filters.T + 1e-6)
    # Steps of 1/64 are less than a tenth of a decibel apart, and compress well.
    return numpy.round(out * 64 / 4) / 64 + 0.25


class ConvNorm(nn.Sequential):
    def __init__(self, inputs, outputs, kernel, *, groups=1, stride=1, act=nn.Hardswish):
        super().__init__(
            nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False),
            nn.BatchNorm2d(outputs), *([act()] if act else []))


class SqueezeExcite(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.fc1 = nn.Conv2d(width, max(8, width // 4), 1)
        self.relu = nn.ReLU()
        self.fc2 = nn.Conv2d(max(8, width // 4), width, 1)
        self.gate = nn.Hardsigmoid()

    def forward(self, x):
        scale = x.mean((2, 3), keepdim=True)
        return x * self.gate(self.fc2(self.relu(self.fc1(scale))))


class Block(nn.Module):
    def __init__(self, inputs, inner, outputs, *, kernel=3, stride=1, squeeze=False, act=nn.ReLU):
        super().__init__()
        self.expand = ConvNorm(inputs, inner, 1, act=act)
        self.depth = ConvNorm(inner, inner, kernel, groups=inner, stride=stride, act=act)
        self.squeeze = SqueezeExcite(inner) if squeeze else None
        self.project = ConvNorm(inner, outputs, 1, act=None)
        self.residual = stride == 1 and inputs == outputs

    def forward(self, x):
        y = self.depth(self.expand(x))
        y = self.project(self.squeeze(y) if self.squeeze is not None else y)
        return x + y if self.residual else y


class Words(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            ConvNorm(1, 16, 3, stride=2),
            Block(16, 32, 16, squeeze=True),
            Block(16, 64, 24, stride=2),
            Block(24, 72, 24),
            Block(24, 96, 40, kernel=5, stride=2, squeeze=True, act=nn.Hardswish),
            Block(40, 120, 40, kernel=5, squeeze=True, act=nn.Hardswish),
            ConvNorm(40, 96, 1))
        self.classifier = nn.Sequential(nn.Linear(96, 64), nn.Hardswish(),
                                        nn.Linear(64, len(WORDS)))

    def forward(self, x):
        return self.classifier(self.features(x).mean((2, 3)))


def accuracy(model, inputs, labels):
    with torch.no_grad():
        return float((model.eval()(inputs).argmax(1) == labels).float().mean())


def train(sounds, labels, epochs, random):
    model = Words()
    labels = torch.from_numpy(labels)
    rate = torch.optim.AdamW(model.parameters(), lr=4e-3, weight_decay=0.02)
    steps = torch.optim.lr_scheduler.CosineAnnealingLR(rate, epochs)
    for _ in range(epochs):
        model.train()
        inputs = torch.from_numpy(features(sounds, random))
        for part in torch.randperm(len(labels)).split(64):
            rate.zero_grad()
            nn.functional.cross_entropy(model(inputs[part]), labels[part]).backward()
            rate.step()
        steps.step()
    return model.eval()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(__file__).parent)
    parser.add_argument("--epochs", type=int, default=14)
    arguments = parser.parse_args()
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    random = numpy.random.default_rng(SEED)
    model = train(*clips(VOICES, (130, 160, 190), (30, 50, 70)), arguments.epochs, random)
    sounds, labels = clips(OTHER_VOICES, (145, 175), (40, 60))
    order = random.permutation(len(labels))
    inputs = features([sounds[i] for i in order], random)
    labels = torch.from_numpy(labels[order])
    right = accuracy(model, torch.from_numpy(inputs), labels)
    print(f"accuracy on {len(labels)} words of other voices: {right:.4f}")
    torch.onnx.export(
        model, torch.zeros(1, 1, FRAMES, BANDS), arguments.out / "words.onnx", opset_version=OPSET,
        input_names=["sound"], output_names=["logits"], do_constant_folding=False,
        training=torch.onnx.TrainingMode.PRESERVE,
        dynamic_axes={"sound": {0: "N"}, "logits": {0: "N"}})
    numpy.savez_compressed(arguments.out / "sounds.npz", sound=inputs)
    (arguments.out / "labels.txt").write_text("".join(f"{k}\n" for k in labels.tolist()))


if __name__ == "__main__":
    main()
