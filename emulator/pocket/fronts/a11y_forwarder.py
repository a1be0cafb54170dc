"""The accessibility forwarder's part: pushes the phone's forest to android_env's gRPC server.

Definition: android_env 1.3.0 wrappers/a11y_grpc_wrapper.py and proto/a11y/a11y.proto. The wrapper broadcasts
`accessibility_forwarder.intent.action.SET_GRPC --ei port P --es host H`; from then on SendForest is called at every
change of the phone, and every 0.2 s. Host 10.0.2.2 is the machine the phone runs on. As with the real app nothing is
sent in airplane mode, or while the service is switched off in enabled_accessibility_services.
"""

from __future__ import annotations

import threading
from typing import Any

from emulator.pocket.intents import Intent
from emulator.pocket.shell.endpoint import Endpoint

SET_GRPC = "accessibility_forwarder.intent.action.SET_GRPC"
SERVICE = "com.google.androidenv.accessibilityforwarder"
HOST_ALIASES = ("10.0.2.2", "127.0.0.1", "localhost")
INTERVAL_SECONDS, LOOK_SECONDS, RPC_SECONDS = 0.2, 0.02, 5.0


class A11yForwarder:
    """Listens to broadcasts of one phone and, once told where to, sends forests from a thread of its own."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self.sent = 0
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        endpoint.on_broadcast.append(self.on_broadcast)

    def on_broadcast(self, intent: Intent) -> None:
        """Start (again) for SET_GRPC; a host that isn't this machine is refused."""
        if intent.action != SET_GRPC:
            return
        host, port = intent.text("host"), intent.extras.get("port")
        if host not in HOST_ALIASES or not isinstance(port, int) or not 0 < port < 65536:
            self.endpoint.note("AccessibilityForwarder", f"refused to send to {host}:{port}: not this machine")
            return
        self.stop()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(port, self._stop), daemon=True, name="pocket-a11y")
        self._thread.start()

    def stop(self) -> None:
        """Stop sending."""
        self._stop.set()

    def _run(self, port: int, stop: threading.Event) -> None:
        import grpc
        from android_env.proto.a11y import a11y_pb2_grpc

        with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
            stub = a11y_pb2_grpc.A11yServiceStub(channel)
            last, waited, failing = -1, INTERVAL_SECONDS, False
            while not stop.wait(LOOK_SECONDS):
                waited += LOOK_SECONDS
                if self.endpoint.phone.changes == last and waited < (1.0 if failing else INTERVAL_SECONDS):
                    continue
                waited, last = 0.0, self.endpoint.phone.changes
                forest = self._forest()
                if forest is not None:
                    failing = not self._send(stub, forest, failing)

    def _forest(self) -> Any:
        """The forest, or None when the service can't or may not send."""
        phone = self.endpoint.phone
        with phone.lock:
            enabled = phone.settings["secure"].get("enabled_accessibility_services", "")
            if SERVICE not in enabled or phone.settings["global"].get("airplane_mode_on") == "1":
                return None
            return phone.forest()

    def _send(self, stub: Any, forest: Any, failing: bool) -> bool:
        import grpc

        try:
            stub.SendForest(forest, timeout=RPC_SECONDS)
        except grpc.RpcError as error:
            if not failing:
                self.endpoint.note("AccessibilityForwarder", f"exception: gRPC {error.code()}")
            return False
        self.sent += 1
        return True
