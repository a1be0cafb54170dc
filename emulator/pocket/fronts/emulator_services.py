"""The Android emulator's gRPC services on a pocket phone: EmulatorController and SnapshotService.

Definition: android/emulation/control/emulator_controller.proto and snapshot_service.proto, as shipped in android_env
1.3.0; those calls are answered that android_env and AndroidWorld make, and the clipboard and SMS; the others answer
UNIMPLEMENTED. Keys and touches are turned into the phone's own; a multi-touch keeps its first finger.
"""

from __future__ import annotations

import time
from typing import Any

from android_env.proto import emulator_controller_pb2 as control
from android_env.proto import emulator_controller_pb2_grpc as control_grpc
from android_env.proto import snapshot_service_pb2 as snapshot
from android_env.proto import snapshot_service_pb2_grpc as snapshot_grpc
from google.protobuf import empty_pb2

from emulator.pocket.fronts.evdev_keys import BROWSER, EVDEV, XKB_OFFSET
from emulator.pocket.fronts.snapshots import Snapshots
from emulator.pocket.shell.endpoint import Endpoint


class Controller(control_grpc.EmulatorControllerServicer):  # type: ignore[misc]  # generated code has no types
    """EmulatorController over one phone."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self.phone = endpoint.phone
        self.started = time.monotonic()
        self.frames = 0

    def getStatus(self, request: Any, context: Any) -> Any:
        """Booted from the beginning."""
        uptime = int(1000 * (time.monotonic() - self.started))
        return control.EmulatorStatus(version="pocket", uptime=uptime, booted=True)

    def getScreenshot(self, request: Any, context: Any) -> Any:
        """PNG, RGBA8888 or RGB888, at the screen's size (a wanted width and height are not honoured)."""
        with self.phone.lock:
            pixels = self.phone.screenshot()
            height, width = pixels.shape[:2]
            if request.format == control.ImageFormat.PNG:
                data = self.phone.screenshot_png()
            elif request.format == control.ImageFormat.RGB888:
                data = pixels[:, :, :3].tobytes()
            else:
                data = pixels.tobytes()
        self.frames += 1
        form = control.ImageFormat(format=request.format, width=width, height=height)
        stamp = int(self.phone.clock.now() * 1e6)
        return control.Image(format=form, width=width, height=height, image=data, seq=self.frames, timestampUs=stamp)

    def sendTouch(self, request: Any, context: Any) -> Any:
        """The first finger's touches in order; pressure 0 lifts it."""
        with self.phone.lock:
            for touch in request.touches:
                if touch.identifier == request.touches[0].identifier:
                    self.phone.touch("move" if touch.pressure > 0 else "up", touch.x, touch.y)
        return empty_pb2.Empty()

    def sendKey(self, request: Any, context: Any) -> Any:
        """A key by code (XKB or evdev) or name, or text; it acts when it goes down."""
        with self.phone.lock:
            if request.text:
                self.phone.text(request.text)
            elif request.eventType != control.KeyboardEvent.keyup:
                self._press(request)
        return empty_pb2.Empty()

    def _press(self, request: Any) -> None:
        if request.key:
            name = BROWSER.get(request.key)
            if name is None and len(request.key) == 1:
                self.phone.text(request.key)
                return
        else:
            offset = XKB_OFFSET if request.codeType == control.KeyboardEvent.XKB else 0
            name = EVDEV.get(request.keyCode - offset)
        if name is None:
            self.endpoint.note("emulator", f"sendKey: no such key {request.key or request.keyCode}")
        else:
            self.phone.key(f"KEYCODE_{name}")

    def setVmState(self, request: Any, context: Any) -> Any:
        """RESET and SHUTDOWN act as `reboot`; the process lives on."""
        states = control.VmRunState.RunState
        if request.state in (states.SHUTDOWN, states.TERMINATE, states.RESET):
            self.endpoint.reboot()
        return empty_pb2.Empty()

    def getVmState(self, request: Any, context: Any) -> Any:
        """Always running."""
        return control.VmRunState(state=control.VmRunState.RunState.RUNNING)

    def getClipboard(self, request: Any, context: Any) -> Any:
        """The clipboard's text."""
        return control.ClipData(text=self.phone.clipboard)

    def setClipboard(self, request: Any, context: Any) -> Any:
        """Put text on the clipboard."""
        with self.phone.lock:
            self.phone.clipboard = request.text
        return empty_pb2.Empty()

    def sendSms(self, request: Any, context: Any) -> Any:
        """A text message comes in."""
        with self.phone.lock:
            self.phone.sms_received(request.srcAddress, request.text)
        return control.PhoneResponse(response=control.PhoneResponse.OK)


class SnapshotServicer(snapshot_grpc.SnapshotServiceServicer):  # type: ignore[misc]  # generated code has no types
    """SnapshotService: named snapshots in memory."""

    def __init__(self, endpoint: Endpoint, snapshots: Snapshots) -> None:
        self.endpoint = endpoint
        self.snapshots = snapshots

    def ListSnapshots(self, request: Any, context: Any) -> Any:
        """Every saved snapshot."""
        names = self.snapshots.names()
        return snapshot.SnapshotList(snapshots=[snapshot.SnapshotDetails(snapshot_id=name) for name in names])

    def LoadSnapshot(self, request: Any, context: Any) -> Any:
        """Back to a snapshot; success is false for an unknown one."""
        found = self.snapshots.load(request.snapshot_id)
        error = b"" if found else f"no snapshot {request.snapshot_id!r}".encode()
        return snapshot.SnapshotPackage(snapshot_id=request.snapshot_id, success=found, err=error)

    def SaveSnapshot(self, request: Any, context: Any) -> Any:
        """Keep the phone as it is under a name."""
        self.snapshots.save(request.snapshot_id)
        return snapshot.SnapshotPackage(snapshot_id=request.snapshot_id, success=True)

    def DeleteSnapshot(self, request: Any, context: Any) -> Any:
        """Forget a snapshot."""
        found = self.snapshots.delete(request.snapshot_id)
        return snapshot.SnapshotPackage(snapshot_id=request.snapshot_id, success=found)
