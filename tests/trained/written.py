"""Lines of text as images: words of Debian's licences in Debian's DejaVu fonts."""

import pathlib
import re

import numpy
import PIL.Image
import PIL.ImageDraw
import PIL.ImageFont

FONTS = [pathlib.Path("/usr/share/fonts/truetype/dejavu") / f"DejaVu{name}.ttf"
         for name in ("Sans", "Serif", "SansMono", "Sans-Bold", "Serif-Bold")]


def words():
    text = pathlib.Path("/usr/share/common-licenses/GPL-3").read_text()
    return re.findall(r"[A-Za-z0-9,.;'()-]+", text)


def phrase(every, random, letters):
    """Words that follow each other and have about so many letters."""
    at = int(random.integers(0, len(every) - 40))
    out = every[at]
    while len(out) + 1 + len(every[at + 1]) <= letters:
        at += 1
        out += " " + every[at]
    return out


def line(text, random, height=48):
    """An image of one line: paper, ink, a little noise."""
    font = PIL.ImageFont.truetype(str(FONTS[int(random.integers(len(FONTS)))]), 34)
    left, top, right, bottom = font.getbbox(text)
    paper = tuple(int(v) for v in random.integers(190, 256, 3))
    ink = tuple(int(v) for v in random.integers(0, 90, 3))
    image = PIL.Image.new("RGB", (right - left + 16, 48), paper)
    PIL.ImageDraw.Draw(image).text((8 - left, (48 - bottom - top) // 2), text, ink, font)
    image = image.resize((max(1, image.width * height // 48), height), PIL.Image.BILINEAR)
    pixels = numpy.asarray(image, numpy.float32) + random.normal(0, 6, (height, image.width, 3))
    return numpy.clip(pixels, 0, 255)


def blurred(pixels, random):
    """Looks like a small picture: made three to five times smaller and large again, with more noise."""
    height, width = pixels.shape[:2]
    factor = random.uniform(3, 5)
    image = PIL.Image.fromarray(pixels.astype(numpy.uint8))
    image = image.resize((round(width / factor), round(height / factor)), PIL.Image.BILINEAR)
    pixels = numpy.asarray(image.resize((width, height), PIL.Image.BILINEAR), numpy.float32)
    return numpy.clip(pixels + random.normal(0, 16, pixels.shape), 0, 255)


def elements(pixels):
    """Pixels as the networks take them: blue first, from -1 to 1, channels outermost."""
    return (pixels[:, :, ::-1].transpose(2, 0, 1) / 127.5 - 1).astype(numpy.float32)


def padded(pixels, width):
    """Squeezed into the width where it is longer, and padded with zeros where it is shorter."""
    if pixels.shape[1] > width:
        image = PIL.Image.fromarray(pixels.astype(numpy.uint8))
        pixels = numpy.asarray(image.resize((width, pixels.shape[0]), PIL.Image.BILINEAR))
    out = numpy.zeros((3, pixels.shape[0], width), numpy.float32)
    out[:, :, :pixels.shape[1]] = elements(numpy.asarray(pixels, numpy.float32))
    return out
