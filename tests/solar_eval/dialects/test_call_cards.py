"""Valid and invalid replies of each family (`../shared/facts/dialects.md`), and what upstream's readers trip over.

A row: dialect, reply, the action (None where the reply is a fault), strict_ok, fault code. Points are compared in the
numbers of the reply: a point written as fractions is (x, y) / its scale.
"""

from __future__ import annotations

import pytest

from solar_eval.actions import (
    Action,
    Answer,
    CallUser,
    Click,
    DoubleTap,
    Finish,
    LongPress,
    OpenApp,
    Point,
    Press,
    Swipe,
    Type,
    Wait,
)
from solar_eval.dialects.call_reading import MAX_CALLS
from solar_eval.dialects.frames import Frame
from solar_eval.dialects.table import DIALECTS

FRAME = Frame((1080, 2400), (1000, 2000))


def k(x: float, y: float) -> Point:
    """0-1000."""
    return Point(x / 1000, y / 1000)


def px(x: float, y: float) -> Point:
    """Pixels of the 1000 x 2000 picture."""
    return Point(x / 1000, y / 2000)


def venus(call: str) -> str:
    return f"<think>t</think>\n<action>{call}</action>\n<conclusion>c</conclusion>"


def tagged(answer: str) -> str:
    return f"<think>t</think> <answer>{answer}</answer>"


def r1(verb: str, point: str = "[-100, -100]", text: str = "'no input text'") -> str:
    """GUI-R1's answer; `text` with its quotes."""
    return tagged(f"[{{'action': '{verb}', 'point': {point}, 'input_text': {text}}}]")


def step(fields: str) -> str:
    return f"<THINK> t </THINK>\n{fields}".replace("|", "\t")


READ: list[tuple[str, str, Action, bool]] = [
    # card 3: UI-TARS v1
    (
        "ui_tars",
        "Thought: I open it.\nAction: click(start_box='<|box_start|>(497,231)<|box_end|>')",
        Click(k(497, 231)),
        True,
    ),
    ("ui_tars", "Thought: More below.\nAction: scroll(direction='down')", Swipe("up", word="down"), True),
    ("ui_tars", "Action: type(content='tea, it\\'s hot\\n')", Type("tea, it's hot", submit=True), True),
    ("ui_tars", "Thought: Done.\nAction: finished()", Finish(), True),
    ("ui_tars", "Thought: the Action: button\nAction: press_home()", Press("home"), True),
    ("ui_tars", "Reflection: a\nAction_Summary: b\nAction: press_appselect()", Press("recents"), True),
    ("ui_tars", "Action: long_press(start_box='(1,2)', time='')", LongPress(k(1, 2)), True),
    ("ui_tars", "Action: long_press(start_box='(1,2)', time='1.5')", LongPress(k(1, 2), 1500), True),
    ("ui_tars", "Action: open_app(app_name='Gmail')", OpenApp("Gmail"), True),
    ("ui_tars", "Action: wait()", Wait(), True),
    ("ui_tars", "Action: call_user()", CallUser(), True),
    ("ui_tars", "Thought: x\nAction:click(start_box='(10,20)')", Click(k(10, 20)), False),
    ("ui_tars", 'Action: type(content="hello")', Type("hello"), False),
    # card 4: UI-TARS-1.5
    ("ui_tars_1_5", "Thought: Tap.\nAction: click(start_box='(540,188)')", Click(px(540, 188)), True),
    ("ui_tars_1_5", "Thought: Tap.\nAction: click(point='<point>540 188</point>')", Click(px(540, 188)), True),
    (
        "ui_tars_1_5",
        "Action: drag(start_box='(540,1800)', end_box='(540,700)')",
        Swipe(None, px(540, 1800), px(540, 700)),
        True,
    ),
    ("ui_tars_1_5", "Action: finished(content='It\\'s 42')", Finish("success", "It's 42"), True),
    (
        "ui_tars_1_5",
        "Action: scroll(point='<point>5 6</point>', direction='up')",
        Swipe("down", px(5, 6), word="up"),
        True,
    ),
    ("ui_tars_1_5", "Action: click(start_box='(558.5,925.2)')", Click(px(558.5, 925.2)), True),
    ("ui_tars_1_5", "Action: click(point='<point>540, 188</point>')", Click(px(540, 188)), False),
    ("ui_tars_1_5", "Action: click(x=540, y=188)", Click(px(540, 188)), False),
    # card 6: UI-Venus
    ("ui_venus", venus("Click(box=(598, 74))"), Click(px(598, 74)), True),
    (
        "ui_venus",
        venus("Scroll(start=(320, 1100), end=(320, 400), direction='up')"),
        Swipe(None, px(320, 1100), px(320, 400)),
        True,
    ),
    ("ui_venus", venus("Type(content='What's new')"), Type("What's new"), True),
    ("ui_venus", venus("Launch(app='Gmail')"), OpenApp("Gmail"), True),
    ("ui_venus", venus("Scroll(direction='left')"), Swipe("left", word="left"), True),
    ("ui_venus", venus("CallUser(content='42')"), CallUser("42"), True),
    ("ui_venus_1_5", venus("LongPress(box=(598, 74))"), LongPress(k(598, 74)), True),
    ("ui_venus_1_5", venus("DoubleClick(box=(598, 74))"), DoubleTap(k(598, 74)), True),
    ("ui_venus", "<action>click(box=(1,2))</action>", Click(px(1, 2)), False),
    ("ui_venus", "<action>Click(598, 74)</action>", Click(px(598, 74)), False),
    ("ui_venus", venus("click(box=(1,2))"), Click(px(1, 2)), False),
    ("ui_venus", "<think>t</think><action>PressBack()</action>", Press("back"), False),
    # card 7: OS-Atlas
    ("os_atlas", "thoughts:\nopen the mail app.\nactions:\nOPEN_APP [Gmail]", OpenApp("Gmail"), True),
    ("os_atlas", "actions:\nCLICK <point>[[683,321]]</point>", Click(k(683, 321)), True),
    ("os_atlas", "thoughts:\nscroll to see more\nactions:\nSCROLL [DOWN]", Swipe("up", word="down"), True),
    ("os_atlas", "actions:\nIMPOSSIBLE", Finish("infeasible"), True),
    ("os_atlas", "actions:\nCOMPLETE<|im_end|>", Finish(), True),
    ("os_atlas", "actions:\nLONG_PRESS <point>[[1, 2]]</point>", LongPress(k(1, 2)), True),
    ("os_atlas", "CLICK <point>[[683,321]]</point>", Click(k(683, 321)), False),
    ("os_atlas", "actions:\nTYPE new york", Type("new york"), False),
    # card 8: GUI-R1
    ("gui_r1", r1("click", "[612, 1330]"), Click(px(612, 1330)), True),
    ("gui_r1", r1("scroll", "[-100, -100]", "'down'"), Swipe("down", word="down"), True),
    ("gui_r1", r1("type", "[-100, -100]", "'green tea'"), Type("green tea"), True),
    ("gui_r1", r1("type", "[9, 20]", "'it\\'s'"), Type("it's", px(9, 20)), True),
    (
        "gui_r1",
        tagged("[{'input_text': 'no input text', 'action': 'press_recent', 'point': [-1, -1]}]"),
        Press("recents"),
        True,
    ),
    (
        "gui_r1",
        '<answer>[{"action": "click", "point": [612, 1330], "input_text": "no input text"}]</answer>',
        Click(px(612, 1330)),
        False,
    ),
    # card 12: Aguvis
    ("aguvis", "pyautogui.click(x=0.482, y=0.913)", Click(Point(0.482, 0.913)), True),
    ("aguvis", "all\nThought: go back\nAction: press back\nassistantos\nmobile.back()", Press("back"), True),
    (
        "aguvis",
        "mobile.swipe(from_coord=[0.5, 0.8], to_coord=[0.5, 0.3])",
        Swipe(None, Point(0.5, 0.8), Point(0.5, 0.3)),
        True,
    ),
    ("aguvis", "pyautogui.scroll(page=-0.5)", Swipe("up", word="down"), True),
    ("aguvis", "pyautogui.hscroll(page=0.5)", Swipe("left", word="right"), True),
    ("aguvis", "mobile.wait(seconds=3)", Wait(3.0), True),
    ("aguvis", "mobile.terminate(status='failure')", Finish("failure"), True),
    ("aguvis", "pyautogui.click(0.48, 0.91, 2)", DoubleTap(Point(0.48, 0.91)), False),
    ("aguvis", "pyautogui.press('enter')", Press("enter"), True),
    # card 13: Open-AutoGLM
    ("autoglm", '<think>先打开设置</think>\n<answer>do(action="Launch", app="设置")</answer>', OpenApp("设置"), True),
    ("autoglm", 'do(action="Swipe", start=[499,800], end=[499,300])', Swipe(None, k(499, 800), k(499, 300)), True),
    (
        "autoglm",
        '<think>done</think><answer>finish(message="Alarm set for 7:00")</answer>',
        Finish("success", "Alarm set for 7:00"),
        True,
    ),
    ("autoglm", 'do(action="Wait", duration="3 seconds")', Wait(3.0), True),
    ("autoglm", 'do(action="Type_Name", text="Ann")', Type("Ann", clear=True), True),
    ("autoglm", 'do(action="Tap", element=[1,2], message="pay")', Click(k(1, 2)), True),
    ("autoglm", "<answer>Tap([120,300])</answer>", Click(k(120, 300)), False),
    ("autoglm", 'do(action="Tap", element="120,300")', Click(k(120, 300)), False),
    # card 14: GUI-Odyssey agent
    ("gui_odyssey_agent", "CLICK: (512, 87)", Click(k(512, 87)), True),
    ("gui_odyssey_agent", "SCROLL: UP", Swipe("up", word="up"), True),
    ("gui_odyssey_agent", "TYPE: hello world", Type("hello world"), True),
    ("gui_odyssey_agent", "TYPE: 10:30", Type("10:30"), True),
    ("gui_odyssey_agent", "COMPLETE", Finish(), True),
    ("gui_odyssey_agent", "CLICK: 512, 87", Click(k(512, 87)), False),
    # card 15: MagicGUI
    ("magicgui", "tap(700,964)", Click(k(700, 964)), True),
    ("magicgui", "scroll(500,640,up)", Swipe("up", k(500, 640), word="up"), True),
    ("magicgui", "text(512,88,green tea, no sugar)", Type("green tea, no sugar", k(512, 88)), True),
    ("magicgui", "finish()", Finish(), True),
    ("magicgui", "action_completed", Finish(), True),
    ("magicgui", "no_answer()", Finish("infeasible"), True),
    ("magicgui", "drag(1,2,3,4)", Swipe(None, k(1, 2), k(3, 4)), True),
    ("magicgui", "call_api(Gmail,open)", OpenApp("Gmail"), True),
    ("magicgui", '{"tap(700,964)"}', Click(k(700, 964)), False),
    # card 18: Step-GUI
    ("step_gui", step("explain:打开设置|action:AWAKE|value:设置|summary:已请求"), OpenApp("设置"), True),
    (
        "step_gui",
        step("explain:上滑|action:SLIDE|point1:500,800|point2:500,300|summary:x"),
        Swipe(None, k(500, 800), k(500, 300)),
        True,
    ),
    (
        "step_gui",
        step("explain:e|action:COMPLETE|return:闹钟已设为7:00|summary:完成"),
        Finish("success", "闹钟已设为7:00"),
        True,
    ),
    ("step_gui", step("explain:e|action:CLICK|summary:s|point:1 2"), Click(k(1, 2)), True),
    ("step_gui", step("explain:e|action:WAIT|value:3|summary:s"), Wait(3.0), True),
    ("step_gui", step("explain:e|action:INFO|value:Which?|summary:s"), CallUser("Which?"), True),
    ("step_gui", step("explain:e|action:ABORT|value:no|summary:s"), Finish("infeasible", "no"), True),
    ("step_gui", step("explain:e action:CLICK point:1,2 summary:s"), Click(k(1, 2)), False),
    ("step_gui", step("explain:e\naction:CLICK\npoint:1,2\nsummary:s"), Click(k(1, 2)), False),
    ("step_gui", step("explain:e|action:CLICK|point:0.5,0.8"), Click(k(0.5, 0.8)), False),
    ("step_gui", "<TINK> t </TINK>\nexplain:e\taction:CLICK\tpoint:1,2", Click(k(1, 2)), False),
]

# offline_protocols.md section 5: what upstream's readers refuse or mangle, and what we read
UPSTREAM: list[tuple[str, str, Action, bool]] = [
    ("ui_tars", "Action: click(start_box='<|box_start|>(197,525)<|box_end|>')", Click(k(197, 525)), True),
    ("ui_tars", "Action：click(start_box='(1,2)')", Click(k(1, 2)), False),
    ("ui_tars", "click(start_box='(1,2)')", Click(k(1, 2)), False),
    ("ui_tars_1_5", "Action: click(start_box='<bbox>191 21 191 21</bbox>')", Click(px(191, 21)), False),
    ("ui_tars_1_5", "Action: click(start_box='[10, 850, 50, 890]')", Click(px(30, 870)), False),
    ("ui_tars_1_5", "Action: click(point='<point>450 565</point>", Click(px(450, 565)), False),
    ("ui_tars_1_5", "Action: click(point='<point>450 565</point>)'", Click(px(450, 565)), False),
    ("ui_tars_1_5", "Action: click(point='<point>450.5 565.5</point>')", Click(px(450.5, 565.5)), False),
    ("ui_tars_1_5", "Action: click(x=100,y=200)", Click(px(100, 200)), False),
    ("ui_tars_1_5", 'Action: type(content="it\'s here")', Type("it's here"), False),
    ("ui_tars_1_5", "Action: finished(content='done, it's ok')", Finish("success", "done, it's ok"), False),
    ("ui_tars", "Action: press_home", Press("home"), False),
    ("ui_tars", "Action:click(start_box='(1,2)')", Click(k(1, 2)), False),
    ("ui_tars", "Action: click(start_box='(1,2)') and then I wait for (it)", Click(k(1, 2)), False),
    ("ui_tars", "Thought: tap (here)\nAction: click(start_box='(1,2)')", Click(k(1, 2)), True),
    ("ui_tars", "Action: type(content='what's up')", Type("what's up"), True),
    ("ui_tars", "Action: long_press(start_box='(1,2)')", LongPress(k(1, 2)), True),
    ("ui_tars", "Action: press_enter()", Press("enter"), True),
    ("ui_tars", "Action: wait(5)", Wait(5.0), False),
    ("os_atlas", "actions:\nTYPE [array[0] = 1]", Type("array[0] = 1"), True),
    ("os_atlas", "actions:\nTYPE [CLICK here]", Type("CLICK here"), True),
    ("os_atlas", "actions:\nPRESS_RECENT", Press("recents"), True),
    ("os_atlas", "actions:\nENTER", Press("enter"), True),
    ("os_atlas", "actions:\nCLICK <point>[[68.5,32.1]]</point>", Click(k(68.5, 32.1)), False),
    ("os_atlas", "PRESS_HOME", Press("home"), False),
    ("aguvis", "pyautogui.write(message='it\\'s')", Type("it's"), True),
    ("aguvis", "answer('42')", Answer("42"), False),
    ("gui_r1", r1("type", "[-100, -100]", '"what\'s up"'), Type("what's up"), False),
    ("gui_r1", r1("type", "[-100, -100]", "'what's up'"), Type("what's up"), False),
    ("gui_r1", r1("type", "[-100, -100]", "'what''s up'"), Type("what's up"), False),
    ("gui_r1", r1("click", "[10.5, 20]"), Click(px(10.5, 20)), False),
    ("gui_r1", r1("click", "(10, 20)"), Click(px(10, 20)), False),
    ("gui_r1", tagged("[{'action': 'click', '[10, 20]', 'input_text': 'no input text'}]"), Click(px(10, 20)), False),
    ("ui_venus", venus("Type(content='What's up, doc')"), Type("What's up, doc"), True),
    ("ui_venus", venus('Type(content="hi")'), Type("hi"), False),
    ("ui_venus", venus("Click(box=(1,2,3,4))"), Click(px(2, 3)), False),
    ("ui_venus", venus("Click(box=(-5,2))"), Click(px(-5, 2)), False),
    ("ui_venus", "Click(box=(1,2))", Click(px(1, 2)), False),
]

FAULTS: list[tuple[str, str, str, str]] = [
    ("ui_tars", "Action: click(start_box='=')", "bad_coordinate", "click"),
    ("ui_tars", "Action: click()", "missing_argument", "click"),
    ("ui_tars", "Action: click>point>point>450 565", "malformed", "click"),
    ("ui_tars", "Action: scroll(direction='sideways')", "missing_argument", "swipe"),
    ("ui_tars", "Action: tap(start_box='(1,2)')", "unknown_action", ""),
    ("ui_tars", "Action: hover(start_box='(1,2)')", "unsupported_action", ""),
    ("ui_tars", "Action: click(start_box='(54", "bad_coordinate", "click"),
    ("ui_tars", "I will click the blue button (the second one).", "no_action", ""),
    ("ui_venus", venus("Tap(box=(1,2))"), "unknown_action", ""),
    ("ui_venus", venus("Hotkey(keys=['ctrl', 'c'])"), "unsupported_action", ""),
    ("ui_venus", "I'd use Click on the icon", "no_action", ""),
    ("os_atlas", "actions:\nSWIPE [UP]", "unknown_action", ""),
    ("os_atlas", "actions:\nTYPE", "missing_argument", "type"),
    ("os_atlas", "actions:\nCLICK <point>[[x, y]]</point>", "placeholder_coordinate", "click"),
    ("os_atlas", "Wait for the page to load.", "no_action", ""),
    (
        "gui_r1",
        "<answer>[{'action': 'type', 'point': [-100,-100], 'input_text': 'no input text'}]</answer>",
        "missing_argument",
        "type",
    ),
    ("gui_r1", r1("open_app", "[1, 2]"), "missing_argument", "open_app"),
    ("gui_r1", r1("click"), "bad_coordinate", "click"),
    ("gui_r1", r1("long_press", "[-1, -1]"), "bad_coordinate", "long_press"),
    ("gui_r1", tagged("[{'action': 'click', 'input_text': 'no input text'}]"), "missing_argument", "click"),
    ("gui_r1", r1("swipe", "[1, 2]", "'up'"), "unknown_action", ""),
    ("gui_r1", tagged("click the button"), "malformed", ""),
    ("aguvis", "Action: tap the icon", "no_action", ""),
    ("aguvis", "pyautogui.hotkey('ctrl', 'c')", "unsupported_action", ""),
    ("aguvis", "pyautogui.fly(x=0.1, y=0.2)", "unknown_action", ""),
    ("aguvis", "pyautogui.scroll(page=0)", "missing_argument", "swipe"),
    ("autoglm", 'do(action="Tap", element=[x,y])', "placeholder_coordinate", "click"),
    ("autoglm", 'do(action="Note", message="True")', "unsupported_action", ""),
    ("autoglm", 'do(action="Call_API", instruction="sum up")', "unsupported_action", ""),
    ("autoglm", 'do(action="Fly")', "unknown_action", ""),
    ("gui_odyssey_agent", "SCROLL: (500, 700)", "missing_argument", "swipe"),
    ("gui_odyssey_agent", "CLICK: (here)", "bad_coordinate", "click"),
    ("gui_odyssey_agent", "PRESS_MENU", "unknown_action", ""),
    ("gui_odyssey_agent", "I would click on it", "no_action", ""),
    ("magicgui", "tap(700)", "bad_coordinate", "click"),
    ("magicgui", "screen_shot()", "unsupported_action", ""),
    ("magicgui", "call_api(Gmail,kill)", "unsupported_action", ""),
    ("magicgui", "swipe(1,2,up)", "unknown_action", ""),
    ("step_gui", step("explain:e|action:CLICK|summary:s"), "missing_argument", "click"),
    ("step_gui", step("explain:e|action:FLY|summary:s"), "unknown_action", ""),
    ("step_gui", step("explain:e|action:HOT_KEY|value:volume_up"), "unsupported_action", ""),
    ("step_gui", "Just some words.", "no_action", ""),
]


@pytest.mark.parametrize(("dialect", "reply", "action", "strict"), [*READ, *UPSTREAM], ids=lambda v: str(v)[:40])
def test_reply(dialect: str, reply: str, action: Action, strict: bool) -> None:
    parsed = DIALECTS[dialect].parse(reply, FRAME)
    assert parsed.fault is None
    assert _close(parsed.action, action), parsed.action
    assert parsed.strict_ok is strict
    assert strict or parsed.flags, "a liberty without a flag"


@pytest.mark.parametrize(("dialect", "reply", "code", "seen"), FAULTS, ids=lambda v: str(v)[:40])
def test_fault(dialect: str, reply: str, code: str, seen: str) -> None:
    parsed = DIALECTS[dialect].parse(reply, FRAME)
    assert parsed.action is None
    assert parsed.fault is not None
    assert (parsed.fault.code, parsed.seen) == (code, seen)
    assert not parsed.strict_ok


def test_a_liberty_is_named() -> None:
    def flags(dialect: str, reply: str) -> tuple[str, ...]:
        return DIALECTS[dialect].parse(reply, FRAME).flags

    assert flags("ui_tars", "click(start_box='(1,2)')") == ("no_wrapper",)
    assert flags("ui_tars", "Action: click(start_box='(1,2,3,4)')") == ("box_as_point",)
    assert flags("ui_tars", "Action: type(content='cut of") == ("truncated",)
    assert flags("ui_tars", "Action: press_enter()") == ("outside_prompt",)
    assert flags("ui_tars_1_5", "Action: call_user()") == ("outside_prompt",)
    assert flags("ui_venus", "<think>t</think><action>PressBack()") == ("truncated",)
    assert flags("ui_venus", venus("Click(box=(-5,2))")) == ("repaired", "out_of_range")
    assert flags("gui_r1", "[{'action': 'wait', 'point': [-100, -100], 'input_text': 'no input text'}]") == (
        "no_wrapper",
    )
    assert flags("step_gui", "explain:e\taction:CLICK\tpoint:1,2") == ("no_wrapper",)
    assert flags("step_gui", step("explain:e|action:BACK")) == ("outside_prompt",)


def test_scroll_words_of_os_atlas_depend_on_the_benchmark() -> None:
    dialect = DIALECTS["os_atlas"]
    for benchmark, finger in (("android_control", "up"), ("gui_odyssey", "down")):
        frame = dialect.frame_for((1080, 2400), benchmark)
        action = dialect.parse("actions:\nSCROLL [DOWN]", frame).action
        assert isinstance(action, Swipe)
        assert action.finger == finger
        assert DIALECTS["os_atlas"].render(action, frame) == "actions:\nSCROLL [DOWN]"


def test_raw_words_are_kept_where_a_protocol_compares_them() -> None:
    for dialect, reply in (("gui_r1", READ_SCROLL), ("ui_tars", "Action: scroll(direction='down')")):
        action = DIALECTS[dialect].parse(reply, FRAME).action
        assert isinstance(action, Swipe)
        assert action.word == "down"


def test_the_first_of_several_calls_counts_and_a_flood_is_cut() -> None:
    parsed = DIALECTS["aguvis"].parse("os\nmobile.back()\nmobile.home()", FRAME)
    assert (parsed.action, parsed.more, parsed.flags) == (Press("back"), (Press("home"),), ("multi_action",))
    flood = DIALECTS["aguvis"].parse("mobile.back()\n" * 9_000, FRAME)
    assert flood.action == Press("back")
    assert len(flood.more) == MAX_CALLS - 1


READ_SCROLL = r1("scroll", "[-100, -100]", "'DOWN '")


def _close(one: Action | None, two: Action) -> bool:
    """Equal but for rounding in points; which words are kept as written is tested below."""
    if one is None or type(one) is not type(two):
        return False
    for name in two.__slots__:
        if name == "word":
            continue
        mine, theirs = getattr(one, name), getattr(two, name)
        if isinstance(theirs, Point):
            if mine is None or max(abs(a - b) for a, b in zip(mine, theirs, strict=True)) > 1e-9:
                return False
        elif mine != theirs:
            return False
    return True
