"""Speech from Debian's espeak-ng at 16 kHz, and noise."""

import io
import subprocess
import wave

import numpy
import scipy.signal

RATE = 16000


def speak(text, voice, speed=160, pitch=50):
    """The speech of espeak-ng, from the first sample to the last that can be heard."""
    made = subprocess.run(["espeak-ng", "-v", voice, "-s", str(speed), "-p", str(pitch), "--stdout",
                           text], check=True, capture_output=True).stdout
    with wave.open(io.BytesIO(made)) as file:
        if file.getframerate() != 22050:
            raise SystemExit(f"espeak-ng speaks at {file.getframerate()} Hz, not 22050")
        sound = numpy.frombuffer(file.readframes(1 << 30), numpy.int16) / 32768
    sound = scipy.signal.resample_poly(sound, 320, 441)
    loud = numpy.flatnonzero(numpy.abs(sound) > 0.01)
    return sound[loud[0]:loud[-1] + 1].astype(numpy.float32)


def noise(length, random):
    """White, or louder the lower it is; its level is 1."""
    made = random.normal(size=length)
    if random.random() < 0.5:
        made = numpy.convolve(made, numpy.exp(-numpy.arange(64) / 12), "same")
    return (made / made.std()).astype(numpy.float32)


def in_noise(sound, length, at, below_db, random):
    """The sound from `at` on, in noise that is `below_db` below it."""
    level = numpy.sqrt(numpy.mean(sound ** 2)) * 10 ** (-below_db / 20)
    whole = noise(length, random) * level
    part = sound[:length - at]
    whole[at:at + len(part)] += part
    return whole.astype(numpy.float32)
