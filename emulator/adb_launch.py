"""Starting an app by name over adb: the name is resolved against what is installed, the component against the package
manager, and the proof is the window in front, since neither the exit code of `am` nor that of `monkey` is one
(mobile-next/mobile-mcp#360).
"""

from __future__ import annotations

import re

from emulator import android_state, app_names
from emulator.adb_calls import Adb
from emulator.adb_socket import Deadline
from emulator.adb_tree import Reader
from emulator.device import Foreground
from emulator.device_errors import AppNotFound, AppNotInFront, TruncatedOutput

PACKAGES_COMMAND = "pm list packages -e"
MAIN = "-a android.intent.action.MAIN -c android.intent.category.LAUNCHER"
NEW_TASK = "0x10200000"  # FLAG_ACTIVITY_NEW_TASK | FLAG_ACTIVITY_RESET_TASK_IF_NEEDED, as the launcher starts apps
CONFIRM_SECONDS = 8.0
_COMPONENT = re.compile(r"[\w.]+/[\w.$]+")


def open_app(adb: Adb, reader: Reader, name: str, deadline: Deadline) -> Foreground:
    """Start the app called `name` and return what is in front then: the app, or a permission dialog it opened.

    AppNotFound: no such app, or one without a launcher activity. AppNotInFront: another window stayed in front.
    """
    package = app_names.resolve(name, installed(adb, deadline))
    component = launcher_activity(adb, package, deadline)
    said = _start(adb, component, deadline)
    owner = component.partition("/")[0]
    wanted = {owner, package} | android_state.PERMISSION_PACKAGES
    front = reader.wait_for(lambda now: now.package in wanted, CONFIRM_SECONDS, deadline)
    if front.package in wanted:
        return front
    if "does not exist" in said:
        raise AppNotFound(f"{component}: {said}", deadline.where)
    raise AppNotInFront(f"{component} was started, {front.package} is in front: {said}", deadline.where)


def installed(adb: Adb, deadline: Deadline) -> list[str]:
    """Packages that are installed and enabled."""
    lines = adb.repeated(lambda limit: adb.do(PACKAGES_COMMAND, limit), deadline).split()
    return [line.removeprefix("package:") for line in lines if line.startswith("package:")]


def launcher_activity(adb: Adb, package: str, deadline: Deadline) -> str:
    """`package/class` of the activity behind the app's icon; AppNotFound if it has none."""
    said = ""
    for verb in ("resolve-activity", "query-activities"):  # the second where several icons make Android ask which
        said = adb.query(f"cmd package {verb} --brief {MAIN} {package}", deadline)
        found = [word for word in said.split() if _COMPONENT.fullmatch(word) and not word.startswith("android/")]
        if found:
            return found[0]
    raise AppNotFound(f"{package} has no launcher activity: {' '.join(said.split())[-200:]}", deadline.where)


def _start(adb: Adb, component: str, deadline: Deadline) -> str:
    """Start it once; what `am` said if it complained. A broken answer is no evidence: the screen is looked at next."""
    command = ["am", "start", "-W", "-n", component, *MAIN.split(), "-f", NEW_TASK]
    try:
        result = adb.shell(command, deadline)
    except TruncatedOutput as error:
        return str(error.what)
    text = (result.stderr + result.stdout).strip()
    return text[-300:] if result.exit_code or "Error" in text else ""
