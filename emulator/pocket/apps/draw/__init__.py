"""Simple Draw Pro: a white canvas, brush, eraser, eyedropper, colours; saved as PNG, JPG or SVG through Files' picker.

AndroidWorld (android_world_apps.md section 20) looks for the file in Pictures. As in the real app since Android 10,
"Save as" asks for name and kind, then the system's picker for the folder. Ids and words:
SimpleMobileTools/Simple-Draw@021f58e res/layout/activity_main.xml, res/menu/menu.xml. Left out: bucket fill, printing,
settings.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import ClassVar

from emulator.pocket import images
from emulator.pocket.app import App, Screen
from emulator.pocket.apps.draw.canvas import (
    EXTENSIONS,
    Drawing,
    Point,
    Rgb,
    Stroke,
    color_at,
    color_name,
    color_of,
    encoded,
)
from emulator.pocket.documents import document_path, document_uri
from emulator.pocket.intents import CREATE_DOCUMENT, EDIT, GET_CONTENT, SEND, ActivityNotFound, Intent, IntentFilter
from emulator.pocket.mime import mime_type
from emulator.pocket.parts import Choice, dialog, menu, page, toolbar
from emulator.pocket.theme import NAVIGATION_BAR, STATUS_BAR, TOOLBAR
from emulator.pocket.views import FILL, Action, View
from emulator.pocket.widgets import IMAGE_VIEW, column, icon_button, picture, radio, row, slider, spacer, stack, text

PACKAGE = "com.simplemobiletools.draw.pro"
MAIN = f"{PACKAGE}.activities.MainActivity"
PALETTE = (
    "#000000", "#757575", "#BDBDBD", "#FFFFFF", "#795548", "#F44336", "#E91E63", "#9C27B0", "#3F51B5", "#2196F3",
    "#00BCD4", "#009688", "#4CAF50", "#8BC34A", "#CDDC39", "#FFEB3B", "#FFC107", "#FF9800", "#FF5722", "#607D8B",
)  # fmt: skip
WHITE: Rgb = (255, 255, 255)
WIDEST = 40.0  # dp of the brush at its largest
UNSAVED = "You have unsaved changes. Save before exiting?"
STREAM = "android.intent.extra.STREAM"


@dataclass
class Draw(Screen):
    """The canvas. `undone` strokes wait for redo; `tool` is brush, eraser or dropper; `below` a picture's path."""

    activity: ClassVar[str] = MAIN

    strokes: list[Stroke] = field(default_factory=list)
    undone: list[Stroke] = field(default_factory=list)
    ground_color: Rgb = WHITE
    color: Rgb = (0, 0, 0)
    brush: float = 0.5
    tool: str = "brush"
    below: str = ""
    saved: int = 0
    name: str = ""
    extension: str = "png"
    hex: str = ""
    leaving: bool = False

    def build(self) -> View:
        """Bar, canvas, the tools on it."""
        actions = [icon_button("save", "Save", self.ask_save, id="menu_save"),
                   icon_button("share", "Share", self.share, id="menu_share")]  # fmt: skip
        bar = toolbar("Simple Draw", actions=actions, menu=partial(self.open, "menu"))
        lines = [(s.points, s.color, s.wide) for s in self.strokes]
        canvas = View(width=FILL, height=FILL, strokes=lines, id="my_canvas", background=self.ground_color)
        layers = [canvas]
        shown = images.picture(self._below())
        if shown is not None:
            canvas.background = None
            layers = [View(width=FILL, height=FILL, background=self.ground_color), picture(shown, height=FILL), canvas]
        holder = stack(*layers, self._tools(), height=FILL, weight=1, id="main_holder")
        holder.on_stroke = self.draw
        return page(bar, holder)

    def _tools(self) -> View:
        undo = self._tool("undo", "Undo", self.undo, "undo") if self.strokes else spacer(width=48)
        redo = self._tool("redo", "Redo", self.redo, "redo") if self.undone else spacer(width=48)
        mark = View(IMAGE_VIEW, width=28, height=28, radius=14, background=self.color, border="outline")
        pick = stack(mark, width=48, height=48, align="center", justify="center", desc="Change color",
                     on_tap=partial(self.ask_color, "color"), id="color_picker")  # fmt: skip
        top = row(
            undo, redo, spacer(weight=1), self._tool("eraser", "Eraser", partial(self.use, "eraser"), "eraser"),
            self._tool("colorize", "Eyedropper", partial(self.use, "dropper"), "eye_dropper"), pick,
            padding=(4, 4, 4, 0),
        )  # fmt: skip
        wide = max(self.wide, 2)
        dot = View(IMAGE_VIEW, width=wide, height=wide, radius=wide / 2, background=self.color, border="outline")
        dot_place = stack(dot, width=48, height=48, align="center", justify="center", id="stroke_width_preview")
        bar = column(slider(self.brush, self.set_brush, id="stroke_width_bar"), width=240)
        below = column(dot_place, bar, align="center", padding=(0, 0, 0, 12), width=FILL)
        return column(top, spacer(weight=1), below, height=FILL)

    def _tool(self, name: str, desc: str, action: Action, id: str) -> View:
        on = {"eraser": "Eraser", "dropper": "Eyedropper"}.get(self.tool) == desc
        made = icon_button(SYMBOLS.get(name, name), desc, action, color=(25, 90, 200) if on else (70, 70, 76), id=id)
        made.selected = on
        return made

    @property
    def wide(self) -> float:
        """Width of the brush, dp."""
        return round(self.brush * WIDEST, 1)

    def _below(self) -> bytes:
        return self.phone.fs.read(self.below) if self.below and self.phone.fs.isfile(self.below) else b""

    # dialogs

    def overlay(self) -> View | None:
        """Menu, saving, colours, leaving."""
        if self.opened == "menu":
            return menu([("Open file", self.ask_file), ("Change background", partial(self.ask_color, "ground_color")),
                         ("Clear", self.clear)])  # fmt: skip
        if self.opened == "save":
            return self._save_dialog()
        if self.opened in {"color", "ground_color"}:
            return self._color_dialog()
        if self.opened == "unsaved":
            return dialog("", message=UNSAVED, buttons=[("Discard", self.discard), ("Save", self.save_and_leave)])
        return None

    def _save_dialog(self) -> View:
        kinds = [
            radio(k == self.extension, partial(self.set, "extension", k), k.upper(), f"save_image_radio_{k}")
            for k in EXTENSIONS
        ]
        name = self.field("name", hint="Filename", on_submit=self.phone.keyboard.hide, id="save_image_filename",
                          label="Filename")  # fmt: skip
        label = text("Extension", size=12, color="text_dim", padding=(4, 12, 0, 0))
        buttons: list[Choice] = [("Cancel", self.dismiss), ("OK", self.choose_folder)]
        return dialog("Save as", name, label, *kinds, buttons=buttons)

    def _color_dialog(self) -> View:
        now = color_of(self.hex)
        cells = [self._swatch(name, now) for name in PALETTE]
        rows = [row(*cells[i : i + 5], gap=10, justify="center", padding=(0, 5, 0, 5)) for i in range(0, len(cells), 5)]
        shown = View(IMAGE_VIEW, width=40, height=40, radius=8, background=now or WHITE, border="outline")
        code = self.field("hex", hint="Hex", on_submit=self.phone.keyboard.hide, id="color_picker_new_hex", weight=1)
        field_row = row(shown, code, gap=12, padding=(8, 8, 8, 0))
        return dialog("", *rows, field_row, buttons=[("Cancel", self.dismiss), ("OK", self.take_color)])

    def _swatch(self, name: str, now: Rgb | None) -> View:
        color = color_of(name)
        made = View(IMAGE_VIEW, width=44, height=44, radius=22, background=color, desc=name, border="outline",
                    on_tap=partial(self.set, "hex", name), selected=color == now)  # fmt: skip
        if color == now and color is not None:
            made.icon, made.icon_size, made.color = "check", 22, "black" if sum(color) > 380 else "white"
        return made

    # drawing

    def draw(self, points: list[Point]) -> None:
        """A finger on the canvas."""
        if self.tool == "dropper":
            self.color, self.tool = color_at(points[-1], self.ground_color, self.strokes), "brush"
            return
        color = self.ground_color if self.tool == "eraser" else self.color
        self.strokes.append(Stroke(tuple(points), color, self.wide))
        self.undone = []

    def use(self, tool: str) -> None:
        """Eraser or eyedropper; again: the brush."""
        self.tool = "brush" if self.tool == tool else tool

    def set_brush(self, share: float) -> None:
        """The seek bar; never less than a twentieth."""
        self.brush = max(share, 0.05)

    def undo(self) -> None:
        """Take the last stroke away."""
        if self.strokes:
            self.undone.append(self.strokes.pop())

    def redo(self) -> None:
        """Put it back."""
        if self.undone:
            self.strokes.append(self.undone.pop())

    def clear(self) -> None:
        """An empty canvas."""
        self.strokes, self.undone, self.below, self.saved = [], [], "", 0
        self.dismiss()

    def ask_color(self, which: str) -> None:
        """The colours, the present one chosen."""
        self.hex = color_name(getattr(self, which))
        self.open(which)

    def take_color(self) -> None:
        """OK."""
        color = color_of(self.hex)
        if color is not None:
            setattr(self, self.opened, color)
            if self.opened == "color":
                self.tool = "brush"
        self.dismiss()

    # files

    def drawing(self) -> Drawing:
        """The canvas as it is on the display."""
        width, height = self.phone.display_size
        bars = round((STATUS_BAR + NAVIGATION_BAR + TOOLBAR) * self.phone.scale)
        return Drawing((width, max(height - bars, 1)), self.phone.scale, self.ground_color, self.strokes, self._below())

    def ask_save(self) -> None:
        """The dialog, with the time as a name."""
        self.name = self.name or f"{self.phone.clock.datetime():%Y%m%d_%H%M%S}"
        self.open("save")
        self.focus_on("name", self.name)
        self.selection = (0, len(self.name))

    def choose_folder(self) -> None:
        """OK: the system's picker asks for the folder."""
        name = self.name.strip()
        if not name or "/" in name:
            self.toast("Filename cannot be empty" if not name else "Filename contains invalid characters")
            return
        self.dismiss()
        title = {"android.intent.extra.TITLE": f"{name}.{self.extension}"}
        self.ask_app(Intent(CREATE_DOCUMENT, mime=mime_type(f".{self.extension}"), extras=title), "save")

    def on_result(self, key: str, value: object) -> None:
        """A picker's answer."""
        path = document_path(str(value))
        if key == "open":
            if images.picture(self.phone.fs.read(path)) is None:
                self.toast("Invalid file format")
            else:
                self.clear()
                self.below = path
            return
        self.phone.unless_full(partial(self._write, path))

    def _write(self, path: str) -> None:
        extension = path.rpartition(".")[2].lower()
        try:
            self.phone.fs.write(path, encoded(self.drawing(), extension if extension in EXTENSIONS else self.extension))
        except OSError:
            self.phone.fs.remove(path)
            raise
        self.saved = len(self.strokes)
        self.toast("File saved successfully")
        if self.leaving:
            self.finish()

    def ask_file(self) -> None:
        """A picture to draw on."""
        self.dismiss()
        self.ask_app(Intent(GET_CONTENT, mime="image/*"), "open")

    def share(self) -> None:
        """Hand the drawing to another app, as a file of this app's cache."""
        path = f"/data/data/{PACKAGE}/cache/simple-draw.png"
        self.phone.fs.write(path, encoded(self.drawing(), "png"))
        try:
            self.phone.start_activity(Intent(SEND, mime="image/png", extras={STREAM: document_uri(path)}))
        except ActivityNotFound:
            self.toast("No app found to perform this action")

    # leaving

    def on_back(self) -> bool:
        """BACK asks where there is something to lose."""
        if len(self.strokes) == self.saved:
            return False
        self.open("unsaved")
        return True

    def discard(self) -> None:
        """Leave without saving."""
        self.dismiss()
        self.finish()

    def save_and_leave(self) -> None:
        """Save, then leave."""
        self.leaving = True
        self.ask_save()


SYMBOLS = {"colorize": "dropper"}


def _main(intent: Intent) -> Screen:
    """A new drawing, or one on the picture that another app hands over."""
    given = intent.data or intent.text(STREAM)
    return Draw(below=document_path(given) if given else "")


APP = App(
    package=PACKAGE,
    label="Draw",
    icon=("palette", (245, 124, 0)),
    main=MAIN,
    activities={MAIN: _main},
    filters=((IntentFilter(EDIT, mime="image/*"), MAIN), (IntentFilter(SEND, mime="image/*"), MAIN)),
    system=False,
    version="6.9.6",
)
