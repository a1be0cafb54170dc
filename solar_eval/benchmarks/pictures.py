"""Screenshots on disk: their bytes when somebody needs them, their size without decoding them."""

from __future__ import annotations

from pathlib import Path

from solar_eval.dialects.frames import Size
from solar_eval.errors import DataError


def read_picture(path: Path) -> bytes:
    """The file's bytes. Raises DataError naming it."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise DataError(f"the screenshot can't be read ({error.strerror or error})", str(path)) from error


def picture_size(path: Path) -> Size:
    """Width, height from the file's header. Raises DataError if it is no picture."""
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(path) as opened:
            return opened.size
    except FileNotFoundError:
        raise DataError("the screenshot is missing", str(path)) from None
    except (OSError, UnidentifiedImageError, Image.DecompressionBombError) as error:
        raise DataError(f"the screenshot can't be read ({type(error).__name__})", str(path)) from error
