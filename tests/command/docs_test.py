"""What the documentation shows is run: shell, YAML and Python blocks of docs/first-steps.md,
results.md, compare.md, hybrid.md, exports.md and restart.md. (The examples of the scene reference are read by tests/scene.)"""

import os
import pathlib
import re
import signal
import subprocess
import tempfile
import unittest
import urllib.request

COMMAND = pathlib.Path(os.environ["HYDROLITH_COMMAND"])
SOURCE = pathlib.Path(os.environ["HYDROLITH_SOURCE"])
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(page, language):
    text = (SOURCE / page).read_text()
    return [body for found, body in BLOCK.findall(text) if found == language]


class Docs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_in_folder(self, words, **kwargs):
        path = f"{COMMAND.parent}:{os.environ['PATH']}"
        return subprocess.run(words, cwd=self.folder, env={**os.environ, "PATH": path}, text=True,
                              capture_output=True, timeout=300, **kwargs)

    def test_the_scene_of_the_hybrid_engine_runs(self):
        scenes = blocks("docs/hybrid.md", "yaml")
        self.assertEqual(len(scenes), 1)
        (self.folder / "honey.yaml").write_text(scenes[0])
        done = self.run_in_folder("hydrolith run honey.yaml --set duration=0.05 -o out", shell=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_first_steps_and_results_can_be_followed_to_the_letter(self):
        scenes = blocks("docs/first-steps.md", "yaml")
        self.assertEqual(len(scenes), 1)
        (self.folder / "splash.yaml").write_text(scenes[0])
        commands = [line for block in blocks("docs/first-steps.md", "sh")
                    for line in block.splitlines() if line.startswith("hydrolith ")]
        self.assertGreater(len(commands), 4)
        for line in commands:
            done = self.run_in_folder(line, shell=True)
            self.assertEqual(done.returncode, 0, f"{line}\n{done.stderr}")
        for program in blocks("docs/results.md", "python"):
            done = self.run_in_folder(["python3", "-c", program])
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_viewer_serves_and_exports_as_shown(self):
        serve, export = blocks("docs/viewer.md", "sh")[0].splitlines()
        scene = blocks("docs/first-steps.md", "yaml")[0]
        (self.folder / "splash.yaml").write_text(scene)
        done = self.run_in_folder("hydrolith run splash.yaml --set duration=0.1 -o runs/first -q", shell=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.run_in_folder(export, shell=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("<!doctype html>", (self.folder / "first.html").read_text())
        words = [COMMAND, *serve.split()[1:], "--no-open"]
        with subprocess.Popen(words, cwd=self.folder, stdout=subprocess.PIPE, text=True) as viewer:
            address = re.search(r"Viewer: (\S+)", viewer.stdout.readline())[1]
            with urllib.request.urlopen(address + "api/status") as answer:
                self.assertIn("finished", answer.read().decode())
            viewer.send_signal(signal.SIGINT)
            self.assertEqual(viewer.wait(timeout=30), 0)

    def test_the_comparisons_shown_can_be_made(self):
        commands = [line for block in blocks("docs/compare.md", "sh") for line in block.splitlines()]
        self.assertEqual(len(commands), 2)
        for line in commands:
            done = self.run_in_folder(line, shell=True)
            self.assertEqual(done.returncode, 0, f"{line}\n{done.stderr}")
        for file in ("first/table.csv", "first/compare.html", "steps/tries.csv"):
            self.assertTrue((self.folder / "compare" / file).exists(), file)

    def test_the_exports_shown_can_be_made(self):
        scene = blocks("docs/first-steps.md", "yaml")[0]
        (self.folder / "splash.yaml").write_text(scene)
        done = self.run_in_folder("hydrolith run splash.yaml --set duration=0.2 -q -o runs/splash", shell=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        commands = blocks("docs/exports.md", "sh")[0].splitlines()
        self.assertEqual(len(commands), 6)
        for line in commands:
            done = self.run_in_folder(line.replace("0:20", "0:2"), shell=True)
            self.assertEqual(done.returncode, 0, f"{line}\n{done.stderr}")
        for file in ("runs/splash/vtk/run.pvd", "surface/run.pvd", "runs/splash/usd/run.usda", "runs/splash/gltf/run.glb"):
            self.assertTrue((self.folder / file).exists(), file)

    def test_a_run_can_be_resumed_as_shown(self):
        for line in blocks("docs/restart.md", "sh")[0].splitlines():
            done = self.run_in_folder(line, shell=True)
            self.assertEqual(done.returncode, 0, f"{line}\n{done.stderr}")
        (self.folder / "scene.yaml").write_text(
            "liquids: [{shape: {box: [1, 1, 1]}}]\nduration: 1\n" + blocks("docs/restart.md", "yaml")[0])
        done = self.run_in_folder(["hydrolith", "check", "scene.yaml"])
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_error_shown_in_first_steps_is_the_real_one(self):
        scene = blocks("docs/first-steps.md", "yaml")[0]
        shown = blocks("docs/first-steps.md", "text")[0].strip()
        (self.folder / "splash.yaml").write_text(
            scene.replace("{name: water, shape", "{name: water, viscosty: 1, shape"))
        done = self.run_in_folder(["hydrolith", "check", "splash.yaml"])
        self.assertIn(shown, done.stderr)

    def test_the_commands_of_the_readme_exist(self):
        for block in blocks("README.md", "sh"):
            for line in block.splitlines():
                if line.startswith("hydrolith "):
                    done = self.run_in_folder(["hydrolith", line.split()[1], "--help"])
                    self.assertEqual(done.returncode, 0, line)


if __name__ == "__main__":
    unittest.main(verbosity=1)
