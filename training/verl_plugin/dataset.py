"""verl's dataset of episodes: a row is a JSON line and the folder of its pictures; prompts are made in the agent loop.

`data.custom_cls` names this class. Nothing is filtered here by reading pictures again, as verl's filter does: what is
too long was left out, counted and named when the file was written (`solar-train verl-data`).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.utils.data import Dataset

from solar_eval.errors import DataError, UsageError
from training.verl_plugin.rows import EpisodeRow, parse_row


class EpisodeDataset(Dataset[dict[str, Any]]):
    """Episodes of one or several files, in file order.

    data_files: JSON lines files. max_samples: how many episodes at most (-1: all), the first ones. Raises DataError for
    a line that is no episode; UsageError for a file of text only, or a missing processor, which verl would swallow.
    """

    def __init__(self, data_files: str | Sequence[str], tokenizer: Any, config: Any, processor: Any = None,
                 max_samples: int = -1) -> None:  # fmt: skip
        if processor is None:
            raise UsageError("the model's processor did not load, the run would be text-only", "processor",
                             "install torchvision beside torch; try AutoProcessor.from_pretrained")  # fmt: skip
        files = [data_files] if isinstance(data_files, str) else list(data_files)
        self.lines: list[tuple[str, Path]] = []
        self.facts: list[EpisodeRow] = []
        for name in files:
            path = Path(name)
            if not path.is_file():
                raise DataError("there is no such file", name, "write it with `solar-train verl-data`")
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                if line.strip() and (max_samples < 0 or len(self.lines) < max_samples):
                    self.facts.append(parse_row(line, f"{path}:{number}", path.parent.resolve()))
                    self.lines.append((line, path.parent.resolve()))
        if not self.lines:
            raise DataError("no episode in it", ", ".join(files), "write it with `solar-train verl-data`")

    def __len__(self) -> int:
        return len(self.lines)

    def __getitem__(self, item: int) -> dict[str, Any]:
        """What verl needs of a row (raw_prompt, index, dummy_tensor) and what the agent loop needs (row, root)."""
        line, root = self.lines[item]
        fact = self.facts[item]
        return {
            "raw_prompt": [{"role": "user", "content": fact.episode.goal}], "index": item, "row": line,
            "root": str(root), "agent_name": "solar_episode", "data_source": f"{fact.family}/{fact.bucket}",
            "reward_model": {"ground_truth": fact.episode.id}, "dummy_tensor": torch.zeros(1, dtype=torch.uint8),
        }  # fmt: skip

    @property
    def lengths(self) -> np.ndarray[Any, np.dtype[np.int64]]:
        """Steps of each episode, (len,)."""
        return np.array([len(fact.episode.steps) for fact in self.facts], dtype=np.int64)
