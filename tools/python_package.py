"""What `make python` asks of the Python it installs for; run by that Python.

    python_package.py check            fails with the reason if the module cannot be built for it
    python_package.py site             prints where its packages go: of its environment, of the machine
                                       if that can be written to, of the user otherwise
    python_package.py record VERSION   tells pip, which can then list and uninstall the package
"""

import importlib.util
import os
import pathlib
import shutil
import site
import sys
import sysconfig


def packages():
    folder = sysconfig.get_path("platlib")
    there = folder
    while not os.path.exists(there):
        there = os.path.dirname(there)
    if sys.prefix == sys.base_prefix and not os.access(there, os.W_OK):
        folder = site.getusersitepackages()
    return pathlib.Path(folder)


def check():
    me = f"{sys.executable} (Python {sys.version_info[0]}.{sys.version_info[1]})"
    if sys.version_info < (3, 8):
        sys.exit(f"{me} is too old: 3.8 or newer is wanted")
    header = pathlib.Path(sysconfig.get_path("include")) / "Python.h"
    if not header.exists():
        sys.exit(f"{me} has no headers ({header}). For a Python of Debian: apt-get install "
                 f"python{sys.version_info[0]}.{sys.version_info[1]}-dev")
    if not importlib.util.find_spec("numpy"):
        sys.exit(f"{me} has no NumPy. Install it there (Debian's python3: apt-get install "
                 "python3-numpy), or make the environment anew with --system-site-packages")


def record(version):
    folder = packages()
    for old in folder.glob("hydrolith-*.dist-info"):
        shutil.rmtree(old)
    info = folder / f"hydrolith-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: hydrolith\nVersion: {version}\n"
        "Summary: Liquids and rigid bodies that push on each other in one solve\n"
        "License: MIT\nRequires-Dist: numpy\n")
    (info / "INSTALLER").write_text("make\n")
    files = [f for part in (folder / "hydrolith", info) for f in sorted(part.iterdir())
             if f.is_file()]
    (info / "RECORD").write_text(
        "".join(f"{f.relative_to(folder)},,\n" for f in files) + f"{info.name}/RECORD,,\n")


if sys.argv[1:] == ["check"]:
    check()
elif sys.argv[1:] == ["site"]:
    print(packages())
elif sys.argv[1:2] == ["record"] and len(sys.argv) == 3:
    record(sys.argv[2])
else:
    sys.exit(__doc__)
