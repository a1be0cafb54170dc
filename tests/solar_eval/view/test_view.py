"""What the view's data say, how they are escaped, what becomes of pictures and folders."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from solar_eval.commands import view
from solar_eval.errors import DataError, RunDirError
from solar_eval.scoring import geometry
from solar_eval.view.curves import TOLERANCES, tolerance_curve
from solar_eval.view.offline import load_offline
from solar_eval.view.pictures import PictureFolder
from solar_eval.view.script_data import put

Made = Any


def stored(site: Path, name: str) -> Any:
    """The data of one script."""
    text = (site / "data" / f"{name}.js").read_text(encoding="ascii")
    assert text.startswith(f'SOLAR.put("{name}", ') and text.endswith(");\n")
    return json.loads(text.removeprefix(f'SOLAR.put("{name}", ').removesuffix(");\n"))


def entries(site: Path) -> list[Any]:
    return [entry for file in sorted((site / "data").glob("piece-*.js")) for entry in stored(site, file.stem)]


# ---- escaping
@pytest.mark.parametrize(
    "text", ["</script>", "<!--", "]]>&amp;", "\u2028\u2029", "\u202e\u200b\x00\x7f", "\ud800", "💡é", "\\u003c"]
)
def test_data_come_back_and_hold_no_markup(text: str) -> None:
    script = put("x", {text: [text]})
    assert script.isascii() and not set("<>&\x7f\n") & set(script[:-1])
    assert json.loads(script.removeprefix('SOLAR.put("x", ').removesuffix(");\n")) == {text: [text]}


def test_what_json_has_no_number_for_is_null() -> None:
    assert put("x", {"a": float("nan"), "b": [float("inf"), 1.5]}) == 'SOLAR.put("x", {"a":null,"b":[null,1.5]});\n'


# ---- the data
def test_verdicts_are_the_runs_own(made: Made) -> None:
    run, index = load_offline(made.run, made.data), stored(made.site, "index")
    for name in ("guievalkit_2025_09", "strict", "qwen"):
        right = run.frame[f"{name}/step_sr"].to_numpy(dtype=bool)
        assert [letter == "R" for letter in index["verdict"][name]] == right.tolist()
        stepped = run.frame[f"{name}/stepped"].to_numpy(dtype=bool)
        assert index["verdict"][name].count("N") == int((~stepped).sum())
        codes = index["reason"][name]
        assert [codes["names"][code] for code in codes["codes"]] == run.frame[f"{name}/reason"].tolist()
    assert index["id"] == run.frame["id"].tolist()


def test_every_wrong_step_is_in_a_cluster_and_no_other(made: Made) -> None:
    about, index = stored(made.site, "run"), stored(made.site, "index")
    for protocol in about["protocols"]:
        member, letters = index["cluster"][protocol["name"]], index["verdict"][protocol["name"]]
        assert [place >= 0 for place in member] == [letter == "W" for letter in letters]
        sizes = [size for _, size in protocol["clusters"]]
        assert sizes == sorted(sizes, reverse=True)
        assert sizes == [member.count(place) for place in range(len(sizes))]
    names = [name for name, _ in about["protocols"][0]["clusters"]]
    assert "swipe answered by click" in names and "click: elsewhere (>= 0.2)" in names


def test_a_steps_entry_has_everything(made: Made) -> None:
    index, all_entries = stored(made.site, "index"), entries(made.site)
    assert len(all_entries) == 240
    entry = all_entries[index["id"].index("9000/1")]
    assert entry["label"]["kind"] == entry["action"]["kind"] == "click"
    assert entry["screen"] == [108, 240] and len(entry["boxes"]) == 1
    assert (made.site / "pics" / entry["pic"]).read_bytes() == (
        made.data.parent / "screenshots/9000_1.png"
    ).read_bytes()
    assert "from the label in axis (limit 0.04)" in entry["why"]["guievalkit_2025_09"]
    assert "mobile_use" in entry["reply"] and entry["latency"] == 0.0
    missing = all_entries[index["id"].index("9059/2")]
    assert missing["missing"] is True and "reply" not in missing
    assert index["fault"][index["id"].index("9059/2")] == "missing"


def test_hostile_texts_are_data(made: Made) -> None:
    index, all_entries = stored(made.site, "index"), entries(made.site)
    assert all_entries[index["id"].index("9001/0")]["reply"] == made.hostile
    cut = all_entries[index["id"].index("9001/2")]
    assert cut["reply"] == made.long[:20_000] and cut["long"]["reply"] == len(made.long)
    row = index["id"].index("9001/2")
    assert stored(made.site, f"long-{row}")["reply"] == made.long
    names = [file.name for file in made.site.rglob("*")]
    assert not any(".." in name or "passwd" in name for name in names)


def test_the_tolerance_curve_counts_points_by_hand(made: Made) -> None:
    run = load_offline(made.run, made.data)
    curve = tolerance_curve(run.columns)
    gap = geometry.distances(run.columns, "axis")
    clicks = np.array([step.label is not None and step.label.kind == "click" for step in run.steps])
    for limit, estimate in zip(TOLERANCES, curve.hits, strict=True):
        assert estimate.value == pytest.approx(np.mean(gap[clicks] <= limit))
        assert estimate.n == int(clicks.sum())
    assert curve.in_box is not None and curve.in_box.value == pytest.approx(np.mean(gap[clicks] <= 0.04))


# ---- without the benchmark's data
def test_without_the_data_points_stand_on_an_empty_screen(
    made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOLAR_EVAL_DATA", str(tmp_path / "nowhere"))
    assert view.run(made.run, view.ViewOptions(tmp_path / "site")) == 0
    about, first = stored(tmp_path / "site", "run"), entries(tmp_path / "site")[1]
    assert any("give --data" in note for note in about["notes"])
    assert "pic" not in first and "boxes" not in first and first["label"]["kind"] == "click"
    assert stored(tmp_path / "site", "index")["verdict"] == stored(made.site, "index")["verdict"]


def test_data_that_were_named_must_be_there(made: Made, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such file"):
        view.run(made.run, view.ViewOptions(tmp_path / "site", tmp_path / "nowhere"))


# ---- folders and pictures
def test_the_same_run_gives_the_same_bytes_and_old_files_go(made: Made, tmp_path: Path) -> None:
    site = tmp_path / "site"
    view.run(made.run, view.ViewOptions(site, made.data))
    (site / "data" / "piece-0099.js").write_text("old")
    (site / "pics" / "old.png").write_bytes(b"old")
    first = {file.relative_to(site): file.read_bytes() for file in site.rglob("*") if file.is_file()}
    view.run(made.run, view.ViewOptions(site, made.data))
    again = {file.relative_to(site): file.read_bytes() for file in site.rglob("*") if file.is_file()}
    assert set(first) - set(again) == {Path("data/piece-0099.js"), Path("pics/old.png")}
    assert all(first[name] == content for name, content in again.items())


def test_a_folder_of_somebody_else_is_refused(made: Made, tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(RunDirError, match=r"holds thesis\.txt"):
        view.run(made.run, view.ViewOptions(tmp_path))
    (tmp_path / "thesis.txt").rename(tmp_path / "index.html")
    with pytest.raises(RunDirError, match=r"index\.html"):
        view.run(made.run, view.ViewOptions(tmp_path))
    assert (tmp_path / "index.html").read_text() == "years of work"


def test_what_is_no_run_directory_is_named(tmp_path: Path) -> None:
    with pytest.raises(RunDirError, match="no such run directory"):
        view.run(tmp_path / "none", view.ViewOptions())
    (tmp_path / "empty").mkdir()
    with pytest.raises(RunDirError, match=r"manifest\.json"):
        view.run(tmp_path / "empty", view.ViewOptions())
    assert not (tmp_path / "empty" / "view").exists()


def broken() -> bytes:
    raise DataError("the screenshot can't be read", "a.png")


def test_pictures_that_are_none_are_faults_and_equal_ones_are_one(tmp_path: Path) -> None:
    import io

    from PIL import Image

    made = io.BytesIO()
    Image.new("RGB", (300, 600), "red").save(made, "PNG")
    png = made.getvalue()
    folder = PictureFolder(tmp_path)
    shown = folder.write([lambda: png, lambda: png, None, broken, lambda: b"<svg onload=x>", lambda: png[:200]])
    assert shown[0] == shown[1] and (shown[0].width, shown[0].height) == (300, 600)
    assert shown[2].fault == "" and "can't be read" in shown[3].fault and "not a PNG" in shown[4].fault
    assert "not a readable picture" in shown[5].fault and not shown[5].file
    assert set(folder.used) == {f"pics/{shown[0].file}", f"thumbs/{shown[0].thumb}"}
    with Image.open(tmp_path / "thumbs" / shown[0].thumb) as thumb:
        assert thumb.size == (144, 288)


@pytest.mark.parametrize("keep", ["small", "none"])
def test_pictures_small_or_left_out(made: Made, tmp_path: Path, keep: Any) -> None:
    view.run(made.run, view.ViewOptions(tmp_path / "site", made.data, keep))
    pictures = list((tmp_path / "site").glob("pics/*"))
    assert bool(pictures) == (keep == "small") and all(file.suffix == ".jpg" for file in pictures)
