"""Prints where packages of the Python that runs this go: of its environment, of the machine if that can be written
to, of the user otherwise."""

import os
import site
import sys
import sysconfig

folder = sysconfig.get_path("platlib")
there = folder
while not os.path.exists(there):
    there = os.path.dirname(there)
if sys.prefix == sys.base_prefix and not os.access(there, os.W_OK):
    folder = site.getusersitepackages()
print(folder)
