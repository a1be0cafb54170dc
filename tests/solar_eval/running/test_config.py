"""Configuration: four layers, unknown keys, bad values, and the print that reads back."""

from __future__ import annotations

import subprocess
import sys
import tomllib

import pytest

from solar_eval.config import RunConfig, resolve
from solar_eval.errors import DataError, UsageError

NEEDED = {"benchmark": "android_control", "model": "scripted:gold", "dialect": "qwen2_5_vl"}


def test_precedence_is_default_file_environment_flag(tmp_path):
    file = tmp_path / "run.toml"
    file.write_text('seed = 1\nconcurrency = 1\nmax-tokens = 1\nprotocol = ["a", "b"]\n')
    environ = {"SOLAR_EVAL_CONCURRENCY": "2", "SOLAR_EVAL_MAX_TOKENS": "2", "PATH": "x"}
    flags = {**NEEDED, "max_tokens": 3, "limit": None}
    found = resolve(RunConfig, flags, file, environ)
    config = found.config
    assert (config.timeout_s, config.seed, config.concurrency, config.max_tokens) == (300.0, 1, 2, 3)
    assert config.protocol == ("a", "b") and config.limit is None
    origins = [found.origins[key] for key in ("timeout_s", "seed", "concurrency", "max_tokens")]
    assert origins == ["default", f"file {file}", "environment SOLAR_EVAL_CONCURRENCY", "flag --max-tokens"]


def test_the_folder_of_all_data_is_no_field():
    assert resolve(RunConfig, NEEDED, environ={"SOLAR_EVAL_DATA": "/data"}).config.data is None


def test_lists_and_objects_come_as_text_too():
    environ = {"SOLAR_EVAL_PROTOCOL": "a, b", "SOLAR_EVAL_EXTRA_BODY": '{"chat_template_kwargs": {"x": null}}'}
    config = resolve(RunConfig, {**NEEDED, "sample": ["e/1", "e/2"]}, environ=environ).config
    assert config.protocol == ("a", "b") and config.sample == ("e/1", "e/2")
    assert config.extra_body == {"chat_template_kwargs": {"x": None}}


def test_every_field_has_a_sentence():
    for name, info in RunConfig.model_fields.items():
        assert info.description and info.description.endswith((".", ">.")), name


@pytest.mark.parametrize("name", ["run.toml", "run.json"])
def test_unknown_keys_in_a_file_are_errors_with_a_suggestion(tmp_path, name):
    file = tmp_path / name
    file.write_text("temprature = 0.5\n" if name.endswith("toml") else '{"temprature": 0.5}')
    with pytest.raises(UsageError, match="temprature") as caught:
        resolve(RunConfig, NEEDED, file, {})
    assert str(file) in caught.value.where and "temperature" in caught.value.fix


def test_unknown_variables_and_flags_are_errors_with_a_suggestion():
    with pytest.raises(UsageError, match="SOLAR_EVAL_SEEED") as caught:
        resolve(RunConfig, NEEDED, None, {"SOLAR_EVAL_SEEED": "1"})
    assert "seed" in caught.value.fix
    with pytest.raises(UsageError, match="concurency"):
        resolve(RunConfig, {**NEEDED, "concurency": 2}, None, {})


def test_bad_values_are_all_named_with_where_they_came_from(tmp_path):
    file = tmp_path / "run.toml"
    file.write_text('level = "hgih"\n')
    with pytest.raises(UsageError) as caught:
        resolve(RunConfig, {"benchmark": "x", "concurrency": 0}, file, {"SOLAR_EVAL_SEED": "many"})
    told = str(caught.value)
    for part in ("level = 'hgih' (file", "concurrency = 0 (flag --concurrency)", "seed = 'many' (environment",
                 "model is not given: --model, SOLAR_EVAL_MODEL"):  # fmt: skip
        assert part in told


@pytest.mark.parametrize(
    ("content", "suffix", "message"),
    [
        ("a = \nb = 1", ".toml", "line 1"), ("{", ".json", "Expecting"), ("[1]", ".json", "holds a list"),
        ("seed: 1", ".yaml", ".toml or .json"),
    ],
)  # fmt: skip
def test_unreadable_files_are_data_errors(tmp_path, content, suffix, message):
    file = tmp_path / f"run{suffix}"
    file.write_text(content)
    with pytest.raises(DataError, match=message):
        resolve(RunConfig, NEEDED, file, {})
    with pytest.raises(DataError):
        resolve(RunConfig, NEEDED, tmp_path / "absent.toml", {})


@pytest.mark.parametrize("url", ["http://me:secret@host/v1", "http://host/v1?key=abc", "localhost:8000", "ftp://x/"])
def test_addresses_hold_no_keys(url):
    with pytest.raises(UsageError, match="base_url"):
        resolve(RunConfig, {**NEEDED, "base_url": url}, None, {})


def test_the_print_is_a_configuration_file(tmp_path):
    awkward = 'C:\\p "q" \x7f é😀'
    flags = {**NEEDED, "data": awkward, "limit": 3, "extra_body": {"a": {"b": [1, None, awkward]}}, "dry_run": True}
    found = resolve(RunConfig, flags, None, {})
    file = tmp_path / "printed.toml"
    file.write_text(found.to_toml(), encoding="utf-8")
    assert tomllib.loads(found.to_toml())["limit"] == 3
    assert resolve(RunConfig, {}, file, {}).config == found.config
    assert "# flag --limit" in found.to_toml() and "# subset is not set" in found.to_toml()


def test_import_is_light():
    heavy = ("numpy", "pandas", "openai", "PIL", "jinja2", "anyio", "rich")
    code = f"import sys, solar_eval.config; print([m for m in {heavy} if m in sys.modules])"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"
    )
