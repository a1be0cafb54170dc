"""The VLM policy: the real Qwen2.5-VL architecture through transformers, tiny and random by default."""
