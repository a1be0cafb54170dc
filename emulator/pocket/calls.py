"""The telephone: who is being called, from ringing to hanging up, and the call log.

State is kept as system properties (`gsm.pocket.call_state`: 1 ringing, 2 in a call, absent idle), which snapshots
carry and `dumpsys telephony.registry` reads. A call that was dialled is answered at once; nobody hangs up but the user
(ENDCALL, the red button) or the console.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from emulator.pocket.contacts import INCOMING, MISSED, OUTGOING
from emulator.pocket.intents import Intent

if TYPE_CHECKING:
    from emulator.pocket.phone import Phone

DIALER = "com.google.android.dialer"
IN_CALL = "com.android.incallui.InCallActivity"
STATE = "gsm.pocket.call_state"
NUMBER = "gsm.pocket.call_number"
SINCE = "gsm.pocket.call_since_ms"
IDLE, RINGING, OFFHOOK = "0", "1", "2"


def state(phone: Phone) -> str:
    """IDLE, RINGING or OFFHOOK."""
    return phone.properties.get(STATE, IDLE)


def number(phone: Phone) -> str:
    """Who is at the other end, '' if nobody."""
    return phone.properties.get(NUMBER, "")


def seconds(phone: Phone) -> int:
    """How long the call has lasted."""
    since = phone.properties.get(SINCE, "")
    return (phone.clock.uptime_ns // 1_000_000 - int(since)) // 1000 if since else 0


def dial(phone: Phone, to: str) -> None:
    """Call somebody: `place` the call and bring its screen to the front."""
    place(phone, to)
    _show(phone)


def place(phone: Phone, to: str) -> None:
    """Log a call that goes out and count it as answered; one that is on ends first."""
    if state(phone) != IDLE:
        hang_up(phone)
    _log(phone, to, OUTGOING)
    _set(phone, to, OFFHOOK)


def ring(phone: Phone, by: str) -> None:
    """Somebody calls: the call screen with answer and decline. A call that is on makes it a missed one."""
    if state(phone) != IDLE:
        _log(phone, by, MISSED)
        return
    _set(phone, by, RINGING)
    _show(phone)


def answer(phone: Phone) -> None:
    """Take the call that rings."""
    if state(phone) == RINGING:
        _log(phone, number(phone), INCOMING)
        _set(phone, number(phone), OFFHOOK)
        phone.touched()


def hang_up(phone: Phone) -> None:
    """End or decline; one that only rang is a missed call, with a notification."""
    was, who, lasted = state(phone), number(phone), seconds(phone)
    for name in (STATE, NUMBER, SINCE):
        phone.properties.pop(name, None)
    if was == RINGING:
        _log(phone, who, MISSED)
        phone.notify(DIALER, "Missed call", phone.contacts.name_of(who))
    elif was == OFFHOOK:
        sql = "UPDATE calls SET duration = ? WHERE _id = (SELECT max(_id) FROM calls)"
        phone.unless_full(lambda: phone.contacts.calls.execute(sql, (lasted,)))
    for screen in [s for task in phone.activities.stack for s in task.screens if s.activity == IN_CALL]:
        phone.activities.finish(screen)
    phone.touched()


def _log(phone: Phone, who: str, kind: int) -> None:
    """Into the call log, unless the disk is full: the call goes on all the same."""
    phone.unless_full(lambda: phone.contacts.log_call(who, kind))


def _show(phone: Phone) -> None:
    if DIALER in phone.apps:
        phone.start_activity(Intent(component=f"{DIALER}/{IN_CALL}", data=f"tel:{number(phone)}"))
    phone.touched()


def _set(phone: Phone, who: str, new: str) -> None:
    phone.properties[STATE] = new
    phone.properties[NUMBER] = who
    phone.properties.pop(SINCE, None)
    if new == OFFHOOK:
        phone.properties[SINCE] = str(phone.clock.uptime_ns // 1_000_000)
