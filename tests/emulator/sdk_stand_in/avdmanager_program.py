"""A stand-in for avdmanager: `create avd --name --device --package`, which asks about a hardware profile."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path


def main() -> None:
    """Write NAME.ini and NAME.avd/config.ini, as the real one does."""
    parser = argparse.ArgumentParser()
    parser.add_argument("verb", choices=["create"])
    parser.add_argument("what", choices=["avd"])
    for name in ("--name", "--device", "--package"):
        parser.add_argument(name, required=True)
    options = parser.parse_args()
    root, home = Path(os.environ["ANDROID_HOME"]), Path(os.environ["ANDROID_AVD_HOME"])
    if not (root / options.package.replace(";", "/")).is_dir():
        sys.exit(f"Error: Package path is not valid. Valid system image paths are:\n  not {options.package}")
    print("Do you wish to create a custom hardware profile? [no] ", end="", flush=True)
    if sys.stdin.readline().strip() not in ("no", ""):
        sys.exit("Error: this stand-in makes no hardware profiles")
    folder = home / f"{options.name}.avd"
    folder.mkdir(parents=True)
    (home / f"{options.name}.ini").write_text(f"avd.ini.encoding=UTF-8\npath={folder}\ntarget=android-33\n")
    image = options.package.replace(";", "/") + "/"
    (folder / "config.ini").write_text(
        f"AvdId={options.name}\nhw.device.name={options.device}\nimage.sysdir.1={image}\n"
    )


main()
