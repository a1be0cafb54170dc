"""A rollout engine for tests: one Ray actor a replica that generates with transformers, one request after another."""

from __future__ import annotations

import asyncio
from typing import Any

import ray
import torch
from verl.workers.rollout.base import BaseRollout
from verl.workers.rollout.replica import RolloutReplica, TokenOutput


class CpuServer:
    """Holds a copy of the model; weights come by name after each update."""

    def __init__(self, path: str, response_length: int) -> None:
        from transformers import AutoModelForImageTextToText, AutoProcessor

        torch.set_num_threads(1)
        self.model = AutoModelForImageTextToText.from_pretrained(path, dtype=torch.float32).eval()
        self.processor = AutoProcessor.from_pretrained(path)
        self.response_length = response_length
        self.version = 0
        self.lock = asyncio.Lock()
        config = self.model.config
        self.banned = [config.image_token_id, config.video_token_id]

    async def generate(self, request_id: str, prompt_ids: list[int], sampling_params: dict[str, Any], image_data=None,
                       video_data=None, **kwargs: Any) -> TokenOutput:  # fmt: skip
        async with self.lock:
            return await asyncio.to_thread(self._generate, prompt_ids, sampling_params, image_data)

    @torch.no_grad()
    def _generate(self, prompt_ids: list[int], sampling: dict[str, Any], images) -> TokenOutput:
        ids = torch.tensor([prompt_ids])
        inputs: dict[str, Any] = {"input_ids": ids, "attention_mask": torch.ones_like(ids)}
        if images:
            seen = self.processor.image_processor(images=images, return_tensors="pt")
            inputs |= {"pixel_values": seen["pixel_values"], "image_grid_thw": seen["image_grid_thw"]}
            inputs["mm_token_type_ids"] = (ids == self.model.config.image_token_id).long()
        temperature = float(sampling.get("temperature", 1.0))
        how = (
            {"do_sample": True, "temperature": temperature, "top_k": 0, "top_p": 1.0}
            if temperature
            else {"do_sample": False}
        )
        self.model.model.rope_deltas = None
        made = self.model.generate(**inputs, **how, max_new_tokens=self.response_length, suppress_tokens=self.banned,
                                   return_dict_in_generate=True, output_logits=True)  # fmt: skip
        new = made.sequences[0, len(prompt_ids) :].tolist()
        logits = torch.stack(made.logits)[:, 0] / (temperature or 1.0)
        logits[:, self.banned] = -torch.inf
        logp = torch.log_softmax(logits, -1).gather(1, torch.tensor(new)[:, None])[:, 0].tolist()
        return TokenOutput(token_ids=new, log_probs=logp, stop_reason="completed", num_preempted=0,
                           extra_fields={"global_steps": self.version})  # fmt: skip

    async def load(self, weights: dict[str, torch.Tensor], version: int | None) -> None:
        async with self.lock:
            missing, unexpected = self.model.load_state_dict(weights, strict=False)
            assert not unexpected, unexpected[:3]
            assert all("lm_head" in name for name in missing), missing[:3]
            self.version = version if version is not None else self.version

    async def nothing(self, *args: Any, **kwargs: Any) -> None:
        """Sleep, wake up, caches: there are none."""

    wake_up = sleep = abort_all_requests = resume_generation = clear_kv_cache = nothing
    release_kv_cache = resume_kv_cache = start_profile = stop_profile = nothing


class CpuReplica(RolloutReplica):
    """One server actor a replica."""

    async def launch_servers(self) -> None:
        actor = ray.remote(CpuServer).options(name=f"cpu_server_{self.replica_rank}", num_cpus=0.1, max_concurrency=64)
        path = self.model_config.path
        self._server_handle = actor.remote(path, self.config.response_length)
        self.servers = [self._server_handle]
        self._server_address = f"cpu-{self.replica_rank}"


class CpuAdapter(BaseRollout):
    """The training side: hands full weights to the server."""

    def __init__(self, config, model_config, device_mesh, replica_rank: int = -1, *args: Any, **kwargs: Any) -> None:
        super().__init__(config, model_config, device_mesh)
        import os

        self.replica_rank = int(os.environ["RANK"]) if replica_rank == -1 else replica_rank
        self.is_leader_rank = True

    async def resume(self, tags: list[str]) -> None:
        pass

    async def release(self) -> None:
        pass

    async def update_weights(self, weights, global_steps: int | None = None, **kwargs: Any) -> None:
        named = {}
        if hasattr(weights, "__aiter__"):
            async for name, tensor in weights:
                named[name] = tensor.detach().float().cpu().clone()
        else:
            for name, tensor in weights:
                named[name] = tensor.detach().float().cpu().clone()
        server = ray.get_actor(f"cpu_server_{self.replica_rank}")
        await server.load.remote(named, global_steps)
