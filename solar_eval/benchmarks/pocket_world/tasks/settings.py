"""Settings, quick settings and the launcher."""

from __future__ import annotations

import random
from collections.abc import Callable

from emulator.pocket.experts.driver import Driver
from solar_eval.benchmarks.pocket_world import moves
from solar_eval.benchmarks.pocket_world.answers import Wanted
from solar_eval.benchmarks.pocket_world.reading import Reading
from solar_eval.benchmarks.pocket_world.spec import Params, Spec
from solar_eval.benchmarks.pocket_world.world import World

TIMEOUTS = {"15 seconds": 15_000, "30 seconds": 30_000, "1 minute": 60_000, "2 minutes": 120_000, "5 minutes": 300_000}
APPS = {"Clock": moves.CLOCK, "Contacts": moves.CONTACTS, "Markor": moves.MARKOR, "Broccoli": moves.BROCCOLI,
        "Pro Expense": moves.EXPENSE, "Tasks": moves.TASKS, "Files": moves.FILES}  # fmt: skip


def either(rng: random.Random) -> Params:
    """On or off."""
    on = rng.random() < 0.5
    return {"on": on, "state": "on" if on else "off"}


def opposite(space: str, key: str, values: tuple[str, str] = ("0", "1")) -> Callable[[World, Params], None]:
    """The setting stands the other way at the beginning."""
    return lambda world, p: world.setting(space, key, values[not p["on"]])


def stands(space: str, key: str, values: tuple[str, str] = ("0", "1")) -> Callable[[Reading, Params], bool]:
    """The setting stands as the goal says."""
    return lambda now, p: now.setting(space, key) == values[p["on"]]


def flips(*path: str, title: str) -> Callable[[Driver, Params], None]:
    """Go down to a page and flip a switch."""

    def script(driver: Driver, p: Params) -> None:
        moves.settings_page(driver, *path)
        moves.set_switch(driver, title, p["on"])

    return script


def flips_anyway(*path: str, title: str) -> Callable[[Driver, Params], None]:
    """Go down to a page and tap a switch, whatever it says."""

    def script(driver: Driver, p: Params) -> None:
        moves.settings_page(driver, *path)
        driver.tap_element(moves.switch_of(driver, title))

    return script


# the shade


def tile(driver: Driver, label: str) -> None:
    """Pull the shade twice, tap a tile."""
    right, bottom = driver.elements()[0].bounds[2:]
    driver.swipe(right // 2, 2, right // 2, bottom // 2)
    driver.swipe(right // 2, bottom // 2, right // 2, bottom - bottom // 5)
    driver.tap_element(driver.get(contains=f"{label}, "))


def all_off(now: Reading, p: Params) -> bool:
    """Airplane mode with what hangs on it."""
    return [now.setting("global", k) for k in ("airplane_mode_on", "wifi_on")] == ["1", "0"]


# values


def draw_timeout(rng: random.Random) -> Params:
    """One of the shorter times."""
    label = rng.choice(sorted(TIMEOUTS))
    return {"label": label, "ms": TIMEOUTS[label], "other": rng.choice([x for x in TIMEOUTS if x != label])}


def timeout(driver: Driver, p: Params, label: str = "") -> None:
    """Display, Screen timeout, a choice."""
    moves.settings_page(driver, "Display")
    moves.tap_far(driver, "Screen timeout")
    driver.tap_text(label or p["label"])


def brightness(driver: Driver, most: bool) -> None:
    """The seek bar to one end."""
    moves.settings_page(driver, "Display")
    driver.tap_text("Brightness level")
    bar = driver.get(id="slider")
    x, y = bar.center
    driver.swipe(x, y, bar.bounds[2] - 1 if most else bar.bounds[0], y)


def draw_brightness(rng: random.Random) -> Params:
    """Least or most."""
    most = rng.random() < 0.5
    return {"most": most, "end": "maximum" if most else "minimum", "level": "255" if most else "1"}


def volume(driver: Driver, p: Params, most: bool) -> None:
    """The media volume to one end."""
    moves.settings_page(driver, "Sound & vibration")
    bar = driver.get(desc="Media volume")
    x, y = bar.center
    driver.swipe(x, y, bar.bounds[2] - 1 if most else bar.bounds[0], y)


# several switches

NIGHT = (("Network & internet", "Airplane mode", True), ("Sound & vibration", "Do Not Disturb", True),
         ("Display", "Dark theme", True))  # fmt: skip


def night(driver: Driver, p: Params, count: int = 3) -> None:
    """Three pages, one switch each."""
    driver.open_app(moves.SETTINGS)
    for page, title, on in NIGHT[:count]:
        moves.tap_far(driver, page)
        driver.scroll_to(title)
        moves.set_switch(driver, title, on)
        driver.back()


def is_night(now: Reading, p: Params) -> bool:
    """All three."""
    found = [("global", "airplane_mode_on"), ("global", "zen_mode"), ("secure", "ui_night_mode")]
    return [now.setting(*where) for where in found] == ["1", "1", "2"]


# the launcher


def draw_app(rng: random.Random) -> Params:
    """An app that is not on the home page's dock."""
    label, other = rng.sample(sorted(APPS), 2)
    return {"app": label, "package": APPS[label], "other": other}


def from_drawer(driver: Driver, p: Params, label: str = "") -> None:
    """Swipe up, tap the icon."""
    driver.swipe_up()
    moves.tap_far(driver, label or p["app"])


def search_drawer(driver: Driver, p: Params, label: str = "") -> None:
    """The search field of the drawer, ENTER."""
    driver.tap_element(driver.get(id="search_container_hotseat"))
    driver.tap_element(driver.field("fallback_search_view"))
    driver.type_text(label or p["app"])
    driver.enter()


# questions


def draw_version(rng: random.Random) -> Params:
    """An app whose version is asked for, among the first of the list: further apps would move later ones down."""
    known = {"Audio Recorder": "0.9.98", "Broccoli": "1.3.0", "Camera": "2.0.002", "Clock": "7.5", "Contacts": "4.8"}
    label = rng.choice(sorted(known))
    return {"app": label, "version": known[label], "others": sorted(set(known.values()) - {known[label]})}


def version(driver: Driver, p: Params) -> None:
    """Apps, the app, its version."""
    moves.settings_page(driver, "Apps", p["app"])
    driver.get(text=p["version"])
    driver.answer(p["version"])


def draw_flags(rng: random.Random) -> Params:
    """Which of two is on."""
    return {"on": rng.random() < 0.5}


def answer_state(driver: Driver, p: Params) -> None:
    """Read a switch and say it."""
    moves.settings_page(driver, "Connected devices", "Connection preferences", "Bluetooth")
    driver.answer("on" if moves.switch_of(driver, "Use Bluetooth").checked else "off")


def _ends(now: Reading, p: Params) -> bool:
    return now.setting("system", "screen_brightness") == str(p["level"])


SPECS = (
    Spec("SettingsAirplaneMode", "Turn airplane mode {state}.", 3, "easy", ("Settings",), either,
         flips("Network & internet", title="Airplane mode"), flips_anyway("Network & internet", title="Data Saver"),
         stands("global", "airplane_mode_on"), opposite("global", "airplane_mode_on")),
    Spec("SettingsWifi", "Turn Wi-Fi {state} in Settings.", 4, "easy", ("Settings",), either,
         flips("Network & internet", "Internet", title="Wi-Fi"),
         flips_anyway("Network & internet", title="Airplane mode"),
         lambda now, p: stands("global", "wifi_on")(now, p) and now.setting("global", "airplane_mode_on") == "0",
         opposite("global", "wifi_on")),
    Spec("SettingsBluetooth", "Switch Bluetooth {state}.", 5, "easy", ("Settings",), either,
         flips("Connected devices", "Connection preferences", "Bluetooth", title="Use Bluetooth"),
         flips_anyway("Network & internet", "Internet", title="Wi-Fi"),
         stands("global", "bluetooth_on"), opposite("global", "bluetooth_on")),
    Spec("SettingsDarkTheme", "Turn the dark theme {state}.", 3, "easy", ("Settings",), either,
         flips("Display", title="Dark theme"), flips_anyway("Display", title="Adaptive brightness"),
         stands("secure", "ui_night_mode", ("1", "2")), opposite("secure", "ui_night_mode", ("1", "2"))),
    Spec("SettingsBatterySaver", "Turn Battery Saver {state}.", 4, "easy", ("Settings",), either,
         flips("Battery", "Battery Saver", title="Use Battery Saver"),
         flips_anyway("Battery", title="Battery percentage"),
         stands("global", "low_power"), opposite("global", "low_power")),
    Spec("SettingsScreenTimeout", "Set the screen timeout to {label}.", 4, "easy", ("Settings",), draw_timeout, timeout,
         lambda driver, p: timeout(driver, p, p["other"]),
         lambda now, p: now.setting("system", "screen_off_timeout") == str(p["ms"])),
    Spec("SettingsBrightness", "Set the screen brightness to its {end}.", 4, "medium", ("Settings",), draw_brightness,
         lambda driver, p: brightness(driver, p["most"]), lambda driver, p: brightness(driver, not p["most"]), _ends),
    Spec("SettingsMuteMedia", "Turn the media volume all the way down.", 3, "easy", ("Settings",), lambda rng: {},
         lambda driver, p: volume(driver, p, False), lambda driver, p: volume(driver, p, True),
         lambda now, p: now.setting("system", "volume_music") == "0"),
    Spec("QuickSettingsFlashlight", "Turn on the flashlight from the quick settings.", 3, "easy", ("Launcher",),
         lambda rng: {"on": True}, lambda driver, p: tile(driver, "Flashlight"),
         lambda driver, p: tile(driver, "Battery Saver"), stands("secure", "flashlight_enabled")),
    Spec("SettingsNightMode",
         "Prepare the phone for the night: turn on airplane mode, Do Not Disturb and the dark theme.", 10, "medium",
         ("Settings",), lambda rng: {}, night, lambda driver, p: night(driver, p, 2), is_night),
    Spec("LauncherOpenApp", "Open the {app} app from the app drawer.", 2, "easy", ("Launcher",), draw_app, from_drawer,
         lambda driver, p: from_drawer(driver, p, p["other"]), lambda now, p: now.in_front() == p["package"]),
    Spec("LauncherSearchApp", "Find the {app} app with the app search and open it.", 4, "easy", ("Launcher",), draw_app,
         search_drawer, lambda driver, p: search_drawer(driver, p, p["other"]),
         lambda now, p: now.in_front() == p["package"]),
    Spec("SettingsAppVersion", "Which version of {app} is installed? Answer with the version number.", 4, "easy",
         ("Settings",), draw_version, version, lambda driver, p: driver.answer(p["others"][0]),
         wanted=lambda p: Wanted((p["version"],), tuple(p["others"]))),
    Spec("SettingsBluetoothState", "Is Bluetooth on or off? Answer with one word.", 5, "easy", ("Settings",),
         draw_flags, answer_state, lambda driver, p: driver.answer("off" if p["on"] else "on"),
         setup=lambda world, p: world.setting("global", "bluetooth_on", str(int(p["on"]))),
         wanted=lambda p: Wanted(("on" if p["on"] else "off",), ("on", "off"))),
)  # fmt: skip
