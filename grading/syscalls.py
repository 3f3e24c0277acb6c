"""System calls that nothing in a notebook needs, refused by a seccomp filter.

They make memory that no process is charged for (no limit would see it), reach into other processes, or are
where kernels tend to have holes. The program is in the kernel's classic BPF: eight bytes an instruction.
"""

import platform
import struct

REFUSED = {  # name: its number on x86-64, on arm64
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "msgget": (68, 186),
    "semget": (64, 190),
    "mq_open": (240, 180),
    "io_uring_setup": (425, 425),
    "userfaultfd": (323, 282),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "pidfd_getfd": (438, 438),
}
MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
LOAD, EQUAL, AT_LEAST, RETURN = 0x20, 0x15, 0x35, 0x06
NUMBER, ARCHITECTURE = 0, 4
ALLOW, NOT_PERMITTED = 0x7FFF0000, 0x00050001
OTHER_ABI = 0x40000000


def known():
    """Whether this machine's numbers are above."""
    return platform.machine() in MACHINES


def program():
    """The filter for this machine, as `bwrap --seccomp` reads it. Other architectures' calls are refused."""
    column, architecture = MACHINES[platform.machine()]
    numbers = [both[column] for both in REFUSED.values()]
    steps = [(LOAD, 0, 0, ARCHITECTURE), (EQUAL, 0, len(numbers) + 3, architecture)]
    steps += [(LOAD, 0, 0, NUMBER), (AT_LEAST, len(numbers) + 1, 0, OTHER_ABI)]
    steps += [(EQUAL, len(numbers) - i, 0, number) for i, number in enumerate(numbers)]
    steps += [(RETURN, 0, 0, ALLOW), (RETURN, 0, 0, NOT_PERMITTED)]
    return b"".join(struct.pack("HBBI", *step) for step in steps)
