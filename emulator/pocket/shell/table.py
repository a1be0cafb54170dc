"""Every command of the device shell, by name: functions `(Context) -> exit status` in the groups imported here."""

from __future__ import annotations

from emulator.pocket.shell import (
    activity_commands,
    basics,
    capture_commands,
    content_commands,
    dumpsys,
    files_change,
    files_show,
    input_commands,
    package_commands,
    pocket_command,
    search,
    settings_commands,
    text,
)
from emulator.pocket.shell.context import Command

COMMANDS: dict[str, Command] = {
    **files_show.COMMANDS,
    **files_change.COMMANDS,
    **text.COMMANDS,
    **search.COMMANDS,
    **basics.COMMANDS,
    **settings_commands.COMMANDS,
    **input_commands.COMMANDS,
    **activity_commands.COMMANDS,
    **package_commands.COMMANDS,
    **dumpsys.COMMANDS,
    **content_commands.COMMANDS,
    **capture_commands.COMMANDS,
    **pocket_command.COMMANDS,
}

# Commands that may wait for input or time: they take the phone's lock themselves, and only for a moment.
UNLOCKED = (
    text.UNLOCKED
    | search.UNLOCKED
    | basics.UNLOCKED
    | package_commands.UNLOCKED
    | content_commands.UNLOCKED
    | capture_commands.UNLOCKED
)

# Commands that may never end, with a test of their arguments.
ENDLESS = capture_commands.ENDLESS
