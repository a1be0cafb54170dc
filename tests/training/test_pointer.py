"""The pointer policy: what it sees, what it can choose, what it is trained on, and that its updates are the loop's."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the pointer policy needs torch: pip install 'solar-eval[train]'")

from emulator.ui_tree import Element  # noqa: E402
from solar_eval.actions import Answer, Click, Finish, LongPress, Point, Press, Swipe, Type  # noqa: E402
from training.batch import judge_batch  # noqa: E402
from training.errors import BadRules, BadShape, EmptyGroup  # noqa: E402
from training.loop import Phase, Trainer  # noqa: E402
from training.loss import GrpoLoss, LossRules  # noqa: E402
from training.metrics_log import MetricsLog  # noqa: E402
from training.mix import Order, Source  # noqa: E402
from training.pointer import dataset  # noqa: E402
from training.pointer.batch import gather, ranges, rows_of  # noqa: E402
from training.pointer.episodes import Episode, Recorded, errand_chain, new_phone, record, world_job  # noqa: E402
from training.pointer.features import BUCKETS, bucket, encode, read_goal  # noqa: E402
from training.pointer.live import heard, play_all, suite  # noqa: E402
from training.pointer.menu import menu, spans  # noqa: E402
from training.pointer.network import ABSENT, PointerNet, Sizes  # noqa: E402
from training.pointer.policy import PointerPolicy, tasks  # noqa: E402
from training.pointer.screen import Done, Moment, Screen, read_screen  # noqa: E402
from training.pointer.train import Learner, Settings, draws, pick  # noqa: E402
from training.rows import Rows, loss_inputs  # noqa: E402
from training.rules import RULES, CreditRules, UiS1Rules, credit  # noqa: E402

EMPTY = Screen((), "", False, (540, 1200))


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    """So small a network is slower on several threads, above all on a busy machine."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def episodes() -> list[Episode]:
    phone = new_phone()
    return [record(phone, errand_chain(number), 0.3) for number in (0, 1, 4, 5, 8)]


@pytest.fixture(scope="module")
def pack(episodes: list[Episode]) -> dataset.Pack:
    return dataset.build(episodes)[0]


def element(index: int, parent: int, bounds: tuple[int, int, int, int], text: str = "", **flags: bool) -> Element:
    names = ("clickable", "checkable", "checked", "enabled", "selected", "scrollable", "focused", "long_clickable",
             "password")  # fmt: skip
    return Element(index, parent, text, "", "", "android.widget.View", "app", bounds,
                   **{name: flags.get(name, False) for name in names})  # fmt: skip


def test_screen_names_what_can_be_touched() -> None:
    found = read_screen(
        [
            element(0, -1, (0, 0, 540, 1200), scrollable=True),
            element(1, 0, (0, 0, 540, 100), clickable=True, long_clickable=True),
            element(2, 1, (0, 0, 270, 100), "Wi-Fi"),
            element(3, 1, (500, 0, 540, 100), checkable=True, clickable=True),
            element(4, 0, (0, 100, 540, 100), "no height"),
        ],
        (540, 1200),
    )
    assert [(item.name, item.near) for item in found.items] == [("Wi-Fi", ""), ("", "Wi-Fi")]
    assert found.items[0].long_clickable and found.scrolls and found.package == "app"
    assert (found.items[0].x, found.items[0].y) == (0.25, 50 / 1200)


def test_spans_of_a_goal() -> None:
    found = spans('Create a note named trip_7.md in Markor with the text: Dinner is at seven. Call "Ada L" at 555-12.')
    assert {"trip_7.md", "trip_7", "Dinner is at seven", "Ada L", "555-12", "Markor"} <= set(found)
    assert len(found) == len(set(found)) and "" not in found


def test_menu_offers_texts_only_where_one_can_type_and_answers_only_to_questions() -> None:
    still = {option.action.kind for option in menu(Moment("Write Hello", EMPTY, ("Clock",)))}
    assert still == {"swipe", "press", "open_app", "wait", "finish"}
    field = read_screen([replace_class(element(0, -1, (0, 0, 500, 50), "Name", focused=True))], (540, 1200))
    assert Type("Hello") in [o.action for o in menu(Moment("Write Hello", field, ()))]
    assert Answer("Name") in [o.action for o in menu(Moment("What is it?", field, ()))]


def replace_class(one: Element) -> Element:
    return replace(one, cls="android.widget.EditText", clickable=True)


def test_goal_progress_follows_the_history_in_order() -> None:
    goal = "Open Clock, then open Contacts, then Clock"
    assert read_goal(goal, ()).reached == 0
    assert read_goal(goal, [Done("open_app", "Clock")]).reached == 2
    assert read_goal(goal, [Done("open_app", "Clock"), Done("open_app", "Clock")]).reached == 7
    assert read_goal(goal, [Done("open_app", "Settings")]).reached == 0


def test_features_are_the_same_on_every_machine(episodes: list[Episode]) -> None:
    assert bucket("kind click") == zlib.crc32(b"kind click") % BUCKETS == 2682
    moment = episodes[1].steps[0].moment
    one, two = (encode(moment, menu(moment)) for _ in range(2))
    assert one == two
    assert all(np.isfinite(row).all() for row in one.dense)


def test_recording_is_reproducible_and_mistakes_are_no_steps(episodes: list[Episode]) -> None:
    again = record(new_phone(), errand_chain(1), 0.3)
    assert again == episodes[1]
    slips = [(e, at) for e in episodes for at, step in enumerate(e.steps) if step.slip]
    assert len(slips) >= 3
    for episode, at in slips:
        step, following = episode.steps[at], episode.steps[at + 1]
        assert step.label == Press("back")
        assert step.moment.history[-1].kind == "click"
        assert step.moment.screen != following.moment.screen
        assert following.moment.history[-1] == Done("press", "back")
    assert not any(step.slip for step in record(new_phone(), errand_chain(1), 0.0).steps)
    assert all(isinstance(episode.steps[-1].label, Finish) for episode in episodes)


def test_recorded_world_task() -> None:
    from solar_eval.benchmarks.pocket_world.suite import PocketWorld

    benchmark = PocketWorld()
    job = world_job(benchmark, "LauncherOpenApp", 3)
    episode = record(new_phone(), job, 0.0)
    assert episode.id == "LauncherOpenApp/3" and episode.goal == job.goal and len(episode.steps) > 1


def test_scores_are_those_of_the_matcher(pack: dataset.Pack, episodes: list[Episode]) -> None:
    from solar_eval.dialects.base import Parsed
    from training.validity import score_candidates

    row = 0
    for episode in episodes:
        for step, one in zip(dataset.labelled(episode), episode.steps, strict=True):
            options = menu(one.moment)
            cut = slice(*pack.option_start[row : row + 2])
            found = score_candidates([step] * len(options), [Parsed(o.action, strict_ok=True) for o in options])
            np.testing.assert_array_equal(pack.score[cut], found.score)
            np.testing.assert_array_equal(pack.valid[cut], found.valid)
            assert found.valid[pack.label[row]] and found.score[pack.label[row]] == found.score[found.valid].max()
            row += 1
    assert row == len(pack.label) == pack.start[-1]
    assert pack.back.sum() >= pack.slip.sum() > 0


def test_labels_that_are_not_on_the_menu_are_counted(episodes: list[Episode]) -> None:
    moment = episodes[0].steps[0].moment
    odd = Episode("x/0", "x", moment.goal, (Recorded(moment, Type("nobody asked for this")),))
    far = Episode("x/1", "x", moment.goal, (Recorded(moment, LongPress(Point(0.999, 0.999))),))
    pack, found = dataset.build([odd, episodes[0], far])
    assert found.offered == 3 and found.kept == 1 and list(pack.ids) == [episodes[0].id]
    assert found.left_out == {"a type that is not on the menu": 1, "a long_press that is not on the menu": 1}
    with pytest.raises(EmptyGroup, match="a type that is not on the menu"):
        dataset.build([odd])


def test_packs_are_saved_and_joined(pack: dataset.Pack, episodes: list[Episode], tmp_path: Path) -> None:
    path = tmp_path / "deep" / "pack.npz"
    dataset.joined([dataset.build(episodes[:2])[0], dataset.build(episodes[2:])[0]]).save(path)
    again = dataset.Pack.load(path)
    for name in vars(pack):
        np.testing.assert_array_equal(getattr(again, name), getattr(pack, name), err_msg=name)
    assert list(path.parent.iterdir()) == [path]


def test_gathering_takes_the_right_options(pack: dataset.Pack) -> None:
    assert ranges(np.array([5, 0, 7]), np.array([2, 0, 3])).tolist() == [5, 6, 7, 8, 9]
    rows = rows_of(pack, np.array([2, 0]))
    assert rows.tolist() == [*range(pack.start[2], pack.start[3]), *range(pack.start[1])]
    batch, options = gather(pack, rows)
    assert (batch.present.sum(axis=1) == np.diff(pack.option_start)[rows]).all()
    assert options[:3].tolist() == [pack.option_start[rows[0]] + i for i in range(3)]
    np.testing.assert_array_equal(batch.dense, pack.dense[options])


def test_network_is_a_distribution_over_each_menu(pack: dataset.Pack) -> None:
    batch, _ = gather(pack, np.arange(12))
    logp = PointerNet(Sizes(), 0)(batch).detach().numpy()
    np.testing.assert_allclose(np.exp(logp).sum(axis=1), 1, rtol=1e-5)
    assert (logp[~batch.present] < ABSENT / 2).all()
    alone, _ = gather(pack, np.array([7]))
    np.testing.assert_allclose(PointerNet(Sizes(), 0)(alone).detach().numpy()[0], logp[7, : alone.present.shape[1]],
                               atol=1e-5)  # fmt: skip


def test_picking_follows_the_probabilities_and_never_leaves_the_menu() -> None:
    logp = np.log(np.array([[0.5, 0.3, 0.2], [0.9, 0.1, 1e-30]]))
    logp[1, 2] = ABSENT
    drawn = pick(logp, 20_000, np.random.default_rng(0))
    np.testing.assert_allclose(np.bincount(drawn[0]) / 20_000, [0.5, 0.3, 0.2], atol=0.02)
    assert drawn[1].max() == 1


def test_draws_are_whole_epochs(pack: dataset.Pack) -> None:
    order = draws(pack, np.arange(5), 1, 3)
    first = [int(next(order)[0]) for _ in range(10)]
    assert sorted(first[:5]) == sorted(first[5:]) == list(range(5))
    big = next(draws(pack, np.arange(5), 40, 3))
    assert pack.lengths[big].sum() >= 40 > pack.lengths[big[:-1]].sum()


@pytest.mark.parametrize("rule", sorted(RULES))
def test_every_rule_updates_the_weights(rule: str, pack: dataset.Pack) -> None:
    learner = Learner(Settings(steps=20), 0, critic=rule == "bi_level_gae")
    for _ in range(15):
        learner.supervise(pack, np.arange(5))
    before = [weight.detach().clone() for weight in learner.net.parameters()]
    rules = CreditRules(ui_s1=UiS1Rules(filter_std=None))
    seen = [learner.reinforce(pack, np.arange(5), rule, rules, seed) for seed in range(4)]
    assert any(not torch.equal(a, b) for a, b in zip(before, learner.net.parameters(), strict=True))
    assert all(0 <= one.reward <= 1 and 0 < one.kept <= 1 and one.entropy > 0 for one in seen)


def test_an_update_is_the_same_for_the_same_seed(pack: dataset.Pack) -> None:
    made = []
    for _ in range(2):
        learner = Learner(Settings(), 5)
        seen = [learner.reinforce(pack, np.arange(5), "solar", CreditRules(splices=3), seed) for seed in range(2)]
        made.append((seen, [weight.detach().numpy().tobytes() for weight in learner.net.parameters()]))
    assert made[0] == made[1]


def test_update_equals_the_loops(pack: dataset.Pack, episodes: list[Episode]) -> None:
    """The same weights, seed and episodes: the fast path's groups and gradient are those of the trainer's parts."""
    chosen, seed = np.array([0, 1, 2, 3, 4]), 1
    learner = Learner(replace(Settings(), minibatches=1), 0)
    for _ in range(10):
        learner.supervise(pack, np.arange(5))
    learner.freeze()
    learner.supervise(pack, np.arange(5))
    policy = PointerPolicy()
    policy.net.load_state_dict(learner.reference.state_dict())
    policy.freeze_reference()
    policy.net.load_state_dict(learner.net.state_dict())
    mine = tasks([episodes[i] for i in chosen])
    steps = [step for task in mine for step in task.steps]
    sampled = policy.sample(steps, 8, 1.0, seed)
    judged = judge_batch(mine, sampled.predictions)
    batch, options = gather(pack, rows_of(pack, chosen))
    with torch.no_grad():
        logp = learner.net(batch).numpy().astype(np.float64)
    groups = learner.judged(pack, chosen, batch, options, pick(logp, 8, np.random.default_rng(seed)))
    np.testing.assert_array_equal(groups.score, judged.groups.score)
    np.testing.assert_array_equal(groups.valid, judged.groups.valid)
    np.testing.assert_array_equal(groups.type_ok, judged.groups.type_ok)
    rows = Rows.of(judged, credit("solar", judged.groups, CreditRules(seed=seed)))
    every = np.arange(len(rows.row))
    with policy.reference():
        reference = policy.log_probs(sampled, rows.row).logp
    scored = policy.log_probs(sampled, rows.row)
    inputs = loss_inputs(scored, rows, every, None, reference, (float(len(every)), float(len(every))))
    GrpoLoss(LossRules())(inputs).loss.backward()
    wanted = [weight.grad.clone() for weight in policy.parameters()]
    caught: list[Any] = []
    learner.optimiser.step = lambda: caught.extend(w.grad.clone() for w in learner.net.parameters())  # type: ignore[method-assign]
    learner.settings = replace(learner.settings, max_grad_norm=1e9)
    learner.reinforce(pack, chosen, "solar", CreditRules(), seed)
    assert len(caught) == len(wanted) and any(g.abs().max() > 1e-4 for g in wanted)
    for a, b in zip(caught, wanted, strict=True):
        torch.testing.assert_close(a, b, atol=1e-6, rtol=1e-3)


def test_embedded_trainer_trains_it(episodes: list[Episode], tmp_path: Path) -> None:
    mine = tasks(episodes)
    policy = PointerPolicy(seed=1)
    order = Order([Source("errands", tuple(mine))], 0)
    phases = [Phase("sft", "supervised", 12, 5, order, lr=1e-2, micro_steps=500),
              Phase("solar", "reinforce", 3, 3, order, lr=1e-3, micro_steps=500, format_reward=0.0)]  # fmt: skip
    steps = [step for task in mine for step in task.steps]

    def right() -> float:
        return float(judge_batch(mine, policy.sample(steps, 1, 0.0, 0).predictions).groups.valid.mean())

    before = right()
    trainer = Trainer(policy, phases, MetricsLog(tmp_path), seed=0, tell=lambda line: None)
    last = trainer.run()
    assert right() > before + 0.3
    assert last["phase"] == "solar" and last["tokens"] > 0
    policy.export(tmp_path)
    again = PointerPolicy.load(tmp_path)
    assert again.sample(steps, 2, 1.0, 3).texts == policy.sample(steps, 2, 1.0, 3).texts
    other = PointerPolicy(seed=2)
    other.load_state(policy.state())
    assert other.identity() == policy.identity()
    with other.reference(), policy.reference():
        rows = np.arange(4)
        sampled = policy.sample(steps[:2], 2, 1.0, 3)
        assert torch.equal(other.log_probs(sampled, rows).logp, policy.log_probs(sampled, rows).logp)


def test_a_step_without_a_menu_is_refused(episodes: list[Episode]) -> None:
    step = replace(tasks(episodes[:1])[0].steps[0], payload=None)
    with pytest.raises(BadShape, match="no menu"):
        PointerPolicy().sample([step], 1, 1.0, 0)
    odd = replace(tasks(episodes[:1])[0].steps[0], demonstration=Type("nobody asked for this"))
    with pytest.raises(BadShape, match="not on the menu"):
        PointerPolicy().demonstrate([odd])
    with pytest.raises(BadRules):
        Settings(candidates=0)


def test_live_episodes_keep_to_their_budget() -> None:
    played = play_all(PointerNet(Sizes(), 0), suite(3, 0))
    assert len(played) == 3
    for one in played:
        assert one.steps > 0 and (one.ended or not one.success)
    assert played == play_all(PointerNet(Sizes(), 0), suite(3, 0))


def test_what_ends_a_live_episode() -> None:
    assert heard(Swipe("up")) is None and heard(Click(Point(0.1, 0.1))) is None
    finished, answered = heard(Finish("infeasible")), heard(Answer("7"))
    assert finished is not None and finished.finish == "infeasible"
    assert answered is not None and answered.answer == "7" and answered.finish is None
