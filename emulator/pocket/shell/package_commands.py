"""pm and cmd: packages, and the front door to other services' commands."""

from __future__ import annotations

import re

from emulator.pocket.packages import Package
from emulator.pocket.phone import Phone
from emulator.pocket.shell.apk import BadApk, read_manifest
from emulator.pocket.shell.context import Command, Context, UsageError
from emulator.pocket.shell.settings_commands import put, turn

FEATURES = ("android.hardware.touchscreen", "android.hardware.wifi", "android.hardware.bluetooth")
LIBRARIES = ("android.test.base", "android.test.runner")
MAX_APK = 512 << 20


def pm(context: Context) -> int:
    """`pm VERB ...`; see VERBS."""
    verb = context.arguments[0] if context.arguments else ""
    if verb not in VERBS:
        context.err(f"Unknown command: {verb}\n")
        return 255
    if verb == "install":  # reads its input without the phone's lock
        return install(context, context.arguments[1:])
    with context.phone.lock:
        return VERBS[verb](context, context.arguments[1:])


def _plain(words: list[str]) -> list[str]:
    """The words that are no options; --user and -f take a value with them."""
    kept, skip = [], False
    for word in words:
        if skip:
            skip = False
        elif word in ("--user", "-i", "--install-location", "--abi", "-S"):
            skip = True
        elif not word.startswith("-"):
            kept.append(word)
    return kept


def _known(context: Context, words: list[str]) -> Package:
    names = _plain(words)
    if not names:
        raise UsageError("Error: no package specified", 255)
    if names[0] not in context.phone.packages:
        raise UsageError(f"Unknown package: {names[0]}", 255)
    return context.phone.packages[names[0]]


def list_(context: Context, words: list[str]) -> int:
    """`pm list packages [-f3seduUi] [FILTER]`, `pm list features|libraries|permissions|users`."""
    what, rest = (words[0] if words else ""), words[1:]
    if what in ("features", "libraries"):
        names = FEATURES if what == "features" else LIBRARIES
        label = "feature" if what == "features" else "library"
        context.out("".join(f"{label}:{name}\n" for name in names))
        return 0
    if what in ("users", "permissions", "permission-groups", "instrumentation"):
        context.out("Users:\n\tUserInfo{0:Owner:c13} running\n" if what == "users" else "")
        return 0
    if what not in ("packages", "package"):
        context.err(f"Error: unknown list type '{what}'\n")
        return 255
    flags, wanted = {word for word in rest if word.startswith("-")}, _plain(rest)
    for package in context.phone.packages.values():
        if _listed(package, flags) and all(name in package.name for name in wanted):
            where = f"{package.apk_path}=" if "-f" in flags else ""
            tail = (f" uid:{package.uid}" if "-U" in flags else "") + ("  installer=null" if "-i" in flags else "")
            code = f" versionCode:{package.version_code}" if "--show-versioncode" in flags else ""
            context.out(f"package:{where}{package.name}{code}{tail}\n")
    return 0


def _listed(package: Package, flags: set[str]) -> bool:
    if ("-3" in flags and package.system) or ("-s" in flags and not package.system):
        return False
    return not (("-d" in flags and package.enabled) or ("-e" in flags and not package.enabled))


def clear(context: Context, words: list[str]) -> int:
    """`pm clear PACKAGE`."""
    names = _plain(words)
    if not names or names[0] not in context.phone.packages:
        context.out("Failed\n")
        return 1
    context.phone.clear_package(names[0])
    context.out("Success\n")
    return 0


def grant(context: Context, words: list[str]) -> int:
    """`pm grant|revoke PACKAGE PERMISSION`."""
    package = _known(context, words)
    names = _plain(words)
    if len(names) < 2:
        raise UsageError("Error: no permission specified", 255)
    change = context.phone.packages.grant if context.arguments[0] == "grant" else context.phone.packages.revoke
    change(package.name, names[1])
    return 0


def path(context: Context, words: list[str]) -> int:
    """`pm path PACKAGE`."""
    names = _plain(words)
    if not names or names[0] not in context.phone.packages:
        return 1
    context.out(f"package:{context.phone.packages[names[0]].apk_path}\n")
    return 0


def enable(context: Context, words: list[str]) -> int:
    """`pm enable|disable|disable-user PACKAGE`."""
    package = _known(context, words)
    on = context.arguments[0] == "enable"
    context.phone.packages.set_enabled(package.name, on)
    context.out(f"Package {package.name} new state: {'enabled' if on else context.arguments[0] + 'd'}\n")
    return 0


def install(context: Context, words: list[str]) -> int:
    """`pm install [OPTIONS] PATH`, or `-S SIZE` with the APK on standard input.

    The package is recorded under the name its manifest gives; the code in it is not run.
    """
    data = _apk(context, words)
    try:
        manifest = read_manifest(data)
    except BadApk as error:
        context.err(f"Failure [INSTALL_PARSE_FAILED_NOT_APK: {error}]\n")
        return 1
    with context.phone.lock:
        context.phone.packages.add(
            Package(
                manifest.package,
                manifest.package.rpartition(".")[2],
                version_name=manifest.version_name,
                version_code=manifest.version_code,
                system=False,
                apk_size=len(data),
            )
        )
        context.phone.fs.mkdir(f"/data/data/{manifest.package}", parents=True)
        context.phone.touched()
    context.out("Success\n")
    return 0


def _apk(context: Context, words: list[str]) -> bytes:
    if "-S" in words and words.index("-S") + 1 < len(words) and words[words.index("-S") + 1].isdigit():
        size = int(words[words.index("-S") + 1])
        if size > MAX_APK:
            raise UsageError(f"Failure [INSTALL_FAILED_INSUFFICIENT_STORAGE: {size} bytes]")
        data = bytearray()
        while len(data) < size and (chunk := context.stdin.read(min(1 << 20, size - len(data)))):
            data += chunk
        if len(data) < size:
            raise UsageError(f"Failure [INSTALL_FAILED_INVALID_APK: {len(data)} of {size} bytes came]")
        return bytes(data)
    names = _plain(words)
    if not names:
        raise UsageError("Error: no APK given", 255)
    try:
        with context.phone.lock:
            return context.phone.fs.read(context.path(names[0]))
    except OSError as error:
        raise UsageError(f"Failure [INSTALL_FAILED_INVALID_URI: can't open {names[0]}]") from error


def uninstall(context: Context, words: list[str]) -> int:
    """`pm uninstall [-k] PACKAGE`; built-in packages stay."""
    names = _plain(words)
    if not names or names[0] not in context.phone.packages:
        context.out("Failure [DELETE_FAILED_INTERNAL_ERROR]\n")
        return 1
    with context.phone.lock:
        if context.phone.packages[names[0]].system:
            context.out("Failure [DELETE_FAILED_DEVICE_POLICY_MANAGER]\n")
            return 1
        context.phone.uninstall(names[0])
    context.out("Success\n")
    return 0


def resolve(context: Context, words: list[str]) -> int:
    """`cmd package resolve-activity --brief PACKAGE`: its launcher activity."""
    known = ("-a", "-c", "android.intent.action.MAIN", "android.intent.category.LAUNCHER")
    package = _known(context, [word for word in words if word not in known])
    if not package.launcher:
        context.out("No activity found\n")
        return 0
    context.out("priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=true\n")
    name = package.launcher if "/" in package.launcher else f"{package.name}/{package.launcher}"
    context.out(name + "\n")
    return 0


def nothing(context: Context, words: list[str]) -> int:
    """Verbs without an effect on this phone."""
    return 0


VERBS = {
    "list": list_,
    "clear": clear,
    "grant": grant,
    "revoke": grant,
    "path": path,
    "enable": enable,
    "disable": enable,
    "disable-user": enable,
    "install": install,
    "uninstall": uninstall,
    "resolve-activity": resolve,
    "compile": nothing,
    "set-install-location": nothing,
    "trim-caches": nothing,
    "bg-dexopt-job": nothing,
}
SWITCHES = {"enable": "1", "disable": "0", "enabled": "1", "disabled": "0"}


def cmd(context: Context) -> int:
    """`cmd [-w] SERVICE ...`: package, activity, settings, input, content and those in OTHERS."""
    words = [word for index, word in enumerate(context.arguments) if index or word != "-w"]
    service, rest = (words[0] if words else ""), words[1:]
    if service in FORWARDED:
        streams = type(context.shell.streams)(context.stdin, context.stdout, context.stderr)
        return context.shell.invoke([FORWARDED[service], *rest], streams)
    if service == "-l":
        context.out("".join(f"  {name}\n" for name in sorted({*FORWARDED, *OTHERS})))
        return 0
    if service not in OTHERS:
        context.shell.unknown[f"cmd {service}"] += 1
        context.err(f"cmd: Can't find service: {service}\n")
        return 20
    with context.phone.lock:
        return OTHERS[service](context, rest)


def _wifi(context: Context, words: list[str]) -> int:
    verb = words[0] if words else ""
    if verb == "set-wifi-enabled" and len(words) > 1 and words[1] in SWITCHES:
        put(context, "global", "wifi_on", SWITCHES[words[1]])
    elif verb == "status":
        on = context.phone.settings["global"].get("wifi_on", "0") != "0"
        context.out(f"Wifi is {'enabled' if on else 'disabled'}\n")
    return 0


def _bluetooth(context: Context, words: list[str]) -> int:
    if words and words[0] in SWITCHES:
        put(context, "global", "bluetooth_on", SWITCHES[words[0]])
    return 0


def _connectivity(context: Context, words: list[str]) -> int:
    if words[:1] == ["airplane-mode"] and len(words) > 1 and words[1] in SWITCHES:
        context.phone.settings.set_airplane(words[1] == "enable")
        context.phone.touched()
    return 0


def _uimode(context: Context, words: list[str]) -> int:
    if words[:1] == ["night"] and len(words) > 1:
        put(context, "secure", "ui_night_mode", "2" if words[1] == "yes" else "1")
    night = context.phone.settings["secure"].get("ui_night_mode") == "2"
    context.out(f"Night mode: {'yes' if night else 'no'}\n")
    return 0


def show_shade(phone: Phone, name: str) -> None:
    """Open "notifications" or "quick" settings, or close with ""."""
    with phone.lock:
        phone.system.shade = name
        phone.touched()


def _statusbar(context: Context, words: list[str]) -> int:
    verb = words[0] if words else ""
    if verb in ("expand-notifications", "expand-settings"):
        show_shade(context.phone, "notifications" if verb == "expand-notifications" else "quick")
    elif verb == "collapse":
        show_shade(context.phone, "")
    return 0


def _window(context: Context, words: list[str]) -> int:
    if words[:2] == ["user-rotation", "lock"] and len(words) > 2 and re.fullmatch("[0-3]", words[2]):
        turn(context, words[2])
    return 0


FORWARDED = {"package": "pm", "activity": "am", "settings": "settings", "input": "input", "content": "content"}
OTHERS = {
    "wifi": _wifi,
    "bluetooth_manager": _bluetooth,
    "connectivity": _connectivity,
    "uimode": _uimode,
    "statusbar": _statusbar,
    "window": _window,
    "notification": nothing,
    "location": nothing,
    "overlay": nothing,
    "locale": nothing,
    "power": nothing,
    "jobscheduler": nothing,
    "appops": nothing,
    "device_config": nothing,
}
COMMANDS: dict[str, Command] = {"pm": pm, "cmd": cmd, "appops": lambda context: 0}
UNLOCKED = frozenset({"pm", "cmd"})
