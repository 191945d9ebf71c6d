import numpy

import sound

WHAT = "voice activity, convolutions and an LSTM"
SOURCE = "silero_vad_16k_sequence.onnx of silero-vad 6.2.3 (pip); MIT, LICENSE in the package"
FRAMES = 96  # of 512 samples each, 3 s together; each comes with the 64 samples before it
SIZES = ["--dim", f"sequence_length={FRAMES}"]
CALIBRATE, HELD_OUT = 16, 32
MEASURE = "frames told apart, %"

SENTENCES = ("the quick brown fox jumps over the lazy dog", "please open the window",
             "what time is it now", "one two three four five", "turn left at the next corner",
             "free software is a matter of liberty", "the train leaves at seven", "good morning")
VOICES = ("en+m1", "en+f1", "en-us+m3", "en-us+f2", "en-gb-scotland", "en-gb-x-rp+f4")


def model(at):
    return at.packages / "silero_vad/data/silero_vad_16k_sequence.onnx"


def samples(at):
    random = numpy.random.default_rng(1)
    frames, truth = [], []
    length = 512 * FRAMES
    for i in range(CALIBRATE + HELD_OUT):
        said = sound.speak(SENTENCES[i % 8], VOICES[i % 6], 140 + 10 * (i % 5), 40 + 5 * (i % 4))
        begin = int(random.integers(8000, length - min(len(said), length - 12000)))
        whole = sound.in_noise(said, length, begin, random.uniform(5, 25), random)
        end = min(length, begin + len(said))
        padded = numpy.concatenate([numpy.zeros(64, numpy.float32), whole])
        frames.append(numpy.stack([padded[512 * k:512 * k + 576] for k in range(FRAMES)]))
        middle = 512 * numpy.arange(FRAMES) + 256
        truth.append((middle >= begin) & (middle < end))
    zeros = numpy.zeros((len(frames), 1, 128), numpy.float32)
    return ({"input": numpy.concatenate(frames), "h": zeros, "c": zeros},
            {"speech": numpy.stack(truth)})


def quality(answers, truth, at):
    right = [(answer["speech_probs"].ravel() > 0.5) == speech
             for answer, speech in zip(answers, truth["speech"])]
    return 100 * float(numpy.mean(right))
