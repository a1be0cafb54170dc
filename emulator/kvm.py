"""Does /dev/kvm run a guest? Not only: does the file exist.

Two small guests in real mode, driven by the KVM interface itself (Linux, Documentation/virt/kvm/api.rst): one writes to
a port and halts; the other programs the interrupt controller and the timer, and counts ten ticks, which needs what
kernels hang for where nested virtualisation is broken. Run as a program (`python -m emulator.kvm`) in a process of its
own, since a guest that hangs can't be called off from within. Facts: some hosts offer a /dev/kvm on which a stock
kernel hangs, so a kernel is booted as well where there is one to boot (doctor.py).
"""

from __future__ import annotations

import ctypes
import fcntl
import mmap
import os
import platform
import struct
import sys
import time

CREATE_VM, RUN_SIZE, CREATE_VCPU, RUN, SET_TSS, CREATE_IRQCHIP = 0xAE01, 0xAE04, 0xAE41, 0xAE80, 0xAE47, 0xAE60
API_VERSION, SET_MEMORY, GET_SREGS, SET_SREGS, SET_REGS = 0xAE00, 0x4020AE46, 0x8138AE83, 0x4138AE84, 0x4090AE82
CREATE_PIT2 = 0x4040AE77
EXIT_IO, EXIT_HLT = 2, 5
MEMORY = 0x10000
START, HANDLER = 0x1000, 0x1100
TSS_ADDRESS = 0x7FFBD000

HELLO = bytes.fromhex(
    "baf803"  # mov dx, 0x3f8
    "00d8 0430"  # add al, bl; add al, '0': the sum of two registers that are 2
    "ee f4"  # out dx, al; hlt
)
TICKS = bytes.fromhex(
    "fa 31c0 8ed8 8ed0 bc0070"  # cli; ds = ss = 0; sp = 0x7000
    "c70680000011 c70682000000"  # interrupt 0x20 goes to 0000:1100
    "b011e620 b020e621 b004e621 b001e621 b0fee621"  # controller: vectors from 0x20, only the timer unmasked
    "b034e643 b09ce640 b02ee640"  # timer: 100 Hz
    "31db fb f4 83fb0a 72fa"  # bx = 0; sti; until bx = 10: hlt
    "b054 baf803 ee f4"  # out 0x3f8, 'T'; hlt
)
COUNT = bytes.fromhex("43 b020e620 cf")  # inc bx; acknowledge; iret


def run_guest(code: bytes, handler: bytes = b"", *, timer: bool = False) -> bytes:
    """What the guest writes to port 0x3f8 until it halts or has written one byte. OSError where KVM refuses."""
    device = os.open("/dev/kvm", os.O_RDWR | os.O_CLOEXEC)
    version = fcntl.ioctl(device, API_VERSION, 0)
    if version != 12:
        raise OSError(f"KVM's interface has version {version}, not 12")
    machine = fcntl.ioctl(device, CREATE_VM, 0)
    if timer:
        fcntl.ioctl(machine, SET_TSS, TSS_ADDRESS)
        fcntl.ioctl(machine, CREATE_IRQCHIP, 0)
        fcntl.ioctl(machine, CREATE_PIT2, bytes(64))
    memory = mmap.mmap(-1, MEMORY)
    memory[START : START + len(code)] = code
    memory[HANDLER : HANDLER + len(handler)] = handler
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    fcntl.ioctl(machine, SET_MEMORY, struct.pack("IIQQQ", 0, 0, 0, MEMORY, address))
    processor = fcntl.ioctl(machine, CREATE_VCPU, 0)
    shared = mmap.mmap(processor, fcntl.ioctl(device, RUN_SIZE, 0))
    _registers(processor)
    return _until_halt(processor, shared)


def _registers(processor: int) -> None:
    """Real mode, code segment 0, instruction pointer at the code, ax = bx = 2."""
    special = bytearray(312)
    fcntl.ioctl(processor, GET_SREGS, special)
    struct.pack_into("<Q", special, 0, 0)
    struct.pack_into("<H", special, 12, 0)
    fcntl.ioctl(processor, SET_SREGS, bytes(special))
    general = bytearray(144)
    for index, value in ((0, 2), (1, 2), (16, START), (17, 2)):
        struct.pack_into("<Q", general, 8 * index, value)
    fcntl.ioctl(processor, SET_REGS, bytes(general))


def _until_halt(processor: int, shared: mmap.mmap) -> bytes:
    written = b""
    while not written:
        fcntl.ioctl(processor, RUN, 0)
        reason = struct.unpack_from("<I", shared, 8)[0]
        if reason == EXIT_HLT:
            break
        if reason != EXIT_IO:
            raise OSError(f"the guest ended with reason {reason}")
        offset = struct.unpack_from("<Q", shared, 40)[0]
        written += shared[offset : offset + 1]
    return written


def main() -> int:
    """Run both guests and say what they did; exit code 1 if one did not do what it should."""
    if platform.machine() not in ("x86_64", "AMD64"):
        print(f"no guest for {platform.machine()} is written yet")
        return 3
    try:
        if run_guest(HELLO) != b"4":
            print("the guest's instructions gave a wrong result")
            return 1
        print("instructions ran", flush=True)
        began = time.monotonic()
        if run_guest(TICKS, COUNT, timer=True) != b"T":
            print("the guest's timer did not tick")
            return 1
        print(f"ten ticks of a 100 Hz timer took {1000 * (time.monotonic() - began):.0f} ms", flush=True)
    except OSError as error:
        print(f"{error.strerror or error}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
