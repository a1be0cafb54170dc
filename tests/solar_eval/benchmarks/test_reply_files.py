"""Recorded replies in our own form: damage, doubles, odd values; and telling the two forms apart."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from benchmark_fakes import gui_r1_row

from solar_eval.actions import Click, Point
from solar_eval.benchmarks.reply_files import OwnReplies, ReplyFile, form_of, read_own, read_replies
from solar_eval.errors import DataError
from solar_eval.records import RecordedParse, Reply
from solar_eval.reply_json import reply_to_json

WriteLines = Callable[..., Path]


def test_our_form(write_lines: WriteLines) -> None:
    replies = (
        Reply("1/0", "tap", (500, 900), "Thought:", finish_reason="stop", latency_s=0.5, prompt_tokens=3),
        Reply("1/1", None, error="timeout"),
        Reply("1/2", "", recorded=RecordedParse(Click(Point(0.5, 0.5)), "", "click", Point(0.5, 0.5), "x")),
    )
    path = write_lines([reply_to_json(reply) for reply in replies])
    assert read_own(path) == OwnReplies(replies)
    assert read_replies(path) == OwnReplies(replies)


def test_id_is_read_as_step_and_unknown_keys_are_left_alone(write_lines: WriteLines) -> None:
    assert read_own(write_lines([{"id": "1/0", "text": "a", "score": 1}])).replies == (Reply("1/0", "a"),)


def test_doubles_keep_the_first_and_name_both_lines(write_lines: WriteLines) -> None:
    path = write_lines([{"step": "1/0", "text": "a"}, {"step": "1/1", "text": "b"}, {"step": "1/0", "text": "c"}])
    made = read_own(path)
    assert [reply.text for reply in made.replies] == ["a", "b"]
    (double,) = made.unreadable
    assert double.where == f"{path}:3" and f"{path}:1" in double.why and "1/0" in double.why


def test_an_answer_takes_the_place_of_a_fault_but_not_the_other_way(write_lines: WriteLines) -> None:
    rows = [{"step": "1", "text": None, "error": "e"}, {"step": "1", "text": None, "error": "f"},
            {"step": "1", "text": "a"}, {"step": "1", "text": None, "error": "g"}]  # fmt: skip
    assert read_own(write_lines(rows)) == OwnReplies((Reply("1", "a"),))


def test_bad_lines_are_named_and_the_rest_is_kept(write_lines: WriteLines) -> None:
    rows = [
        {"step": "1", "text": "a"}, {"text": "no step"}, {"step": 5, "text": "a"}, {"step": "2"},
        {"step": "3", "text": 4}, "{torn", {"step": "4", "text": "a", "image": [0, 1]},
        {"step": "5", "text": "a", "recorded": {"point": ["x", 1]}}, {"step": "6", "text": "a", "recorded": 3},
        {"step": "7", "text": "a", "recorded": {"action": {"kind": "fly"}}}, {"step": "8", "text": "b"},
    ]  # fmt: skip
    path = write_lines(rows)
    made = read_own(path)
    assert [reply.step for reply in made.replies] == ["1", "8"]
    assert [item.where for item in made.unreadable] == [f"{path}:{n}" for n in range(2, 11)]


def test_text_comes_through_as_it_is(write_lines: WriteLines) -> None:
    texts = ["nul \x00 byte", "lone \ud83d", "x" * 10_000_000, "", "\ufeffbom\r\n"]
    path = write_lines([{"step": str(i), "text": text} for i, text in enumerate(texts)])
    assert [reply.text for reply in read_own(path).replies] == texts


def test_a_truncated_gzip_and_a_torn_line(tmp_path: Path) -> None:
    lines = [json.dumps({"step": f"{i}", "text": f"{i * 7919 % 1009}" * 20}) for i in range(3000)]
    packed = gzip.compress("\n".join(lines).encode())
    (tmp_path / "a.jsonl.gz").write_bytes(packed[: len(packed) // 2])
    made = read_own(tmp_path / "a.jsonl.gz")
    assert 0 < len(made.replies) < 3000 and len(made.unreadable) == 1
    (tmp_path / "b.jsonl").write_text(lines[0] + "\n" + lines[1][:-4])
    made = read_own(tmp_path / "b.jsonl")
    assert len(made.replies) == 1 and "torn" in made.unreadable[0].why


def test_a_run_directory_is_its_samples(tmp_path: Path) -> None:
    (tmp_path / "samples.jsonl").write_text('{"step": "1/0", "key": "k", "text": "a"}\n')
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "other.jsonl").write_text('{"step": "9/9", "text": "b"}\n')
    assert [reply.step for reply in read_own(tmp_path).replies] == ["1/0"]


def test_the_form_is_told_by_the_first_readable_line(write_lines: WriteLines) -> None:
    path = write_lines(["{torn", gui_r1_row()])
    assert form_of(path) == "gui_r1"
    assert isinstance(read_replies(path, "gui_odyssey"), ReplyFile)


@pytest.mark.parametrize("rows", [[], ["{"], [{"prediction": "a"}], ["[1]"]])
def test_files_of_neither_form_are_refused(write_lines: WriteLines, rows: list[object]) -> None:
    with pytest.raises(DataError, match="no reply can be read"):
        read_replies(write_lines(rows))


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such file"):
        read_replies(tmp_path / "none.jsonl")
