"""The preset protocols: every published rule set we know of, as data, each citing its source.

Facts: repositories read (and where marked in the notes, run) at the commits named. Constants are theirs. Where their
code has an accident that no paper intends (an empty text that matches everything), we do not copy it; such departures
stand in `notes`. Steps without a reply are wrong under every preset; upstream evaluators that drop them are compared
with the "rows" view of a score, whose denominator is what the reply file holds.
"""

from __future__ import annotations

from solar_eval.protocols import ClickRule, Protocol, TextRule, TextTest

SUBSTRING = TextRule(any_of=(TextTest(kind="substring"),))
F1_GE = TextRule(any_of=(TextTest(kind="f1"),))
F1_GUI_R1 = TextRule(any_of=(TextTest(kind="f1", one_token_substring=True, strip_brackets=True),))
EXACT_OR_F1_GT = TextRule(any_of=(TextTest(kind="exact"), TextTest(kind="f1", inclusive=False)), normalise="none")
EXACT = TextRule(any_of=(TextTest(kind="exact"),), normalise="none")
ODYSSEY_TEXT = TextRule(any_of=(TextTest(kind="substring"), TextTest(kind="anls")), normalise="strip")

AXIS_14 = ClickRule(distance=0.14)
AXIS_UNDER_14 = ClickRule(distance=0.14, inclusive=False)
NEAREST5 = ClickRule(boxes="nearest5", enlarge=1.2, clip=True, distance=0.04)
CONTAINING_14 = ClickRule(boxes="containing", enlarge=1.2, clip=True, distance=0.14)
CANDIDATES = ClickRule(boxes="candidates", enlarge=1.2, distance=0.04)
PX_368 = 368.45276495095004
"""sqrt((1080 x 0.14)^2 + (2400 x 0.14)^2), the constant of OS-Genesis and ClawGUI."""

PRESETS: tuple[Protocol, ...] = (
    Protocol(
        name="guievalkit_2025_09",
        title="GUIEvalKit as published on 2025-09-10; its numbers are the baselines of SOLAR-RL's table",
        source="xiaomi-research/guievalkit @56ed9d8 guieval/eval/evaluator.py",
        notes=(
            "open_app labels leave the score (note 5 of its docs/results.md)",
            "its HEAD (2026-02) drops unparseable replies from the denominator and is not this protocol",
            "empty text does not match (upstream: it does)",
        ),
        subset={"android_control": "val_test_10161", "gui_odyssey": "random_v1"},
        drop=("open_app",),
        append_finish=True,
        click=NEAREST5,
        click_gui_odyssey=CONTAINING_14,
        text=SUBSTRING,
        call_user_is_finish=True,
        recents_is_home=True,
    ),
    Protocol(
        name="agentcpm",
        title="AgentCPM-GUI's evaluator",
        source="OpenBMB/AgentCPM-GUI @acbaf509 eval/utils/evaluator.py, eval/eval_data/process_ac.py",
        notes=(
            "wait and finish are one class, both ways",
            "labelled long presses become clicks, replies do not: a right long press is a type miss (9 test steps)",
            "empty text does not match (upstream: it does)",
        ),
        subset={"android_control": "val_test_10161", "gui_odyssey": "random_v1"},
        drop=("open_app",),
        append_finish=True,
        click=NEAREST5,
        click_gui_odyssey=CONTAINING_14,
        text=SUBSTRING,
        wait_is_finish=True,
        call_user_is_finish=True,
        long_press_label_is_click=True,
        recents_is_home=True,
    ),
    Protocol(
        name="qwen",
        title="Qwen2.5-VL's AndroidControl scorer",
        source="gists linked in QwenLM/Qwen3-VL#904; same rules in InfiXAI/InfiGUI-R1 @a4fca178",
        notes=("the candidate boxes' extraction from the tree is not public",),
        defined_for=("android_control",),
        subset={"android_control": "test_8444"},
        click=CANDIDATES,
        text=SUBSTRING,
        icon_click=True,
    ),
    Protocol(
        name="os_atlas",
        title="OS-Atlas's evaluators, also the stated rule of UI-TARS",
        source="OS-Copilot/OS-Atlas @bad0840 eval/eval_scripts",
        notes=(
            "AndroidControl texts are compared by their first word with its bracket, as upstream's second token is",
            "its character-set strip of <|im_end|> and its IndexError on a bare TYPE are not copied",
            "scroll compares the raw AndroidControl word with the word written",
        ),
        subset={"android_control": "test_7708", "gui_odyssey": "os_atlas_17920"},
        types="word",
        click=AXIS_14,
        text=TextRule(any_of=(TextTest(kind="exact"), TextTest(kind="first_token")), normalise="none"),
        text_gui_odyssey=TextRule(any_of=(TextTest(kind="f1", inclusive=False, keyword="TYPE"),), normalise="none"),
        scroll="raw_word",
        grounding="type_matched",
        out_of_range="keep",
    ),
    Protocol(
        name="gui_r1",
        title="GUI-R1's own scorer",
        source="ritzz-ai/GUI-R1 @d43eea2 guir1/eval/eval_omni.py",
        notes=(
            "step SR is its 'Step': click-like and text-like labels only, no type match required",
            "points are original pixels over the resized size, a mix of spaces its published values need",
            "its logged Type leaves out categories without a hit; ours has the true denominator",
        ),
        subset={"android_control": "test_7708", "gui_odyssey": "os_atlas_17920"},
        types="word",
        type_required=False,
        step_over="pointing_and_text",
        click=AXIS_UNDER_14,
        text=F1_GUI_R1,
        scroll="raw_word",
        out_of_range="keep",
        space="gui_r1_mixed",
    ),
    Protocol(
        name="ui_agile",
        title="UI-AGILE's AndroidControl scorer",
        source="KDEGroup/UI-AGILE @a8f76586 eval/android_control/eval.py",
        defined_for=("android_control",),
        subset={"android_control": "test_7708"},
        types="word",
        click=AXIS_UNDER_14,
        text=F1_GE,
        scroll="raw_word",
        out_of_range="keep",
    ),
    Protocol(
        name="odyssey_v1",
        title="GUI-Odyssey's official matching, 2024 version (what all published agent numbers use)",
        source="OpenGVLab/GUI-Odyssey @f53b3f4 src/eval_mm",
        notes=(
            "texts are split at the first colon only (upstream keeps one piece of several)",
            "step SR is AMS over steps; upstream averages six categories on the random split",
        ),
        defined_for=("gui_odyssey",),
        subset={"gui_odyssey": "random_v1"},
        types="word",
        click=AXIS_14,
        text=ODYSSEY_TEXT,
        out_of_range="keep",
    ),
    Protocol(
        name="odyssey_v2",
        title="GUI-Odyssey's official matching, 2025-07 version (SAM2 boxes)",
        source="OpenGVLab/GUI-Odyssey @e12788f src/eval_mm",
        notes=("an empty sam2_bbox falls back to the distance (upstream raises and counts the step wrong)",),
        defined_for=("gui_odyssey",),
        subset={"gui_odyssey": "random_v2"},
        types="word",
        click=ClickRule(boxes="candidates", distance=0.14),
        text=ODYSSEY_TEXT,
        out_of_range="keep",
    ),
    Protocol(
        name="ui_genie",
        title="UI-Genie's AndroidControl scorer",
        source="Euphoria16/UI-Genie @bb7df6b1 src/ms-swift/eval_results_androidcontrol.py",
        notes=("unparseable replies leave the denominator, as upstream's do",),
        defined_for=("android_control",),
        subset={"android_control": "test_9979"},
        append_finish=True,
        click=ClickRule(distance=0.14, norm="diagonal"),
        text=SUBSTRING,
        app=TextRule(any_of=(TextTest(kind="substring"), TextTest(kind="f1", inclusive=False))),
        finish="status",
        unparseable="drop",
        out_of_range="keep",
    ),
    Protocol(
        name="os_genesis",
        title="OS-Genesis's AndroidControl scorer",
        source="OS-Copilot/OS-Genesis @e9178a87 evaluation/android_control/ac_eval.py",
        notes=("app names, keys and waits are compared by equality of the whole action",),
        defined_for=("android_control",),
        subset={"android_control": "test_8444"},
        types="word",
        click=ClickRule(distance=PX_368, norm="pixels"),
        text=EXACT_OR_F1_GT,
        app=EXACT,
        scroll="raw_word_or_prompt",
        out_of_range="keep",
    ),
    Protocol(
        name="ui_s1_sop",
        title="UI-S1's semi-online evaluation: own history, an episode stops at its first error (PG, TSR)",
        source="X-PLUG/MobileAgent @11cea57 UI-S1/evaluation",
        notes=(
            "swipe directions are not compared, as upstream's are not",
            "a predicted finish is always wrong: the test file has no finish step",
        ),
        defined_for=("android_control",),
        subset={"android_control": "test_8444"},
        click=CANDIDATES,
        text=SUBSTRING,
        icon_click=True,
        scroll="ignored",
        finish="wrong",
        history="own",
    ),
    Protocol(
        name="ui_r1",
        title="UI-R1's AndroidControl scorer",
        source="lll6gg/UI-R1 @2fe9bf00 evaluation/eval_ac.py",
        notes=(
            "upstream counts types and clicks within 151.2 px; a step is right here if its type is, and its click",
            "its fixed 1080/644 and 2400/1484 scale is replaced by the size the model saw",
        ),
        defined_for=("android_control",),
        subset={"android_control": "test_7868"},
        drop=("wait", "long_press"),
        types="word",
        click=ClickRule(distance=151.2, norm="pixels", inclusive=False),
        text=TextRule(any_of=(), normalise="none"),
        scroll="ignored",
        grounding="type_matched",
        out_of_range="keep",
    ),
    Protocol(
        name="magicgui",
        title="MagicGUI's evaluator",
        source="MagicAgent-GUI/MagicGUI @48b3f945 utils/eval/utils/evaluator_honor.py",
        notes=("click for type, type for click, and a click in the top-left 15 % for a key press are credited",),
        subset={"android_control": "val_test_10161", "gui_odyssey": "random_v1"},
        drop=("open_app",),
        append_finish=True,
        click=NEAREST5.model_copy(update={"distance": 0.14}),
        click_gui_odyssey=CONTAINING_14,
        text=F1_GUI_R1,
        call_user_is_finish=True,
        recents_is_home=True,
        confusions=("click_for_type", "type_for_click", "corner_click_for_press"),
    ),
    Protocol(
        name="clawgui_2026_06",
        title="ClawGUI-Eval's AndroidControl judge (High only)",
        source="ZJU-REAL/ClawGUI @d990d3e clawgui-eval/judge/androidcontrol_judge.py",
        notes=("its parser can't read `open` in Qwen3-VL tool calls, Enter or Menu; ours can",),
        defined_for=("android_control",),
        subset={"android_control": "test_7708"},
        click=ClickRule(boxes="nearest5", distance=PX_368, norm="pixels_1080x2400"),
        text=EXACT_OR_F1_GT,
    ),
    Protocol(
        name="strict",
        title="Ours: nothing for free",
        source="solar-eval",
        notes=(
            "texts and app names: equality after Unicode and quote normalisation, no substring, no empty credit",
            "boxes must hold the label and cover at most half the screen, not enlarged; else distance 0.04",
            "all four scroll directions flipped; keys and finish statuses compared",
        ),
        subset={"android_control": "test_8444", "gui_odyssey": "random_v2"},
        types="word",
        click=ClickRule(boxes="containing", max_area=0.5, distance=0.04),
        text=TextRule(any_of=(TextTest(kind="exact"),), normalise="strict"),
        finish="status",
    ),
)
