"""Android's commands on the device shell: forms and outputs that adb users, android_env and AndroidWorld rely on."""

from __future__ import annotations

import re
import struct
from datetime import datetime

import pytest

from emulator.pocket.faults import Fault, FaultKind
from emulator.pocket.phone import Phone
from emulator.pocket.shell.interpreter import Shell

SETTINGS = "com.android.settings"


@pytest.fixture
def shell() -> Shell:
    return Shell(Phone(size=(540, 1200), strict=True))


def ok(shell: Shell, line: str) -> str:
    result = shell.run(line)
    assert result.status == 0, result.output.decode()
    return result.output.decode()


def test_settings_and_radios(shell: Shell) -> None:
    ok(shell, "settings put system screen_brightness 255")
    assert ok(shell, "settings get system screen_brightness") == "255\n"
    assert ok(shell, "settings get global nothing_here") == "null\n"
    assert ok(shell, "settings delete system screen_brightness") == "Deleted 1 rows\n"
    for radio, key in (("wifi", "wifi_on"), ("bluetooth", "bluetooth_on")):
        for action, value in (("disable", "0"), ("enable", "1")):
            ok(shell, f"svc {radio} {action}")
            assert ok(shell, f"settings get global {key}") == f"{value}\n"
    ok(shell, "cmd connectivity airplane-mode enable")
    assert ok(shell, "settings get global wifi_on; settings get global airplane_mode_on") == "0\n1\n"
    assert shell.run("settings get nowhere x").status == 255


def test_device_time_as_android_world_sets_it(shell: Shell) -> None:
    for line in (
        "settings put global auto_time 0",
        "settings put system time_12_24 24",
        "service call alarm 3 s16 UTC",
        "date 1015153423.00",
    ):
        ok(shell, line)
    assert shell.phone.clock.datetime() == datetime.fromisoformat("2023-10-15T15:34:00+00:00")
    assert ok(shell, "date") == "Sun Oct 15 15:34:00 UTC 2023\n"
    assert datetime.strptime(ok(shell, "date").strip(), "%a %b %d %H:%M:%S %Z %Y")
    assert ok(shell, "date +%s") == "1697384040\n"
    ok(shell, "sleep 90")
    assert ok(shell, "date +%H:%M:%S") == "15:35:30\n"
    assert shell.run("date nonsense").status == 1


def test_start_and_stop_of_apps(shell: Shell) -> None:
    output = ok(shell, f"am start  -W -n {SETTINGS}/.Settings")
    assert "Error" not in output and "Status: ok" in output
    visible = ok(shell, "am stack list | grep -E visible=true")
    assert re.search(r".*\{(.*)\}", visible)[1] == f"{SETTINGS}/{SETTINGS}.Settings"  # type: ignore[index]
    pattern = r"^ *taskId=(\d+): (\S*) .*visible=true.*topActivity=ComponentInfo\{(\S*)\}$"
    assert re.search(pattern, visible, re.MULTILINE)
    focus = re.search(r"mCurrentFocus=Window{.*\s+(\S+)/(\S+)\}", ok(shell, "dumpsys window windows"))
    assert focus and focus[1] == SETTINGS
    task = re.findall(r"\bid=(\d+)", ok(shell, "dumpsys activity recents"))
    for number in [*task, "10123"]:
        ok(shell, f"am stack remove {number}")
    assert SETTINGS not in ok(shell, "am stack list | grep visible=true")
    ok(shell, f"am force-stop {SETTINGS}; am force-stop no.such.package")
    result = shell.run("am start -n no.such/.Thing")
    assert result.status == 1 and b"Error: Activity class {no.such/no.such.Thing} does not exist." in result.output


def test_monkey_starts_a_package(shell: Shell) -> None:
    assert "Events injected: 1" in ok(shell, f"monkey -p {SETTINGS} -c android.intent.category.LAUNCHER 1")
    assert shell.phone.activities.foreground.package == SETTINGS
    result = shell.run("monkey -p no.such.package 1")
    assert result.status == 252 and b"monkey aborted" in result.output


def test_screen_geometry(shell: Shell) -> None:
    assert ok(shell, "wm size") == "Physical size: 540x1200\n"
    assert re.search(r"logicalFrame=\[0, 0, 540, 1200\]", ok(shell, "dumpsys input | grep logicalFrame"))
    assert re.search(r"mCurrentRotation=ROTATION_0", ok(shell, "dumpsys window | grep mCurrentRotation"))
    assert re.search(r"SurfaceOrientation: 0", ok(shell, "dumpsys input"))
    ok(shell, "settings put system user_rotation 1")
    assert "mCurrentRotation=ROTATION_90" in ok(shell, "dumpsys window")
    assert re.search(r"orientation=1, .*deviceWidth=540, deviceHeight=1200", ok(shell, "dumpsys display"))
    assert re.search(r"logicalFrame=\[0, 0, 1200, 540\]", ok(shell, "dumpsys input"))


def test_screencap_raw_and_png(shell: Shell) -> None:
    raw = shell.run("screencap").stdout
    assert struct.unpack_from("<3I", raw) == (540, 1200, 1) and len(raw) == 16 + 540 * 1200 * 4
    png = shell.run("screencap -p").stdout
    assert png == shell.phone.screenshot_png() and png.startswith(b"\x89PNG\r\n\x1a\n")
    ok(shell, "screencap -p /sdcard/s.png")
    assert shell.phone.fs.read("/sdcard/s.png") == png


def test_uiautomator_dump(shell: Shell) -> None:
    assert ok(shell, "uiautomator dump") == "UI hierchary dumped to: /sdcard/window_dump.xml\n"
    assert ok(shell, "cat /sdcard/window_dump.xml").startswith("<?xml version='1.0'")
    assert "<hierarchy" in ok(shell, "uiautomator dump /dev/tty")


def test_input_reaches_the_phone(shell: Shell) -> None:
    phone = shell.phone
    ok(shell, f"am start -n {SETTINGS}/.Settings")
    ok(shell, "input keyevent KEYCODE_HOME")
    assert phone.activities.foreground.home
    before = phone.clock.now()
    ok(shell, "input tap 10 10; input swipe 270 900 270 300 500; input swipe 1 1 2 2 ")
    assert phone.clock.now() > before
    for line in ("input tap a b", "input tap 1", "input keyevent NO_SUCH_KEY", "input warp 1 2", "input swipe 1 2 3"):
        assert shell.run(line).status == 255, line


@pytest.mark.parametrize("text", ["你好", "café", "😀", "½"])
def test_input_text_refuses_what_has_no_key(shell: Shell, text: str) -> None:
    """Cases D03 and D49 of the public bug reports: Android's key map has no such keys."""
    result = shell.run(f"input text '{text}'")
    assert result.status == 255 and b"NullPointerException" in result.stderr


def test_text_that_looks_like_shell_is_typed(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    """Case D55: a quoted text is one argument, nothing in it is run."""
    typed: list[str] = []
    monkeypatch.setattr(shell.phone, "text", typed.append)
    ok(shell, "input text 'a; input keyevent 3 $(reboot) `id`'")
    ok(shell, "input text hello%sworld")
    ok(shell, "input text \\(a\\)\\ \\&\\ \\'b\\'")
    assert typed == ["a; input keyevent 3 $(reboot) `id`", "hello world", "(a) & 'b'"]


def test_packages(shell: Shell) -> None:
    assert f"package:{SETTINGS}\n" in ok(shell, "pm list packages")
    assert ok(shell, f"pm path {SETTINGS}").startswith("package:/")
    assert ok(shell, f"pm clear {SETTINGS}") == "Success\n"
    ok(shell, f"pm grant {SETTINGS} android.permission.CAMERA")
    assert "android.permission.CAMERA: granted=true" in ok(shell, f"dumpsys package {SETTINGS}")
    assert shell.run("pm clear no.such").status == 1
    result = shell.run("pm install /sdcard/none.apk")
    assert result.status == 1 and b"Failure" in result.output
    assert shell.run("cmd package install -S 4", b"junk").status == 1


def test_providers(shell: Shell) -> None:
    assert ok(shell, "content query --uri content://sms/sent") == "No result found.\n"
    shell.phone.sms_received("+15550001", "Hello, it's me")
    shell.phone.sms_received("+15550002", "Second")
    rows = ok(shell, "content query --uri content://sms/inbox").split("\nRow:")
    assert len(rows) == 2 and "address=+15550002" in rows[0] and "body=Hello, it's me" in rows[1]
    ok(shell, "sqlite3 /data/data/com.android.providers.telephony/databases/mmssms.db 'DELETE FROM sms;'")
    assert ok(shell, "content query --uri content://sms/inbox") == "No result found.\n"
    ok(shell, "content insert --uri content://sms/sent --bind address:s:+1 --bind body:s:hi --bind date:l:1000")
    assert "body=hi" in ok(shell, "content query --uri content://sms/sent --projection address:body")
    assert shell.run("content query --uri content://no.such/x").status == 1
    assert shell.run("content query --uri nonsense").status == 1


def test_broadcasts_print_their_result(shell: Shell) -> None:
    assert "Broadcast completed: result=0" in ok(shell, "am broadcast -a no.such.ACTION --es a b --ei n 3")
    assert shell.run("am broadcast -a x --ei n three").status == 255


def test_properties(shell: Shell) -> None:
    assert ok(shell, "getprop sys.boot_completed") == "1\n"
    assert "[ro.build.version.sdk]: [33]" in ok(shell, "getprop")
    ok(shell, "setprop debug.x 1")
    assert ok(shell, "getprop debug.x") == "1\n"
    assert shell.run("setprop ro.product.model x").status == 1


def test_logcat_formats(shell: Shell) -> None:
    shell.phone.log.write("E", "MyTag", "boom")
    assert re.search(r"^ +\d+\.\d+ +\d+ +\d+ E MyTag: boom$", ok(shell, "logcat -d -v epoch"), re.MULTILINE)
    assert "E/MyTag( 1000): boom" in ok(shell, "logcat -d -v brief MyTag:E *:S")
    assert "boom" not in ok(shell, "logcat -d Other:V *:S")
    ok(shell, "logcat -b all -c")
    assert "boom" not in ok(shell, "logcat -d")


def test_odds_and_ends(shell: Shell) -> None:
    assert ok(shell, "whoami; id -u") == "root\n0\n"
    assert ok(shell, "service check package") == "Service package: found\n"
    assert "mCallState=0" in ok(shell, "dumpsys telephony.registry")
    assert "inet addr:" in ok(shell, "ifconfig wlan0")
    assert ok(shell, "ime list -s").splitlines()[0].startswith("com.google.android.inputmethod.latin/")
    assert "mHoldingDisplaySuspendBlocker=true" in ok(shell, "dumpsys power")
    assert "system_server" in ok(shell, "ps -A")
    assert shell.run("cmd nothing").status == 20
    assert shell.unknown == {"cmd nothing": 1}


def test_stale_hierarchy_shows_in_the_dump(shell: Shell) -> None:
    ok(
        shell,
        f"am start -n {SETTINGS}/.Settings; uiautomator dump /sdcard/a.xml; input keyevent HOME; screencap > /dev/null",
    )
    shell.phone.faults.add(Fault(FaultKind.STALE_HIERARCHY))
    ok(shell, "uiautomator dump /sdcard/stale.xml; uiautomator dump /sdcard/fresh.xml")
    assert shell.phone.fs.read("/sdcard/stale.xml") != shell.phone.fs.read("/sdcard/fresh.xml")


def test_a_defect_in_a_command_is_logged_not_fatal(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise KeyError("defect")

    monkeypatch.setattr(shell.phone, "tap", broken)
    assert shell.run("input tap 1 1; echo alive").stdout == b"alive\n"
    assert any("KeyError" in line.text for line in shell.phone.log.lines)


def needs_app(shell: Shell, package: str) -> None:
    if package not in shell.phone.apps:
        pytest.skip(f"the phone has no {package} yet")


def test_clipper_answers_its_broadcasts(shell: Shell) -> None:
    needs_app(shell, "ca.zgrs.clipper")
    ok(shell, "am start  -W -n ca.zgrs.clipper/ca.zgrs.clipper.Main")
    output = ok(shell, "am broadcast -a clipper.set -e text Don\\'t\\ stop\\;\\ \\$5")
    assert 'Broadcast completed: result=-1, data="' in output
    output = ok(shell, "am broadcast -a clipper.get")
    assert 'Broadcast completed: result=-1, data="Don\'t stop; $5"' in output


def test_contact_by_intent(shell: Shell) -> None:
    needs_app(shell, "com.google.android.contacts")
    ok(
        shell,
        "am start -a android.intent.action.INSERT -t vnd.android.cursor.dir/contact"
        ' -e name "Ada Lovelace" -e phone +15551234567',
    )
    shell.phone.tap_on("Save")
    ok(shell, "input keyevent KEYCODE_BACK")
    rows = ok(shell, "content query --uri content://contacts/phones/ --projection display_name:number")
    assert re.search(r"display_name=(.*), number=(.*)", rows)[1] == "Ada Lovelace"  # type: ignore[index]
    ok(shell, "pm clear com.android.providers.contacts")
    assert "No result found." in ok(shell, "content query --uri content://contacts/phones/")
