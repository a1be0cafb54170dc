"""The run directory: append, resume, refuse, survive."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from solar_eval.actions import Click, Point
from solar_eval.errors import RunDirError
from solar_eval.line_file import LineFile
from solar_eval.records import RecordedParse, Reply
from solar_eval.reply_json import reply_from_json, reply_to_json
from solar_eval.run_dir import RunDir, differences

WHO = {"benchmark": "b", "model": "m", "request": {"temperature": 0.0, "max_tokens": 5}, "seed": 0}


def lines(path: Path) -> list[str]:
    return (path / "samples.jsonl").read_text(encoding="utf-8").splitlines()


def test_a_reply_is_on_disk_as_soon_as_it_is_appended(tmp_path):
    with RunDir.create_or_resume(tmp_path / "r", WHO) as run:
        run.append(Reply("e/0", "ACT", (10, 20), finish_reason="stop"), "abc", {"reasoning": "why"})
        assert json.loads(lines(run.path)[0]) == {
            "step": "e/0", "key": "abc", "text": "ACT", "image": [10, 20], "finish_reason": "stop", "reasoning": "why",
        }  # fmt: skip


def test_replies_survive_the_trip_whatever_is_in_them(tmp_path):
    parse = RecordedParse(Click(Point(0.1, 0.2)), "", "click", Point(0.1, 0.2), "text")
    odd = [
        Reply("a", "", None), Reply("b", "x\n\r\u2028\x00\x85\"{", (1, 2), "pre"), Reply("c", "\ud800 lone", None),
        Reply("d", None, error="server: down"),
        Reply("e", "é漢😀", latency_s=0.0, prompt_tokens=0, completion_tokens=3),
        Reply("f", "t", recorded=parse), Reply("g", "t", recorded=RecordedParse(None, "no verb")),
        Reply("h", "x" * 10_000_000),
    ]  # fmt: skip
    with RunDir.create_or_resume(tmp_path / "r", WHO) as run:
        assert run.append_many(odd) == len(odd)
    run = RunDir.open(tmp_path / "r")
    found = run.done() | run.owed()
    assert [found[reply.step] for reply in odd] == odd
    assert all(reply_from_json(reply_to_json(reply)) == reply for reply in odd)


def test_resume_keeps_answers_and_owes_faults(tmp_path):
    with RunDir.create_or_resume(tmp_path / "r", WHO, session={"command": ["one"]}) as run:
        assert not run.resumed
        run.append(Reply("a", "x"))
        run.append(Reply("b", None, error="server: 500"))
    with RunDir.create_or_resume(tmp_path / "r", WHO, session={"command": ["two"]}) as run:
        assert run.resumed and set(run.done()) == {"a"} and set(run.owed()) == {"b"}
        run.append(Reply("b", None, error="server: again"))
        assert run.owed()["b"].error == "server: again"
        run.append(Reply("b", "y"))
        assert set(run.done()) == {"a", "b"} and not run.owed()
        with pytest.raises(RunDirError, match="has an answer already"):
            run.append(Reply("a", "z"))
        assert run.append_many([Reply("a", "z"), Reply("c", "w")]) == 1
    assert len(lines(tmp_path / "r")) == 5
    sessions = json.loads((tmp_path / "r/manifest.json").read_text())["environment"]["sessions"]
    assert [s["command"] for s in sessions] == [["one"], ["two"]] and all(s["finished"] for s in sessions)


def test_manifest_keeps_what_varies_apart(tmp_path):
    for name in ("one", "two"):
        RunDir.create_or_resume(tmp_path / name, WHO, {"notes": ["n"]}, {"command": [name]}).close()
    one, two = (json.loads((tmp_path / name / "manifest.json").read_text()) for name in ("one", "two"))
    assert one.pop("environment") != two.pop("environment")
    assert one == two == {"schema": 1, "solar_eval": one["solar_eval"], "identity": WHO, "about": {"notes": ["n"]}}


def test_another_configuration_is_refused_key_by_key(tmp_path):
    RunDir.create_or_resume(tmp_path / "r", WHO).close()
    before = (tmp_path / "r/manifest.json").read_bytes()
    other = {**WHO, "request": {"temperature": 0.5, "max_tokens": 5}, "level": "low"}
    del other["seed"]
    with pytest.raises(RunDirError) as caught:
        RunDir.create_or_resume(tmp_path / "r", other)
    told = str(caught.value)
    assert "request.temperature: 0.0 -> 0.5" in told and 'level: (not there) -> "low"' in told
    assert "seed: 0 -> (not there)" in told and "max_tokens" not in told and "another --out" in told
    assert caught.value.exit_code == 4
    assert (tmp_path / "r/manifest.json").read_bytes() == before
    RunDir.create_or_resume(tmp_path / "r", WHO).close()  # the lock was given back


def test_differences_tell_null_from_absence_and_tuples_from_nothing():
    assert differences({"a": None}, {}) == ["a: null -> (not there)"]
    assert differences({"a": {}}, {"a": {"b": 1}}) == ["a: {} -> (not there)", "a.b: (not there) -> 1"]
    assert differences({"a": [1, 2]}, {"a": [1, 2]}) == []


def test_identity_with_tuples_and_paths_resumes(tmp_path):
    who = {"stop": ("a", "b"), "size": (1, 2)}
    RunDir.create_or_resume(tmp_path / "r", who).close()
    RunDir.create_or_resume(tmp_path / "r", who).close()


# ---- torn and damaged
@pytest.mark.parametrize("cut", range(1, 40))
def test_a_torn_last_line_is_owed_again_and_nothing_is_lost(tmp_path, cut):
    with RunDir.create_or_resume(tmp_path / "r", WHO) as run:
        run.append(Reply("a", "é first"))
        run.append(Reply("b", "é second"))
    file = tmp_path / "r/samples.jsonl"
    whole = file.read_bytes()
    file.write_bytes(whole[:-cut])
    start = whole.index(b"\n") + 1
    with RunDir.create_or_resume(tmp_path / "r", WHO) as run:
        if cut == 1:  # only the newline was missing: the record is whole
            assert set(run.done()) == {"a", "b"} and run.torn is None
        elif cut < len(whole) - start:
            assert set(run.done()) == {"a"} and run.torn is not None
            assert run.torn.read_bytes() == whole[start:-cut]
            run.append(Reply("b", "again"))
        elif cut == len(whole) - start:
            assert set(run.done()) == {"a"} and run.torn is None
        assert not run.damaged
    assert all(json.loads(line) for line in lines(tmp_path / "r"))


def test_torn_copies_never_overwrite_each_other(tmp_path):
    file = LineFile(tmp_path / "s.jsonl")
    for number in (1, 2, 3):
        with file.path.open("ab") as handle:
            handle.write(b'{"torn": ' + str(number).encode())
        copy = file.mend_tail()
        assert copy == tmp_path / f"s.jsonl.torn-{number}" and copy.read_bytes().endswith(str(number).encode())
    assert file.path.read_bytes() == b""


def test_a_long_torn_tail_is_found_across_blocks(tmp_path):
    file = LineFile(tmp_path / "s.jsonl")
    file.append({"a": 1})
    file.close()
    with file.path.open("ab") as handle:
        handle.write(b'{"b": "' + b"x" * 200_000)
    assert file.mend_tail() is not None
    assert file.path.read_bytes() == b'{"a":1}\n'


def test_damage_in_the_middle_is_listed_and_owed_and_left_alone(tmp_path):
    with RunDir.create_or_resume(tmp_path / "r", WHO) as run:
        run.append_many(Reply(name, "x") for name in "abcd")
    file = tmp_path / "r/samples.jsonl"
    parts = file.read_bytes().split(b"\n")
    parts[1], parts[2] = b"\x00\x00\xff", b'{"step": 7, "text": "x"}'
    file.write_bytes(b"\n".join(parts))
    with RunDir.create_or_resume(tmp_path / "r", WHO) as run:
        assert set(run.done()) == {"a", "d"}
        assert [item.where.rsplit(" ", 1)[1] for item in run.damaged] == ["2", "3"]
        run.append(Reply("b", "again"))
    assert file.read_bytes().startswith(b"\n".join(parts))


def test_reading_does_not_need_the_lock_and_sees_whole_lines_only(tmp_path):
    with RunDir.create_or_resume(tmp_path / "r", WHO) as run:
        run.append(Reply("a", "x"))
        with (tmp_path / "r/samples.jsonl").open("ab") as handle:
            handle.write(b'{"step": "b", "te')
        other = RunDir.open(tmp_path / "r")
        assert set(other.done()) == {"a"} and "torn" in other.damaged[0].why
        with pytest.raises(RunDirError, match="read only"):
            other.append(Reply("b", "x"))
        with pytest.raises(RunDirError, match="read only"):
            other.write_results({}, [])


# ---- lock and places
def test_a_second_writer_is_refused_and_told_who_holds_it(tmp_path):
    code = (
        "import sys; from pathlib import Path; from solar_eval.run_dir import RunDir\n"
        "from solar_eval.errors import RunDirError\n"
        "try:\n    RunDir.create_or_resume(Path(sys.argv[1]), {})\n"
        "except RunDirError as error:\n    print(error); sys.exit(error.exit_code)"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "r")]
    with RunDir.create_or_resume(tmp_path / "r", {}):
        second = subprocess.run(command, capture_output=True, text=True, check=False)
        assert second.returncode == 4 and f"in use by process {os.getpid()} on" in second.stdout
        third = subprocess.run(command, capture_output=True, text=True, check=False)
        assert third.stdout == second.stdout  # being refused does not damage the note
    assert subprocess.run(command, check=False).returncode == 0


def test_places_that_are_no_run_directory_are_refused(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(RunDirError, match="is a file"):
        RunDir.create_or_resume(tmp_path / "file", WHO)
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos/a.jpg").write_text("x")
    with pytest.raises(RunDirError, match=r"holds a\.jpg"):
        RunDir.create_or_resume(tmp_path / "photos", WHO)
    assert sorted(p.name for p in (tmp_path / "photos").iterdir() if not p.name.startswith(".")) == ["a.jpg"]
    with pytest.raises(RunDirError, match="not a run directory"):
        RunDir.open(tmp_path / "photos")


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", '{"schema": 1}', '{"schema": 1, "identity": 3}', "\x00",
                                     '{"schema": 99, "identity": {}, "environment": {"sessions": []}}'])  # fmt: skip
def test_a_foreign_manifest_is_refused(tmp_path, content):
    (tmp_path / "manifest.json").write_text(content)
    with pytest.raises(RunDirError):
        RunDir.create_or_resume(tmp_path, WHO)
    assert (tmp_path / "manifest.json").read_text() == content


def test_a_full_disk_is_a_clear_error(tmp_path):
    file = LineFile(Path("/dev/full"))
    with pytest.raises(RunDirError, match="No space left"):
        file.append({"a": 1})


# ---- results
def test_results_are_written_whole_and_go_when_they_are_stale(tmp_path):
    rows = [
        {"id": "a", "n": 1, "ok": True, "label": {"kind": "wait"}, "text": "\ud800"}, {"id": "b", "more": [1, 2]},
    ]  # fmt: skip
    with RunDir.create_or_resume(tmp_path / "r", WHO) as run:
        run.append(Reply("a", "x"))
        run.write_results({"sr": float("nan"), "n": (1, 2)}, rows)
        table = pd.read_parquet(tmp_path / "r/samples.parquet")
        assert list(table.columns) == ["id", "n", "ok", "label", "text", "more"]
        assert table["label"][0] == '{"kind": "wait"}' and table["text"][0] == "\\ud800"
        summary = json.loads((tmp_path / "r/summary.json").read_text())
        assert summary == {"schema": 1, "sr": None, "n": [1, 2]}
        run.append(Reply("b", "x"))
        assert not (tmp_path / "r/summary.json").exists() and not (tmp_path / "r/samples.parquet").exists()
        run.write_results({}, [])
        run.write_results({}, [{"mixed": 1}, {"mixed": "a"}])
    assert pd.read_parquet(tmp_path / "r/samples.parquet")["mixed"].tolist() == ["1", '"a"']
    assert not [p for p in (tmp_path / "r").iterdir() if p.suffix == ".tmp"]


def test_results_are_the_same_bytes_for_the_same_content(tmp_path):
    for name in ("one", "two"):
        with RunDir.create_or_resume(tmp_path / name, WHO) as run:
            run.write_results({"a": 0.1}, [{"id": "a", "x": 0.5}])
    for file in ("samples.parquet", "summary.json"):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()
