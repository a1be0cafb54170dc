"""An offline run as the page's data: `run` (what every page shows), `index` (one entry a step), pieces of steps.

The index has what lists, filters and search need, as columns, so that ten thousand steps load at once; what a single
step's page shows stands in pieces of PIECE steps, loaded when one of them is looked at.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from solar_eval.actions import Action, to_json
from solar_eval.records import Reply
from solar_eval.report.comparison import brief
from solar_eval.report.tables import VIEW_NOTE, label_counts
from solar_eval.scoring.columns import INFRASTRUCTURE, MISSING
from solar_eval.scoring.explain import explain
from solar_eval.view.clusters import Clusters, clusters
from solar_eval.view.curves import points, tolerance_curve
from solar_eval.view.offline import OfflineRun, action_of, gaps
from solar_eval.view.pictures import Shown

BRIEF = 160
"""Characters of an instruction or action that lists show and search looks through."""
FACTS = ("benchmark", "subset", "level", "history", "model", "dialect", "parse", "seed")
EMPTY: tuple[object, ...] = ("", [], {})
RIGHT, WRONG, OUT, OWED = "R", "W", "N", "O"
"""Verdicts in the index: right, wrong, not in the protocol's denominator, still owed."""


class OfflinePages:
    """The data of one offline run; `pictures`: what became of each step's screenshot, in the run's order."""

    def __init__(self, run: OfflineRun, pictures: Sequence[Shown]) -> None:
        self.run, self.pictures, self.gaps = run, pictures, gaps(run)
        frame = run.frame
        self.faults = [str(value or "") for value in frame["fault"]]
        self.outcomes = [str(value or "") for value in frame["outcome"]]
        self.flags = [str(value or "") for value in frame["flags"]]
        self.strict = [bool(value) for value in frame["strict_ok"]]
        self.said = [action_of(value) for value in frame["action"]]
        self.reasons = {name: [str(value) for value in frame[f"{name}/reason"]] for name in run.protocols}
        self.verdicts = {name: self._verdicts(name) for name in run.protocols}
        self.clusters = {name: self._clusters(name) for name in run.protocols}
        self.why = {name: self._why(name) for name in run.protocols}

    def _verdicts(self, name: str) -> str:
        """One letter a step."""
        frame, state = self.run.frame, self.run.columns.state
        stepped, right = frame[f"{name}/stepped"].tolist(), frame[f"{name}/step_sr"].tolist()
        return "".join(
            OWED if state[row] == INFRASTRUCTURE else OUT if not stepped[row] else RIGHT if right[row] else WRONG
            for row in range(len(frame))
        )

    def _clusters(self, name: str) -> Clusters:
        wrong = [letter == WRONG for letter in self.verdicts[name]]
        return clusters(self.run.columns, self.reasons[name], wrong, self.faults, self.gaps)

    def _why(self, name: str) -> list[str]:
        rules = self.run.protocols[name]
        if rules is None:
            return [""] * len(self.said)
        return explain(self.run.columns, rules, self.run.family, self.reasons[name])

    @property
    def count(self) -> int:
        """Number of steps."""
        return len(self.run.steps)

    # ---- what every page shows
    def about(self) -> dict[str, Any]:
        """Facts, tables, curves, rules."""
        run, summary = self.run, self.run.side.summary
        asked = run.side.manifest.get("identity", {})
        facts = [[key, str(asked[key])] for key in FACTS if asked.get(key) not in (None, "", {})]
        notes = [*run.notes, *(str(note) for note in summary.get("notes", []))]
        return {
            "kind": "offline", "title": run.side.model, "path": run.side.path, "facts": self._facts(facts),
            "notes": notes, "labels": label_counts(summary["labels"]) if "labels" in summary else "",
            "parse": summary.get("parse", {}), "protocols": [self._protocol(name) for name in run.protocols],
            "view_notes": VIEW_NOTE, "tolerance": self._tolerance(),
        }  # fmt: skip

    def _facts(self, facts: list[list[str]]) -> list[list[str]]:
        about = self.run.side.manifest.get("about", {})
        given = {name for name, _ in facts}
        more = [["model", self.run.side.model]] if "model" not in given else []
        prompt = self.run.side.summary.get("run", {}).get("prompt_origin") or about.get("prompt_origin")
        more += [["prompt", str(prompt)]] if prompt else []
        sessions = self.run.side.manifest.get("environment", {}).get("sessions", [])
        more += [["started", str(sessions[0].get("started", ""))]] if sessions else []
        return facts + more

    def _protocol(self, name: str) -> dict[str, Any]:
        scored, rules = self.run.side.summary["protocols"][name], self.run.protocols[name]
        found = self.clusters[name]
        return {
            "name": name, "version": str(scored.get("version", "")), "source": str(scored.get("source", "")),
            "defined_here": bool(scored.get("defined_here", True)), "views": scored["views"],
            "title": rules.title if rules else "", "notes": list(rules.notes) if rules else [],
            "click": rules.click_rule(self.run.family).model_dump(mode="json") if rules else None,
            "clusters": [[label, size] for label, size in zip(found.names, found.sizes, strict=True)],
        }  # fmt: skip

    def _tolerance(self) -> dict[str, Any]:
        curve = tolerance_curve(self.run.columns)
        return {"points": points(curve), "in_box": curve.in_box.to_json() if curve.in_box else None}

    # ---- one entry a step
    def index(self) -> dict[str, Any]:
        """Columns for lists, filters and search."""
        steps = self.run.steps
        episodes = list(dict.fromkeys(step.episode for step in steps))
        number = {name: place for place, name in enumerate(episodes)}
        goals = {step.episode: step.goal for step in reversed(steps)}
        return {
            "id": [step.id for step in steps], "episode": [number[step.episode] for step in steps],
            "step": [step.index for step in steps],
            "episodes": [{"id": name, "goal": goals[name][:2000], "tags": list(self.run.tags.get(name, ()))}
                         for name in episodes],
            "low": [step.low[:BRIEF] for step in steps], "app": [step.app[:80] for step in steps],
            "label": [_brief(step.label) for step in steps], "said": [_brief(action) for action in self.said],
            "fault": self.faults, "gap": self.gaps, "thumb": [shown.thumb for shown in self.pictures],
            "verdict": self.verdicts, "reason": {name: _coded(texts) for name, texts in self.reasons.items()},
            "type": {name: _bits(self.run.frame[f"{name}/type_match"]) for name in self.run.protocols},
            "cluster": {name: list(found.member) for name, found in self.clusters.items()},
        }  # fmt: skip

    # ---- pieces
    def entry(self, row: int) -> dict[str, Any]:
        """Everything that one step's page shows."""
        step, shown = self.run.steps[row], self.pictures[row]
        out: dict[str, Any] = {
            "goal": step.goal, "low": step.low, "label": step.label and to_json(step.label),
            "label_fault": step.label_fault, "action": (said := self.said[row]) and to_json(said),
            "screen": list(step.screen), "pic": shown.file, "pic_fault": shown.fault, "source": step.box_source,
            "boxes": [[round(value, 4) for value in box] for box in step.boxes or ()],
            "outcome": self.outcomes[row], "strict": self.strict[row], "flags": self.flags[row],
            "detail": self.run.details.get(step.id, ""),
            "why": {name: why[row] for name, why in self.why.items() if why[row]},
        }  # fmt: skip
        return _without_empty(out | _reply(self.run.replies.get(step.id), self.run.columns.state[row]))


def _reply(reply: Reply | None, state: int) -> dict[str, Any]:
    if reply is None:
        return {"missing": bool(state == MISSING)}
    return {
        "reply": reply.text, "prefill": reply.prefill, "error": reply.error, "finish": reply.finish_reason,
        "image": list(reply.image) if reply.image else None, "latency": reply.latency_s,
        "tokens": [reply.prompt_tokens, reply.completion_tokens] if reply.completion_tokens is not None else None,
    }  # fmt: skip


def _without_empty(data: Mapping[str, Any]) -> dict[str, Any]:
    return {
        key: value for key, value in data.items() if value is not None and value is not False and value not in EMPTY
    }


def _brief(action: Action | None) -> str:
    """An action in a few words."""
    return "" if action is None else brief(json.dumps(to_json(action), ensure_ascii=True))[:BRIEF]


def _bits(column: Iterable[object]) -> str:
    """ "1" for true, "0" for false."""
    return "".join("1" if value else "0" for value in column)


def _coded(texts: Sequence[str]) -> dict[str, Any]:
    """Texts as numbers into the list of their kinds."""
    names = sorted(set(texts))
    number = {name: place for place, name in enumerate(names)}
    return {"names": names, "codes": [number[text] for text in texts]}
