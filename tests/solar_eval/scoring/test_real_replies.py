"""Six real reply files under many rules, against figures that were computed twice elsewhere.

Sources of the expected values: ../shared/data/README.md (GUI-R1's own rule, six digits) and
../shared/facts/offline_protocols.md section 7 (one prediction file under many rules).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from solar_eval import protocols
from solar_eval.commands.score import ReplySet, ScoreOptions, load
from solar_eval.protocols import ClickRule, Protocol, TextRule, TextTest
from solar_eval.scoring import pipeline
from solar_eval.scoring.match import Verdicts

pytestmark = [pytest.mark.shared, pytest.mark.xdist_group("real_replies")]

FILES = {
    "7b_high": ("cpt155", "androidcontrol_high", 7646), "7b_low": ("cpt155", "androidcontrol_low", 7474),
    "7b_ody": ("cpt155", "guiodyssey", 17920), "3b_high": ("step_170", "androidcontrol_high", 7706),
    "3b_low": ("step_170", "androidcontrol_low", 7660), "3b_ody": ("step_170", "guiodyssey", 17920),
}  # fmt: skip
GUI_R1 = {
    "7b_high": (0.760528, 0.551116, 0.684487), "7b_low": (0.853225, 0.669723, 0.839042),
    "7b_ody": (13183 / 17920, 0.449364, 0.492229), "3b_high": (0.685959, 0.487837, 0.640825),
    "3b_low": (0.837728, 0.619229, 0.811844), "3b_ody": (11560 / 17920, 0.377564, 0.446469),
}  # fmt: skip
"""Type, Step, GR; on GUI-Odyssey with the true denominator of Type (its log leaves out categories without a hit)."""


def made(name: str, **fields: object) -> Protocol:
    return protocols.get("ui_agile").model_copy(update={"name": name, **fields})


def text(kind: str, how: str = "lower_strip") -> TextRule:
    return TextRule.model_validate({"any_of": [TextTest.model_validate({"kind": kind})], "normalise": how})


NEAR = ClickRule(distance=0.04)
CANDIDATES = protocols.get("qwen").model_copy(update={"name": "candidates", "icon_click": False})
RULES: dict[str, Protocol] = {
    "raw": made("raw"),
    "flip up/down": made("vertical", scroll="raw_word_vertical_flipped"),
    "flip 4": made("flip4", scroll="finger"),
    "direction ignored": made("ignored", scroll="ignored"),
    "substring": made("substring", scroll="finger", text=text("substring")),
    "exact, cased": made("cased", scroll="finger", text=text("exact", "none")),
    "exact": made("exact", scroll="finger", text=text("exact")),
    ".04 substring": made("near", scroll="finger", click=NEAR, text=text("substring")),
    ".04 F1": made("near_f1", scroll="finger", click=NEAR),
}
SECTION_7 = {
    "7b_high": (0.5092, 0.5677, 0.5708, 0.5816, 0.5815, 0.5315, 0.5404, 0.5260, 0.5153),
    "7b_low": (0.6313, 0.7054, 0.7141, 0.7448, 0.7222, 0.6801, 0.6852, 0.6585, 0.6504),
}
BOXES = {"7b_high": 0.6428, "7b_low": 0.7874, "3b_high": 0.5300, "3b_low": 0.7629}
GUIEVALKIT = {
    "7b_high": (7095, 0.7914, 0.6689), "7b_low": (6940, 0.9042, 0.8388),
    "3b_high": (7152, 0.7012, 0.5707), "3b_low": (7110, 0.8809, 0.8219),
}  # fmt: skip
ODYSSEY = {"7b_ody": (0.7357, 0.4435, 0.5175), "3b_ody": (0.6451, 0.3675, 0.4713)}


@pytest.fixture(scope="module")
def sets(shared: Path) -> dict[str, ReplySet]:
    options = ScoreOptions((), data=shared / "data" / "android_control")
    found = {}
    for name, (model, benchmark, _) in FILES.items():
        (path,) = (shared / "data" / "gui_r1_predictions").glob(f"*{model}*{benchmark}*")
        found[name] = load(path, options)
    return found


def verdicts(
    found: ReplySet, protocol: Protocol, mode: pipeline.ParseMode = "recorded"
) -> tuple[Verdicts, pipeline.Scored]:
    scored = pipeline.score(found.benchmark, found.replies, found.dialect, [protocol], mode)
    return scored.verdicts[0], scored


def rates(
    found: ReplySet, protocol: Protocol, mode: pipeline.ParseMode = "recorded"
) -> tuple[int, float, float, float]:
    """n, type match, step SR and grounding over the file's own rows."""
    v, scored = verdicts(found, protocol, mode)
    rows = scored.rows

    def rate(hits, where) -> float:  # type: ignore[no-untyped-def]
        return float((hits & rows).sum() / (where & rows).sum())

    n = int((v.counted & rows).sum())
    return n, rate(v.type_ok, v.counted), rate(v.step_ok, v.stepped), rate(v.point_ok, v.pointed)


@pytest.mark.parametrize("name", FILES)
def test_gui_r1_to_six_digits(sets: dict[str, ReplySet], name: str) -> None:
    n, *got = rates(sets[name], protocols.get("gui_r1"))
    assert n == FILES[name][2]
    assert got == pytest.approx(GUI_R1[name], abs=5.1e-7)


@pytest.mark.parametrize("name", FILES)
def test_our_own_parse_of_the_raw_text_is_within_a_thousandth(sets: dict[str, ReplySet], name: str) -> None:
    _, *got = rates(sets[name], protocols.get("gui_r1"), "own")
    assert got == pytest.approx(GUI_R1[name], abs=0.001)


@pytest.mark.parametrize("name", SECTION_7)
def test_one_reply_set_under_many_rules(sets: dict[str, ReplySet], name: str) -> None:
    got = [rates(sets[name], rule)[2] for rule in RULES.values()]
    assert got == pytest.approx(SECTION_7[name], abs=0.0003)


@pytest.mark.parametrize("name", BOXES)
def test_candidate_boxes(sets: dict[str, ReplySet], name: str) -> None:
    assert rates(sets[name], CANDIDATES)[2] == pytest.approx(BOXES[name], abs=0.0003)


@pytest.mark.parametrize("name", GUIEVALKIT)
def test_guievalkit(sets: dict[str, ReplySet], name: str) -> None:
    n, type_match, step_sr, _ = rates(sets[name], protocols.get("guievalkit_2025_09"))
    wanted = GUIEVALKIT[name]
    assert n == wanted[0]
    assert (type_match, step_sr) == pytest.approx(wanted[1:], abs=0.0003)


@pytest.mark.parametrize("name", ODYSSEY)
def test_odyssey_v1(sets: dict[str, ReplySet], name: str) -> None:
    _, *got = rates(sets[name], protocols.get("odyssey_v1"))
    assert got == pytest.approx(ODYSSEY[name], abs=0.0003)


def test_odyssey_words_are_the_fingers(sets: dict[str, ReplySet]) -> None:
    raw = rates(sets["7b_ody"], made("raw"))[2]
    flipped = made("flipped", scroll="raw_word_vertical_flipped")
    assert raw == pytest.approx(0.4329, abs=0.0003)
    assert rates(sets["7b_ody"], flipped)[2] < raw


@pytest.mark.parametrize("name", ["7b_high", "7b_low", "3b_high", "3b_low"])
def test_the_subset_view_counts_what_the_file_lacks(sets: dict[str, ReplySet], name: str) -> None:
    _, scored = verdicts(sets[name], protocols.get("gui_r1"))
    view = pipeline.summary(scored)["protocols"]["gui_r1"]["views"]["subset"]
    assert view["counts"]["scored"] == 7708
    assert view["counts"]["missing"] == 7708 - FILES[name][2]
    assert view["counts"]["episodes"] == 1412
    rows = pipeline.summary(scored)["protocols"]["gui_r1"]["views"]["rows"]
    assert view["type_match"]["value"] < rows["type_match"]["value"]
    assert view["type_match"]["low"] < view["type_match"]["value"] < view["type_match"]["high"]
