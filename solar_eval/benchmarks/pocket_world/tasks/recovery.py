"""Tasks in which something gets in the way: a pop-up, a permission dialog, an app that hangs, a wrong screen, a
keyboard that covers the buttons, typing that loses letters.

The faults are those of emulator/pocket/faults.py, asked for through the shell.
"""

from __future__ import annotations

import random

from emulator.pocket.experts.driver import Driver
from solar_eval.benchmarks.pocket_world import moves
from solar_eval.benchmarks.pocket_world.reading import Reading
from solar_eval.benchmarks.pocket_world.spec import Params, Spec
from solar_eval.benchmarks.pocket_world.tasks import contacts, markor, messages, recipes, settings, todo
from solar_eval.benchmarks.pocket_world.world import World

RECOVERY = "error_recovery"
DONT_ALLOW = "Don\u2019t allow"


# a pop-up


def put_popup(world: World, p: Params) -> None:
    """People, and a pop-up over Contacts."""
    contacts.put(world, p)
    world.fault("popup", 1, "Enjoying Contacts?", moves.CONTACTS)


def star_behind_popup(driver: Driver, p: Params, which: str = "name") -> None:
    """Send it away, then the star."""
    driver.open_app(moves.CONTACTS)
    driver.tap_text("Not now")
    moves.tap_far(driver, p[which])
    driver.tap_description("Add to favorites")


# a permission dialog


def put_permission(world: World, p: Params) -> None:
    """Messages, and a question over the messenger."""
    messages.put(world, p)
    world.fault("permission_dialog", 1, "access your contacts", moves.SMS)


def reply_behind_dialog(driver: Driver, p: Params, which: str = "name") -> None:
    """Answer it, then reply."""
    driver.open_app(moves.SMS)
    driver.tap_text(DONT_ALLOW)
    moves.tap_far(driver, p[which])
    messages.say(driver, p["text"])


# an app that hangs


def put_hanging(world: World, p: Params) -> None:
    """Notes, and "Markor isn't responding"."""
    markor.put(world, p)
    world.fault("not_responding", 1, "", moves.MARKOR)


def delete_after_waiting(driver: Driver, p: Params, which: str = "name") -> None:
    """Wait, then delete."""
    driver.open_app(moves.MARKOR)
    driver.tap_text("Wait")
    moves.hold_far(driver, p[which])
    driver.tap_description("Delete")
    driver.tap_text("OK")


# two dialogs, one after the other


def put_two(world: World, p: Params) -> None:
    """A pop-up over Tasks that comes twice."""
    todo.put(world, p)
    world.fault("popup", 2, "Rate Tasks with five stars?", moves.TASKS)


def tick_behind_two(driver: Driver, p: Params, which: tuple[str, ...] = ("title",)) -> None:
    """Send it away twice."""
    driver.open_app(moves.TASKS)
    driver.tap_text("Not now")
    driver.tap_text("Not now")
    todo.tick(driver, p, which)


# the keyboard in the way


def put_covered(world: World, p: Params) -> None:
    """Messages; windows make no room for the keyboard, so that it covers the field and the button below it."""
    messages.put(world, p)
    world.fault("keyboard_covers", -1)


def covered(driver: Driver, p: Params, hide: bool = True) -> None:
    """BACK sends the keyboard away, then the button can be reached."""
    messages.talk(driver, p["name"])
    driver.tap_text(messages.FIELD)
    driver.type_text(p["text"])
    if hide:
        driver.back()
    driver.tap_text("SMS")


def covered_dead_end(driver: Driver, p: Params) -> None:
    """A tap meant for the button meets the key for a new line; the keyboard goes, the button can be reached."""
    covered(driver, p, False)
    driver.back()
    driver.tap_text("SMS")


# typing that loses letters


def put_losing(world: World, p: Params) -> None:
    """Tasks; the next text loses its first three letters."""
    todo.put(world, p)
    world.fault("lost_characters", 1, "3")


def add_checked(driver: Driver, p: Params, check: bool = True) -> None:
    """Type, look, type again."""
    driver.open_app(moves.TASKS)
    todo.begin(driver, p["new_title"])
    if check and driver.field("title").text != p["new_title"]:
        moves.replace(driver, driver.field("title"), p["new_title"])
    driver.tap_description("Save")


# the wrong screen


def leave_at(world: World, package: str, main: str, *intent: str) -> None:
    """An app was left on another screen than its first one."""
    world.shell("am", "start", "-n", f"{package}/{main}")
    world.shell("am", "start", *intent)
    world.shell("input", "keyevent", "HOME")


def put_deep(world: World, p: Params) -> None:
    """Settings was left on another page."""
    settings.opposite("secure", "ui_night_mode", ("1", "2"))(world, p)
    leave_at(world, moves.SETTINGS, ".Settings", "-a", "android.settings.BLUETOOTH_SETTINGS")


def dark_from_deep(driver: Driver, p: Params, title: str = "Dark theme") -> None:
    """Back to the first page, then down again."""
    driver.open_app(moves.SETTINGS)
    while driver.sees("Navigate up"):
        driver.back()
    moves.tap_far(driver, "Display")
    driver.tap_element(moves.switch_of(driver, title))


def put_draft(world: World, p: Params) -> None:
    """The messenger was left in a conversation with somebody else, with a text begun."""
    messages.put(world, p)
    leave_at(world, moves.SMS, ".activities.MainActivity", "-a", "android.intent.action.SENDTO", "-d",
             f"smsto:{p['second_number']}", "--es", "sms_body", p["wrong_text"])  # fmt: skip


def reply_elsewhere(driver: Driver, p: Params) -> None:
    """Leave the conversation that is open; the draft goes with it."""
    driver.open_app(moves.SMS)
    driver.back()
    moves.tap_far(driver, p["name"])
    messages.say(driver, p["text"])


def send_draft(driver: Driver, p: Params) -> None:
    """Send what stands there."""
    driver.open_app(moves.SMS)
    driver.tap_text("SMS")


def put_editor(world: World, p: Params) -> None:
    """Broccoli was left in the form for a new recipe."""
    recipes.put(world, p)
    leave_at(world, moves.BROCCOLI, ".MainActivity", "-n", f"{moves.BROCCOLI}/.recipe.crud.CreateAndEditRecipeActivity")


def like_from_editor(driver: Driver, p: Params, which: str = "title") -> None:
    """Leave the form, then the heart."""
    driver.open_app(moves.BROCCOLI)
    driver.back()
    moves.tap_far(driver, p[which])
    driver.tap_description("Mark as favorite")


# a wrong turn that can be taken back


def delete_right_one(driver: Driver, p: Params) -> None:
    """Marked the wrong note, unmark it."""
    driver.open_app(moves.MARKOR)
    moves.hold_far(driver, p["second"])
    driver.back()
    moves.hold_far(driver, p["name"])
    driver.tap_description("Delete")
    driver.tap_text("OK")


# airplane mode keeps a message from being sent


def put_airplane(world: World, p: Params) -> None:
    """Airplane mode is on."""
    messages.put(world, p)
    world.setting("global", "airplane_mode_on", "1")
    world.setting("global", "wifi_on", "0")


def send_after_airplane(driver: Driver, p: Params, off: bool = True) -> None:
    """Airplane mode off first."""
    if off:
        moves.settings_page(driver, "Network & internet")
        moves.set_switch(driver, "Airplane mode", False)
    messages.reply(driver, p)


def send_and_notice(driver: Driver, p: Params) -> None:
    """Try, see that nothing went out, turn airplane mode off, send what is still in the field."""
    messages.reply(driver, p)
    moves.settings_page(driver, "Network & internet")
    moves.set_switch(driver, "Airplane mode", False)
    driver.open_app(moves.SMS)
    driver.tap_text("SMS")


def replied(now: Reading, p: Params) -> bool:
    """The answer went out."""
    return messages.sent(now, p, [p["number"], p["text"], "out"])


def draw_state(rng: random.Random) -> Params:
    """On or off."""
    return settings.either(rng)


SPECS = (
    Spec("RecoveryPopup", "Add {name} to the favorites in Contacts.", 4, "medium", ("Contacts",), contacts.draw,
         star_behind_popup, lambda driver, p: star_behind_popup(driver, p, "second"), contacts.starred, put_popup,
         (RECOVERY, "popup")),
    Spec("RecoveryPermissionDialog", "Reply to {name}: {text}", 6, "medium", ("Simple SMS Messenger",), messages.draw,
         reply_behind_dialog, lambda driver, p: reply_behind_dialog(driver, p, "second"), replied, put_permission,
         (RECOVERY, "permission_dialog")),
    Spec("RecoveryNotResponding", "Delete the note {name} in Markor.", 5, "medium", ("Markor",), markor.draw,
         delete_after_waiting, lambda driver, p: delete_after_waiting(driver, p, "second"),
         lambda now, p: markor.holds(now, {n: t for n, t in p["notes"].items() if n != p["name"]}), put_hanging,
         (RECOVERY, "not_responding")),
    Spec("RecoveryTwoPopups", "Mark the task {title} in Tasks as completed.", 5, "medium", ("Tasks",), todo.draw,
         tick_behind_two, lambda driver, p: tick_behind_two(driver, p, ("second",)), todo.ticked, put_two,
         (RECOVERY, "popup")),
    Spec("RecoveryKeyboard", "Reply to {name}: {text}", 6, "hard", ("Simple SMS Messenger",), messages.draw, covered,
         lambda driver, p: covered(driver, p, False), replied, put_covered, (RECOVERY, "keyboard"),
         detour=covered_dead_end),
    Spec("RecoveryWrongNote", "Delete the note {name} in Markor.", 4, "easy", ("Markor",), markor.draw, markor.delete,
         lambda driver, p: markor.delete(driver, p, "second"),
         lambda now, p: markor.holds(now, {n: t for n, t in p["notes"].items() if n != p["name"]}), markor.put,
         (RECOVERY,), detour=delete_right_one),
    Spec("RecoveryLostLetters", "Add a task named {new_title} to Tasks.", 8, "hard", ("Tasks",), todo.draw, add_checked,
         lambda driver, p: add_checked(driver, p, False),
         lambda now, p: todo.holds(now, [*p["todos"], {"title": p["new_title"]}]), put_losing,
         (RECOVERY, "lost_characters")),
    Spec("RecoveryWrongPage", "Turn the dark theme {state}.", 4, "medium", ("Settings",), draw_state, dark_from_deep,
         lambda driver, p: dark_from_deep(driver, p, "Adaptive brightness"),
         settings.stands("secure", "ui_night_mode", ("1", "2")), put_deep, (RECOVERY, "wrong_screen")),
    Spec("RecoveryOpenDraft", "Reply to {name}: {text}", 6, "hard", ("Simple SMS Messenger",), messages.draw,
         reply_elsewhere, send_draft, replied, put_draft, (RECOVERY, "wrong_screen")),
    Spec("RecoveryOpenForm", "Mark the recipe {title} as a favorite in Broccoli.", 4, "medium", ("Broccoli",),
         recipes.draw, like_from_editor, lambda driver, p: like_from_editor(driver, p, "second"),
         lambda now, p: recipes.holds(now, [r | {"favorite": int(r["title"] == p["title"])} for r in p["recipes"]]),
         put_editor, (RECOVERY, "wrong_screen")),
    Spec("RecoveryAirplaneMode", "Reply to {name}: {text}. Turn airplane mode off if it keeps you from it.", 8, "hard",
         ("Simple SMS Messenger", "Settings"), messages.draw, send_after_airplane,
         lambda driver, p: send_after_airplane(driver, p, False), replied, put_airplane, (RECOVERY, "dead_end"),
         detour=send_and_notice),
)  # fmt: skip
