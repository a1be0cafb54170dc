"""A stand-in for docker: run, port, inspect, logs, rm. A container is a process with a pocket phone; its state is a
folder below $DOCKER_STAND_IN. The image's name says what goes wrong: `phone/broken` ends at once, `phone/deaf` never
answers adb.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

FOLDER = Path(os.environ["DOCKER_STAND_IN"])
PHONE = """
import sys, time
from emulator.pocket.server import pocket_phones
print("Android Emulator in a container", flush=True)
if "broken" in sys.argv[1]:
    sys.exit("ERROR: /dev/kvm is not found")
with pocket_phones(1, size=(216, 480)) as handles:
    open(sys.argv[2], "w").write(str(1 if "deaf" in sys.argv[1] else handles[0].adb_port))
    time.sleep(600)
"""


def run(words: list[str]) -> None:
    name, image = words[words.index("--name") + 1], words[-1]
    folder = FOLDER / name
    folder.mkdir(parents=True)
    (folder / "command").write_text("\n".join(words))
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-c", PHONE, image, str(folder / "port")],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
        )  # fmt: skip
    (folder / "pid").write_text(str(process.pid))
    while not (folder / "port").exists() and process.poll() is None:
        time.sleep(0.02)
    print(name)


def running(folder: Path) -> bool:
    state = Path(f"/proc/{(folder / 'pid').read_text()}/stat")
    return state.exists() and state.read_text().rpartition(") ")[2][0] != "Z"


def main() -> None:
    """One docker command."""
    verb, words = sys.argv[1], sys.argv[2:]
    if verb == "run":
        return run(words)
    folder = FOLDER / (words[0] if verb == "port" else words[-1])
    if not folder.is_dir():
        sys.exit(f"Error response from daemon: No such container: {folder.name}")
    if verb == "port":
        print(f"127.0.0.1:{(folder / 'port').read_text() if (folder / 'port').exists() else 1}")
    elif verb == "inspect":
        print("true" if running(folder) else "false")
    elif verb == "logs":
        print((folder / "log").read_text())
    elif verb == "rm":
        if running(folder):
            os.kill(int((folder / "pid").read_text()), signal.SIGKILL)
        folder.rename(FOLDER / f"removed-{folder.name}")
    return None


main()
