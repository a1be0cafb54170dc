"""Scripted and recorded models, and the table that makes models from what the user wrote."""

from __future__ import annotations

import json
import random

import anyio
import pytest
from running_fakes import LABELS, TinyDialect, make_benchmark

from solar_eval.actions import KINDS, Click, LongPress, OpenApp, Point, Swipe, Type
from solar_eval.asking import Asker, Pictures, PromptPlan, label_history
from solar_eval.dialects.table import DIALECTS
from solar_eval.errors import DataError, InfrastructureError, UsageError
from solar_eval.models.base import to_reply
from solar_eval.models.openai_server import OpenAIServer, ServerOptions
from solar_eval.models.recorded import RecordedModel
from solar_eval.models.scripted import (
    CANNOT_SAY,
    SCRIPT_KINDS,
    ScriptedModel,
    mistaken,
    random_action,
    without_prefill,
)
from solar_eval.models.table import MODELS, ModelOptions, from_spec

TINY = TinyDialect()


def replies(model, dialect=TINY, level="high", benchmark=None, order=1):
    """step id -> (request, reply) for every step, asked in the given order."""
    plan = PromptPlan(dialect, "android_control", level, None, dialect.sampling, dialect.resize)
    asker = Asker(model, plan, Pictures(plan.resize))

    async def go():
        out = {}
        for episode in (benchmark or make_benchmark()).episodes[::order]:
            for step in episode.steps[::order]:
                request = await asker.request(episode, step, label_history(episode, step))
                out[step.id] = (request, await model.ask(request))
        return out

    return anyio.run(go)


def parsed(request, reply, dialect=TINY):
    return dialect.parse(request.prefill + reply.text, request.frame)


@pytest.mark.parametrize("level", ["high", "low"])
def test_gold_says_every_label_it_has_words_for(level):
    for request, reply in replies(ScriptedModel("gold", TINY), level=level).values():
        if request.step.label.kind == "open_app":
            assert (reply.text, reply.finish_reason) == (CANNOT_SAY, "cannot_express")
            assert parsed(request, reply).action is None
        else:
            assert parsed(request, reply).action == request.step.label
            assert not reply.text.startswith("Thought") or level == "high"


@pytest.mark.parametrize("kind", SCRIPT_KINDS)
def test_replies_depend_on_seed_and_step_alone(kind):
    def texts(seed, order=1):
        found = replies(ScriptedModel(kind, TINY, seed), order=order, benchmark=make_benchmark(8))
        return {step: reply.text for step, (_, reply) in found.items()}

    assert texts(3) == texts(3, order=-1)
    if kind != "gold":
        assert texts(3) != texts(4)


@pytest.mark.parametrize("level", ["high", "low"])
def test_nothing_broken_can_be_read_and_all_kinds_of_breakage_occur(level):
    benchmark = make_benchmark(30)
    found = replies(ScriptedModel("broken", TINY, 1), benchmark=benchmark, level=level).values()
    assert all(parsed(request, reply).action is None for request, reply in found)
    codes = {parsed(request, reply).fault.code for request, reply in found}
    assert {"no_action", "malformed"} <= codes
    if level == "high":
        assert {"empty", "degenerate_output"} <= codes


def test_noisy_is_right_as_often_as_it_should_be():
    benchmark = make_benchmark(100, labels=LABELS[1:])
    for right in (0.0, 0.7, 1.0):
        found = replies(ScriptedModel("noisy", TINY, 0, right), benchmark=benchmark).values()
        share = sum(parsed(q, r).action == q.step.label for q, r in found) / len(found)
        assert share == pytest.approx(right, abs=0.0 if right in (0, 1) else 0.06)


def test_mistakes_are_wrong_in_kind_or_far_away():
    rng = random.Random(0)
    for kind in KINDS:
        for _ in range(50):
            label = random_action(rng, kind)
            wrong = mistaken(rng, label)
            assert wrong != label
            if isinstance(label, Click | LongPress):
                assert max(abs(wrong.point.x - label.point.x), abs(wrong.point.y - label.point.y)) >= 0.3
            if isinstance(label, Swipe):
                assert wrong.finger not in (label.finger, None)
    far = mistaken(rng, Click(Point(float("nan"), 9.0)))
    assert 0 <= far.point.x <= 1
    assert mistaken(rng, Type("")).text and mistaken(rng, OpenApp("")).name


def test_random_speaks_only_what_the_family_expresses():
    found = replies(ScriptedModel("random", TINY, 0), benchmark=make_benchmark(40)).values()
    kinds = {parsed(request, reply).action.kind for request, reply in found}
    assert kinds == TINY.expresses


@pytest.mark.parametrize("name", sorted(DIALECTS))
@pytest.mark.parametrize("level", ["high", "low"])
def test_gold_in_every_dialect_reads_back_as_its_label(name, level):
    dialect = DIALECTS[name]
    for request, reply in replies(ScriptedModel("gold", dialect), dialect, level).values():
        action = parsed(request, reply, dialect).action
        if reply.finish_reason == "cannot_express":
            assert action is None
            assert not dialect.can_express(request.step.label)
        else:
            assert action is not None and action.kind == request.step.label.kind


@pytest.mark.parametrize("name", sorted(DIALECTS))
@pytest.mark.parametrize("kind", ["broken", "random", "noisy"])
def test_scripted_models_work_in_every_dialect(name, kind):
    dialect = DIALECTS[name]
    found = replies(ScriptedModel(kind, dialect), dialect, benchmark=make_benchmark(6)).values()
    actions = [parsed(request, reply, dialect).action for request, reply in found]
    assert all(action is None for action in actions) if kind == "broken" else any(actions)


@pytest.mark.parametrize(
    ("text", "prefill", "left"),
    [
        ("Thought: a\nAction: x", "Thought: a\nAction:", " x"), ("Action: x", "Thought: a\nAction:", " x"),
        ("x", "Thought: a\nAction:", "x"), ("x", "", "x"), ("<think>a</think>b", "<think>", "a</think>b"),
    ],
)  # fmt: skip
def test_a_reply_does_not_repeat_its_prefill(text, prefill, left):
    assert without_prefill(text, prefill) == left


# ---- recorded
def test_recorded_replies_come_back_by_step_and_the_rest_is_owed(tmp_path):
    file = tmp_path / "replies.jsonl"
    file.write_text(
        '{"step": "e0/0", "text": "a"}\n\n{"id": "e0/1", "text": ""}\n{"step":"e0/2","text":null,"error":"x"}\n'
    )
    model = RecordedModel.from_file(file)
    benchmark = make_benchmark(1)
    only = benchmark.episodes[0].steps

    async def ask(step):
        return await model.ask(next(r for r, _ in gold.values() if r.step == step))

    gold = replies(ScriptedModel("gold", TINY), benchmark=benchmark)
    assert anyio.run(ask, only[0]).text == "a" and anyio.run(ask, only[1]).text == ""
    for step in only[2:]:
        with pytest.raises(InfrastructureError, match=step.id):
            anyio.run(ask, step)


def test_a_bad_line_is_named_when_its_step_is_asked_for_and_the_rest_is_used(tmp_path):
    file = tmp_path / "r.jsonl"
    file.write_text('{"step": "e0/0", "text": "x", "image": [10, 20], "prefill": "p"}\n{"step": "e0/1", "te\n')
    model = RecordedModel.from_file(file)
    gold = replies(ScriptedModel("gold", TINY), benchmark=make_benchmark(1))
    reply = anyio.run(model.ask, gold["e0/0"][0])
    stored = to_reply(gold["e0/0"][0], reply)
    assert (stored.text, stored.image, stored.prefill) == ("x", (10, 20), "p")
    with pytest.raises(InfrastructureError, match=r"1 unreadable lines, .*r.jsonl"):
        anyio.run(model.ask, gold["e0/1"][0])
    assert anyio.run(model.facts)["unreadable"] == 1
    with pytest.raises(DataError):
        RecordedModel.from_file(tmp_path / "absent.jsonl")


# ---- table
OPTIONS = ModelOptions(TINY, 3, ServerOptions("http://localhost:1/v1"))


def test_specs_make_models_and_models_name_their_spec(tmp_path):
    for spec in ("scripted:gold", "scripted:noisy:0.25", "scripted:broken", "scripted:random"):
        model = from_spec(spec, OPTIONS)
        assert model.spec == spec and isinstance(model, ScriptedModel) and model.seed == 3
    assert from_spec("scripted:noisy", OPTIONS).spec == "scripted:noisy:0.7"
    served = from_spec("openai:org/name:tag", OPTIONS)
    assert isinstance(served, OpenAIServer) and served.name == "org/name:tag"
    file = tmp_path / "r.jsonl"
    file.write_text(json.dumps({"step": "a", "text": "x"}))
    assert from_spec(f"recorded:{file}", OPTIONS).replies["a"].text == "x"
    assert set(MODELS) == {"openai", "local", "scripted", "recorded"}


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("opennai:x", "did you mean openai"), ("scripted:golden", "did you mean gold"), ("scripted", "scripted:gold"),
        ("openai:", "needs the served model's name"), ("recorded:", "needs a file"), ("", "forms: openai:NAME"),
        ("scripted:gold:0.5", "only noisy"), ("scripted:noisy:7", "probability"), ("scripted:noisy:x", "probability"),
        ("qwen2.5-vl", "unknown model"),
    ],
)  # fmt: skip
def test_bad_specs_say_what_would_be_right(spec, message):
    with pytest.raises(UsageError, match=message):
        from_spec(spec, OPTIONS)


def test_extra_body_may_not_replace_the_question():
    with pytest.raises(UsageError, match="messages"):
        from_spec("openai:x", ModelOptions(TINY, extra_body={"messages": []}))
