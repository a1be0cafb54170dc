"""Serving a checkpoint: vLLM with a family's flags where there is a GPU, transformers behind the same API where not."""
