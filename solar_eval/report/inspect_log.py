"""A run as a log of inspect_ai (UK AISI), so that its viewer and its data frames open it; needs the extra `inspect`.

One step is one sample: goal and instruction (and the screenshot, if wanted) as input, the label as target, the raw
reply as output, and a score a protocol: C right, I wrong, N not in the protocol's denominator. An owed step has an
error and no score; a missing reply is I. The metrics of a protocol are those of summary.json, intervals in their
metadata: inspect_ai's own mean over the samples would ignore denominators and clusters. The form is inspect_ai's log
schema version 2 (inspect_ai.log.EvalLog), written by its own writer.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from solar_eval.actions import to_json
from solar_eval.errors import DataError, SolarEvalError, UsageError, boundary
from solar_eval.records import Reply, Step
from solar_eval.view.offline_pages import OUT, OWED, RIGHT, OfflinePages
from solar_eval.view.pictures import MAGIC, Shown

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog, EvalSample
    from inspect_ai.model import ChatMessageUser
    from inspect_ai.scorer import Score

    from solar_eval.view.offline import OfflineRun

METRICS = ("step_sr", "type_match", "grounding", "episode_sr", "goal_progress")
MEDIA = {"png": "image/png", "jpg": "image/jpeg", "webp": "image/webp"}


def write_inspect_log(run: OfflineRun, out: Path, images: bool = False) -> int:
    """Writes `out` (.eval or .json); returns the number of samples. UsageError without inspect_ai or for a suffix."""
    if out.suffix not in (".eval", ".json"):
        raise UsageError(f"{out.name} is neither .eval nor .json", "--inspect", "name the log file RUN.eval")
    try:
        from inspect_ai.log import write_eval_log
    except ImportError:
        raise UsageError("inspect_ai is not installed", "--inspect", "pip install 'solar-eval[inspect]'") from None
    log = inspect_log(run, images)
    out.parent.mkdir(parents=True, exist_ok=True)
    with boundary(DataError, str(out)):
        write_eval_log(log, str(out))
    return len(log.samples or [])


def inspect_log(run: OfflineRun, images: bool = False) -> EvalLog:
    """The log in memory; the same run gives the same log."""
    from inspect_ai.log import EvalConfig, EvalDataset, EvalLog, EvalSpec, EvalStats

    pages = OfflinePages(run, [Shown()] * len(run.steps))
    identity = run.side.manifest["identity"]
    sessions = run.side.manifest.get("environment", {}).get("sessions", [{}])
    started, finished = str(sessions[0].get("started", "")), str(sessions[-1].get("finished", ""))
    digest = hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()[:22]
    benchmark = str(run.side.summary.get("benchmark", "benchmark"))
    spec = EvalSpec(
        eval_id=digest, run_id=digest, created=started, task=benchmark, task_id=digest,
        task_version=run.side.summary.get("schema", 1), dataset=EvalDataset(
            name=f"{benchmark}/{run.side.summary.get('subset', '')}", samples=len(run.steps),
            sample_ids=[step.id for step in run.steps]),
        model=run.side.model or "unknown", config=EvalConfig(), packages={"solar-eval": _version(run)},
        metadata={"solar_eval_identity": identity, "notes": list(run.notes)},
    )  # fmt: skip
    samples = [_sample(run, pages, row, images) for row in range(len(run.steps))]
    owed = any(sample.error is not None for sample in samples)
    return EvalLog(
        status="error" if owed else "success", eval=spec, results=_results(run),
        stats=EvalStats(started_at=started, completed_at=finished), samples=samples,
    )  # fmt: skip


def _version(run: OfflineRun) -> str:
    return str(run.side.manifest.get("solar_eval", "unknown"))


def _results(run: OfflineRun) -> Any:
    from inspect_ai.log import EvalMetric, EvalResults, EvalScore

    scores = []
    for name, scored in run.side.summary["protocols"].items():
        view = scored["views"]["subset"]
        metrics = {
            key: EvalMetric(name=key, value=view[key]["value"], metadata=dict(view[key]))
            for key in METRICS if view.get(key, {}).get("value") is not None
        }  # fmt: skip
        about = {"version": scored.get("version", ""), "source": scored.get("source", ""), "counts": view["counts"]}
        scores.append(EvalScore(name=name, scorer=name, metrics=metrics, metadata=about))
    answered = sum(reply.text is not None for reply in run.replies.values())
    return EvalResults(total_samples=len(run.steps), completed_samples=answered, scores=scores)


def _sample(run: OfflineRun, pages: OfflinePages, row: int, images: bool) -> EvalSample:
    from inspect_ai.log import EvalError, EvalSample
    from inspect_ai.model import ChatMessageAssistant, ModelOutput

    step, reply = run.steps[row], run.replies.get(run.steps[row].id)
    asked = _asked(step, images)
    text = reply.prefill + reply.text if reply is not None and reply.text is not None else ""
    error = EvalError(message=reply.error, traceback="", traceback_ansi="") if reply and reply.text is None else None
    output = ModelOutput.from_content(run.side.model, text, error=error.message if error else None)
    output.usage = _usage(reply)
    return EvalSample(
        id=step.id, epoch=1, input=[asked], target=json.dumps(to_json(step.label)) if step.label else "",
        messages=[asked, *([ChatMessageAssistant(content=text, id=f"{step.id}/reply")] if text else [])],
        output=output, scores={} if error else _scores(pages, row), error=error,
        metadata={"episode": step.episode, "index": step.index, "app": step.app, "screen": list(step.screen),
                  "outcome": pages.outcomes[row], "flags": pages.flags[row], "distance": pages.gaps[row]},
    )  # fmt: skip


def _asked(step: Step, images: bool) -> ChatMessageUser:
    from inspect_ai.model import ChatMessageUser, ContentImage, ContentText

    words = f"{step.goal}\n\n{step.low}" if step.low else step.goal
    content: list[ContentText | ContentImage] = [ContentText(text=words)]
    if images and (url := _data_url(step)):
        content.append(ContentImage(image=url))
    return ChatMessageUser(content=content, id=f"{step.id}/asked")


def _data_url(step: Step) -> str:
    """The screenshot as a data URL; "" where there is none or it can't be read."""
    try:
        data = step.screenshot() if step.screenshot is not None else b""
    except SolarEvalError:
        return ""
    suffix = next((name for magic, name in MAGIC if data.startswith(magic)), "")
    return f"data:{MEDIA[suffix]};base64,{base64.b64encode(data).decode('ascii')}" if suffix else ""


def _usage(reply: Reply | None) -> Any:
    from inspect_ai.model import ModelUsage

    if reply is None or reply.completion_tokens is None:
        return None
    prompt, said = reply.prompt_tokens or 0, reply.completion_tokens
    return ModelUsage(input_tokens=prompt, output_tokens=said, total_tokens=prompt + said)


def _scores(pages: OfflinePages, row: int) -> Mapping[str, Score]:
    from inspect_ai.scorer import CORRECT, INCORRECT, NOANSWER, Score

    said = pages.said[row]
    out = {}
    for name, letters in pages.verdicts.items():
        value = {RIGHT: CORRECT, OUT: NOANSWER, OWED: NOANSWER}.get(letters[row], INCORRECT)
        reason, why = pages.reasons[name][row], pages.why[name][row]
        out[name] = Score(value=value, answer=json.dumps(to_json(said)) if said else None,
                          explanation=f"{reason}: {why}" if why else reason)  # fmt: skip
    return out
