"""date, sleep, whoami, id, ps, getprop, setprop, ifconfig, reboot and other small commands about the device itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime

from emulator.pocket.shell.context import Command, Context, UsageError

SYSTEM_PROCESSES = (("root", 1, "init"), ("root", 120, "adbd"), ("system", 480, "system_server"))
FIRST_PID = 2000
ADDRESS = "10.0.2.16"
DATE_FORMATS = ("%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%d", "%H:%M:%S", "%H:%M")


def succeed(context: Context) -> int:
    """`true`, and commands whose work is none on this phone (sync, stop, start, mount)."""
    return 0


def fail(context: Context) -> int:
    """`false`."""
    return 1


def date(context: Context) -> int:
    """`date [-u] [+FORMAT | -d WHEN | MMDDhhmm[[CC]YY][.SS] | @SECONDS]`: show or set the phone's clock, UTC."""
    words = [word for word in context.arguments if word not in ("-u", "SET")]
    clock = context.phone.clock
    form = next((word[1:] for word in words if word.startswith("+")), "%a %b %e %H:%M:%S %Z %Y")
    words = [word for word in words if not word.startswith("+")]
    moment = clock.now()
    if words[:1] in (["-d"], ["-s"]) and len(words) > 1:
        moment = _parsed(words[1], moment)
    elif words:
        moment = _parsed(words[0], moment)
    if words and words[0] != "-d":
        clock.set(moment)
        context.phone.touched()
    context.out(_shown(moment, form) + "\n")
    return 0


def _shown(moment: float, form: str) -> str:
    stamp = datetime.fromtimestamp(int(moment), UTC)
    form = form.replace("%s", str(int(moment))).replace("%N", f"{round(moment % 1 * 1e9) % 10**9:09d}")
    return stamp.strftime(form.replace("%Z", "UTC"))


def _parsed(text: str, now: float) -> float:
    if re.fullmatch(r"@\d+(\.\d+)?", text):
        return float(text[1:])
    match = re.fullmatch(r"(\d\d)(\d\d)(\d\d)(\d\d)(\d{2}|\d{4})?(?:\.(\d\d))?", text)
    if match:
        year = match[5] or datetime.fromtimestamp(int(now), UTC).strftime("%Y")
        text = (
            f"{year if len(year) == 4 else '20' + year}-{match[1]}-{match[2]} {match[3]}:{match[4]}:{match[6] or '00'}"
        )
    for form in DATE_FORMATS:
        try:
            stamp = datetime.strptime(text, form).replace(tzinfo=UTC)
        except ValueError:
            continue
        if "%Y" not in form:
            today = datetime.fromtimestamp(int(now), UTC)
            stamp = stamp.replace(year=today.year, month=today.month, day=today.day)
        return stamp.timestamp()
    raise UsageError(f"bad date '{text}'")


def sleep(context: Context) -> int:
    """`sleep N[smhd]`: moves the phone's clock on, and waits as long where the front says so."""
    total = 0.0
    for word in context.arguments or [""]:
        match = re.fullmatch(r"(\d*\.?\d+|\d+\.)([smhd]?)", word)
        if not match:
            raise UsageError(f"bad time '{word}'")
        total += float(match[1]) * {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}[match[2]]
    if context.shell.sleep is not None:
        context.shell.sleep(min(total, 86400.0))
    context.shell.checkpoint()
    with context.phone.lock:
        context.phone.clock.advance(total)
        context.phone.touched()
    return 0


def whoami(context: Context) -> int:
    """The adb user is root."""
    context.out("root\n")
    return 0


def identity(context: Context) -> int:
    """`id [-u|-g|-n]`."""
    if set(context.arguments) & {"-un", "-gn", "-nu", "-ng"} or "-n" in context.arguments:
        context.out("root\n")
    elif context.arguments:
        context.out("0\n")
    else:
        context.out("uid=0(root) gid=0(root) groups=0(root),1004(input),2000(shell) context=u:r:su:s0\n")
    return 0


def uname(context: Context) -> int:
    """`uname [-a|-r|-m|-n|-v]`."""
    fields = {"s": "Linux", "n": "localhost", "r": "5.15.41-android13-pocket", "v": "#1 SMP PREEMPT", "m": "x86_64"}
    letters = "".join(word.lstrip("-") for word in context.arguments) or "s"
    context.out(" ".join(value for key, value in fields.items() if key in letters or "a" in letters) + "\n")
    return 0


def hostname(context: Context) -> int:
    """The host name of every Android phone."""
    context.out("localhost\n")
    return 0


def uptime(context: Context) -> int:
    """`uptime`, in virtual time."""
    seconds = int(context.phone.clock.uptime())
    now = _shown(context.phone.clock.now(), "%H:%M:%S")
    context.out(f" {now} up {seconds // 3600:2d}:{seconds // 60 % 60:02d},  0 users,  load average: 0.10, 0.10, 0.10\n")
    return 0


def processes(context: Context) -> Iterator[tuple[str, int, str]]:
    """(user, pid, name): three of the system's, and one for each package with an activity."""
    yield from SYSTEM_PROCESSES
    names = dict.fromkeys(["com.android.systemui", *context.phone.activities.running])
    known = list(context.phone.packages)
    for name in names:
        index = known.index(name) if name in known else len(known)
        yield f"u0_a{100 + index}", FIRST_PID + index, name


def ps(context: Context) -> int:
    """`ps [-A] [-o COLUMNS]`: the columns of Android's ps."""
    context.out("USER           PID  PPID     VSZ    RSS WCHAN            ADDR S NAME\n")
    for user, pid, name in processes(context):
        context.out(
            f"{user:<12} {pid:>5} {1 if pid < FIRST_PID else 300:>5} 1010000  90000 do_epoll_wait       0 S {name}\n"
        )
    return 0


def pidof(context: Context) -> int:
    """`pidof NAME`, `pgrep [-f] NAME`."""
    wanted = [word for word in context.arguments if not word.startswith("-")]
    pids = [
        str(pid)
        for _, pid, name in processes(context)
        if any(word == name if context.name == "pidof" else word in name for word in wanted)
    ]
    if not pids:
        return 1
    context.out((" " if context.name == "pidof" else "\n").join(pids) + "\n")
    return 0


def kill(context: Context) -> int:
    """`kill [-SIGNAL] PID`, `killall NAME`, `pkill NAME`: stops the package that owns the process."""
    status = 0
    running = list(processes(context))
    for word in (
        word for word in context.arguments if not word.startswith("-") and word not in ("INT", "TERM", "KILL", "9")
    ):
        owner = next((name for _, pid, name in running if word in (str(pid), name)), None)
        if owner is None:
            status = context.fail(f"unknown pid '{word}'" if word.isdigit() else f"{word}: no such process")
        elif owner in context.phone.packages:
            context.phone.force_stop(owner)
    return status


def getprop(context: Context) -> int:
    """`getprop [NAME [DEFAULT]]`."""
    properties = context.phone.properties
    if context.arguments:
        default = context.arguments[1] if len(context.arguments) > 1 else ""
        context.out(properties.get(context.arguments[0], default) + "\n")
        return 0
    context.out("".join(f"[{name}]: [{value}]\n" for name, value in sorted(properties.items())))
    return 0


def setprop(context: Context) -> int:
    """`setprop NAME VALUE`; names that start with ro. can't be changed once set."""
    if len(context.arguments) != 2:
        raise UsageError("Need 2 arguments")
    name, value = context.arguments
    if name.startswith("ro.") and name in context.phone.properties:
        return context.fail(f"failed to set property '{name}' to '{value}'")
    context.phone.properties[name] = value
    return 0


def ifconfig(context: Context) -> int:
    """`ifconfig [wlan0]`, `ip addr show`: one interface, an address while Wi-Fi is on."""
    if context.phone.settings["global"].get("wifi_on", "0") == "0":
        return 0
    if context.name == "ip":
        if context.arguments[:1] == ["route"]:
            context.out(f"10.0.2.0/24 dev wlan0 proto kernel scope link src {ADDRESS}\n")
            return 0
        context.out("2: wlan0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 state UP\n")
        context.out(f"    inet {ADDRESS}/24 brd 10.0.2.255 scope global wlan0\n")
        return 0
    context.out("wlan0     Link encap:Ethernet  HWaddr 02:15:b2:00:00:00\n")
    context.out(f"          inet addr:{ADDRESS}  Bcast:10.0.2.255  Mask:255.255.255.0\n")
    context.out("          UP BROADCAST RUNNING MULTICAST  MTU:1500  Metric:1\n")
    return 0


def ping(context: Context) -> int:
    """`ping`: the phone reaches no network."""
    return context.fail("unknown host", 2)


def reboot(context: Context) -> int:
    """`reboot`: every app is stopped, the fronts drop their connections."""
    context.shell.endpoint.reboot()
    return 0


COMMANDS: dict[str, Command] = {
    "true": succeed,
    "false": fail,
    "mount": succeed,
    "remount": succeed,
    "start": succeed,
    "stop": succeed,
    "setenforce": succeed,
    "iptables": succeed,
    "date": date,
    "sleep": sleep,
    "whoami": whoami,
    "id": identity,
    "uname": uname,
    "hostname": hostname,
    "uptime": uptime,
    "ps": ps,
    "pidof": pidof,
    "pgrep": pidof,
    "kill": kill,
    "killall": kill,
    "pkill": kill,
    "getprop": getprop,
    "setprop": setprop,
    "ifconfig": ifconfig,
    "ip": ifconfig,
    "ping": ping,
    "reboot": reboot,
}
UNLOCKED = frozenset({"sleep"})
