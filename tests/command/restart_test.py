"""Checkpoints and `hydrolith resume`: the same bytes as a run that was never stopped."""

import json
import os
import pathlib
import random
import resource
import signal
import subprocess
import tempfile
import time
import unittest

from kill_resume import COMMAND, SCENE, Torture, differences, hydrolith

SMALL = SCENE.format(engine="particles")


class RestartTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "scene.yaml").write_text(SMALL)

    def hydrolith(self, *words, expect=0):
        done = hydrolith(*words, folder=self.folder)
        self.assertEqual(done.returncode, expect, done.stdout + done.stderr)
        return done

    def checkpoints(self, run):
        return sorted((self.folder / run / "checkpoints").glob("checkpoint_*.h5"))

    def record(self, run):
        return json.loads((self.folder / run / "run.json").read_text())


class SameBytes(RestartTest):
    def test_after_kills_at_random_moments_with_either_engine(self):
        for engine in ("particles", "hybrid"):
            Torture(self.folder, engine, random.Random(5)).survive(3)

    def test_after_ctrl_c(self):
        self.hydrolith("run", "scene.yaml", "-o", "straight", "-q")
        run = subprocess.Popen([COMMAND, "run", "scene.yaml", "-o", "stopped"], cwd=self.folder, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        while not self.checkpoints("stopped") and run.poll() is None:
            time.sleep(0.02)
        run.send_signal(signal.SIGINT)
        shown, _ = run.communicate()
        self.assertEqual(run.returncode, 130, shown)
        self.assertIn("hydrolith resume stopped", shown)
        self.hydrolith("resume", "stopped", "-q")
        self.assertEqual(differences(self.folder, "straight", "stopped"), [])

    def test_with_a_longer_duration_as_if_it_had_been_so_from_the_start(self):
        self.hydrolith("run", "scene.yaml", "-o", "straight", "-q")
        self.hydrolith("run", "scene.yaml", "-o", "short", "-q", "--set", "duration=0.15")
        told = self.hydrolith("resume", "short", "--set", "duration=0.4").stdout
        self.assertIn("changed duration: 0.15 -> 0.4", told)
        self.assertEqual(differences(self.folder, "straight", "short"), [])
        self.assertTrue(any("duration: 0.15 -> 0.4" in line for line in self.record("short")["history"]))

    def test_the_thread_count_does_not_matter(self):
        self.hydrolith("run", "scene.yaml", "-o", "two", "-q", "-j", "2")
        self.hydrolith("run", "scene.yaml", "-o", "both", "-q", "-j", "1", "--set", "duration=0.1")
        self.hydrolith("resume", "both", "-q", "-j", "2", "--set", "duration=0.4")
        self.assertEqual(differences(self.folder, "two", "both"), [])


class Damage(RestartTest):
    def short_run(self):
        self.hydrolith("run", "scene.yaml", "-o", "run", "-q", "--set", "duration=0.15")
        self.hydrolith("run", "scene.yaml", "-o", "straight", "-q")
        self.assertEqual(len(self.checkpoints("run")), 2)  # the last two are kept

    def resume(self):
        told = self.hydrolith("resume", "run", "--set", "duration=0.4").stdout
        self.assertEqual(differences(self.folder, "straight", "run"), [])
        return told

    def test_a_torn_checkpoint_falls_back_to_the_one_before_and_says_so(self):
        self.short_run()
        newest = self.checkpoints("run")[-1]
        newest.write_bytes(newest.read_bytes()[:-1000])
        told = self.resume()
        self.assertIn(newest.name, told)
        self.assertIn("falling back", told)

    def test_one_flipped_bit_is_noticed(self):
        self.short_run()
        newest = self.checkpoints("run")[-1]
        bytes_ = bytearray(newest.read_bytes())
        bytes_[len(bytes_) // 2] ^= 4
        newest.write_bytes(bytes_)
        self.assertIn("damaged", hydrolith("info", "run", folder=self.folder).stdout + self.resume())

    def test_without_a_whole_checkpoint_it_begins_anew(self):
        self.short_run()
        for file in self.checkpoints("run"):
            file.write_bytes(b"")
        self.assertIn("from the start", self.resume())

    def test_a_full_disk_ends_the_run_and_can_be_resumed(self):
        def small_files_only():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        self.hydrolith("run", "scene.yaml", "-o", "straight", "-q")
        # More than an early checkpoint, less than a late one: the emitter adds particles.
        sizes = [f.stat().st_size for f in self.checkpoints("straight")]
        limit = sizes[-1] - 2000
        done = subprocess.run([COMMAND, "run", "scene.yaml", "-o", "run", "-q"], cwd=self.folder, text=True,
                              capture_output=True, preexec_fn=small_files_only)
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("checkpoint", done.stderr)
        self.assertIn("It can go on from step", done.stderr)
        self.assertEqual(self.record("run")["state"], "failed")
        self.assertTrue(self.checkpoints("run"))
        self.hydrolith("resume", "run", "-q")
        self.assertEqual(differences(self.folder, "straight", "run"), [])

    def test_a_cut_metrics_file_is_told_in_the_log(self):
        self.short_run()
        metrics = self.folder / "run" / "metrics.csv"
        metrics.write_text("\n".join(metrics.read_text().splitlines()[:5]) + "\n0.1,half a r")
        self.hydrolith("resume", "run", "-q", "--set", "duration=0.2")
        self.assertIn("rows are missing", (self.folder / "run" / "log.txt").read_text())
        columns = {len(row.split(",")) for row in metrics.read_text().splitlines()}
        self.assertEqual(len(columns), 1)


class Changes(RestartTest):
    def test_physics_may_not_change(self):
        self.hydrolith("run", "scene.yaml", "-o", "run", "-q", "--set", "duration=0.05")
        before = (self.folder / "run" / "scene.yaml").read_text()
        for change in ("liquids[0].viscosity=2", "gravity=[0, -5, 0]", "spacing=0.06", "engine=hybrid",
                       "bodies[2].density=500"):
            done = self.hydrolith("resume", "run", "--set", change, "--set", "duration=0.4", expect=2)
            self.assertIn("would change what is simulated", done.stderr)
            self.assertIn(change.split("=")[0].split("[")[0], done.stderr)
        self.assertEqual((self.folder / "run" / "scene.yaml").read_text(), before)

    def test_physics_may_not_change_without_a_checkpoint_either(self):
        self.hydrolith("run", "scene.yaml", "-o", "run", "-q", "--set", "duration=0.05")
        for file in self.checkpoints("run"):
            file.unlink()
        frames = len(list((self.folder / "run" / "frames").glob("*.h5")))
        self.hydrolith("resume", "run", "--set", "spacing=0.1", expect=2)
        self.assertEqual(len(list((self.folder / "run" / "frames").glob("*.h5"))), frames)
        told = self.hydrolith("resume", "run", "--set", "duration=0.06").stdout
        self.assertIn(f"its {frames} frames are made anew", told)
        self.assertIn("changed duration", told)

    def test_output_and_tolerance_may(self):
        self.hydrolith("run", "scene.yaml", "-o", "run", "-q", "--set", "duration=0.05")
        self.hydrolith("resume", "run", "-q", "--set", "duration=0.1", "--set", "output.frame_rate=120",
                       "--set", "solver.tolerance=1e-3")
        history = " ".join(self.record("run")["history"])
        for text in ("output.frame_rate: 60 -> 120", "solver.tolerance: (default) -> 1e-3"):
            self.assertIn(text, history)

    def test_a_faulty_override_is_a_fault_of_the_scene(self):
        self.hydrolith("run", "scene.yaml", "-o", "run", "-q", "--set", "duration=0.05")
        done = self.hydrolith("resume", "run", "--set", "duratoin=1", expect=3)
        self.assertIn('Did you mean "duration"?', done.stderr)


class Others(RestartTest):
    def test_a_run_in_progress_is_left_alone(self):
        run = subprocess.Popen([COMMAND, "run", "scene.yaml", "-o", "run", "-q", "--set", "duration=100"],
                               cwd=self.folder)
        while not self.checkpoints("run"):
            time.sleep(0.02)
        done = self.hydrolith("resume", "run", expect=4)
        self.assertIn("another process", done.stderr)
        self.assertIn("  state       running", self.hydrolith("info", "run").stdout)
        run.kill()
        run.wait()
        self.assertIn("killed before it could end", self.hydrolith("info", "run").stdout)

    def test_a_finished_run_stays_as_it_is(self):
        self.hydrolith("run", "scene.yaml", "-o", "a", "-q", "--set", "duration=0.05")
        self.hydrolith("run", "scene.yaml", "-o", "b", "-q", "--set", "duration=0.05")
        self.assertIn("already finished", self.hydrolith("resume", "b").stdout)
        self.assertEqual(differences(self.folder, "a", "b"), [])

    def test_something_else_is_no_run(self):
        done = self.hydrolith("resume", ".", expect=4)
        self.assertIn("not the folder of a run", done.stderr)

    def test_info_tells_missing_and_damaged_frames(self):
        self.hydrolith("run", "scene.yaml", "-o", "run", "-q", "--set", "duration=0.1")
        frames = sorted((self.folder / "run" / "frames").glob("*.h5"))
        frames[1].unlink()
        frames[2].write_bytes(frames[2].read_bytes()[:-700])
        shown = self.hydrolith("info", "run", expect=4).stdout
        self.assertIn("1 damaged", shown)
        self.assertIn("missing: 1", shown)


if __name__ == "__main__":
    unittest.main()
