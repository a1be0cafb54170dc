"""The Android emulator's gRPC services on a pocket phone: EmulatorController and SnapshotService.

Definition: android/emulation/control/emulator_controller.proto and snapshot_service.proto, as shipped in android_env
1.3.0; those calls are answered that android_env and AndroidWorld make, and the clipboard, SMS and calls; the others
answer UNIMPLEMENTED. Keys and touches are turned into the phone's own; a multi-touch keeps its first finger.
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from emulator.pocket.fronts.evdev_keys import BROWSER, EVDEV, XKB_OFFSET
from emulator.pocket.fronts.snapshots import Snapshots
from emulator.pocket.shell.endpoint import Endpoint

WORKERS = 4
MAX_MESSAGE = 64 << 20


def start_grpc(endpoint: Endpoint, snapshots: Snapshots, host: str, port: int = 0) -> tuple[Any, int]:
    """A running grpc.Server with both services, and its port.

    Local TCP credentials, as the emulator's: android_env connects with grpc.local_channel_credentials. Raises
    RuntimeError when the port can't be had.
    """
    import grpc
    from android_env.proto import emulator_controller_pb2_grpc, snapshot_service_pb2_grpc

    options = [("grpc.so_reuseport", 0), ("grpc.max_send_message_length", -1)]
    options.append(("grpc.max_receive_message_length", MAX_MESSAGE))
    server = grpc.server(ThreadPoolExecutor(WORKERS, thread_name_prefix="pocket-grpc"), options=options)
    controller = _controller_class()(endpoint)
    emulator_controller_pb2_grpc.add_EmulatorControllerServicer_to_server(controller, server)
    snapshot_service_pb2_grpc.add_SnapshotServiceServicer_to_server(_snapshot_class()(endpoint, snapshots), server)
    if host in ("127.0.0.1", "::1", "localhost"):
        bound = server.add_secure_port(f"{host}:{port}", grpc.local_server_credentials())
    else:
        bound = server.add_insecure_port(f"{host}:{port}")
    server.start()
    return server, bound


def _controller_class() -> Any:
    """The servicer's class; made here so that importing this module needs no gRPC."""
    from android_env.proto import emulator_controller_pb2 as pb
    from android_env.proto import emulator_controller_pb2_grpc as pb_grpc
    from google.protobuf import empty_pb2

    class Controller(pb_grpc.EmulatorControllerServicer):  # type: ignore[misc]
        """EmulatorController over one phone."""

        def __init__(self, endpoint: Endpoint) -> None:
            self.endpoint = endpoint
            self.phone = endpoint.phone
            self.started = time.monotonic()
            self.frames = 0

        def getStatus(self, request: Any, context: Any) -> Any:
            """Booted from the beginning."""
            uptime = int(1000 * (time.monotonic() - self.started))
            return pb.EmulatorStatus(version="pocket", uptime=uptime, booted=True)

        def getScreenshot(self, request: Any, context: Any) -> Any:
            """PNG, RGBA8888 or RGB888, at the screen's size (a wanted width and height are not honoured)."""
            with self.phone.lock:
                pixels = self.phone.screenshot()
                height, width = pixels.shape[:2]
                if request.format == pb.ImageFormat.PNG:
                    data = self.phone.screenshot_png()
                elif request.format == pb.ImageFormat.RGB888:
                    data = pixels[:, :, :3].tobytes()
                else:
                    data = pixels.tobytes()
            self.frames += 1
            form = pb.ImageFormat(format=request.format, width=width, height=height)
            stamp = int(self.phone.clock.now() * 1e6)
            return pb.Image(format=form, width=width, height=height, image=data, seq=self.frames, timestampUs=stamp)

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
                elif request.eventType != pb.KeyboardEvent.keyup:
                    self._press(request)
            return empty_pb2.Empty()

        def _press(self, request: Any) -> None:
            if request.key:
                name = BROWSER.get(request.key)
                if name is None and len(request.key) == 1:
                    self.phone.text(request.key)
                    return
            else:
                offset = XKB_OFFSET if request.codeType == pb.KeyboardEvent.XKB else 0
                name = EVDEV.get(request.keyCode - offset)
            if name is None:
                self.endpoint.note("emulator", f"sendKey: no such key {request.key or request.keyCode}")
            else:
                self.phone.key(f"KEYCODE_{name}")

        def setVmState(self, request: Any, context: Any) -> Any:
            """RESET and SHUTDOWN act as `reboot`; the process lives on."""
            states = pb.VmRunState.RunState
            if request.state in (states.SHUTDOWN, states.TERMINATE, states.RESET):
                self.endpoint.reboot()
            return empty_pb2.Empty()

        def getVmState(self, request: Any, context: Any) -> Any:
            """Always running."""
            return pb.VmRunState(state=pb.VmRunState.RunState.RUNNING)

        def getClipboard(self, request: Any, context: Any) -> Any:
            """The clipboard's text."""
            return pb.ClipData(text=self.phone.clipboard)

        def setClipboard(self, request: Any, context: Any) -> Any:
            """Put text on the clipboard."""
            with self.phone.lock:
                self.phone.clipboard = request.text
            return empty_pb2.Empty()

        def sendSms(self, request: Any, context: Any) -> Any:
            """A text message comes in."""
            with self.phone.lock:
                self.phone.sms_received(request.srcAddress, request.text)
            return pb.PhoneResponse(response=pb.PhoneResponse.OK)

    return Controller


def _snapshot_class() -> Any:
    from android_env.proto import snapshot_service_pb2 as pb
    from android_env.proto import snapshot_service_pb2_grpc as pb_grpc

    class SnapshotServicer(pb_grpc.SnapshotServiceServicer):  # type: ignore[misc]
        """SnapshotService: named snapshots in memory."""

        def __init__(self, endpoint: Endpoint, snapshots: Snapshots) -> None:
            self.endpoint = endpoint
            self.snapshots = snapshots

        def ListSnapshots(self, request: Any, context: Any) -> Any:
            """Every saved snapshot."""
            names = self.snapshots.names()
            return pb.SnapshotList(snapshots=[pb.SnapshotDetails(snapshot_id=name) for name in names])

        def LoadSnapshot(self, request: Any, context: Any) -> Any:
            """Back to a snapshot; success is false for an unknown one."""
            found = self.snapshots.load(request.snapshot_id)
            error = b"" if found else f"no snapshot {request.snapshot_id!r}".encode()
            return pb.SnapshotPackage(snapshot_id=request.snapshot_id, success=found, err=error)

        def SaveSnapshot(self, request: Any, context: Any) -> Any:
            """Keep the phone as it is under a name."""
            self.snapshots.save(request.snapshot_id)
            return pb.SnapshotPackage(snapshot_id=request.snapshot_id, success=True)

        def DeleteSnapshot(self, request: Any, context: Any) -> Any:
            """Forget a snapshot."""
            found = self.snapshots.delete(request.snapshot_id)
            return pb.SnapshotPackage(snapshot_id=request.snapshot_id, success=found)

    return SnapshotServicer
