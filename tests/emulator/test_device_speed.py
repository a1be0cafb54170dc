"""The adb path's cost beside a lean client's; the issue's limits are for a quiet machine and are measured by
scripts/benchmark, those here leave room for a busy one."""

from __future__ import annotations

import pytest

from emulator import speed

pytest.importorskip("grpc")


@pytest.mark.slow
def test_ours_is_near_the_lean_client_and_ahead_of_the_others() -> None:
    pytest.importorskip("adbutils")
    pytest.importorskip("uiautomator2")
    costs = {cost.client: cost for cost in speed.measure(rounds=9)}
    print(speed.table(list(costs.values())))
    assert set(costs) == set(speed.CLIENTS)
    assert costs["ours"].both_ms < 2.5 * costs["lean"].both_ms
    assert costs["ours"].both_ms < min(costs["adbutils"].both_ms, costs["uiautomator2"].both_ms)
