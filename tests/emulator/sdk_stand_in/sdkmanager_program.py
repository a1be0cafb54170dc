"""A stand-in for sdkmanager: it makes the folder of each package, once the licence file is there."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def main() -> None:
    """Install the packages named."""
    root = Path(os.environ["ANDROID_HOME"])
    if not (root / "licenses" / "android-sdk-license").is_file():
        print("Warning: License for package not accepted. Skipping following packages, licenses not accepted.")
        return
    for package in sys.argv[1:]:
        (root / package.replace(";", "/")).mkdir(parents=True, exist_ok=True)
    print("done")


main()
