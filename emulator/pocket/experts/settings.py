"""Solutions of AndroidWorld's system tasks: brightness, Wi-Fi, Bluetooth, and opening an app by its name."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from emulator.pocket.experts.driver import Driver, Script

SETTINGS = "com.android.settings"
LABELS = {"camera": "Camera", "clock": "Clock", "contacts": "Contacts", "dialer": "Phone", "settings": "Settings"}


def _first_page(driver: Driver) -> None:
    """Settings, back on its first page if it was left on another."""
    driver.open_app(SETTINGS)
    while driver.sees("Navigate up"):
        driver.back()


def brightness(driver: Driver, params: Mapping[str, Any], *, most: bool) -> None:
    """Drag the seek bar of the brightness level to one end."""
    _first_page(driver)
    driver.scroll_to("Display")
    driver.tap_text("Display")
    driver.tap_text("Brightness level")
    bar = driver.get(id="slider")
    left, _, right, _ = bar.bounds
    x, y = bar.center
    driver.swipe(x, y, right - 1 if most else left, y)


def _switch(driver: Driver, path: tuple[str, ...], title: str, on: bool) -> None:
    _first_page(driver)
    for name in path:
        driver.scroll_to(name)
        driver.tap_text(name)
    row = driver.get(text=title)
    state = next(e for e in driver.elements() if e.cls.endswith("Switch") and e.beside(row))
    if state.checked != on:
        driver.tap_element(state)


def wifi(driver: Driver, params: Mapping[str, Any], *, on: bool) -> None:
    """The Wi-Fi switch."""
    _switch(driver, ("Network & internet", "Internet"), "Wi-Fi", on)


def bluetooth(driver: Driver, params: Mapping[str, Any], *, on: bool) -> None:
    """The Bluetooth switch."""
    _switch(driver, ("Connected devices", "Connection preferences", "Bluetooth"), "Use Bluetooth", on)


def open_by_name(driver: Driver, params: Mapping[str, Any]) -> None:
    """An app from the drawer."""
    driver.home()
    driver.swipe_up()
    label = LABELS[params["app_name"]]
    driver.scroll_to(label)
    driver.tap(label)


def wifi_and_app(driver: Driver, params: Mapping[str, Any]) -> None:
    """Wi-Fi on, then an app."""
    wifi(driver, params, on=True)
    open_by_name(driver, params)


def wifi_off_bluetooth_on(driver: Driver, params: Mapping[str, Any]) -> None:
    """Two switches."""
    wifi(driver, params, on=False)
    bluetooth(driver, params, on=True)


TASKS: dict[str, Script] = {
    "SystemBrightnessMax": partial(brightness, most=True),
    "SystemBrightnessMaxVerify": partial(brightness, most=True),
    "SystemBrightnessMin": partial(brightness, most=False),
    "SystemBrightnessMinVerify": partial(brightness, most=False),
    "SystemWifiTurnOn": partial(wifi, on=True),
    "SystemWifiTurnOnVerify": partial(wifi, on=True),
    "SystemWifiTurnOff": partial(wifi, on=False),
    "SystemWifiTurnOffVerify": partial(wifi, on=False),
    "SystemBluetoothTurnOn": partial(bluetooth, on=True),
    "SystemBluetoothTurnOnVerify": partial(bluetooth, on=True),
    "SystemBluetoothTurnOff": partial(bluetooth, on=False),
    "SystemBluetoothTurnOffVerify": partial(bluetooth, on=False),
    "TurnOnWifiAndOpenApp": wifi_and_app,
    "TurnOffWifiAndTurnOnBluetooth": wifi_off_bluetooth_on,
    "OpenAppTaskEval": open_by_name,
}
