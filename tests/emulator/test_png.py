"""Pictures: cut out of the stream, checked, looked at for blackness."""

from __future__ import annotations

from io import BytesIO

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from emulator import png
from emulator.device_errors import ScreenshotFailed


def picture(pixels: np.ndarray, **options: object) -> bytes:
    data = BytesIO()
    Image.fromarray(pixels).save(data, "PNG", **options)
    return data.getvalue()


def noise(height: int = 60, width: int = 40, channels: int = 3) -> np.ndarray:
    return np.random.default_rng(0).integers(0, 255, (height, width, channels), dtype=np.uint8)


def test_cut_from_signature_to_end() -> None:
    whole = picture(noise())
    assert png.cut(b"[Warning] Multiple displays were found\n" + whole + b"\r\ntrailing words") == whole
    assert png.size(whole) == (40, 60)


@pytest.mark.parametrize("keep", [0, 4, 8, 20, 33, 100, -20, -12, -4, -1])
def test_what_is_cut_off_is_no_picture(keep: int) -> None:
    whole = picture(noise())
    with pytest.raises(ScreenshotFailed):
        png.cut(whole[:keep])


def test_a_flipped_bit_is_noticed() -> None:
    whole = bytearray(picture(noise()))
    whole[len(whole) // 2] ^= 1
    with pytest.raises(ScreenshotFailed, match="broken at byte"):
        png.cut(bytes(whole))


@pytest.mark.parametrize("said", [b"", b"Failed", b"Failed to create /sdcard/x.png", b"error: closed"])
def test_words_instead_of_a_picture_are_quoted(said: bytes) -> None:
    with pytest.raises(ScreenshotFailed) as caught:
        png.screenshot(said)
    assert said.decode() in str(caught.value)


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(["RGB", "RGBA", "L", "LA", "P", "1"]),
    st.integers(0, 59),
    st.integers(0, 39),
    st.booleans(),
    st.sampled_from([0, 1, 9]),
)
def test_black_is_what_decoding_says(mode: str, row: int, column: int, blank: bool, level: int) -> None:
    pixels = np.zeros((60, 40, 3), np.uint8)
    if not blank:
        pixels[row, column] = 255
    data = BytesIO()
    Image.fromarray(pixels).convert(mode).save(data, "PNG", compress_level=level)
    decoded = np.asarray(Image.open(data).convert("RGB"))
    edge = int(60 * png.BARS)
    assert png.is_black(data.getvalue()) == (not decoded[edge : 60 - edge].any())


def test_bars_of_the_system_do_not_count() -> None:
    pixels = np.zeros((200, 40, 3), np.uint8)
    pixels[:10], pixels[-8:] = 200, 200
    assert png.is_black(picture(pixels))
    pixels[100, 39] = 1
    assert not png.is_black(picture(pixels))
