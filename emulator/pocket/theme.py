"""Colours by role, light and dark, in the manner of Material 3; and the measures all screens share (dp)."""

from __future__ import annotations

from emulator.pocket.views import Color

Rgb = tuple[int, int, int]

LIGHT: dict[str, Rgb] = {
    "background": (255, 255, 255),
    "surface": (250, 250, 253),
    "surface_high": (236, 238, 245),
    "card": (243, 244, 250),
    "text": (27, 27, 31),
    "text_dim": (90, 92, 101),
    "text_faint": (130, 133, 142),
    "primary": (26, 93, 204),
    "on_primary": (255, 255, 255),
    "primary_soft": (214, 227, 255),
    "on_primary_soft": (0, 27, 62),
    "accent": (0, 121, 107),
    "error": (186, 26, 26),
    "divider": (225, 226, 233),
    "outline": (160, 163, 174),
    "track": (198, 201, 212),
    "selection": (179, 208, 255),
    "scrim": (0, 0, 0),
    "key": (255, 255, 255),
    "key_special": (209, 213, 222),
    "keyboard": (231, 234, 240),
    "toast": (50, 51, 56),
    "on_toast": (240, 241, 246),
    "wall_top": (38, 86, 150),
    "wall_bottom": (156, 110, 168),
    "white": (255, 255, 255),
    "black": (0, 0, 0),
    "star": (245, 176, 20),
}
DARK: dict[str, Rgb] = LIGHT | {
    "background": (18, 19, 22),
    "surface": (24, 25, 29),
    "surface_high": (46, 48, 54),
    "card": (33, 35, 40),
    "text": (228, 229, 234),
    "text_dim": (172, 175, 184),
    "text_faint": (135, 138, 147),
    "primary": (160, 196, 255),
    "on_primary": (0, 40, 100),
    "primary_soft": (40, 66, 116),
    "on_primary_soft": (214, 227, 255),
    "accent": (110, 215, 200),
    "error": (255, 180, 171),
    "divider": (52, 54, 61),
    "outline": (112, 115, 125),
    "track": (74, 77, 86),
    "selection": (48, 82, 140),
    "key": (72, 75, 84),
    "key_special": (52, 55, 63),
    "keyboard": (34, 36, 42),
    "toast": (226, 227, 232),
    "on_toast": (38, 39, 44),
    "wall_top": (16, 30, 60),
    "wall_bottom": (50, 34, 66),
}
DIM = 0.4

STATUS_BAR = 24.0
NAVIGATION_BAR = 48.0
TOOLBAR = 56.0
KEYBOARD_ROW = 50.0
EDGE = 16.0


class Theme:
    """A palette: role or (r, g, b) -> (r, g, b). `dimmed` is the same behind a dialog."""

    def __init__(self, dark: bool = False) -> None:
        self.dark = dark
        self.colors = DARK if dark else LIGHT
        self.dimmed = {name: dim(rgb) for name, rgb in self.colors.items()}

    def rgb(self, color: Color, dimmed: bool = False) -> Rgb:
        """The colour to draw with; KeyError for a role the theme does not have."""
        if isinstance(color, str):
            return (self.dimmed if dimmed else self.colors)[color]
        return dim(color) if dimmed else color


def dim(rgb: Rgb) -> Rgb:
    """A colour under a dialog's scrim (40 % of its light is left, as with Android's default dim amount)."""
    return int(rgb[0] * DIM), int(rgb[1] * DIM), int(rgb[2] * DIM)
