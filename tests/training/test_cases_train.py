"""Public bug reports about training (cases/train.jsonl), each under its id, on the functions of issue 7, item 1.

Every "certain" case is here or in ELSEWHERE, with the part of the trainer that has to answer it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from solar_eval.actions import Click, LongPress, OpenApp, Point, Type
from solar_eval.dialects import table
from solar_eval.records import RecordedParse, Step
from training.advantage import AdvantageRules, advantages, normalise
from training.groups import StepGroups
from training.loss import GrpoLoss, LossInputs, LossRules
from training.rules import RULES, credit
from training.validity import score_candidates

pytestmark = pytest.mark.shared
HERE = ("T01", "T02", "T06", "T15", "T16", "T18", "T19")
ELSEWHERE = {
    "T07": "test_data.py: prompts too long with expanded image tokens are filtered and counted, never cut",
    "T08": "test_vlm.py: image tokens are banned in sampling and in the log-probabilities",
    "T12": "test_loop.py: metrics.jsonl moves a torn last line away (as solar_eval's run directory does)",
}


def step(label: Any) -> Step:
    return Step("e/0", "e", 0, "", "", label, (1080, 2400))


def scores(pairs: list[tuple[Any, Any]]) -> Any:
    return score_candidates([step(label) for label, _ in pairs], [RecordedParse(p) for _, p in pairs])


def test_every_certain_case_is_answered_or_placed(cases: dict[str, Any]) -> None:
    certain = {name for name, case in cases.items() if case["area"] == "train" and case["certainty"] == "certain"}
    assert certain == {*HERE, *ELSEWHERE}


def test_t01_equal_rewards_have_no_advantage(cases: dict[str, Any]) -> None:
    made, stats = normalise(np.full(8, 0.1, dtype=np.float32), np.zeros(8, int))
    assert made.tolist() == cases["T01"]["expected"]["advantage"]
    assert stats.zero_variance == 1.0


def test_t02_leave_one_out_std_of_seven_equal_rewards(cases: dict[str, Any]) -> None:
    """Facts: the singleton's others have std 0, so its advantage is the unscaled difference .6, not thousands."""
    assert cases["T02"]["expected"]["std_loo_of_singleton"] == 0
    for dtype in (np.float32, np.float64):
        reward = np.array([0.35] * 7 + [0.95], dtype=dtype)
        made, _ = normalise(reward, np.zeros(8, int), AdvantageRules(baseline="leave_one_out"))
        assert made[-1] == pytest.approx(0.6, abs=1e-6)
        assert np.abs(normalise(reward, np.zeros(8, int))[0]).max() < 3


def test_t04_a_group_of_one_has_no_advantage(cases: dict[str, Any]) -> None:
    assert normalise(np.array([1.0]), np.array([0]))[0][0] == cases["T04"]["expected"]["advantage"]


def test_t06_turns_of_one_task_are_different_groups(cases: dict[str, Any]) -> None:
    """Rewards that differ between the steps only: mixed, the late step would look good; by (task, step) all are 0."""
    assert cases["T06"]["expected"]["group_key"] == "(task, step/turn state)"
    reward, kept, offsets = np.array([[0.1] * 3, [0.9] * 3]), np.ones((2, 3), bool), np.array([0, 2])
    assert (advantages(reward, kept, offsets).advantage == 0).all()
    assert np.abs(advantages(reward, kept, offsets, AdvantageRules(group="episode")).advantage).min() > 0.5


def test_t15_no_verb_is_credited_without_its_arguments(cases: dict[str, Any]) -> None:
    far = (LongPress(Point(0.9, 0.9)), LongPress(Point(0.001, 0.001)))
    made = scores([far, (OpenApp("Clock"), OpenApp("Gmail"))])
    assert made.score == pytest.approx(cases["T15"]["expected"]["accuracy"], abs=1e-9)
    assert not made.valid.any()


def test_t16_a_letter_is_not_the_word_that_holds_it(cases: dict[str, Any]) -> None:
    made = scores([(Type("banana"), Type("a"))])
    assert made.score[0] == cases["T16"]["expected"]["accuracy"]
    assert not made.valid[0]


def test_t17_a_trailing_line_feed_keeps_the_format(cases: dict[str, Any]) -> None:
    dialect = table.get("gui_r1")
    reply = "<think>I tap.</think><answer>[{'action': 'click', 'point': [540, 1200], 'input_text': 'no input text'}]"
    parsed = dialect.parse(reply + "</answer>\n", dialect.frame_for((1080, 2400)))
    made = score_candidates([step(Click(Point(0.5, 0.5)))], [parsed])
    assert float(made.format_ok[0]) == cases["T17"]["expected"]["format"]


def test_t18_replies_are_never_executed(cases: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("gui_r1", "qwen2_5_vl", "ui_tars"):
        dialect = table.get(name)
        parsed = dialect.parse(cases["T18"]["input"], dialect.frame_for((1080, 2400)))
        made = score_candidates([step(Type("EVALED"))], [parsed])
        assert float(made.format_ok[0]) == cases["T18"]["expected"]["format"]
        assert (made.score[0], made.valid[0]) == (0, False)
    assert "EVALED" not in capsys.readouterr().out


@pytest.mark.parametrize("name", RULES)
def test_t19_every_reward_runs_on_one_sample(cases: dict[str, Any], name: str) -> None:
    assert cases["T19"]["expected"]["no_crash"]
    flag = np.ones((1, 1), dtype=bool)
    sample = StepGroups(np.ones((1, 1)), flag, np.array([0, 1]), np.array([1]), flag, flag, np.zeros((1, 1)))
    assert np.isfinite(credit(name, sample).advantage).all()


def test_t21_zero_variance_leaves_the_kl_pull(cases: dict[str, Any]) -> None:
    """The rule is stated: such rows stay in the denominator and keep their KL gradient unless dropped before."""
    assert cases["T21"]["expected"]["policy_grad"] == 0
    logp = np.log(np.array([[0.5, 0.25]]))
    inputs = LossInputs(logp, logp, np.zeros(1), np.ones((1, 2), bool), logp - 0.5)
    made = GrpoLoss(LossRules(kl=0.1))(inputs)
    assert made.policy == 0
    assert made.loss == pytest.approx(0.1 * float(made.kl)) != 0
