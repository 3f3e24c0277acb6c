"""Installs a package where the system is Debian's and we may."""

import os
import shutil
import subprocess


def install(package: str) -> None:
    """Debian's package, if this is root on a system with apt; else nothing."""
    if shutil.which("apt-get") and hasattr(os, "geteuid") and os.geteuid() == 0:
        quiet = {"stdout": subprocess.DEVNULL, "env": os.environ | {"DEBIAN_FRONTEND": "noninteractive"}}
        subprocess.run(["apt-get", "update"], **quiet)
        subprocess.run(["apt-get", "install", "--yes", "--no-install-recommends", package], **quiet)
