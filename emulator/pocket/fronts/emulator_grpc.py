"""Starts the Android emulator's gRPC services for a pocket phone; what they do is in emulator_services.py.

gRPC and android_env's stubs are imported when a server is started, not before.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

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

    from emulator.pocket.fronts.emulator_services import Controller, SnapshotServicer

    options = [("grpc.so_reuseport", 0), ("grpc.max_send_message_length", -1)]
    options.append(("grpc.max_receive_message_length", MAX_MESSAGE))
    server = grpc.server(ThreadPoolExecutor(WORKERS, thread_name_prefix="pocket-grpc"), options=options)
    controller = Controller(endpoint)
    emulator_controller_pb2_grpc.add_EmulatorControllerServicer_to_server(controller, server)
    snapshot_service_pb2_grpc.add_SnapshotServiceServicer_to_server(SnapshotServicer(endpoint, snapshots), server)
    if host in ("127.0.0.1", "::1", "localhost"):
        bound = server.add_secure_port(f"{host}:{port}", grpc.local_server_credentials())
    else:
        bound = server.add_insecure_port(f"{host}:{port}")
    server.start()
    return server, bound
