"""Bigger parts of screens: page, tool bar, tabs, bottom bar, drawer, dialogs, menus."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from emulator.pocket.views import FILL, WRAP, Action, Color, View
from emulator.pocket.widgets import (
    FRAME,
    IMAGE_VIEW,
    LINEAR,
    TEXT_VIEW,
    VIEW_GROUP,
    button,
    column,
    icon_button,
    list_row,
    radio,
    row,
    scroll,
    stack,
    text,
    text_field,
)

Choice = tuple[str, Action]


def page(*parts: View, fab: View | None = None, bottom: View | None = None, background: Color = "background") -> View:
    """A whole screen: parts below each other (give one `weight=1`), a FAB in the corner, a bar at the bottom."""
    body = column(*parts, height=FILL, weight=1, background=background)
    if fab is not None:
        body.weight = 0
        corner = column(fab, width=FILL, height=FILL, align="end", justify="end", padding=(16, 16, 16, 16))
        body = stack(body, corner, height=FILL, weight=1)
    if bottom is None:
        return body
    return column(body, bottom, height=FILL)


def toolbar(
    title: str, back: Action | None = None, actions: Sequence[View] = (), subtitle: str = "",
    menu: Action | None = None, navigation: tuple[str, str, Action] | None = None, color: Color = "background",
    on_title: Action | None = None, back_desc: str = "Navigate up",
) -> View:  # fmt: skip
    """The bar at the top. `back` shows an arrow, `navigation` (icon, description, action) anything else there;
    `menu` shows the three dots ("More options")."""
    if back is not None:
        navigation = ("back", back_desc, back)
    lead = [icon_button(*navigation, color="text")] if navigation is not None else []
    names = [text(title, size=20, lines=1, width=FILL, id="toolbar_title", on_tap=on_title)]
    if subtitle:
        names.append(text(subtitle, size=13, color="text_dim", lines=1, width=FILL))
    tail = list(actions)
    if menu is not None:
        tail.append(icon_button("more", "More options", menu))
    middle = column(*names, weight=1, padding=(4 if lead else 16, 0, 4, 0), justify="center")
    bar = row(*lead, middle, *tail, height=56, background=color, padding=(4, 0, 4, 0), id="toolbar")
    bar.cls = VIEW_GROUP
    return bar


def search_bar(key: str, value: str, on_text: Callable[[str], object], back: Action, hint: str = "Search",
               on_submit: Action | None = None) -> View:  # fmt: skip
    """A tool bar that is a search field."""
    parts = [
        icon_button("back", "Navigate up", back, color="text"),
        text_field(key, value, on_text, hint=hint, weight=1, framed=False, id="search_src_text", on_submit=on_submit),
    ]
    if value:
        parts.append(icon_button("close", "Clear query", lambda: on_text("")))
    return row(*parts, height=56, padding=(4, 0, 4, 0))


def tabs(labels: Sequence[str], selected: int, on_select: Callable[[int], object]) -> View:
    """Tabs across the top."""
    views = [
        View(
            LINEAR, kind="stack", align="center", justify="center", weight=1, height=48, selected=i == selected,
            paint="tab", desc=label, on_tap=_bound(on_select, i), children=[text(
                label, size=14, bold=1, color="primary" if i == selected else "text_dim")],
        )
        for i, label in enumerate(labels)
    ]  # fmt: skip
    return row(*views, height=48, id="tabs")


def bottom_bar(items: Sequence[tuple[str, str]], selected: int, on_select: Callable[[int], object]) -> View:
    """The bar of places at the bottom: (icon, label) each."""
    views = []
    for i, (name, label) in enumerate(items):
        color: Color = "primary" if i == selected else "text_dim"
        mark = View(IMAGE_VIEW, icon=name, icon_size=22, color=color, width=56, height=30, radius=15)
        mark.background = "primary_soft" if i == selected else None
        entry = column(mark, text(label, size=12, bold=1, color=color, lines=1), align="center", justify="center",
                       weight=1, height=FILL, on_tap=_bound(on_select, i), gap=2)  # fmt: skip
        entry.cls, entry.selected, entry.desc = FRAME, i == selected, label
        views.append(entry)
    return row(*views, height=64, background="surface_high", id="bottom_navigation")


def _bound(handler: Callable[[int], object], index: int) -> Action:
    return lambda: handler(index)


def dialog(title: str, *body: View, buttons: Sequence[Choice] = (), message: str = "") -> View:
    """A dialog in the middle: title, message or views, text buttons (the last one is the main one)."""
    parts: list[View] = []
    if title:
        parts.append(text(title, size=20, bold=1, padding=(24, 22, 24, 8), width=FILL, id="alertTitle"))
    if message:
        parts.append(text(message, color="text_dim", padding=(24, 8, 24, 8), width=FILL, id="android:id/message"))
    if body:
        parts.append(View(LINEAR, kind="column", children=list(body), width=FILL, padding=(12, 4, 12, 4)))
    if buttons:
        made = [button(label, action, style="text") for label, action in buttons]
        parts.append(row(*made, justify="end", padding=(12, 8, 12, 12), gap=4))
    return View(FRAME, kind="column", children=parts, width=FILL, background="surface", radius=24, padding=(0, 4, 0, 4))


def choice_dialog(
    title: str,
    options: Sequence[str],
    selected: int,
    on_select: Callable[[int], object],
    buttons: Sequence[Choice] = (),
) -> View:
    """A dialog with radio buttons; it scrolls when there are many."""
    rows = [radio(i == selected, _bound(on_select, i), label=option) for i, option in enumerate(options)]
    return dialog(title, _scrolling(rows), buttons=buttons)


def list_dialog(title: str, options: Sequence[str], on_select: Callable[[int], object]) -> View:
    """A dialog with plain rows to choose from."""
    rows = [list_row(option, on_tap=_bound(on_select, i)) for i, option in enumerate(options)]
    return dialog(title, _scrolling(rows))


def _scrolling(rows: Sequence[View]) -> View:
    if len(rows) <= 8:
        return column(*rows)
    return View(
        "android.widget.ListView", kind="column", scroll="y", key="dialog_list", width=FILL, height=400,
        children=list(rows),
    )  # fmt: skip


def menu(items: Sequence[Choice], anchor: str = "top_end") -> View:
    """The overflow menu: a small list in the top right corner."""
    rows = [
        View(
            LINEAR, kind="row", width=FILL, height=48, padding=(16, 0, 24, 0), align="center", on_tap=action,
            children=[View(TEXT_VIEW, text=label, id="title", width=WRAP, max_lines=1)],
        )
        for label, action in items
    ]  # fmt: skip
    return View(
        "android.widget.ListView", kind="column", children=rows, width=230, background="surface_high", radius=8,
        padding=(0, 8, 0, 8), anchor="top" if anchor == "top" else "top_end",
    )  # fmt: skip


def bottom_sheet(*parts: View) -> View:
    """A sheet that covers the lower part of the screen."""
    return View(
        FRAME, kind="column", children=list(parts), width=FILL, background="surface", radius=24,
        padding=(0, 16, 0, 24), anchor="bottom",
    )  # fmt: skip


def drawer(
    title: str, items: Sequence[tuple[str, str, Action]], selected: str = "", subtitle: str = "",
    color: Color = "primary", on_color: Color = "on_primary",
) -> View:  # fmt: skip
    """The navigation drawer at the left edge: a coloured head, then (icon, label, action) each; "" is a divider."""
    names = [text(title, size=20, bold=1, color=on_color, width=FILL)]
    if subtitle:
        names.append(text(subtitle, size=13, color=on_color, width=FILL))
    head = column(*names, height=120, background=color, padding=(20, 16, 16, 16), gap=4, justify="end")
    rows: list[View] = []
    for name, label, action in items:
        if not label:
            rows.append(View("android.view.View", width=FILL, height=1, background="divider"))
            continue
        row_ = list_row(label, on_tap=action, icon_name=name, selected=label == selected, height=52)
        rows.append(row_)
    made = column(head, scroll(*rows, key="panel"), width=300, height=FILL, background="surface", id="navigation_view")
    made.anchor, made.desc = "start", "Navigation menu"
    return made
