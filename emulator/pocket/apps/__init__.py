"""The apps a phone comes with, in the order they are installed. A new app is a module here and a line below."""

from __future__ import annotations

from emulator.pocket.app import App
from emulator.pocket.apps import (
    audio_recorder,
    broccoli,
    camera,
    chrome,
    clipper,
    clock,
    contacts,
    dialer,
    draw,
    files,
    gallery,
    launcher,
    markor,
    opentracks,
    pro_expense,
    retro_music,
    settings,
    simple_calendar,
    sms_messenger,
    tasks,
    vlc,
)

APPS: tuple[App, ...] = (
    launcher.APP,
    settings.APP,
    clock.APP,
    contacts.APP,
    dialer.APP,
    sms_messenger.APP,
    clipper.APP,
    files.APP,
    markor.APP,
    simple_calendar.APP,
    pro_expense.APP,
    broccoli.APP,
    tasks.APP,
    audio_recorder.APP,
    camera.APP,
    chrome.APP,
    chrome.HTML_VIEWER,
    draw.APP,
    gallery.APP,
    retro_music.APP,
    vlc.APP,
    opentracks.APP,
)
