"""The stubs say what the module has and fit what people write, by mypy's judgement."""

import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["HYDROLITH_SOURCE"])
# pybind11's metaclass and the __init__ that classes without a constructor inherit; the class behind
# arrays, and the functions that unpickle, belong to nobody; properties that are set from more than they
# give are descriptors in the stubs, since mypy knows no other way.
ALLOWED = r"""hydrolith(\._hydrolith)?\.[A-Z]\w+
hydrolith(\._hydrolith)?\.[A-Z]\w+\.__init__
hydrolith(\._hydrolith)?\.Body\.(position|orientation|(angular_)?velocity)
hydrolith\._(dict|pickling).*
"""
PROGRAM = """
import hydrolith
import numpy as np
from pathlib import Path

simulation = hydrolith.Simulation({"spacing": 0.1})
simulation.step_until(0.5)
state: hydrolith.Checkpoint = simulation.checkpoint()
simulation.restore(state)
simulation.restore(Path("x"))
other: hydrolith.Simulation = hydrolith.Simulation.load("x")

@simulation.on_step
def push(s: hydrolith.Simulation) -> None:
    body = s.body("box")
    body.apply_force(np.array([1, 2, 3]), point=(1, 2, 3))
    body.velocity = [1, 2, 3]
    x: float = float(body.forces.pressure.force[0])

with hydrolith.Recorder(simulation, "folder") as recorder:
    recorder.record()
"""
WRONG = """
import hydrolith
s = hydrolith.Simulation("x")
s.stepp()
s.time = 3
s.body("box").apply_force("up")
s.restore(3)
hydrolith.run("x", "y", on_step=3)
"""


@unittest.skipUnless(importlib.util.find_spec("mypy"), "mypy is not installed (apt: mypy)")
class Types(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def mypy(self, module, *words):
        package = importlib.util.find_spec("hydrolith").submodule_search_locations[0]
        return subprocess.run([sys.executable, "-m", module, *map(str, words)], cwd=self.folder,
                              env={**os.environ, "MYPYPATH": os.path.dirname(package)}, text=True,
                              capture_output=True, timeout=600)

    def check(self, name, program):
        (self.folder / name).write_text(program)
        return self.mypy("mypy", "--strict", "--cache-dir", self.folder / "cache", name).stdout

    def test_the_stubs_are_what_the_module_is(self):
        (self.folder / "allowed").write_text(ALLOWED)
        done = self.mypy("mypy.stubtest", "hydrolith", "--concise", "--ignore-unused-allowlist",
                         "--allowlist", self.folder / "allowed")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_programs_and_examples_pass_and_wrong_ones_do_not(self):
        self.assertIn("Success", self.check("right.py", PROGRAM))
        self.assertIn("Found 5 errors", self.check("wrong.py", WRONG))
        done = self.mypy("mypy", "--check-untyped-defs", "--cache-dir", self.folder / "cache",
                         "--scripts-are-modules", *(SOURCE / "python/examples").glob("*.py"))
        self.assertEqual(done.returncode, 0, done.stdout)


if __name__ == "__main__":
    unittest.main()
