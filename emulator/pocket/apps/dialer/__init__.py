"""Phone (Google's dialer): favourites, recents, contacts, key pad, and the call screen.

AndroidWorld's seven phone tasks are off in its registry; what they would read (android_world_apps.md section 4) is
here: call state in `dumpsys telephony.registry`, the number on the call screen, content://call_log/calls. The state
of the telephone is emulator/pocket/calls.py. Descriptions (`key pad`, `dial`, `End call`) and the class names beside
the main one are the real app's as we know them, not checked against a device.
"""

from __future__ import annotations

from urllib.parse import unquote

from emulator.pocket.app import App, Screen
from emulator.pocket.apps.dialer.in_call import InCall
from emulator.pocket.apps.dialer.places import PACKAGE, Dialer, Keypad
from emulator.pocket.intents import CALL, DIAL, VIEW, Intent, IntentFilter

MAIN = "com.google.android.dialer.extensions.GoogleDialtactsActivity"
OUTGOING = "com.android.dialer.precall.OutgoingCallActivity"


def _number(intent: Intent) -> str:
    return unquote(intent.data.partition(":")[2]).strip()


def _main(intent: Intent) -> Screen:
    return Dialer()


def _key_pad(intent: Intent) -> Screen:
    return Keypad(digits=_number(intent))


def _outgoing(intent: Intent) -> Screen:
    """CALL: the call goes out when its screen opens."""
    return InCall(dials=_number(intent))


def _in_call(intent: Intent) -> Screen:
    return InCall()


APP = App(
    package=PACKAGE,
    label="Phone",
    icon=("call", (26, 115, 232)),
    main=MAIN,
    activities={MAIN: _main, Keypad.activity: _key_pad, OUTGOING: _outgoing, InCall.activity: _in_call},
    filters=(
        (IntentFilter(CALL, schemes=("tel",)), OUTGOING),
        (IntentFilter(DIAL, schemes=("tel",)), Keypad.activity),
        (IntentFilter(DIAL), Keypad.activity),
        (IntentFilter(VIEW, schemes=("tel",)), Keypad.activity),
    ),
    permissions=("android.permission.CALL_PHONE", "android.permission.READ_CONTACTS"),
    version="113.0",
)
