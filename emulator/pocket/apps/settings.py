"""Settings: network, connected devices, apps, notifications, battery, storage, sound, display, about.

AndroidWorld reads only keys (android_world_apps.md section 1): wifi_on, bluetooth_on, screen_brightness (the
slider's ends are exactly 1 and 255), airplane_mode_on. Titles are Android 13's; each page is a function.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from emulator.pocket.app import App, Screen
from emulator.pocket.controls import brightness_fraction, set_brightness, set_global
from emulator.pocket.intents import Intent, IntentFilter
from emulator.pocket.parts import choice_dialog, dialog, page, toolbar
from emulator.pocket.views import View
from emulator.pocket.widgets import (
    column,
    header,
    icon,
    icon_button,
    list_row,
    row,
    scroll,
    slider,
    switch_row,
    text,
)  # fmt: skip

PACKAGE = "com.android.settings"
TIMEOUTS = (("15 seconds", 15_000), ("30 seconds", 30_000), ("1 minute", 60_000), ("2 minutes", 120_000),
            ("5 minutes", 300_000), ("10 minutes", 600_000), ("30 minutes", 1_800_000))  # fmt: skip


@dataclass
class Page(Screen):
    """One page of Settings; `name` is a key of PAGES."""

    name: str = "home"
    package_shown: str = ""

    def build(self) -> View:
        """Title and rows."""
        title, rows = PAGES[self.name]
        if self.name == "home":
            return page(toolbar("Settings", actions=[icon_button("search", "Search settings", self.search)]),
                        scroll(*rows(self), id="settings_homepage_container"))  # fmt: skip
        return page(toolbar(title, back=self.finish), scroll(*rows(self), id="recycler_view"))

    def search(self) -> None:
        """The magnifier: all titles in one list."""
        self.push(Search())

    def go(self, name: str) -> None:
        """Open another page."""
        self.push(Page(name))

    def flag(self, key: str) -> bool:
        """A global setting as a switch shows it."""
        return self.phone.settings["global"].flag(key)

    def toggle(self, key: str) -> None:
        """Flip a global setting."""
        set_global(self.phone, key, not self.flag(key))

    def overlay(self) -> View | None:
        """Dialogs by name."""
        if self.opened == "brightness":
            return brightness_dialog(self)
        if self.opened == "timeout":
            now = self.phone.settings["system"].number("screen_off_timeout")
            at = next((i for i, (_, ms) in enumerate(TIMEOUTS) if ms == now), -1)
            return choice_dialog("Screen timeout", [label for label, _ in TIMEOUTS], at, self.set_timeout)
        return None

    def set_timeout(self, index: int) -> None:
        """Screen timeout dialog."""
        self.phone.settings["system"]["screen_off_timeout"] = str(TIMEOUTS[index][1])
        self.dismiss()

    def toggle_dark(self) -> None:
        """Dark theme."""
        table = self.phone.settings["secure"]
        table["ui_night_mode"] = "1" if self.phone.dark else "2"

    def toggle_system(self, key: str) -> None:
        """Flip a setting of the system table."""
        table = self.phone.settings["system"]
        table[key] = "0" if table.flag(key) else "1"

    def toggle_location(self) -> None:
        """Location."""
        table = self.phone.settings["secure"]
        table["location_mode"] = "0" if table.flag("location_mode") else "3"

    def pair_device(self) -> None:
        """Pairing turns Bluetooth on."""
        set_global(self.phone, "bluetooth_on", True)
        self.go("pair")

    def set_volume(self, fraction: float) -> None:
        """Media volume, 0 to 15."""
        self.phone.settings["system"]["volume_music"] = str(round(fraction * 15))

    def force_stop(self) -> None:
        """App info: stop the app."""
        self.phone.force_stop(self.package_shown)


def brightness_dialog(self: Page) -> View:
    """The seek bar that Display > Brightness level opens."""
    level = self.phone.settings["system"].number("screen_brightness", 102)
    bar = slider(
        brightness_fraction(level), partial(set_brightness, self.phone), desc="Display brightness", id="slider"
    )
    sheet = dialog("", bar)
    sheet.anchor = "top"
    return sheet


def home(self: Page) -> list[View]:
    """The first page."""
    entries = (
        ("network", "wifi", "Network & internet", "Mobile, Wi-Fi, hotspot"),
        ("devices", "devices", "Connected devices", "Bluetooth, pairing"),
        ("apps", "apps", "Apps", "Recent apps, default apps"),
        ("notifications", "bell", "Notifications", "Notification history, conversations"),
        ("battery", "battery", "Battery", "100%"),
        ("storage", "storage", "Storage", storage_summary(self)),
        ("sound", "volume", "Sound & vibration", "Volume, haptics, Do Not Disturb"),
        ("display", "brightness", "Display", "Dark theme, font size, brightness"),
        ("location", "location", "Location", "On" if self.phone.settings["secure"].flag("location_mode") else "Off"),
        ("system", "info", "System", "Languages, gestures, time, backup"),
        ("about", "phone_device", "About emulated device", "sdk_gphone_x86_64"),
    )
    return [list_row(title, summary, partial(self.go, name), glyph) for name, glyph, title, summary in entries]


def network(self: Page) -> list[View]:
    """Network & internet."""
    wifi, airplane = self.flag("wifi_on"), self.flag("airplane_mode_on")
    return [
        list_row("Internet", "AndroidWifi" if wifi else "Networks available", partial(self.go, "wifi"), "wifi"),
        list_row("SIMs", "T-Mobile", icon_name="phone_device"),
        switch_row("Airplane mode", airplane, partial(self.toggle, "airplane_mode_on"), icon_name="airplane"),
        list_row("Hotspot & tethering", "Off", icon_name="share"),
        switch_row("Data Saver", self.flag("data_saver"), partial(self.toggle, "data_saver"), icon_name="refresh"),
        list_row("VPN", "None", icon_name="key"),
        list_row("Private DNS", "Automatic", icon_name="globe"),
    ]


def wifi(self: Page) -> list[View]:
    """Internet: the Wi-Fi switch and the networks."""
    on = self.flag("wifi_on")
    rows = [
        list_row("T-Mobile", "Connected" if not on and not self.flag("airplane_mode_on") else "Mobile data",
                 icon_name="signal"),
        switch_row("Wi-Fi", on, partial(self.toggle, "wifi_on")),
    ]  # fmt: skip
    if on:
        rows.append(list_row("AndroidWifi", "Connected", icon_name="wifi", trailing=[icon("settings", 20)]))
        rows.append(list_row("Add network", icon_name="add"))
    rows.append(list_row("Network preferences", "Wi-Fi turns back on automatically" if not on else ""))
    rows.append(list_row("Saved networks", "1 network"))
    return rows


def devices(self: Page) -> list[View]:
    """Connected devices."""
    on = self.flag("bluetooth_on")
    pair = list_row("Pair new device", "Bluetooth will turn on to pair" if not on else "", self.pair_device, "add")
    return [
        pair,
        list_row("Connection preferences", "Bluetooth, Android Auto, NFC", partial(self.go, "connection"), "devices"),
    ]


def connection(self: Page) -> list[View]:
    """Connected devices > Connection preferences."""
    summary = "On" if self.flag("bluetooth_on") else "Off"
    return [
        list_row("Bluetooth", summary, partial(self.go, "bluetooth"), "bluetooth"),
        list_row("Cast", "Not connected", icon_name="play_box"),
        list_row("Printing", "0 print services on", icon_name="file"),
    ]


def bluetooth(self: Page) -> list[View]:
    """The Bluetooth switch."""
    on = self.flag("bluetooth_on")
    name = self.phone.settings["global"].get("device_name", "")
    rows = [switch_row("Use Bluetooth", on, partial(self.toggle, "bluetooth_on"))]
    if on:
        rows.append(list_row("Device name", name, icon_name="edit"))
        rows.append(list_row("Pair new device", on_tap=self.pair_device, icon_name="add"))
    else:
        rows.append(text("When Bluetooth is turned on, your device can communicate with other nearby Bluetooth devices",
                         size=14, color="text_dim", padding=(16, 12, 16, 12)))  # fmt: skip
    return rows


def pair(self: Page) -> list[View]:
    """Pair new device."""
    return [
        list_row("Device name", self.phone.settings["global"].get("device_name", "")),
        header("Available devices"),
        text("Searching for devices\u2026", size=14, color="text_dim", padding=(16, 8, 16, 8)),
    ]


def apps(self: Page) -> list[View]:
    """All apps."""
    shown = sorted((a for a in self.phone.apps.values() if a.in_drawer), key=lambda a: a.label.lower())
    return [
        header(f"All {len(shown)} apps"),
        *[list_row(a.label, on_tap=partial(self.push, Page("app", a.package)), icon_name=a.icon[0]) for a in shown],
    ]


def app_info(self: Page) -> list[View]:
    """One app."""
    package = self.phone.packages.get(self.package_shown)
    if package is None:
        return [text("This app isn't installed any more.", padding=(16, 16, 16, 16))]
    permissions = ", ".join(p.rpartition(".")[2].replace("_", " ").lower() for p in sorted(package.granted))
    return [
        text(package.label, size=22, padding=(16, 12, 16, 12)),
        list_row("Force stop", on_tap=self.force_stop, icon_name="warning"),
        list_row("Permissions", permissions or "No permissions granted"),
        list_row("Version", package.version_name),
    ]


def notifications(self: Page) -> list[View]:
    """Notifications."""
    quiet = self.flag("zen_mode")
    return [
        switch_row("Do Not Disturb", quiet, partial(self.toggle, "zen_mode")),
        switch_row("Pop on screen", self.flag("heads_up_notifications_enabled"),
                   partial(self.toggle, "heads_up_notifications_enabled"), "Show notifications over other apps"),
    ]  # fmt: skip


def battery(self: Page) -> list[View]:
    """Battery."""
    saver = "On" if self.flag("low_power") else "Off"
    return [
        column(text("100%", size=40), text("Fully charged", size=14, color="text_dim"), padding=(16, 12, 16, 12)),
        list_row("Battery Saver", saver, partial(self.go, "saver"), "battery_saver"),
        switch_row("Battery percentage", self.phone.settings["system"].flag("status_bar_show_battery_percent"),
                   partial(self.toggle_system, "status_bar_show_battery_percent"),
                   "Show battery percentage in status bar"),
    ]  # fmt: skip


def saver(self: Page) -> list[View]:
    """Battery Saver."""
    return [
        switch_row("Use Battery Saver", self.flag("low_power"), partial(self.toggle, "low_power")),
        text("Battery Saver extends battery life by limiting some features and background activity.", size=14,
             color="text_dim", padding=(16, 12, 16, 12)),
    ]  # fmt: skip


def storage_summary(self: Page) -> str:
    """How full the storage is."""
    used = self.phone.fs.used / self.phone.fs.quota
    free = (self.phone.fs.quota - self.phone.fs.used) / 1024**3
    return f"{used:.0%} used - {free:.2f} GB free"


def storage(self: Page) -> list[View]:
    """Storage."""
    return [text(storage_summary(self), size=18, padding=(16, 16, 16, 16))]


def sound(self: Page) -> list[View]:
    """Sound & vibration."""
    table = self.phone.settings["system"]
    return [
        text("Media volume", size=14, padding=(16, 12, 16, 0)),
        slider(table.number("volume_music") / 15, self.set_volume, desc="Media volume"),
        switch_row("Do Not Disturb", self.flag("zen_mode"), partial(self.toggle, "zen_mode")),
        switch_row("Dial pad tones", table.flag("dtmf_tone"), partial(self.toggle_system, "dtmf_tone")),
    ]


def display(self: Page) -> list[View]:
    """Display."""
    table = self.phone.settings["system"]
    percent = round(brightness_fraction(table.number("screen_brightness", 102)) * 100)
    timeout = next((t for t, ms in TIMEOUTS if ms == table.number("screen_off_timeout")), "30 minutes")
    return [
        header("Brightness"),
        list_row("Brightness level", f"{percent}%", partial(self.open, "brightness")),
        switch_row("Adaptive brightness", table.flag("screen_brightness_mode"),
                   partial(self.toggle_system, "screen_brightness_mode"), "Off"),
        header("Lock display"),
        list_row("Screen timeout", f"After {timeout} of inactivity", partial(self.open, "timeout")),
        header("Appearance"),
        switch_row("Dark theme", self.phone.dark, self.toggle_dark),
        switch_row("Auto-rotate screen", table.flag("accelerometer_rotation"),
                   partial(self.toggle_system, "accelerometer_rotation")),
    ]  # fmt: skip


def location(self: Page) -> list[View]:
    """Location."""
    return [switch_row("Use location", self.phone.settings["secure"].flag("location_mode"), self.toggle_location)]


def system(self: Page) -> list[View]:
    """System."""
    return [
        list_row("Languages & input", "English (United States)", icon_name="globe"),
        list_row("Date & time", "GMT+00:00 Coordinated Universal Time", partial(self.go, "date"), "clock"),
    ]


def date(self: Page) -> list[View]:
    """Date & time."""
    now = self.phone.clock.datetime()
    return [
        switch_row("Set time automatically", self.flag("auto_time"), partial(self.toggle, "auto_time")),
        list_row("Date", f"{now:%B} {now.day}, {now.year}"),
        list_row("Time", f"{now:%H:%M}"),
        list_row("Time zone", "GMT+00:00 Coordinated Universal Time"),
    ]


def about(self: Page) -> list[View]:
    """About emulated device."""
    get = self.phone.properties.get
    return [
        list_row("Device name", self.phone.settings["global"].get("device_name", "")),
        list_row("Model", get("ro.product.model", "")),
        list_row("Android version", get("ro.build.version.release", "")),
        list_row("IP address", "10.0.2.16" if self.flag("wifi_on") else "Unavailable"),
        list_row("Build number", get("ro.build.id", "")),
    ]


Rows = Callable[[Page], list[View]]
PAGES: dict[str, tuple[str, Rows]] = {
    "home": ("Settings", home), "network": ("Network & internet", network), "wifi": ("Internet", wifi),
    "devices": ("Connected devices", devices), "connection": ("Connection preferences", connection),
    "bluetooth": ("Bluetooth", bluetooth), "pair": ("Pair new device", pair), "apps": ("Apps", apps),
    "app": ("App info", app_info), "notifications": ("Notifications", notifications), "battery": ("Battery", battery),
    "saver": ("Battery Saver", saver), "storage": ("Storage", storage), "sound": ("Sound & vibration", sound),
    "display": ("Display", display), "location": ("Location", location), "system": ("System", system),
    "date": ("Date & time", date), "about": ("About emulated device", about),
}  # fmt: skip


@dataclass
class Search(Screen):
    """Search in Settings: page titles that hold the words."""

    query: str = ""

    def on_create(self) -> None:
        """The keyboard opens at once."""
        self.focus_on("query")

    def build(self) -> View:
        """Field and hits."""
        found = [n for n, (title, _) in PAGES.items() if n != "home" and self.query.lower() in title.lower()]
        rows = [list_row(PAGES[n][0], on_tap=partial(self.push, Page(n))) for n in found if self.query]
        bar = row(icon_button("back", "Navigate up", self.finish),
                  self.field("query", hint="Search settings", framed=False, weight=1), height=56)  # fmt: skip
        return page(bar, scroll(*rows))


def _page(name: str) -> Callable[[Intent], Screen]:
    return lambda intent: Page(name)


ACTIONS = {
    "android.settings.SETTINGS": "home", "android.settings.WIFI_SETTINGS": "wifi",
    "android.settings.WIRELESS_SETTINGS": "network", "android.settings.AIRPLANE_MODE_SETTINGS": "network",
    "android.settings.BLUETOOTH_SETTINGS": "bluetooth", "android.settings.DISPLAY_SETTINGS": "display",
    "android.settings.BATTERY_SAVER_SETTINGS": "saver", "android.settings.DATE_SETTINGS": "date",
    "android.settings.DEVICE_INFO_SETTINGS": "about", "android.settings.SOUND_SETTINGS": "sound",
    "android.settings.LOCATION_SOURCE_SETTINGS": "location", "android.settings.APPLICATION_SETTINGS": "apps",
}  # fmt: skip
MAIN = f"{PACKAGE}.Settings"
CLASSES = {name: MAIN if name == "home" else f"{PACKAGE}.Settings${name.capitalize()}Activity" for name in PAGES}

APP = App(
    package=PACKAGE,
    label="Settings",
    icon=("settings", (95, 99, 104)),
    main=MAIN,
    activities={CLASSES[name]: _page(name) for name in PAGES},
    filters=tuple((IntentFilter(action), CLASSES[name]) for action, name in ACTIONS.items()),
    version="13",
)
