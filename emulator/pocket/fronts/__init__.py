"""The pocket phone's four thin fronts: in process, adb, emulator gRPC and console, uiautomator2's JSON-RPC."""
