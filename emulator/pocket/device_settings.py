"""The three settings tables (global, secure, system) and Android's system properties.

Values are text, as in Android's settings provider. Initial values are those of a fresh Android 13 emulator as
far as anything reads them. Turning airplane mode on or off is followed by the radios, as on a real phone.
"""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping

NAMESPACES = ("global", "secure", "system")
INITIAL: dict[str, dict[str, str]] = {
    "global": {
        "adb_enabled": "1",
        "airplane_mode_on": "0",
        "auto_time": "0",
        "auto_time_zone": "0",
        "bluetooth_on": "0",
        "data_roaming": "0",
        "development_settings_enabled": "1",
        "device_name": "sdk_gphone_x86_64",
        "device_provisioned": "1",
        "heads_up_notifications_enabled": "1",
        "low_power": "0",
        "mobile_data": "1",
        "mode_ringer": "2",
        "stay_on_while_plugged_in": "1",
        "wifi_on": "1",
        "window_animation_scale": "0",
        "zen_mode": "0",
    },
    "secure": {
        "android_id": "",
        "default_input_method": "com.google.android.inputmethod.latin/com.android.inputmethod.latin.LatinIME",
        "enabled_accessibility_services": "",
        "location_mode": "3",
        "navigation_mode": "0",
        "sms_default_application": "com.simplemobiletools.smsmessenger",
        "ui_night_mode": "1",
        "user_setup_complete": "1",
    },
    "system": {
        "accelerometer_rotation": "0",
        "screen_brightness": "102",
        "screen_brightness_mode": "0",
        "screen_off_timeout": "1800000",
        "time_12_24": "24",
        "user_rotation": "0",
        "volume_music": "5",
    },
}


class SettingsTable(MutableMapping[str, str]):
    """One namespace: key -> text. `version` grows at every change of a value."""

    def __init__(self, values: dict[str, str]) -> None:
        self.values_now = dict(values)
        self.version = 0

    def __getitem__(self, key: str) -> str:
        return self.values_now[key]

    def __setitem__(self, key: str, value: str) -> None:
        if self.values_now.get(key) != value:
            self.values_now[key] = value
            self.version += 1

    def __delitem__(self, key: str) -> None:
        del self.values_now[key]
        self.version += 1

    def __iter__(self) -> Iterator[str]:
        return iter(self.values_now)

    def __len__(self) -> int:
        return len(self.values_now)

    def flag(self, key: str) -> bool:
        """True unless the value is absent, empty or 0."""
        return self.values_now.get(key, "0") not in {"", "0"}

    def number(self, key: str, default: int = 0) -> int:
        """The value as a whole number; `default` where it is none."""
        try:
            return int(self.values_now.get(key, ""))
        except ValueError:
            return default


class DeviceSettings(dict[str, SettingsTable]):
    """`settings["global"]["wifi_on"]`: the three tables by name."""

    def __init__(self) -> None:
        super().__init__({name: SettingsTable(INITIAL[name]) for name in NAMESPACES})

    @property
    def version(self) -> int:
        """Grows at every change in any table."""
        return sum(table.version for table in self.values())

    def set_airplane(self, on: bool) -> None:
        """Airplane mode as the switch does it: radios go off with it and come back after it."""
        table = self["global"]
        if on == table.flag("airplane_mode_on"):
            return
        if on:
            table["airplane_mode_on"] = "1"
            table["radios_before_airplane"] = f"{table.get('wifi_on', '0')},{table.get('bluetooth_on', '0')}"
            table["wifi_on"] = "0"
            table["bluetooth_on"] = "0"
            return
        table["airplane_mode_on"] = "0"
        wifi, _, bluetooth = table.pop("radios_before_airplane", "1,0").partition(",")
        table["wifi_on"], table["bluetooth_on"] = wifi, bluetooth or "0"

    def snapshot(self) -> dict[str, dict[str, str]]:
        """Everything there is to keep."""
        return {name: table.values_now.copy() for name, table in self.items()}

    def restore(self, state: dict[str, dict[str, str]]) -> None:
        """Back to a `snapshot`."""
        for name, table in self.items():
            table.values_now = state[name].copy()
            table.version += 1


def initial_properties(android_id: str) -> dict[str, str]:
    """What `getprop` shows: those of the emulator image AndroidWorld asks for (Pixel 6, API 33, x86_64)."""
    return {
        "dev.bootcomplete": "1",
        "ro.boot.serialno": android_id,
        "ro.build.characteristics": "emulator",
        "ro.build.fingerprint": "pocket/sdk_gphone_x86_64/pocket:13/TE1A/1:userdebug/dev-keys",
        "ro.build.id": "TE1A.220922.034",
        "ro.build.type": "userdebug",
        "ro.build.version.codename": "REL",
        "ro.build.version.incremental": "1",
        "ro.build.version.release": "13",
        "ro.build.version.sdk": "33",
        "ro.debuggable": "1",
        "ro.hardware": "ranchu",
        "ro.kernel.qemu": "1",
        "ro.product.brand": "pocket",
        "ro.product.cpu.abi": "x86_64",
        "ro.product.cpu.abilist": "x86_64",
        "ro.product.device": "pocket",
        "ro.product.manufacturer": "solar-eval",
        "ro.product.model": "sdk_gphone_x86_64",
        "ro.product.name": "sdk_gphone_x86_64",
        "ro.secure": "1",
        "ro.serialno": android_id,
        "persist.sys.locale": "en-US",
        "persist.sys.timezone": "UTC",
        "service.adb.root": "1",
        "sys.boot_completed": "1",
        "init.svc.bootanim": "stopped",
    }
