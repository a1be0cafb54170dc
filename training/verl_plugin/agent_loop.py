"""verl's agent loop for static episodes: a session asks all steps of one episode and hands back its rows.

verl calls `run` once a session (rollout.n candidates an episode). It must never raise, or verl marks the whole group as
failed and waits (facts: training_stack.md section 5, item 17): a reply that does not come makes the session unusable,
which `credit.credit_rows` leaves out and counts.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

from verl.experimental.agent_loop.agent_loop import AgentLoopBase, AgentLoopMetrics

from solar_eval.dialects.prompting import Image, Message
from solar_eval.models.base import image_indices
from training.verl_plugin.credit import RowInfo, session_metrics
from training.verl_plugin.outputs import StepOutput
from training.verl_plugin.rows import parse_row
from training.verl_plugin.session import Sampled, Session, SessionRow, Stage, run_session
from training.verl_plugin.settings import read_settings

log = logging.getLogger(__name__)


class SolarEpisodeAgentLoop(AgentLoopBase):
    """One candidate of one episode. The dataset brings `row` (the JSON line) and `root` (the pictures' folder)."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.settings = read_settings(self.config.solar)
        self.response_length = int(self.rollout_config.response_length)

    async def run(self, sampling_params: dict[str, Any], **kwargs: Any) -> list[StepOutput]:
        """All rows of the session, step by step; at least one."""
        row = parse_row(str(kwargs["row"]), str(kwargs.get("index", "")), Path(str(kwargs["root"])))
        plan, protocol = self.settings.plan(row.family), self.settings.validity()
        by_index = dict(zip((step.index for step in row.episode.steps), row.images, strict=True))
        shown: dict[int, list[Any]] = {}

        async def ask(messages: Sequence[Message], step: int) -> Sampled:
            shown[step] = [_picture(by_index[index]) for index in image_indices(messages)]
            return await self._ask(messages, shown[step], sampling_params)

        stage: Stage = "trajectory" if self.settings.prefix_only else "atomic"
        session = await run_session(row, plan, protocol, ask, self._empty(), stage, self.settings.suffix)
        for step, why in session.faults:
            log.warning("episode %s, step %d: no reply (%s)", row.episode.id, step, why)
        return [self._output(session, one, shown.get(one.step, [])) for one in session.rows]

    async def _ask(self, messages: Sequence[Message], pictures: list[Any], sampling: dict[str, Any]) -> Sampled:
        wire = [_wire(message) for message in messages]
        prompt = await self.ct_build_initial_tokens(wire, images=pictures)
        token = await self.server_manager.generate(request_id=uuid4().hex, prompt_ids=prompt,
                                                   sampling_params=dict(sampling), image_data=pictures)  # fmt: skip
        ids = list(token.token_ids)[: self.response_length]
        text = self.tokenizer.decode(ids, skip_special_tokens=True)
        logprobs = list(token.log_probs)[: len(ids)] if token.log_probs else None
        return Sampled(prompt, ids, text, logprobs, dict(token.extra_fields))

    def _empty(self) -> Sampled:
        end = int(self.tokenizer.eos_token_id)
        return Sampled([end], [end], "", [0.0], {"min_global_steps": 0, "max_global_steps": 0})

    def _output(self, session: Session, one: SessionRow, pictures: list[Any]) -> StepOutput:
        sampled = one.sampled
        answered = session.usable[one.step]
        info = RowInfo(
            "", 0, one.step, session.score, session.valid, session.type_ok, session.format_ok, session.usable
        )
        ids = sampled.token_ids or [int(self.tokenizer.eos_token_id)]
        reward = session.score[one.step] if answered else 0.0
        return StepOutput(
            prompt_ids=sampled.prompt_ids, response_ids=ids, response_mask=[1 if answered else 0] * len(ids),
            response_logprobs=(sampled.logprobs or [0.0] * len(ids))[: len(ids)],
            multi_modal_data={"images": pictures} if answered else {}, mm_processor_kwargs=self.mm_processor_kwargs,
            reward_score=reward, step_reward=reward, num_turns=len(session.score), metrics=AgentLoopMetrics(),
            own_info=session_metrics(session.score, session.valid, session.type_ok, session.format_ok, session.usable),
            extra_fields={**sampled.extra, "solar": info.as_json(), "reward_extra_info": {}},
        )  # fmt: skip


def _picture(path: Path) -> Any:
    from PIL import Image as Pillow

    with Pillow.open(path) as opened:
        return opened.convert("RGB")


def _wire(message: Message) -> dict[str, Any]:
    """A message as verl's tokenisation takes it: text parts, and a placeholder where a picture stands."""
    parts: list[dict[str, str]] = [
        {"type": "image"} if isinstance(part, Image) else {"type": "text", "text": part.text} for part in message.parts
    ]
    return {"role": message.role, "content": parts if any(p["type"] == "image" for p in parts) or len(parts) != 1
            else parts[0]["text"]}  # fmt: skip
