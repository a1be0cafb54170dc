"""The `pocket` command: reset, faults, clipboard, the world outside."""

from __future__ import annotations

from emulator.pocket import calls
from emulator.pocket.experts.driver import Driver
from emulator.pocket.faults import Fault, FaultKind
from emulator.pocket.phone import Phone
from emulator.pocket.shell.interpreter import Shell

SIZE = (540, 1200)


def run(phone: Phone, line: str, status: int = 0) -> str:
    result = Shell(phone).run(line)
    assert result.status == status, (line, result.output)
    return result.output.decode()


def test_reset_gives_the_new_phone_back_and_keeps_the_tools() -> None:
    phone = Phone(seed=3, size=SIZE, strict=True)
    new = phone.state_hash()
    for line in (
        "settings put global wifi_on 0", "echo hi > /sdcard/Documents/a", "pocket sms 555 hello", "pocket call 5551",
        "am start -n com.android.settings/.Settings", "pocket clipboard secret", "date @1700000000",
        "pocket fault add popup",
    ):  # fmt: skip
        run(phone, line)
    phone.faults.add(Fault(FaultKind.SLOW_COMMAND, 0))
    run(phone, "pocket reset")
    assert phone.state_hash() == new
    assert [f.kind for f in phone.faults.waiting()] == [FaultKind.SLOW_COMMAND]
    run(phone, "echo tool > /data/local/tmp/tool")
    run(phone, "settings put secure default_input_method com.android.adbkeyboard/.AdbIME")
    run(phone, "pocket reset")
    assert run(phone, "cat /data/local/tmp/tool") == "tool\n"
    assert run(phone, "settings get secure default_input_method").startswith("com.android.adbkeyboard")


def test_a_dialog_can_wait_for_its_app() -> None:
    phone = Phone(seed=3, size=SIZE, strict=True)
    driver = Driver(phone)
    run(phone, "pocket fault add popup 1 'Rate us?' --over com.android.settings")
    assert not driver.sees("Rate us?")
    driver.open_app("com.android.settings")
    assert driver.sees("Rate us?")
    driver.tap("Not now")
    assert driver.sees("Network & internet") and not phone.faults.waiting()


def test_dialog_waits_for_an_activity_and_back_reaches_the_app_before() -> None:
    phone = Phone(seed=3, size=SIZE, strict=True)
    driver = Driver(phone)
    run(phone, "pocket fault add popup 1 '' --over com.android.settings.Settings\\$AboutActivity")
    driver.open_app("com.android.settings")
    driver.tap("Battery")
    driver.back()
    assert driver.sees("Network & internet") and phone.faults.waiting()


def test_clipboard_messages_calls_and_bad_words() -> None:
    phone = Phone(seed=3, size=SIZE, strict=True)
    run(phone, "pocket clipboard 'two words'")
    assert run(phone, "pocket clipboard") == "two words\n"
    run(phone, "pocket sms 5550001 'see you'")
    assert phone.messages.latest()[0].body == "see you"
    run(phone, "pocket call 5550002")
    assert calls.number(phone) == "5550002"
    assert "unknown fault" in run(phone, "pocket fault add nothing", 1)
    assert "unknown command" in run(phone, "pocket dance", 1)
    assert "usage" in run(phone, "pocket fault", 1)
