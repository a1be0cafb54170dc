"""A screenshot on its way to a model: decoded, resized by the dialect's rule, encoded, as a data URL.

The size that is sent is the size that coordinates refer to (`Frame.image`), so the resizing is done here and
never left to a server: processors of the Qwen family leave a picture alone whose sides already are multiples
of their factor and within their pixel budget. Resampling is bicubic, the filter of the Qwen2-VL/2.5-VL image
processors (transformers `image_processing_qwen2_vl.py`). PNG is the default because it changes no pixel; JPEG
(quality 95) is for slow lines. A picture that already has the size and format goes out byte for byte.
"""

from __future__ import annotations

import base64
import hashlib
import io
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from solar_eval.dialects.frames import ResizeRule, Size
from solar_eval.errors import DataError

ImageFormat = Literal["png", "jpeg"]
MEDIA_TYPES: dict[ImageFormat, str] = {"png": "image/png", "jpeg": "image/jpeg"}
RESAMPLE = "bicubic"
JPEG_QUALITY = 95


@dataclass(frozen=True)
class Picture:
    """An encoded picture. `size`: width, height as sent; `original`: of the screenshot it was made from."""

    data: bytes
    media_type: str
    size: Size
    original: Size

    @cached_property
    def sha256(self) -> str:
        """Hash of the bytes that are sent."""
        return hashlib.sha256(self.data).hexdigest()

    def data_url(self) -> str:
        """The picture as a `data:` URL, the form every OpenAI-compatible server takes."""
        return f"data:{self.media_type};base64,{base64.b64encode(self.data).decode('ascii')}"


def prepare_picture(data: bytes, rule: ResizeRule, form: ImageFormat = "png") -> Picture:
    """Decodes PNG or JPEG bytes (or what else pillow reads), resizes by `rule`, encodes as `form`.

    Raises DataError for bytes that are no picture, are cut short, or are beyond pillow's decompression limit.
    """
    from PIL import Image, UnidentifiedImageError

    if not data:
        raise DataError("the picture is empty (0 bytes)")
    try:
        with Image.open(io.BytesIO(data)) as opened:
            found = (opened.format or "").lower()
            opened.load()
            size = rule.size(opened.size)
            if size == opened.size and found == form and opened.mode == "RGB":
                return Picture(data, MEDIA_TYPES[form], size, opened.size)
            rgb = opened.convert("RGB")
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise DataError(f"not a readable picture: {error}", fix="save the screenshot again as PNG or JPEG") from None
    resized = rgb if rgb.size == size else rgb.resize(size, Image.Resampling.BICUBIC)
    out = io.BytesIO()
    if form == "png":
        resized.save(out, "PNG", compress_level=1)
    else:
        resized.save(out, "JPEG", quality=JPEG_QUALITY)
    return Picture(out.getvalue(), MEDIA_TYPES[form], size, rgb.size)
