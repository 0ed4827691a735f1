"""The examples of python/examples and the snippets of docs/python.md are run, and what they print is checked."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import hydrolith
from scenes import floating

SOURCE = pathlib.Path(os.environ["HYDROLITH_SOURCE"])
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(page, language):
    return [body for found, body in BLOCK.findall((SOURCE / page).read_text()) if found == language]


class Programs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_python(self, *words):
        done = subprocess.run([sys.executable, *words], cwd=self.folder, text=True,
                              capture_output=True, timeout=900)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def example(self, name, *words):
        return self.run_python(SOURCE / "python/examples" / name, *words)

    def numbers(self, text):
        return [float(n) for n in re.findall(r"-?\d+\.?\d*", text)]

    def test_hold_course(self):
        shown = self.example("hold_course.py", "out")
        held, free = self.numbers(shown)
        # The wind's torque over the controller's stiffness, 0.9 N m / (40 N/rad * 0.35 m), is 3.7
        # degrees; waves and the start may double it. Without control it turns the boat round.
        self.assertLess(held, 8)
        self.assertGreater(free, 45)
        self.assertEqual(hydrolith.Run(self.folder / "out/held").record["state"], "finished")

    def test_draught(self):
        lines = self.example("draught.py").splitlines()
        draught, expected = self.numbers(lines[0])
        # Found within half a spacing of 4 cm.
        self.assertLess(abs(draught - expected), 0.02)
        pressure, weight = self.numbers(lines[1])
        viscosity, = self.numbers(lines[2])
        # At rest the liquid carries the weight; what motion is left is a few percent of it.
        self.assertLess(abs(pressure + viscosity - weight), 0.05 * weight)

    def test_read_run(self):
        hydrolith.run(floating(), self.folder / "out")
        lines = self.example("read_run.py", "out").splitlines()
        self.assertEqual(lines[0], "floating finished 4 frames")
        self.assertEqual(len(lines), 6)
        self.assertIn("water:", lines[1])

    def test_sweep_threads(self):
        lines = self.example("sweep_threads.py").splitlines()
        self.assertEqual(len(lines), 4)
        for line in lines:
            _, found, expected = self.numbers(line)
            self.assertLess(abs(found - expected), 0.0125, line)  # half a spacing of 2.5 cm

    def test_episodes(self):
        *gains, last = self.example("episodes.py", "out").splitlines()
        returns = [self.numbers(line)[1] for line in gains]
        # The waves carry the raft away; a spring and a damper hold it, the stiffer the better.
        self.assertLess(returns[0], 1.3 * returns[1])
        self.assertLess(returns[1], 1.3 * returns[2])
        self.assertEqual(self.numbers(last)[0], max(returns))  # the same episode to the bit
        self.assertEqual(hydrolith.Run(self.folder / "out").record["state"], "finished")

    def test_the_snippets_of_the_page_run(self):
        (self.folder / "splash.yaml").write_text(blocks("docs/first-steps.md", "yaml")[0])
        snippets = blocks("docs/python.md", "python")
        self.assertEqual(len(snippets), 6)
        for snippet in snippets:
            self.run_python("-c", snippet)


if __name__ == "__main__":
    unittest.main()
