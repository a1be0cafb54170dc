"""Names of apps: exact before fuzzy, aliases, nothing guessed."""

from __future__ import annotations

import pytest

from emulator import app_names
from emulator.device_errors import AppNotFound

WHATSAPP, SNAPCHAT, VOICE, SEARCH = (
    "com.whatsapp",
    "com.snapchat.android",
    "com.google.android.apps.googlevoice",
    "com.google.android.googlequicksearchbox",
)
INSTALLED = [
    WHATSAPP,
    SNAPCHAT,
    VOICE,
    SEARCH,
    "com.android.settings",
    "com.google.android.contacts",
    "com.google.android.dialer",
    "net.gsantner.markor",
    "com.simplemobiletools.calendar.pro",
    "com.simplemobiletools.smsmessenger",
    "com.simplemobiletools.gallery.pro",
    "de.dennisguse.opentracks",
    "org.tasks",
    "com.taobao.idlefish",
]


@pytest.mark.parametrize(
    ("name", "package"),
    [
        ("settings", "com.android.settings"),
        ("Contacts", "com.google.android.contacts"),
        ("PHONE", "com.google.android.dialer"),
        ("simple-calendar  pro", "com.simplemobiletools.calendar.pro"),
        ("Simple SMS Messenger", "com.simplemobiletools.smsmessenger"),
        ("open tracks sports tracker", "de.dennisguse.opentracks"),
        ("闲鱼", "com.taobao.idlefish"),
        ("wa", WHATSAPP),
        ("org.tasks", "org.tasks"),
        ("Markr", "net.gsantner.markor"),
        ("What's App", WHATSAPP),
    ],
)
def test_a_name_finds_its_app(name: str, package: str) -> None:
    assert app_names.resolve(name, INSTALLED) == package


@pytest.mark.parametrize(
    "name",
    ["Waze", "Wallet", "Scanner", "Voice Recorder", "Google News", "contacts book", "photo editor", "", "  ", "微信",
     "com.waze", "Simple"],
)  # fmt: skip
def test_what_is_not_installed_is_an_error(name: str) -> None:
    with pytest.raises(AppNotFound):
        app_names.resolve(name, INSTALLED)


def test_the_phones_own_label_comes_first() -> None:
    labels = {"com.simplemobiletools.smsmessenger": "Messages", "com.google.android.apps.messaging": "Chat"}
    assert app_names.resolve("messages", labels, labels) == "com.simplemobiletools.smsmessenger"


def test_packages_of_one_name_are_tried_in_order() -> None:
    both = ["com.android.deskclock", "com.google.android.deskclock"]
    assert app_names.resolve("Clock", both) == "com.google.android.deskclock"
    assert app_names.resolve("Clock", both[:1]) == "com.android.deskclock"


def test_two_that_are_near_are_named_not_chosen() -> None:
    installed = ["com.google.android.apps.docs.editors.docs", "com.google.android.apps.docs.editors.slides"]
    labels = {installed[0]: "Notebook One", installed[1]: "Notebook Ones"}
    with pytest.raises(AppNotFound, match="near"):
        app_names.resolve("Notebok One", installed, labels)


def test_no_name_stands_for_two_apps() -> None:
    names = [app_names.normal(name) for app in app_names.NAMES for name in app.names]
    assert sorted(names) == sorted(set(names))
    assert all(app_names.PACKAGE.fullmatch(package) for app in app_names.NAMES for package in app.packages)
