"""The command line: one function a verb, flags as parameters, the work imported when the verb runs.

`solar-eval --help` takes well under half a second because nothing heavy stands at the top of this file.
Exit codes: 0 done; 2 usage or data; 3 steps are still owed (server or device); 4 a run directory refuses; 130 Ctrl-C.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import App, Parameter

from solar_eval import entry
from solar_eval.errors import UsageError

app = App(
    name="solar-eval",
    help="Reproducible evaluation of phone-GUI agents: recorded benchmarks, named protocols, honest intervals.",
    version_flags=["--version"],
    result_action="return_value",
)

app.command(
    "solar_eval.commands.run:run",
    name="run",
    help="Ask a model, on recorded steps or on phones, keep everything, score; resumes where it stopped.",
)
app.command(
    "solar_eval.commands.serve:serve",
    name="serve",
    help="Serve a checkpoint with a family's flags (vLLM, or transformers without a GPU); checked first.",
)
app.command(
    "solar_eval.commands.serve:check",
    name="check",
    help="Check a served model before any number: picture size, special tokens, context, a canary.",
)
app.command(
    "solar_eval.commands.doctor:doctor",
    name="doctor",
    help="Check this computer, phones, AndroidWorld's checkout, the model server; every line with its fix.",
)
Screen = Annotated[str, Parameter(help="Width x height in pixels, for instance 1080x2400.")]


def size(text: str) -> tuple[int, int]:
    """'1080x2400' as (1080, 2400). Raises UsageError."""
    match = re.fullmatch(r"(\d{1,5})[x×,](\d{1,5})", text.strip())
    if not match or "0" in match.groups():
        raise UsageError(f"{text!r} is not a size", fix="write width x height in pixels, for instance 1080x2400")
    return int(match[1]), int(match[2])


@app.command
def parse(
    *,
    dialect: Annotated[str, Parameter(help="Model family; see `solar-eval ls dialects`.")],
    screen: Screen = "1080x2400",
    image: Annotated[str | None, Parameter(help="Size the model saw; default: the family's own resizing.")] = None,
    benchmark: Annotated[str, Parameter(help="Sets the sense of scroll words where a family has two.")] = "",
    scroll_sense: Annotated[
        Literal["finger", "content"] | None, Parameter(help="What a bare scroll word means; default: the family's.")
    ] = None,
) -> int:
    """Read replies: JSON lines {id, text} on standard input to JSON lines on standard output."""
    from solar_eval.commands import parse as verb

    return verb.run(
        sys.stdin, sys.stdout, dialect, size(screen), size(image) if image else None, scroll_sense, benchmark
    )


@app.command
def match(
    *,
    protocol: Annotated[str, Parameter(help="Protocol, several with commas, or all.")] = "guievalkit_2025_09",
    benchmark: Annotated[str, Parameter(help="Whose variant of the rules: android_control or gui_odyssey.")] = (
        "android_control"
    ),
    unit: Annotated[Literal["fraction", "pixels"], Parameter(help="Unit of the points and boxes given.")] = "fraction",
    dialect: Annotated[str | None, Parameter(help="Predictions may then be raw replies (strings).")] = None,
) -> int:
    """Judge pairs: JSON lines {id, label, prediction, screen, boxes} to verdicts with the reason."""
    from solar_eval import protocols
    from solar_eval.commands import match as verb

    chosen = protocols.select(protocol)
    return verb.run(sys.stdin, sys.stdout, chosen, protocols.family_of(benchmark), unit, dialect)


@app.command
def score(
    replies: Annotated[
        list[Path], Parameter(help="Reply files (GUI-R1's form or ours, .jsonl or .gz) or run folders.")
    ],
    /,
    *,
    protocol: Annotated[str, Parameter(help="Protocol, several with commas, or all; or a protocol file.")] = (
        "guievalkit_2025_09"
    ),
    parse: Annotated[
        Literal["own", "recorded"], Parameter(help="Our parse of the raw text, or the one that the file carries.")
    ] = "own",
    benchmark: Annotated[str, Parameter(help="What the replies answer; default: what the file says.")] = "",
    subset: Annotated[str, Parameter(help="Named subset of it; default: the benchmark's or the file's.")] = "",
    data: Annotated[
        Path | None, Parameter(help="Labels of the benchmark: for boxes, episodes, missing steps; default: none.")
    ] = None,
    dialect: Annotated[str, Parameter(help="Model family; default: what the file says.")] = "",
    out: Annotated[Path | None, Parameter(help="Run directory to write (several files: one below it each).")] = None,
    json: Annotated[bool, Parameter(help="Print the summary as JSON instead of tables.", negative="")] = False,
) -> int:
    """Score recorded replies under one or many protocols, side by side."""
    from solar_eval import protocols
    from solar_eval.commands import score as verb

    chosen = tuple(protocols.select(protocol))
    options = verb.ScoreOptions(chosen, parse, benchmark, subset, data, dialect, out, json)
    return verb.run(replies, options)


@app.command
def validate(
    benchmark: Annotated[str, Parameter(help="Benchmark by name; see `solar-eval ls benchmarks`.")],
    /,
    *,
    data: Annotated[
        Path | None, Parameter(help="Its data; default: $SOLAR_EVAL_DATA/<family> or data/<family>.")
    ] = None,
    subset: Annotated[str, Parameter(help="Named subset; default: the benchmark's.")] = "",
    protocol: Annotated[str, Parameter(help="Protocol, several with commas, or all.")] = "all",
    dialect: Annotated[str, Parameter(help="Dialect, several with commas, all, or none.")] = "all",
    out: Annotated[Path | None, Parameter(help="File for every exception, as JSON lines.")] = None,
) -> int:
    """Feed every label back as the prediction, through every dialect; list what does not score 1, with the reason."""
    from solar_eval import protocols
    from solar_eval.benchmarks import table as benchmarks
    from solar_eval.commands import validate as verb
    from solar_eval.dialects import table as dialects

    loaded = benchmarks.load(benchmark, data or benchmarks.default_data(benchmark), subset)
    names = {"all": list(dialects.DIALECTS), "none": []}.get(dialect, dialect.split(","))
    return verb.run(loaded, [dialects.get(name) for name in names], protocols.select(protocol), out)


@app.command
def report(
    *,
    results: Annotated[Path, Parameter(help="Folder with published.csv and the run directories.")] = Path("results"),
    readme: Annotated[Path | None, Parameter(help="File whose section between markers is written.")] = Path(
        "README.md"
    ),
    check: Annotated[bool, Parameter(help="Write nothing; exit code 1 if a file is stale.", negative="")] = False,
) -> int:
    """Regenerate the leaderboard tables from results/ and published.csv."""
    from solar_eval.commands import report as verb

    return verb.run(results, readme, check)


@app.command
def compare(
    a: Annotated[Path, Parameter(help="Run directory.")],
    b: Annotated[Path, Parameter(help="Run directory to compare with it.")],
    /,
    *,
    protocol: Annotated[str, Parameter(help="One name, or one each as A,B; default: the first they share.")] = "",
    across: Annotated[bool, Parameter(help="Compare although protocols or subsets differ.", negative="")] = False,
    form: Annotated[
        Literal["text", "markdown", "html"], Parameter(name="--format", help="Form of the output.")
    ] = "text",
    out: Annotated[Path | None, Parameter(help="File to write; default: standard output.")] = None,
    flips: Annotated[int, Parameter(help="How many fixed and how many broken steps are listed.")] = 20,
) -> int:
    """Compare two runs: paired over common steps, clustered by episode, with what was fixed and what broke."""
    from solar_eval.commands import compare as verb

    return verb.run(a, b, protocol=protocol, across=across, form=form, to=out, flips=flips)


@app.command
def view(
    run: Annotated[Path, Parameter(help="Run directory: offline, live, or of a training run (metrics.jsonl).")],
    /,
    *,
    out: Annotated[Path | None, Parameter(help="Folder to write; default: view/ inside the run directory.")] = None,
    data: Annotated[
        Path | None, Parameter(help="The benchmark's data, for screenshots and boxes; default: where the run had it.")
    ] = None,
    pictures: Annotated[
        Literal["original", "small", "none"], Parameter(help="Screenshots as they are, as small JPEGs, or left out.")
    ] = "original",
) -> int:
    """Write a run as static pages: numbers, failures, every sample with its screenshot; opens from disk."""
    from solar_eval.commands import view as verb

    return verb.run(run, verb.ViewOptions(out, data, pictures))


@app.command
def plot(
    runs: Annotated[list[Path], Parameter(help="Run directories, or training runs (metrics.jsonl).")],
    /,
    *,
    out: Annotated[Path, Parameter(help="Folder for the PNG and SVG files.")],
    protocol: Annotated[
        str, Parameter(help="Protocol of the length figure; default: the runs' first common one.")
    ] = "",
    metric: Annotated[
        list[str] | None, Parameter(help="Training: metrics to draw; default: the first 24.", negative="")
    ] = None,
    data: Annotated[Path | None, Parameter(help="The benchmark's data; default: where the run had it.")] = None,
) -> int:
    """Draw figures: step SR by length, tolerance curves, protocol spread, training curves."""
    from solar_eval.commands import plot as verb

    return verb.run(runs, out, protocol, tuple(metric or ()), data)


@app.command
def export(
    run: Annotated[Path, Parameter(help="Offline run directory.")],
    /,
    *,
    inspect: Annotated[Path, Parameter(help="Log file to write, .eval or .json, for inspect_ai (extra inspect).")],
    data: Annotated[Path | None, Parameter(help="The benchmark's data; default: where the run had it.")] = None,
    images: Annotated[bool, Parameter(help="Put the screenshots into the log.", negative="")] = False,
) -> int:
    """Write a run in another tool's form: a log of inspect_ai."""
    from solar_eval.commands import export as verb

    return verb.run(run, inspect, data, images)


@app.command
def ls(
    what: Annotated[Literal["benchmarks", "dialects", "protocols", "models"], Parameter(help="Which table.")],
    *,
    fields: Annotated[bool, Parameter(help="protocols: every field with its meaning.", negative="")] = False,
    json: Annotated[bool, Parameter(help="As JSON.", negative="")] = False,
) -> int:
    """List what there is: benchmarks, dialects, protocols, models."""
    from solar_eval.commands import listing

    return listing.run(what, fields, json)


def main() -> None:
    """Entry point; exit codes as the module says."""
    entry.run(app, "interrupted; everything that was answered is kept")


if __name__ == "__main__":
    main()
