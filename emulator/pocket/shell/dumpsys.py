"""dumpsys: the lines of Android's dumps that tools parse.

Who parses what: android_env components/adb_call_parser.py (input), AndroidWorld env/adb_utils.py (input, window,
telephony.registry, activity recents), adbutils shell.py and uiautomator2 (display, window, power, battery, package,
activity). See shared/facts/pocket_phone.md.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable

from emulator.pocket import calls
from emulator.pocket.focus import focus
from emulator.pocket.intents import short_component
from emulator.pocket.shell.activity_commands import stack_list
from emulator.pocket.shell.context import Command, Context

DISPLAY_ID = "4619827259835644672"


def _token(text: str) -> str:
    """A window's or task's hash: the same for the same name."""
    return f"{zlib.crc32(text.encode()):x}"


def _focus(context: Context) -> tuple[str, str]:
    top = context.phone.activities.foreground
    return top.package, top.cls


def window(context: Context, words: list[str]) -> str:
    """Focus, rotation, the windows."""
    package, cls = _focus(context)
    front = focus(context.phone)
    full = front.title
    flags = "LAYOUT_IN_SCREEN LAYOUT_INSET_DECOR SPLIT_TOUCH HARDWARE_ACCELERATED" + " SECURE" * front.secure
    rotation, (width, height) = context.phone.rotation, context.phone.display_size
    lines = "WINDOW MANAGER WINDOWS (dumpsys window windows)\n"
    lines += f"  Window #0 Window{{{_token(full)} u0 {full}}}:\n    mDisplayId=0 mSession=Session{{1 1:u0a1}}\n"
    lines += (
        f"    mAttrs={{(0,0)(fillxfill) sim={{adjust=resize}} ty=BASE_APPLICATION\n      fl={flags}\n      pfl=NONE}}\n"
    )
    lines += f"  mCurrentFocus=Window{{{_token(full)} u0 {full}}}\n"
    lines += f"  mFocusedApp=ActivityRecord{{{_token(full)} u0 {short_component(package, cls)} t1}}\n"
    if words[:1] == ["windows"]:
        return lines
    lines += f"  mCurrentRotation=ROTATION_{90 * rotation}\n  mRotation={rotation}\n"
    lines += f"  init={width}x{height} 420dpi cur={width}x{height} app={width}x{height}\n"
    lines += f"  mInputMethodWindow=Window{{{_token('ime')} u0 InputMethod}}\n  mDreamingLockscreen=false\n"
    return lines + "  mShowingLockscreen=false mShowingDream=false\n"


def input_(context: Context, words: list[str]) -> str:
    """The touch screen's viewport and orientation."""
    width, height = context.phone.display_size
    rotation = context.phone.rotation
    natural = context.phone.size
    viewport = f"logicalFrame=[0, 0, {width}, {height}], physicalFrame=[0, 0, {width}, {height}], deviceSize="
    return (
        "INPUT MANAGER (dumpsys input)\n\nInput Reader State:\n  Endpoint 1: virtio_input_multi_touch_1\n"
        f"    Viewport INTERNAL: displayId=0, uniqueId=local:{DISPLAY_ID}, port=0, orientation={rotation}, "
        f"{viewport}[{width}, {height}], isActive=[1]\n"
        f"      PhysicalWidth: {natural[0]}px\n      PhysicalHeight: {natural[1]}px\n"
        f"      SurfaceOrientation: {rotation}\n      InputDeviceOrientation: {rotation}\n"
    )


def display(context: Context, words: list[str]) -> str:
    """The viewport line adbutils reads rotation and size from."""
    width, height = context.phone.size
    rotation = context.phone.rotation
    shown = context.phone.display_size
    return (
        "DISPLAY MANAGER (dumpsys display)\n"
        f"  mViewports=[DisplayViewport{{type=INTERNAL, valid=true, isActive=true, displayId=0, "
        f"uniqueId='local:{DISPLAY_ID}', physicalPort=0, orientation={rotation}, "
        f"logicalFrame=Rect(0, 0 - {shown[0]}, {shown[1]}), physicalFrame=Rect(0, 0 - {shown[0]}, {shown[1]}), "
        f"deviceWidth={width}, deviceHeight={height}}}]\n  mScreenState=ON\n"
    )


def surface_flinger(context: Context, words: list[str]) -> str:
    """`--display-id`."""
    return f'Display {DISPLAY_ID} (HWC display 0): port=0 pnpId=GGL displayName="EMU_display_0"\n'


def activity(context: Context, words: list[str]) -> str:
    """activities, top, recents, services, stack."""
    package, cls = _focus(context)
    short = short_component(package, cls)
    part = words[0] if words else "activities"
    if part == "recents":
        return _recents(context)
    if part == "top":
        head = f"TASK {package} id=1 userId=0\n  ACTIVITY {short} {_token(short)} pid=2100\n"
        return head + f"    View Hierarchy:\n      DecorView@{_token(cls)}[]\n"
    record = f"ActivityRecord{{{_token(short)} u0 {short} t1}}"
    text = "ACTIVITY MANAGER ACTIVITIES (dumpsys activity activities)\nDisplay #0 (activities from top to bottom):\n"
    resumed = f"  mResumedActivity: {record}\n  topResumedActivity={record}\n  ResumedActivity: {record}\n"
    return text + stack_list(context) + resumed


def _recents(context: Context) -> str:
    lines = "ACTIVITY MANAGER RECENT TASKS (dumpsys activity recents)\n  Recent tasks:\n"
    for index, task in enumerate(context.phone.activities.tasks()):
        lines += f"  * Recent #{index}: Task{{{_token(task.base)} #{task.id} type=standard A=10085:{task.package}}}\n"
        lines += (
            f"    userId=0 effectiveUid=u0a85\n    affinity=10085:{task.package}\n    id={task.id} mStackId={task.id}\n"
        )
        lines += f"    realActivity={{{task.base}}}\n"
    return lines


def telephony(context: Context, words: list[str]) -> str:
    """mCallState: 0 idle, 1 ringing, 2 in a call."""
    state, number = calls.state(context.phone), calls.number(context.phone)
    return f"last known state:\n  Phone Id=0\n    mCallState={state}\n    mCallIncomingNumber={number}\n"


def battery(context: Context, words: list[str]) -> str:
    """A full battery on the mains."""
    return (
        "Current Battery Service state:\n  AC powered: true\n  USB powered: false\n  Wireless powered: false\n"
        "  Dock powered: false\n  Max charging current: 0\n  Max charging voltage: 0\n  Charge counter: 10000\n"
        "  status: 5\n  health: 2\n  present: true\n  level: 100\n  scale: 100\n  voltage: 5000\n"
        "  temperature: 250\n  technology: Li-ion\n"
    )


def power(context: Context, words: list[str]) -> str:
    """The screen is on."""
    return "POWER MANAGER (dumpsys power)\n  mWakefulness=Awake\n  mHoldingDisplaySuspendBlocker=true\n"


def package(context: Context, words: list[str]) -> str:
    """Version, permissions and times of packages."""
    names = [word for word in words if not word.startswith("-")] or list(context.phone.packages)
    lines = "Packages:\n"
    for name in names:
        record = context.phone.packages.get(name)
        if record is None:
            return f"Unable to find package: {name}\n"
        lines += f"  Package [{name}] ({_token(name)}):\n    userId={record.uid}\n    codePath={record.apk_path}\n"
        lines += (
            f"    versionCode={record.version_code} minSdk=24 targetSdk=33\n    versionName={record.version_name}\n"
        )
        lines += f"    pkgFlags=[ {'SYSTEM ' if record.system else ''}HAS_CODE ALLOW_CLEAR_USER_DATA ]\n"
        lines += f"    signatures=PackageSignatures{{{_token(name)} version:2, signatures:[{_token(name)}]}}\n"
        lines += "    firstInstallTime=2023-10-01 00:00:00\n    lastUpdateTime=2023-10-01 00:00:00\n"
        lines += "    requested permissions:\n" + "".join(f"      {item}\n" for item in record.requested)
        lines += "    runtime permissions:\n"
        lines += "".join(f"      {item}: granted=true\n" for item in sorted(record.granted))
    return lines


def input_method(context: Context, words: list[str]) -> str:
    """Which keyboard, and whether it is shown."""
    name = context.phone.settings["secure"].get("default_input_method", "")
    shown = str(bool(context.phone.keyboard.visible)).lower()
    head = f"Current Input Method Manager state:\n  mCurMethodId={name}\n"
    return head + f"  mInputShown={shown}\n  mIsInputViewShown={shown}\n"


def notification(context: Context, words: list[str]) -> str:
    """The posted notifications."""
    lines = "Current Notification Manager state:\n  Notification List:\n"
    for number, item in enumerate(context.phone.system.notifications):
        lines += f"    NotificationRecord(0x{number:08x}: pkg={item.package} user=UserHandle{{0}} id={number})\n"
        lines += f"      extras={{\n        android.title=String ({item.title})\n"
        lines += f"        android.text=String ({item.text})\n      }}\n"
    return lines


def meminfo(context: Context, words: list[str]) -> str:
    """A constant."""
    return "Total RAM: 2,048,000K (status normal)\n Free RAM: 1,024,000K\n Used RAM: 1,024,000K\n"


def empty(context: Context, words: list[str]) -> str:
    """Services with nothing to tell."""
    return ""


DUMPS: dict[str, Callable[[Context, list[str]], str]] = {
    "activity": activity,
    "window": window,
    "input": input_,
    "display": display,
    "SurfaceFlinger": surface_flinger,
    "telephony.registry": telephony,
    "battery": battery,
    "power": power,
    "package": package,
    "input_method": input_method,
    "notification": notification,
    "meminfo": meminfo,
    "gfxinfo": empty,
    "accessibility": empty,
    "alarm": empty,
    "wifi": empty,
    "connectivity": empty,
    "bluetooth_manager": empty,
    "batterystats": empty,
    "cpuinfo": empty,
    "media_session": empty,
    "audio": empty,
    "deviceidle": empty,
    "location": empty,
    "procstats": empty,
    "usagestats": empty,
    "appops": empty,
}


def dumpsys(context: Context) -> int:
    """`dumpsys [-l] [-t SECONDS] [--skip LIST] [SERVICE [ARGS]]`."""
    words = list(context.arguments)
    if "-l" in words:
        context.out("Currently running services:\n" + "".join(f"  {name}\n" for name in sorted(DUMPS)))
        return 0
    skipped: list[str] = []
    while words and words[0] in ("-t", "-T", "--priority", "--skip"):
        option = words.pop(0)
        value = words.pop(0) if words else ""
        skipped = value.split(",") if option == "--skip" else skipped
    if not words:
        for name, dump in DUMPS.items():
            if name not in skipped:
                context.out(f"DUMP OF SERVICE {name}:\n{dump(context, [])}\n")
        return 0
    if words[0] not in DUMPS:
        context.shell.unknown[f"dumpsys {words[0]}"] += 1
        context.err(f"Can't find service: {words[0]}\n")
        return 0
    context.out(DUMPS[words[0]](context, words[1:]))
    return 0


COMMANDS: dict[str, Command] = {"dumpsys": dumpsys}
