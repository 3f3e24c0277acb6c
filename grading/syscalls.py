"""System calls that nothing in a notebook needs, refused by a seccomp filter.

They make memory that no process is charged for (no limit would see it), reach into other processes or other
sandboxes' processors, or are where kernels tend to have holes. Two more are looked at: a socket may be only
of families that end at the sandbox's own network (`AF_VSOCK` does not), and its buffer may not grow.
The program is in the kernel's classic BPF: eight bytes an instruction.
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
    "sched_setaffinity": (203, 122),
}
FAMILIES = (1, 2, 10, 16)  # unix, IPv4, IPv6, netlink
BUFFERS = (7, 8, 32, 33)  # SO_SNDBUF, SO_RCVBUF, and both by force
MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
LOAD, EQUAL, AT_LEAST, RETURN = 0x20, 0x15, 0x35, 0x06
NUMBER, ARCHITECTURE, ARGUMENTS = 0, 4, 16
ALLOW, NOT_PERMITTED = 0x7FFF0000, 0x00050001
OTHER_ABI = 0x40000000


def known():
    """Whether this machine's numbers are above."""
    return platform.machine() in MACHINES


def program():
    """The filter for this machine, as `bwrap --seccomp` reads it. Other architectures' calls are refused."""
    column, architecture = MACHINES[platform.machine()]
    refuse, allow = (RETURN, 0, 0, NOT_PERMITTED), (RETURN, 0, 0, ALLOW)
    steps = [(LOAD, 0, 0, ARCHITECTURE), (EQUAL, 1, 0, architecture), refuse]
    steps += [(LOAD, 0, 0, NUMBER), (AT_LEAST, 0, 1, OTHER_ABI), refuse]
    for numbers in REFUSED.values():
        steps += [(EQUAL, 0, 1, numbers[column]), refuse]
    for socket in ((41, 198), (53, 199)):  # socket, socketpair
        steps += _by_argument(socket[column], 0, FAMILIES, allow, refuse)
    steps += _by_argument((54, 208)[column], 2, BUFFERS, refuse, allow)  # setsockopt
    return b"".join(struct.pack("HBBI", *step) for step in [*steps, allow])


def _by_argument(number, place, values, listed, others):
    """Steps that end call `number` one way if the argument at `place` is one of `values`, else the other."""
    steps = [(EQUAL, 0, len(values) + 3, number), (LOAD, 0, 0, ARGUMENTS + 8 * place)]
    steps += [(EQUAL, len(values) - i, 0, value) for i, value in enumerate(values)]
    return [*steps, others, listed]
