"""Rows on disk and one session of a static episode, with a fake rollout engine; neither verl nor torch is needed."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import numpy as np
import pytest

from solar_eval.errors import DataError, UsageError
from solar_eval.records import Episode, Step
from training.verl_plugin.credit import credit_rows, row_info, session_metrics
from training.verl_plugin.rows import bucket_of, parse_row, read_rows, write_rows
from training.verl_plugin.session import Sampled, run_session
from training.verl_plugin.settings import read_settings

sys.path.insert(0, str(Path(__file__).parent))
from made_up import LABELS, episode


def row(tmp_path: Path, **settings: object):
    found = read_settings(settings)
    plan = found.plan("android_control")
    assert write_rows([episode()], "android_control", plan, tmp_path / "train.jsonl") == (1, [])
    return next(read_rows(tmp_path / "train.jsonl")), plan, found


def gold(one, plan, step: int) -> str:
    label = one.episode.steps[step]
    return plan.dialect.render(label.label, plan.frame(label.screen, one.sizes[step]))


def test_rows_come_back_as_they_were(tmp_path: Path) -> None:
    one, _, _ = row(tmp_path)
    assert [s.label for s in one.episode.steps] == list(LABELS)
    assert one.bucket == "short" and one.sizes[0] == (280, 560)
    assert all(path.is_file() for path in one.images)
    assert "PNG" not in (tmp_path / "train.jsonl").read_text()


def test_an_episode_with_an_unreadable_picture_is_left_out_and_named(tmp_path: Path) -> None:
    good, bad = episode("1"), episode("2")
    broken = Step("2/0", "2", 0, "Do it", "", LABELS[0], (280, 560), screenshot=lambda: b"no picture")
    bad = Episode("2", "Do it", (broken, *bad.steps[1:]))
    plan = read_settings({}).plan("android_control")
    written, left_out = write_rows([good, bad], "android_control", plan, tmp_path / "t.jsonl")
    assert written == 1
    assert left_out[0].startswith("2: ")


@pytest.mark.parametrize("line", ["", "{", "[]", '{"steps": []}', '{"steps": [{}], "family": "x"}'])
def test_a_broken_line_names_file_and_line(line: str) -> None:
    with pytest.raises(DataError, match=r"train\.jsonl:3"):
        parse_row(line, "train.jsonl:3", Path())


def test_buckets_follow_the_published_bound() -> None:
    assert [bucket_of(n) for n in (1, 4, 5, 7, 8, 13, 14, 30)] == [
        "short", "short", "medium", "medium", "long", "long", "super_long", "super_long",
    ]  # fmt: skip


def session_of(tmp_path: Path, wrong_at: int | None = None, lost_at: int | None = None, stage: str = "trajectory"):
    one, plan, settings = row(tmp_path)

    async def ask(messages, step: int) -> Sampled:
        assert any(part for message in messages for part in message.parts)
        if step == lost_at:
            raise ConnectionError("engine gone")
        text = "no action at all" if step == wrong_at else gold(one, plan, step)
        return Sampled([1, 2], [3, 4], text, [-0.1, -0.2], {})

    empty = Sampled([0], [0], "", [0.0], {})
    return asyncio.run(run_session(one, plan, settings.validity(), ask, empty, stage))  # type: ignore[arg-type]


def test_a_session_of_gold_replies_succeeds(tmp_path: Path) -> None:
    found = session_of(tmp_path)
    assert found.success and found.failure == 4
    assert [r.step for r in found.rows] == [0, 1, 2, 3]
    assert found.score == pytest.approx((1.0,) * 4, abs=1e-3)
    assert found.actions == LABELS or found.actions[1] == LABELS[1]


def test_a_session_is_cut_at_its_failure_point(tmp_path: Path) -> None:
    found = session_of(tmp_path, wrong_at=2)
    assert found.failure == 2 and not found.success
    assert [r.step for r in found.rows] == [0, 1, 2]
    assert len(found.score) == 4  # the scores of all steps are kept
    assert [r.step for r in session_of(tmp_path, wrong_at=2, stage="atomic").rows] == [0, 1, 2, 3]


def test_a_lost_reply_is_no_failure_of_the_model(tmp_path: Path) -> None:
    found = session_of(tmp_path, lost_at=1)
    assert found.usable == (True, False, True, True)
    assert len(found.rows) == 1
    assert found.faults[0][0] == 1 and "engine gone" in found.faults[0][1]
    numbers = session_metrics(found.score, found.valid, found.type_ok, found.format_ok, found.usable)
    assert np.isnan(list(numbers.values())).all()


def rows_of(scores: list[list[float]], uid: str = "u", prefix: bool = True):
    out = []
    for candidate, own in enumerate(scores):
        valid = [s >= 0.5 for s in own]
        end = next((t for t, ok in enumerate(valid) if not ok), len(own) - 1) if prefix else len(own) - 1
        info = {
            "score": own,
            "valid": valid,
            "type_ok": valid,
            "format_ok": [True] * len(own),
            "usable": [True] * len(own),
        }
        out += [row_info(f"{uid}_{candidate}_{t}", {**info, "step": t}) for t in range(end + 1)]
    return out


def test_credit_equals_the_embedded_rules() -> None:
    from training.groups import StepGroups
    from training.rules import credit

    rng = np.random.default_rng(0)
    scores = rng.choice([0.0, 0.3, 0.6, 1.0], size=(4, 5), p=[0.1, 0.2, 0.3, 0.4])
    rows = rows_of(scores.tolist())
    groups = StepGroups(scores.T.copy(), scores.T >= 0.5, np.array([0, 5]), np.array([5]), scores.T >= 0.5,
                        np.ones((5, 4), dtype=bool))  # fmt: skip
    for rule in ("solar", "sparse_grpo", "gigpo"):
        expected, found = credit(rule, groups), credit_rows(rows, rule, candidates=4)
        for i, one in enumerate(rows):
            assert found.reward[i] == expected.reward[one.step, one.candidate]
            assert found.advantage[i] == expected.advantage[one.step, one.candidate]
        assert found.kept.sum() == expected.kept.sum()


def test_an_episode_that_lacks_a_candidate_trains_nothing_and_is_counted() -> None:
    whole, short = rows_of([[1.0, 0.2], [1.0, 1.0]], "a"), rows_of([[1.0, 1.0]], "b")
    found = credit_rows([*whole, *short], "solar", candidates=2)
    assert found.metrics["solar/tasks_left_out"] == 1
    assert found.kept[: len(whole)].all() and not found.kept[len(whole) :].any()
    nothing = credit_rows(short, "solar", candidates=2)
    assert not nothing.kept.any() and (nothing.advantage == 0).all()


@pytest.mark.parametrize(
    ("section", "said"),
    [({"rul": "solar"}, "rul"), ({"rule": "solr"}, "solar"), ({"rule": "bi_level_gae"}, "critic"),
     ({"dialect": "qwen9"}, "qwen"), ({"penalty": 3}, "penalty"), ({"updates_per_batch": 0}, "updates_per_batch")],
)  # fmt: skip
def test_settings_that_do_not_fit_are_named(section: dict[str, object], said: str) -> None:
    with pytest.raises((UsageError, ValueError), match=said):
        read_settings(section)


def test_json_of_a_row_survives_the_wire() -> None:
    one = rows_of([[1.0, 0.2]])[0]
    assert row_info("u_0_0", json.loads(json.dumps(one.as_json()))) == one
