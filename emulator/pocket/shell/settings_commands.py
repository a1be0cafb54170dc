"""settings, svc, wm, service, ime: the phone's switches."""

from __future__ import annotations

from emulator.pocket.device_settings import NAMESPACES
from emulator.pocket.shell.context import Command, Context, UsageError
from emulator.pocket.shell.keyboards import installed_keyboards

RADIOS = {"wifi": ("global", "wifi_on"), "bluetooth": ("global", "bluetooth_on"), "data": ("global", "mobile_data")}
SERVICES = [
    "accessibility",
    "activity",
    "activity_task",
    "alarm",
    "appops",
    "audio",
    "battery",
    "bluetooth_manager",
    "clipboard",
    "connectivity",
    "content",
    "device_policy",
    "display",
    "gfxinfo",
    "input",
    "input_method",
    "location",
    "media_session",
    "meminfo",
    "netstats",
    "notification",
    "package",
    "permission",
    "phone",
    "power",
    "procstats",
    "settings",
    "statusbar",
    "telephony.registry",
    "uimode",
    "usagestats",
    "user",
    "wallpaper",
    "wifi",
    "window",
]


def settings(context: Context) -> int:
    """`settings [--user N] get|put|delete|list|reset NAMESPACE [KEY [VALUE]]`."""
    words = list(context.arguments)
    if words[:1] == ["--user"]:
        del words[:2]
    verb, space, rest = (words[0] if words else ""), (words[1] if len(words) > 1 else ""), words[2:]
    if verb not in ("get", "put", "delete", "list", "reset"):
        raise UsageError(f"Invalid command: {verb}", 255)
    if space not in NAMESPACES:
        raise UsageError(f"Invalid namespace '{space}'", 255)
    needed = {"get": 1, "put": 2, "delete": 1, "list": 0, "reset": 1}[verb]
    if len(rest) < needed:
        raise UsageError("Bad arguments", 255)
    table = context.phone.settings[space]
    if verb == "get":
        context.out(table.get(rest[0], "null") + "\n")
    elif verb == "put":
        put(context, space, rest[0], rest[1])
    elif verb == "delete":
        context.out(f"Deleted {int(table.pop(rest[0], None) is not None)} rows\n")
        context.phone.touched()
    elif verb == "list":
        context.out("".join(f"{key}={value}\n" for key, value in sorted(table.items())))
    return 0


def put(context: Context, space: str, key: str, value: str) -> None:
    """Set one value and let the screen follow."""
    context.phone.settings[space][key] = value
    context.phone.touched()


def svc(context: Context) -> int:
    """`svc wifi|bluetooth|data enable|disable`, `svc power stayon true|false`; others do nothing."""
    words = [*context.arguments, "", ""]
    what, action = words[0], words[1]
    if what in RADIOS and action in ("enable", "disable"):
        space, key = RADIOS[what]
        put(context, space, key, "1" if action == "enable" else "0")
    elif what == "power" and action == "stayon":
        put(context, "global", "stay_on_while_plugged_in", "0" if words[2] == "false" else "7")
    elif what not in ("power", "usb", "nfc", "system-server", "help", *RADIOS):
        context.err("Available commands: help power usb nfc wifi data bluetooth\n")
        return 1
    return 0


def wm(context: Context) -> int:
    """`wm size`, `wm density`, `wm user-rotation lock N|free`; the screen's size itself can't be changed."""
    words = [word for word in context.arguments if word not in ("-d", "0")]
    verb = words[0] if words else ""
    width, height = context.phone.size
    if verb == "size":
        if len(words) > 1 and words[1] not in ("reset", f"{width}x{height}"):
            return context.fail("the pocket phone's screen has one size; start one with --size", 255)
        context.out("" if len(words) > 1 else f"Physical size: {width}x{height}\n")
    elif verb == "density":
        context.out("" if len(words) > 1 else f"Physical density: {context.phone.density}\n")
    elif verb in ("user-rotation", "set-user-rotation"):
        lock = words[1:2] == ["lock"]
        put(context, "system", "accelerometer_rotation", "0" if lock else "1")
        if lock:
            turn(context, words[2] if len(words) > 2 else "0")
    elif verb not in ("dismiss-keyguard", "set-ignore-orientation-request", "reset", "overscan"):
        raise UsageError(f"unknown command '{verb}'", 255)
    return 0


def turn(context: Context, rotation: str) -> None:
    """Lay the screen at rotation 0 to 3."""
    if rotation not in ("0", "1", "2", "3"):
        raise UsageError(f"bad rotation '{rotation}'", 255)
    put(context, "system", "user_rotation", rotation)


def service(context: Context) -> int:
    """`service check NAME`, `service list`, `service call NAME CODE ...`; alarm 3 sets the time zone."""
    words = [*context.arguments, "", ""]
    verb, name = words[0], words[1]
    if verb == "check":
        context.out(f"Service {name}: {'found' if name in SERVICES else 'not found'}\n")
    elif verb == "list":
        context.out(f"Found {len(SERVICES)} services:\n")
        context.out("".join(f"{i}\t{service}: []\n" for i, service in enumerate(SERVICES)))
    elif verb == "call":
        if name not in SERVICES:
            context.err(f"service: Service {name} does not exist\n")
            return 10
        context.out("Result: Parcel(00000000 00000001   '........')\n")
    else:
        raise UsageError(f"Unknown command {verb}", 10)
    return 0


def ime(context: Context) -> int:
    """`ime list [-s] [-a]`, `ime enable|disable|set ID`, `ime reset`."""
    words = list(context.arguments)
    verb = words[0] if words else ""
    known = installed_keyboards(context.phone)
    if verb == "list":
        for name in known:
            context.out(f"{name}\n" if "-s" in words else f"{name}:\n  mId={name} mSettingsActivityName=null\n")
        return 0
    if verb == "reset":
        put(context, "secure", "default_input_method", known[0])
        return 0
    name = words[1] if len(words) > 1 else ""
    if verb not in ("enable", "disable", "set"):
        raise UsageError(f"unknown command '{verb}'", 255)
    if name not in known:
        context.err(
            f"Unknown input method {name} cannot be {'selected' if verb == 'set' else verb + 'd'} for user #0\n"
        )
        return 255
    if verb == "set":
        put(context, "secure", "default_input_method", name)
    elif verb == "disable" and context.phone.settings["secure"].get("default_input_method") == name:
        put(context, "secure", "default_input_method", known[0])
    told = {"enable": "now enabled", "disable": "now disabled", "set": "selected"}[verb]
    context.out(f"Input method {name}: {told} for user #0\n")
    return 0


COMMANDS: dict[str, Command] = {
    "settings": settings,
    "svc": svc,
    "wm": wm,
    "service": service,
    "ime": ime,
}
