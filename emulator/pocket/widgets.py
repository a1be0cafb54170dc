"""Ready-made views in the look of Material 3, with Android's class names: what screens are put together from.

Every function returns a new `View`; `on_tap` and the like are plain callables. Bigger parts (tool bar, dialog,
menu, tabs, page) are in parts.py, dialogs that ask for a date, a time or a text in pickers.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from emulator.pocket.views import FILL, WRAP, Action, Color, Lazy, Picture, View

TEXT_VIEW = "android.widget.TextView"
IMAGE_VIEW = "android.widget.ImageView"
IMAGE_BUTTON = "android.widget.ImageButton"
BUTTON = "android.widget.Button"
EDIT_TEXT = "android.widget.EditText"
SWITCH = "android.widget.Switch"
CHECK_BOX = "android.widget.CheckBox"
RADIO_BUTTON = "android.widget.RadioButton"
SEEK_BAR = "android.widget.SeekBar"
PROGRESS_BAR = "android.widget.ProgressBar"
LINEAR = "android.widget.LinearLayout"
FRAME = "android.widget.FrameLayout"
RELATIVE = "android.widget.RelativeLayout"
VIEW_GROUP = "android.view.ViewGroup"
PLAIN = "android.view.View"
SCROLL_VIEW = "android.widget.ScrollView"
RECYCLER = "androidx.recyclerview.widget.RecyclerView"
Where = Literal["start", "center", "end"]
Padding = tuple[float, float, float, float]
AVATARS = ((66, 133, 244), (219, 68, 55), (15, 157, 88), (171, 71, 188), (0, 131, 143), (239, 108, 0), (93, 64, 55))


def column(
    *children: View, width: float = FILL, height: float = WRAP, weight: float = 0, padding: Padding = (0, 0, 0, 0),
    gap: float = 0, align: Where = "start", justify: Where = "start", background: Color | None = None,
    radius: float = 0, id: str = "", on_tap: Action | None = None,
) -> View:  # fmt: skip
    """Children below each other. `align` is across, `justify` along."""
    return View(
        LINEAR, children=list(children), kind="column", width=width, height=height, weight=weight, padding=padding,
        gap=gap, align=align, justify=justify, background=background, radius=radius, id=id, on_tap=on_tap,
    )  # fmt: skip


def row(
    *children: View, width: float = FILL, height: float = WRAP, weight: float = 0, padding: Padding = (0, 0, 0, 0),
    gap: float = 0, align: Where = "center", justify: Where = "start", background: Color | None = None,
    radius: float = 0, id: str = "", on_tap: Action | None = None,
) -> View:  # fmt: skip
    """Children beside each other; a child with `weight` takes what is left."""
    return View(
        LINEAR, children=list(children), kind="row", width=width, height=height, weight=weight, padding=padding,
        gap=gap, align=align, justify=justify, background=background, radius=radius, id=id, on_tap=on_tap,
    )  # fmt: skip


def stack(
    *children: View, width: float = FILL, height: float = WRAP, weight: float = 0, padding: Padding = (0, 0, 0, 0),
    align: Where = "start", justify: Where = "start", background: Color | None = None, radius: float = 0,
    on_tap: Action | None = None, desc: str = "", id: str = "",
) -> View:  # fmt: skip
    """Children on top of each other, the last one uppermost. `align` is across, `justify` up and down."""
    return View(
        FRAME, children=list(children), kind="stack", width=width, height=height, weight=weight, padding=padding,
        align=align, justify=justify, background=background, radius=radius, on_tap=on_tap, desc=desc, id=id,
    )  # fmt: skip


def scroll(*children: View, key: str = "scroll", padding: Padding = (0, 0, 0, 0), gap: float = 0, weight: float = 1,
           at_end: bool = False, id: str = "") -> View:  # fmt: skip
    """A column that scrolls; all children exist. `key` names its position; `at_end` starts at the bottom."""
    return View(
        SCROLL_VIEW, children=list(children), kind="column", scroll="y", key=key, width=FILL, height=FILL,
        weight=weight, padding=padding, gap=gap, start_at_end=at_end, id=id,
    )  # fmt: skip


def lazy_list(count: int, extent: float, build: Callable[[int], View], key: str = "list", id: str = "",
              padding: Padding = (0, 0, 0, 0)) -> View:  # fmt: skip
    """A scrolling list of `count` rows, `extent` dp high each, built only where they can be seen."""
    return View(
        RECYCLER, kind="column", scroll="y", key=key, width=FILL, height=FILL, weight=1, id=id, padding=padding,
        lazy=Lazy(count, extent, build),
    )  # fmt: skip


def spacer(height: float = 0, width: float = 0, weight: float = 0) -> View:
    """Empty room."""
    return View(PLAIN, width=width, height=height, weight=weight)


def divider() -> View:
    """A thin line across."""
    return View(PLAIN, width=FILL, height=1, background="divider")


def text(
    value: str, size: float = 16, color: Color = "text", bold: int = 0, lines: int = 0, id: str = "", desc: str = "",
    width: float = WRAP, weight: float = 0, align: Where = "start", padding: Padding = (0, 0, 0, 0),
    on_tap: Action | None = None, height: float = WRAP,
) -> View:  # fmt: skip
    """Text; `bold` 0 regular, 1 medium, 2 bold; `lines` > 0 cuts with an ellipsis."""
    return View(
        TEXT_VIEW, text=value, size=size, color=color, bold=bold, max_lines=lines, id=id, desc=desc, width=width,
        weight=weight, text_align=align, padding=padding, on_tap=on_tap, height=height,
    )  # fmt: skip


def icon(name: str, size: float = 24, color: Color = "text_dim", desc: str = "", id: str = "") -> View:
    """A picture from icons.py."""
    return View(IMAGE_VIEW, icon=name, icon_size=size, color=color, desc=desc, id=id, width=size, height=size)


def picture(image: Picture, width: float = FILL, height: float = WRAP, desc: str = "", weight: float = 0,
            on_tap: Action | None = None) -> View:  # fmt: skip
    """A bitmap, fitted into the given room."""
    return View(IMAGE_VIEW, picture=image, width=width, height=height, desc=desc, weight=weight, on_tap=on_tap)


def avatar(letter: str, seed: int = 0, size: float = 40) -> View:
    """A coloured disc with a letter."""
    return View(
        TEXT_VIEW, text=letter, background=AVATARS[seed % len(AVATARS)], radius=size / 2, width=size, height=size,
        size=size * 0.45, color="white", text_align="center",
    )  # fmt: skip


def badge(name: str, color: Color, size: float = 40) -> View:
    """An app's symbol on its disc."""
    symbol = icon(name, size * 0.52, "white")
    return stack(symbol, width=size, height=size, align="center", justify="center", background=color, radius=size / 2)


def icon_button(name: str, desc: str, on_tap: Action, color: Color = "text_dim", id: str = "",
                enabled: bool = True) -> View:  # fmt: skip
    """An icon of 48 x 48 dp to tap."""
    return View(
        IMAGE_BUTTON, icon=name, desc=desc, color=color, width=48, height=48, on_tap=on_tap, id=id, enabled=enabled
    )


def button(
    label: str, on_tap: Action, style: Literal["filled", "tonal", "text", "outlined"] = "filled", icon: str = "",
    width: float = WRAP, weight: float = 0, enabled: bool = True, id: str = "", desc: str = "",
) -> View:  # fmt: skip
    """A button with a label."""
    background: Color | None = {"filled": "primary", "tonal": "primary_soft", "outlined": "background"}.get(style)
    color: Color = {"filled": "on_primary", "tonal": "on_primary_soft"}.get(style, "primary")
    side = 12 if style == "text" else 22
    return View(
        BUTTON, text=label, desc=desc, on_tap=on_tap, background=background, color=color, radius=20, bold=1, size=14,
        padding=(side, 11, side, 11), height=40, width=width, weight=weight, text_align="center", enabled=enabled,
        border="outline" if style == "outlined" else None, icon=icon, icon_size=18, id=id, max_lines=1,
    )  # fmt: skip


def fab(name: str, desc: str, on_tap: Action, id: str = "fab", label: str = "") -> View:
    """The floating action button (page() puts it in its corner)."""
    return View(
        IMAGE_BUTTON if not label else BUTTON, icon=name, desc=desc, text=label, on_tap=on_tap, id=id, radius=16,
        background="primary_soft", color="on_primary_soft", width=WRAP if label else 56, height=56, bold=1, size=15,
        padding=(16, 16, 16, 16),
    )  # fmt: skip


def chip(label: str, on_tap: Action, selected: bool = False, icon: str = "") -> View:
    """A small rounded choice."""
    return View(
        BUTTON, text=label, on_tap=on_tap, selected=selected, checkable=True, checked=selected, icon=icon,
        icon_size=16, size=14, bold=1, radius=8, height=34, padding=(12, 8, 12, 8),
        background="primary_soft" if selected else "background", border="outline", max_lines=1,
        color="on_primary_soft" if selected else "text_dim",
    )  # fmt: skip


def switch(on: bool, on_tap: Action | None = None, id: str = "switch_widget", desc: str = "") -> View:
    """An on/off switch (its row usually takes the tap)."""
    return View(
        SWITCH, paint="switch", checkable=True, checked=on, width=52, height=32, on_tap=on_tap, id=id, desc=desc
    )


def checkbox(on: bool, on_tap: Action | None = None, label: str = "", id: str = "", desc: str = "") -> View:
    """A box to tick."""
    return View(
        CHECK_BOX, paint="checkbox", checkable=True, checked=on, text=label, padding=(32, 0, 0, 0), desc=desc, id=id,
        width=WRAP if label else 32, height=40, on_tap=on_tap,
    )  # fmt: skip


def radio(on: bool, on_tap: Action | None = None, label: str = "", id: str = "", width: float = FILL) -> View:
    """One of several choices."""
    return View(
        RADIO_BUTTON, paint="radio", checkable=True, checked=on, text=label, padding=(36, 0, 8, 0), on_tap=on_tap,
        width=width if label else 32, height=48, id=id,
    )  # fmt: skip


def slider(value: float, on_slide: Callable[[float], object], desc: str = "", id: str = "seekbar") -> View:
    """A seek bar from 0 to 1; a tap or a swipe on it calls `on_slide(fraction)`."""
    return View(
        SEEK_BAR, paint="slider", value=value, on_slide=on_slide, desc=desc, id=id, width=FILL, height=48,
        padding=(16, 0, 16, 0),
    )  # fmt: skip


def progress(value: float, height: float = 4) -> View:
    """A bar of how far something is, 0 to 1."""
    return View(PROGRESS_BAR, paint="progress", value=value, width=FILL, height=height)


def text_field(
    key: str, value: str, on_text: Callable[[str], object], hint: str = "", size: float = 16, multiline: bool = False,
    password: bool = False, numeric: bool = False, on_submit: Action | None = None, id: str = "", desc: str = "",
    width: float = FILL, height: float = WRAP, weight: float = 0, framed: bool = True, cls: str = EDIT_TEXT,
    label: str = "",
) -> View:  # fmt: skip
    """A field to type in. `key` tells it from the others of the screen; `framed=False` draws no line below.

    `on_text` gets the whole new text. ENTER calls `on_submit` in a single line, starts a new line in `multiline`.
    """
    edit = View(
        cls, text=value, hint=hint, key=key, on_text=on_text, size=size, multiline=multiline, password=password,
        numeric=numeric, on_submit=on_submit, id=id or key, desc=desc, width=width, height=height, editable=True,
        weight=weight, paint="underline" if framed else "", padding=(4, 12, 4, 12) if framed else (0, 4, 0, 4),
    )  # fmt: skip
    if not label:
        return edit
    return column(text(label, size=12, color="text_dim", padding=(4, 0, 0, 0)), edit, width=width, weight=weight)


def list_row(
    title: str, summary: str = "", on_tap: Action | None = None, icon_name: str = "", leading: View | None = None,
    trailing: Sequence[View] = (), on_long: Action | None = None, height: float = WRAP, selected: bool = False,
    title_id: str = "title", summary_id: str = "summary", lines: int = 1, summary_lines: int = 2, id: str = "",
    desc: str = "", icon_color: Color = "text_dim",
) -> View:  # fmt: skip
    """Icon, title over summary, something at the end: the row that most lists are made of."""
    texts = [text(title, id=title_id, lines=lines, width=FILL)]
    if summary:
        texts.append(text(summary, size=14, color="text_dim", id=summary_id, lines=summary_lines, width=FILL))
    parts = [column(*texts, weight=1, gap=2, justify="center"), *trailing]
    if icon_name:
        parts.insert(0, icon(icon_name, color=icon_color, id="icon"))
    elif leading is not None:
        parts.insert(0, leading)
    made = row(*parts, padding=(16, 10, 16, 10), gap=16, height=height, on_tap=on_tap, id=id)
    made.on_long, made.selected, made.desc = on_long, selected, desc
    made.background = "primary_soft" if selected else None
    if height == WRAP and not summary:
        made.padding = (16, 16, 16, 16)
    return made


def switch_row(title: str, on: bool, on_tap: Action, summary: str = "", icon_name: str = "") -> View:
    """A row with a switch; a tap anywhere on the row toggles."""
    return list_row(title, summary, on_tap, icon_name, trailing=[switch(on)])


def header(label: str) -> View:
    """A small coloured heading between rows."""
    return text(label, size=14, bold=1, color="primary", padding=(16, 18, 16, 6), width=FILL, id="header")


def empty(message: str, icon_name: str = "") -> View:
    """What a list says when there is nothing in it."""
    parts = [text(message, color="text_dim", align="center", padding=(32, 8, 32, 8), width=FILL, id="empty")]
    if icon_name:
        parts.insert(0, icon(icon_name, size=64, color="track"))
    return column(*parts, height=FILL, weight=1, align="center", justify="center")
