#!/usr/bin/env python3
"""Makes the images here and what Pillow and torchvision make of them.

    /usr/bin/python3 tests/data/images/make_images.py

NAME.rgb.npy is the image NAME decoded (height, width, 3); the others are named after what was
done. Only the standard library writes what Pillow cannot: 16-bit colour and interlacing.
"""
import os
import struct
import zlib

import numpy as np
from PIL import Image
from torchvision import transforms

HERE = os.path.dirname(os.path.abspath(__file__))


def path(name):
    return os.path.join(HERE, name)


def picture(width, height):
    """Slopes, waves and an edge: smooth enough for JPEG, with something in every pixel."""
    y, x = np.mgrid[0:height, 0:width].astype(float)
    red = 255 * x / (width - 1)
    green = 127 + 120 * np.sin(x / 3.1 + y / 4.7)
    blue = np.where(x + y > (width + height) / 2.2, 220, 30) - 25 * np.cos(y)
    return np.clip(np.stack([red, green, blue], -1), 0, 255).astype(np.uint8)


def write_png(name, rows_of_passes, width, height, depth, color, interlaced):
    def chunk(kind, data):
        return (struct.pack(">I", len(data)) + kind + data +
                struct.pack(">I", zlib.crc32(kind + data)))
    data = b"".join(b"\0" + row for rows in rows_of_passes for row in rows)
    head = struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, int(interlaced))
    with open(path(name), "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) +
                   chunk(b"IDAT", zlib.compress(data, 9)) + chunk(b"IEND", b""))


ADAM7 = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2),
         (0, 1, 1, 2)]  # x, y, steps of both


def make_small():
    small = picture(13, 9)
    image = Image.fromarray(small)
    image.save(path("color.jpg"), quality=85)
    image.save(path("progressive.jpg"), quality=85, progressive=True, subsampling=0)
    image.convert("L").save(path("grey.jpg"), quality=85)
    image.convert("CMYK").save(path("cmyk.jpg"), quality=85)
    image.save(path("color.png"))
    image.convert("P", palette=Image.Palette.ADAPTIVE, colors=16).save(
        path("palette.png"), transparency=3)
    alpha = Image.fromarray((small[:, :, 2] // 2).astype(np.uint8))
    grey_alpha = image.convert("LA")
    grey_alpha.putalpha(alpha)
    grey_alpha.save(path("grey_alpha.png"))
    rgba = image.convert("RGBA")
    rgba.putalpha(alpha)
    rgba.save(path("alpha.png"))
    image.convert("1").save(path("one_bit.png"))
    exif = Image.Exif()
    exif[0x0112] = 6  # turn by 90 degrees: to be ignored
    image.save(path("turned.jpg"), quality=85, exif=exif)

    deep = small.astype(np.uint16) * 256 + 200
    write_png("color16.png", [[row.astype(">u2").tobytes() for row in deep]], 13, 9, 16, 2, False)
    write_png("grey16.png", [[row[:, 1].astype(">u2").tobytes() for row in deep]], 13, 9, 16, 0,
              False)
    passes = [[row.tobytes() for row in small[y::dy, x::dx]] for x, y, dx, dy in ADAM7]
    write_png("interlaced.png", passes, 13, 9, 8, 2, True)

    for name in ("color.jpg", "progressive.jpg", "grey.jpg", "cmyk.jpg", "color.png",
                 "palette.png", "grey_alpha.png", "alpha.png", "one_bit.png", "turned.jpg",
                 "color16.png", "interlaced.png"):
        np.save(path(name + ".rgb.npy"), np.asarray(Image.open(path(name)).convert("RGB")))
    # Pillow cuts off where it should divide.
    grey = (deep[:, :, 1] >> 8).astype(np.uint8)
    np.save(path("grey16.png.rgb.npy"), np.stack([grey] * 3, -1))


def make_large():
    Image.fromarray(picture(61, 43)).save(path("large.png"))
    image = Image.open(path("large.png")).convert("RGB")
    for width, height in ((24, 17), (7, 50), (70, 5), (66, 44)):
        resized = np.asarray(image.resize((width, height), Image.Resampling.BILINEAR))
        # Only a corner of the largest is kept, to keep the file small.
        np.save(path(f"large_{width}x{height}.npy"), resized[:20, :20])

    imagenet = transforms.Compose([
        transforms.Resize(16), transforms.CenterCrop(14), transforms.ToTensor(),
        transforms.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])])
    np.save(path("large_imagenet14.npy"), imagenet(image)[None].numpy())
    # Short side 16 makes 22×16, which is too small for 24×12 on one side only.
    wider = transforms.Compose([transforms.Resize(16), transforms.CenterCrop((12, 24)),
                                transforms.PILToTensor()])
    np.save(path("large_short16_crop24x12.npy"), wider(image)[None].numpy())
    grey = transforms.Compose([transforms.Resize((10, 12)), transforms.ToTensor()])
    np.save(path("large_grey12x10.npy"), grey(image.convert("L"))[None].numpy())

    # Segment Anything's steps: the long side, then normalize, then zeros right and below.
    side = 16
    factor = side / max(image.size)
    width, height = (int(x * factor + 0.5) for x in image.size)
    resized = np.asarray(image.resize((width, height), Image.Resampling.BILINEAR)).astype(float)
    pixels = (resized - [123.675, 116.28, 103.53]) / [58.395, 57.12, 57.375]
    padded = np.zeros((1, 3, side, side), np.float32)
    padded[0, :, :height, :width] = pixels.transpose(2, 0, 1)
    np.save(path("large_sam16.npy"), padded)


make_small()
make_large()
