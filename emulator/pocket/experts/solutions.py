"""All scripted solutions of AndroidWorld's tasks by task name. A new module of scripts is a line here."""

from __future__ import annotations

from emulator.pocket.experts import (
    audio_recorder,
    broccoli,
    camera,
    chrome,
    clock,
    contacts,
    draw,
    files,
    gallery,
    joplin,
    markor,
    opentracks,
    osmand,
    pro_expense,
    retro_music,
    settings,
    simple_calendar,
    sms,
    tasks,
    vlc,
)
from emulator.pocket.experts.driver import Script

SOLUTIONS: dict[str, Script] = {
    **clock.TASKS,
    **contacts.TASKS,
    **sms.TASKS,
    **settings.TASKS,
    **files.TASKS,
    **markor.TASKS,
    **simple_calendar.TASKS,
    **pro_expense.TASKS,
    **tasks.TASKS,
    **broccoli.TASKS,
    **audio_recorder.TASKS,
    **camera.TASKS,
    **chrome.TASKS,
    **draw.TASKS,
    **retro_music.TASKS,
    **gallery.TASKS,
    **opentracks.TASKS,
    **vlc.TASKS,
    **osmand.TASKS,
    **joplin.TASKS,
}
