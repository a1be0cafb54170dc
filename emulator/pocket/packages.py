"""The package manager's records: what is installed, its version, permissions and data directory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

FIRST_APP_UID = 10085


@dataclass(frozen=True)
class Package:
    """One installed package. `granted` are the permissions it holds now."""

    name: str
    label: str
    version_name: str = "1.0"
    version_code: int = 1
    uid: int = 1000
    system: bool = True
    enabled: bool = True
    requested: tuple[str, ...] = ()
    granted: frozenset[str] = frozenset()
    launcher: str = ""
    apk_size: int = 0

    @property
    def data_dir(self) -> str:
        """Private directory of the package."""
        return f"/data/data/{self.name}"

    @property
    def apk_path(self) -> str:
        """Path that `pm path` prints."""
        where = f"/system/app/{self.label.replace(' ', '')}" if self.system else f"/data/app/~~pocket==/{self.name}-1=="
        return f"{where}/base.apk"


class Packages(Mapping[str, Package]):
    """Installed packages by name, in the order they were installed."""

    def __init__(self) -> None:
        self._known: dict[str, Package] = {}

    def __getitem__(self, name: str) -> Package:
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)

    def add(self, package: Package) -> Package:
        """Install or replace; a new one gets the next free user id if it has none of its own."""
        old = self._known.get(package.name)
        if old is not None:
            package = replace(package, uid=old.uid, granted=old.granted)
        elif package.uid == 1000 and package.name != "com.android.settings":
            package = replace(package, uid=FIRST_APP_UID + len(self._known))
        self._known[package.name] = package
        return package

    def remove(self, name: str) -> None:
        """Uninstall; KeyError if it is not there."""
        del self._known[name]

    def grant(self, name: str, permission: str) -> None:
        """Give a permission (also one the package never asked for: AndroidWorld grants such)."""
        package = self._known[name]
        self._known[name] = replace(package, granted=package.granted | {permission})

    def revoke(self, name: str, permission: str) -> None:
        """Take a permission away."""
        package = self._known[name]
        self._known[name] = replace(package, granted=package.granted - {permission})

    def set_enabled(self, name: str, enabled: bool) -> None:
        """`pm enable` and `pm disable`."""
        self._known[name] = replace(self._known[name], enabled=enabled)

    def reset_permissions(self, name: str) -> None:
        """What `pm clear` does to runtime permissions."""
        self._known[name] = replace(self._known[name], granted=frozenset(self._known[name].requested))

    def snapshot(self) -> dict[str, Package]:
        """Everything there is to keep."""
        return self._known.copy()

    def restore(self, state: dict[str, Package]) -> None:
        """Back to a `snapshot`."""
        self._known = state.copy()
