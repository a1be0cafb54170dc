"""verl on a CPU, for tests only: a platform, gloo, a rollout engine on transformers. Every process of a run imports it.

verl 0.9.1 ships no CPU platform. Each line below that replaces something of verl or torch says what for (facts:
training_stack.md section 2, "CPU end-to-end recipe").
"""

from __future__ import annotations

import contextlib
import types

import torch
import torch.distributed
from verl.plugin.platform.platform_base import PlatformBase
from verl.plugin.platform.platform_manager import PlatformRegistry
from verl.workers.rollout import base as rollout_base
from verl.workers.rollout.replica import RolloutReplicaRegistry


def _device_module() -> types.ModuleType:
    """torch.cpu with the calls that verl makes of torch.cuda, doing nothing."""
    module = types.ModuleType("cpu_device")
    for name in dir(torch.cpu):
        setattr(module, name, getattr(torch.cpu, name))
    zero = ("memory_allocated", "memory_reserved", "max_memory_allocated", "max_memory_reserved", "current_device")
    for name in zero:
        setattr(module, name, lambda *args, **kwargs: 0)
    quiet = ("empty_cache", "synchronize", "set_device", "manual_seed", "manual_seed_all", "ipc_collect")
    for name in (*quiet, "reset_peak_memory_stats"):
        setattr(module, name, lambda *args, **kwargs: None)
    module.mem_get_info = lambda *args, **kwargs: (1 << 34, 1 << 34)
    module.get_rng_state = lambda *args, **kwargs: torch.get_rng_state()
    module.set_rng_state = lambda state, *args, **kwargs: torch.set_rng_state(state)
    module.device_count = lambda: 1
    module.is_available = lambda: True
    module.get_device_name = lambda *args: "cpu"
    module.device = lambda *args: contextlib.nullcontext()
    return module


@PlatformRegistry.register(platform="cpu")
class PlatformCPU(PlatformBase):
    """A CPU that calls its one share a GPU, so that Ray places workers as it would on a cluster."""

    device_name = "cpu"
    vendor_name = "cpu"
    device_module = _device_module()

    def is_available(self) -> bool:
        return True

    def current_device(self) -> str:
        return "cpu"

    def device_count(self) -> int:
        return 1

    def set_device(self, device_index) -> None:
        pass

    def synchronize(self, device_index=None) -> None:
        pass

    def manual_seed(self, seed: int) -> None:
        torch.manual_seed(seed)

    def manual_seed_all(self, seed: int) -> None:
        torch.manual_seed(seed)

    def set_allocator_settings(self, settings: str) -> None:
        pass

    def empty_cache(self) -> None:
        pass

    def get_device_capability(self, device_index: int = 0):
        return None, None

    def communication_backend_name(self) -> str:
        return "gloo"

    def visible_devices_envvar(self) -> str:
        return "CUDA_VISIBLE_DEVICES"

    @contextlib.contextmanager
    def nvtx_range(self, msg: str):
        yield

    def profiler_start(self) -> None:
        pass

    def profiler_stop(self) -> None:
        pass

    def ray_resource_name(self) -> str:
        return "GPU"

    def ray_noset_envvars(self) -> list[str]:
        return ["RAY_EXPERIMENTAL_NOSET_CUDA_VISIBLE_DEVICES"]

    def is_ipc_supported(self) -> bool:
        return False

    def cudart(self) -> None:
        return None


def _one_backend() -> None:
    """verl asks for "cpu:gloo,cpu:gloo", which torch refuses."""
    original = torch.distributed.init_process_group

    def init(backend=None, *args, **kwargs):
        return original("cpu:gloo" if backend == "cpu:gloo,cpu:gloo" else backend, *args, **kwargs)

    torch.distributed.init_process_group = init


def _unpinned() -> None:
    """FSDP2's CPU offload pins memory, which needs an accelerator; on a CPU there is nothing to offload from."""
    import torch.distributed.fsdp as fsdp

    original = fsdp.CPUOffloadPolicy

    def policy(pin_memory: bool = True):
        return original(pin_memory=False)

    fsdp.CPUOffloadPolicy = policy


def _replica():
    from cpu_rollout import CpuReplica

    return CpuReplica


_one_backend()
_unpinned()
RolloutReplicaRegistry.register("cpu", _replica)
rollout_base._ROLLOUT_REGISTRY[("cpu", "async")] = "cpu_rollout.CpuAdapter"
