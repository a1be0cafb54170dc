"""Damaged files: what stands before and after the damage is read, the damage is named with file and line."""

from __future__ import annotations

import gzip
import json
import time
from pathlib import Path

import pytest

from solar_eval.benchmarks.lines import Line, files_of, read_lines
from solar_eval.errors import DataError
from solar_eval.records import Unreadable


def _split(path: Path) -> tuple[list[object], list[Unreadable]]:
    items = list(read_lines(path))
    return [i.data for i in items if isinstance(i, Line)], [i for i in items if isinstance(i, Unreadable)]


def _rows(n: int) -> bytes:
    return b"".join(json.dumps({"i": i, "text": f"{i * 7919 % 1009}" * 9}).encode() + b"\n" for i in range(n))


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz"])
def test_plain_and_gzip_by_content_not_by_name(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(gzip.compress(_rows(3)))
    assert [row["i"] for row in _split(tmp_path / name)[0]] == [0, 1, 2]  # type: ignore[index,call-overload]


def test_a_truncated_gzip_gives_every_whole_line_before_the_cut(tmp_path: Path) -> None:
    import zlib

    packed = gzip.compress(_rows(5000))[:-3000]
    (tmp_path / "a.jsonl.gz").write_bytes(packed)
    rows, bad = _split(tmp_path / "a.jsonl.gz")
    whole = zlib.decompressobj(31).decompress(packed).count(b"\n")
    assert 0 < len(rows) == whole < 5000
    assert bad == [Unreadable(f"{tmp_path / 'a.jsonl.gz'}:{whole + 1}", bad[0].why)]
    assert "gzip stream ends early" in bad[0].why


def test_damage_inside_a_gzip_is_named(tmp_path: Path) -> None:
    packed = bytearray(gzip.compress(_rows(20_000)))
    packed[len(packed) // 2 : len(packed) // 2 + 40] = b"\xff" * 40
    (tmp_path / "a.gz").write_bytes(bytes(packed))
    rows, bad = _split(tmp_path / "a.gz")
    assert rows
    assert any("reading failed" in item.why or "not JSON" in item.why for item in bad)


def test_a_torn_last_line(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(_rows(2) + b'{"i": 2, "te')
    rows, bad = _split(tmp_path / "a")
    assert len(rows) == 2
    assert bad[0].where.endswith("a:3")
    assert "torn" in bad[0].why


def test_a_whole_last_line_without_newline_counts(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b'{"i": 0}\n{"i": 1}')
    assert _split(tmp_path / "a") == ([{"i": 0}, {"i": 1}], [])


def test_bad_lines_in_the_middle_and_blank_ones(tmp_path: Path) -> None:
    deep = "[" * 100_000
    lines = [
        '{"i": 0}',
        "",
        "null",
        "[1]",
        "{oops}",
        '{"d": ' + deep + "}",
        '{"n": ' + "9" * 5000 + "}",
        '{"i": 1}',
        "\x00\x00",
    ]
    (tmp_path / "a").write_text("\n".join(lines) + "\n", encoding="utf-8")
    rows, bad = _split(tmp_path / "a")
    assert rows == [{"i": 0}, {"i": 1}]
    assert [item.where.rpartition(":")[2] for item in bad] == ["3", "4", "5", "6", "7", "9"]


def test_nul_bytes_surrogates_and_foreign_bytes_come_through(tmp_path: Path) -> None:
    lines = [
        b'{"t": "a\x00b"}', b'{"t": "\\u0000"}', b'{"t": "\\ud83d alone"}', b'{"t": "\xed\xa0\xbd"}',
        b'{"t": "\xff\xfe"}', b'\xef\xbb\xbf{"t": "bom"}',
    ]  # fmt: skip
    (tmp_path / "a").write_bytes(b"\n".join(lines))
    rows, bad = _split(tmp_path / "a")
    assert bad == []
    assert [row["t"] for row in rows] == ["a\x00b", "\x00", "\ud83d alone", "\ud83d", "\udcff\udcfe", "bom"]  # type: ignore[index,call-overload]


def test_a_reply_of_ten_megabytes(tmp_path: Path) -> None:
    text = "word " * 2_000_000
    (tmp_path / "a").write_text(json.dumps({"t": text}) + "\n" + '{"t": "next"}\n')
    start = time.perf_counter()
    rows, bad = _split(tmp_path / "a")
    assert time.perf_counter() - start < 5
    assert (len(rows), bad) == (2, [])
    assert rows[0] == {"t": text}


def test_a_line_beyond_the_limit_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("solar_eval.benchmarks.lines.MAX_LINE_BYTES", 64)
    (tmp_path / "a").write_text('{"i": 0}\n{"t": "' + "x" * 500 + '"}\n{"i": 1}\n')
    rows, bad = _split(tmp_path / "a")
    assert rows == [{"i": 0}, {"i": 1}]
    assert bad[0].where.endswith(":2")


def test_a_json_list_is_read_as_its_items(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('[\n{"i": 0},\n3,\n{"i": 1}]')
    rows, bad = _split(tmp_path / "a.json")
    assert rows == [{"i": 0}, {"i": 1}]
    assert len(bad) == 1


def test_files_in_numeric_order_by_directory_and_glob(tmp_path: Path) -> None:
    for name in ("x_10_20.jsonl", "x_2_3.jsonl", "x_1_2.jsonl", "note.txt"):
        (tmp_path / name).write_text("{}\n")
    expected = ["x_1_2.jsonl", "x_2_3.jsonl", "x_10_20.jsonl"]
    assert [f.name for f in files_of(tmp_path, (".jsonl",))] == expected
    assert [f.name for f in files_of(tmp_path / "x_*.jsonl", (".jsonl",))] == expected


def test_no_file_says_so(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none.jsonl", tmp_path / "*.jsonl"):
        with pytest.raises(DataError, match="no"):
            files_of(path, (".jsonl",))
