"""A fresh phone's storage and packages: directories, installed apps, their databases and snapshots.

The snapshots under /data/data/android_world/snapshots are what AndroidWorld's set-up leaves behind: a copy of
each app's data directory with onboarding done and empty databases.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import TYPE_CHECKING

from emulator.pocket.activities import HOME_TASK
from emulator.pocket.app import App, Screen
from emulator.pocket.files import STORAGE
from emulator.pocket.packages import Package

if TYPE_CHECKING:
    from emulator.pocket.phone import Phone

SNAPSHOTS = "/data/data/android_world/snapshots"
PUBLIC = (
    "Alarms", "Android/data", "Android/media", "Android/obb", "Audiobooks", "DCIM", "Documents", "Download", "Movies",
    "Music", "Notifications", "Pictures", "Podcasts", "Recordings", "Ringtones",
)  # fmt: skip
SYSTEM = (
    "/data/app", "/data/data", "/data/local/tmp", "/data/system", "/dev", "/mnt", "/proc", "/system/app",
    "/system/bin", "/system/etc", "/vendor", SNAPSHOTS,
)  # fmt: skip
SERVICES = {
    "android": "Android System",
    "com.android.systemui": "System UI",
    "com.android.providers.contacts": "Contacts Storage",
    "com.android.providers.telephony": "Phone and Messaging Storage",
    "com.android.providers.media.module": "Media Storage",
    "com.android.providers.settings": "Settings Storage",
    "com.google.android.inputmethod.latin": "Gboard",
    "com.google.android.permissioncontroller": "Permission controller",
    "com.android.shell": "Shell",
    "com.google.androidenv.accessibilityforwarder": "AccessibilityForwarder",
    "com.example.androidworld": "AndroidWorld",
}


def android_id(seed: int) -> str:
    """Sixteen hex digits that follow from the seed."""
    return f"{random.Random(seed).getrandbits(64):016x}"


def make_directories(phone: Phone) -> None:
    """The directory tree every phone has."""
    for path in SYSTEM:
        phone.fs.mkdir(path, parents=True, mode=0o755)
    for name in PUBLIC:
        phone.fs.mkdir(f"{STORAGE}/{name}", parents=True, mode=0o770)
    phone.fs.chmod("/data/local/tmp", 0o771)
    phone.fs.write("/system/build.prop", "".join(f"{k}={v}\n" for k, v in phone.properties.items()), mode=0o644)


def install(phone: Phone, apps: Iterable[App]) -> None:
    """Packages, data directories and databases of services and apps; then each app's snapshot."""
    for name, label in SERVICES.items():
        phone.packages.add(Package(name, label))
        phone.fs.mkdir(f"/data/data/{name}", parents=True, mode=0o700)
    for path in phone.databases.schemas:
        phone.databases.open(path)  # messages, contacts and calls are there before any app asks for them
    for app in apps:
        add_app(phone, app)
    for app in apps:
        prepare(phone, app)
        save_snapshot(phone, app.package)


def add_app(phone: Phone, app: App) -> None:
    """Make an app known to the phone."""
    held = frozenset(app.permissions)
    phone.packages.add(
        Package(app.package, app.label, app.version, system=app.system, requested=app.permissions, granted=held,
                launcher=app.main if app.in_drawer else "")
    )  # fmt: skip
    phone.apps[app.package] = app
    data = f"/data/data/{app.package}"
    for path, schema in app.databases.items():
        phone.databases.schemas[f"{data}/{path}"] = schema
    make_data_directory(phone, app.package)


def make_data_directory(phone: Phone, package: str) -> None:
    """The private directory of a package, owned by it."""
    data = f"/data/data/{package}"
    for path in (data, f"{data}/cache", f"{data}/files"):
        if not phone.fs.isdir(path):
            phone.fs.mkdir(path, parents=True, mode=0o700)
            phone.fs.chown(path, phone.packages[package].uid)


def prepare(phone: Phone, app: App) -> None:
    """What the start of an app's process does: missing directories and databases are made."""
    make_data_directory(phone, app.package)
    for path in app.databases:
        phone.databases.open(f"/data/data/{app.package}/{path}")
    app.start(phone)


def save_snapshot(phone: Phone, package: str) -> None:
    """AndroidWorld's app snapshot: the data directory as it is now."""
    phone.fs.copy(f"/data/data/{package}", f"{SNAPSHOTS}/{package}", recursive=True, preserve=True)


def start_home(phone: Phone) -> None:
    """Show the launcher."""
    app = phone.launcher
    phone.activities.running.append(app.package)
    phone.activities.start_home(_home_screen(app), app.package, app.main)


def restart_home(phone: Phone, package: str) -> None:
    """The launcher was stopped: it starts again at once."""
    app = phone.launcher
    if package == app.package:
        home = next(t for t in phone.activities.stack if t.id == HOME_TASK)
        screen = _home_screen(app)
        screen.package = package
        screen.__dict__["_phone"] = phone
        home.screens[:] = [screen]


def _home_screen(app: App) -> Screen:
    if app.home is None:
        raise ValueError(f"{app.package} is no launcher")
    return app.home()
