"""Checkpoints and `hydrolith resume`: the same bytes as a run that was never stopped."""

import fcntl
import json
import os
import pathlib
import pty
import random
import re
import resource
import signal
import subprocess
import tempfile
import termios
import time
import unittest

from crash_points import CrashPoints
from kill_resume import COMMAND, SCENE, Torture, differences, hydrolith
from resume_scenes import SCENES, in_parts

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

    def test_after_ctrl_c_before_the_first_step(self):
        scene = ("scene.yaml", "--set", "settle=0.5", "--set", "duration=0.05")
        self.hydrolith("run", *scene, "-o", "straight", "-q")
        run = subprocess.Popen([COMMAND, "run", *scene, "-o", "stopped", "-q"], cwd=self.folder)
        while not (self.folder / "stopped" / "metrics.csv").exists():
            time.sleep(0.001)
        run.send_signal(signal.SIGINT)
        self.assertEqual(run.wait(), 130)
        self.assertEqual(self.record("stopped")["steps"], 0)
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


class Gallery(RestartTest):
    """A few of the scenes that resume_scenes.py tries: 2D, both engines, rolling friction, a chain, a yield stress."""

    def test_scenes_in_three_parts_end_with_the_same_bytes(self):
        for scene, duration in (("koshizuka_2d", 0.05), ("koshizuka_hybrid_2d", 0.1), ("rolling_resistance", 0.06),
                                ("chain_slack", 0.02), ("bingham", 0.06)):
            with self.subTest(scene):
                self.assertEqual(in_parts(self.folder, scene, str(SCENES / f"{scene}.yaml"), [], duration), "")


class Damage(RestartTest):
    def short_run(self):
        self.hydrolith("run", "scene.yaml", "-o", "run", "-q", "--set", "duration=0.15")
        self.hydrolith("run", "scene.yaml", "-o", "straight", "-q")
        self.assertEqual(len(self.checkpoints("run")), 2)  # the last two are kept

    def resume(self, *words):
        told = self.hydrolith("resume", "run", "--set", "duration=0.4", *words).stdout
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

    def test_without_a_whole_checkpoint_it_asks_before_it_begins_anew(self):
        self.short_run()
        frames = len(list((self.folder / "run" / "frames").glob("*.h5")))
        for file in self.checkpoints("run"):
            file.write_bytes(b"")
        said = self.hydrolith("resume", "run", "--set", "duration=0.4", expect=4).stderr
        self.assertIn("the file is empty", said)
        self.assertIn("hydrolith resume run --anew", said)
        self.assertEqual(len(list((self.folder / "run" / "frames").glob("*.h5"))), frames)
        self.assertIn("from the start", self.resume("--anew"))

    def test_the_one_fallen_back_to_is_kept_until_there_are_two_newer_ones(self):
        self.short_run()
        whole, torn = self.checkpoints("run")
        torn.write_bytes(torn.read_bytes()[:-1000])
        self.hydrolith("resume", "run", "-q", "--set", "duration=0.155", "--set", "output.checkpoint_steps=0")
        found = self.checkpoints("run")
        self.assertEqual(found[0], whole)
        self.assertEqual(len(found), 2)
        self.assertNotIn(torn, found)

    def test_a_checkpoint_of_another_run_is_refused(self):
        self.short_run()
        self.hydrolith("run", "scene.yaml", "-o", "other", "-q", "--set", "duration=0.05", "--set", "gravity=[0, -5, 0]")
        for file in self.checkpoints("run"):
            file.write_bytes(self.checkpoints("other")[-1].read_bytes())
        said = self.hydrolith("resume", "run", expect=2).stderr
        self.assertIn("run/scene.yaml is not the scene of the checkpoint", said)
        self.assertIn("gravity: [0, -5, 0] -> (default)", said)

    def test_without_its_record_or_scene_it_goes_on(self):
        for name in ("run.json", "scene.yaml"):
            for content in (None, "{]"):
                self.short_run()
                file = self.folder / "run" / name
                if content is None:
                    file.unlink()
                else:
                    file.write_text(content)
                if name == "scene.yaml" and content:
                    self.hydrolith("resume", "run", expect=3)
                else:
                    self.assertIn(name, self.resume())
                for run in ("run", "straight"):
                    subprocess.run(["rm", "-r", run], cwd=self.folder, check=True)

    def test_a_run_without_its_record_is_not_written_over(self):
        self.short_run()
        (self.folder / "run" / "run.json").unlink()
        done = self.hydrolith("run", "scene.yaml", "-o", "run", expect=4)
        self.assertIn("already holds a run", done.stderr)

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

    def changed_metrics(self, change):
        self.short_run()
        file = self.folder / "run" / "metrics.csv"
        lines = file.read_text().splitlines(keepends=True)
        file.write_text(change(lines))
        told = self.hydrolith("resume", "run", "--set", "duration=0.2").stdout
        columns = {len(row.split(",")) for row in file.read_text().splitlines()}
        self.assertEqual(len(columns), 1)
        self.assertIn("metrics.csv has been changed since the checkpoint", told)
        self.assertIn("metrics.csv has been changed", (self.folder / "run" / "log.txt").read_text())
        return told

    def test_a_cut_metrics_file_goes_on_after_its_whole_rows(self):
        self.assertIn("4 rows of it are kept", self.changed_metrics(lambda lines: "".join(lines[:5]) + "0.1,half a r"))

    def test_a_metrics_file_from_a_spreadsheet_goes_on_after_its_whole_rows(self):
        told = self.changed_metrics(lambda lines: "".join(line.replace("\n", "\r\n") for line in lines))
        self.assertRegex(told, r"[1-9]\d* rows of it are kept")

    def test_a_metrics_file_with_other_columns_is_put_aside(self):
        told = self.changed_metrics(lambda lines: "a" + "".join(lines))
        self.assertIn("it is now metrics.old-1.csv", told)
        self.assertTrue((self.folder / "run" / "metrics.old-1.csv").exists())

    def test_a_metrics_file_that_is_gone_begins_anew(self):
        self.short_run()
        (self.folder / "run" / "metrics.csv").unlink()
        self.assertIn("it is gone", self.hydrolith("resume", "run", "--set", "duration=0.2").stdout)


# A tetrahedron, and one that is a little longer.
TETRAHEDRON = "v 0 0 0\nv 0.4 0 0\nv 0 {} 0\nv 0 0 0.4\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"


class Files(RestartTest):
    """Scenes that refer to files."""

    def run_with(self, mesh):
        place = self.folder / "scenes" / mesh
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(TETRAHEDRON.format(0.4))
        scene = f"spacing: 0.05\nduration: 0.1\ntime_step: 5 ms\nbodies: [{{name: a, shape: {{mesh: {mesh}}}}}]\n"
        (self.folder / "scenes" / "mesh.yaml").write_text(scene)
        self.hydrolith("run", "scenes/mesh.yaml", "-o", "run", "-q", "--set", "duration=0.05")
        self.hydrolith("run", "scenes/mesh.yaml", "-o", "straight", "-q")

    def test_go_with_the_run_wherever_it_is_moved(self):
        self.run_with("parts/tetrahedron.obj")
        subprocess.run(["rm", "-r", "scenes"], cwd=self.folder, check=True)
        (self.folder / "elsewhere").mkdir()
        (self.folder / "run").rename(self.folder / "elsewhere" / "moved")
        self.hydrolith("resume", "elsewhere/moved", "-q", "--set", "duration=0.1")
        self.assertEqual(differences(self.folder, "straight", "elsewhere/moved"), [])

    def test_outside_the_folder_of_the_scene_are_found_again(self):
        self.run_with("../parts/tetrahedron.obj")
        (self.folder / "elsewhere").mkdir()
        (self.folder / "run").rename(self.folder / "elsewhere" / "moved")
        self.hydrolith("resume", "elsewhere/moved", "-q", "--set", "duration=0.1")
        self.assertEqual(differences(self.folder, "straight", "elsewhere/moved"), [])

    def test_may_not_change_or_vanish(self):
        for mesh, copy in (("tetrahedron.obj", "run/tetrahedron.obj"), ("../t.obj", "t.obj")):
            self.run_with(mesh)
            (self.folder / copy).write_text(TETRAHEDRON.format(0.41))
            said = self.hydrolith("resume", "run", "--set", "duration=0.1", expect=2).stderr
            self.assertIn(f"{copy} has changed since the checkpoint was made", said)
            (self.folder / copy).unlink()
            said = self.hydrolith("resume", "run", "--set", "duration=0.1", expect=3).stderr
            self.assertIn("there is no file", said)
            (self.folder / copy).write_text(TETRAHEDRON.format(0.4))
            self.hydrolith("resume", "run", "-q", "--set", "duration=0.1")
            self.assertEqual(differences(self.folder, "straight", "run"), [])
            subprocess.run(["rm", "-r", "run", "straight"], cwd=self.folder, check=True)


@unittest.skipUnless(os.environ.get("HYDROLITH_BAD_DISK"), "needs HYDROLITH_BAD_DISK")
class BadDisk(RestartTest):
    """A few of the moments that crash_points.py tries one after the other."""

    def test_killed_or_full_at_any_call_that_changes_a_file(self):
        dice = random.Random(7)
        for engine in ("particles", "hybrid"):
            points = CrashPoints(self.folder, engine, duration=0.05)
            for kind in ("kill", "full"):
                for call in dice.sample(range(1, points.calls + 1), 6):
                    points.end_at(kind, call, dice.randint(1, points.calls))


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
        self.hydrolith("resume", "run", "--set", "spacing=0.1", "--anew", expect=2)
        self.assertEqual(len(list((self.folder / "run" / "frames").glob("*.h5"))), frames)
        self.hydrolith("resume", "run", "--set", "duration=0.06", expect=4)
        told = self.hydrolith("resume", "run", "--set", "duration=0.06", "--anew").stdout
        self.assertIn(f"its {frames} frames are made anew", told)
        self.assertIn("changed duration", told)

    def test_output_and_tolerance_may(self):
        self.hydrolith("run", "scene.yaml", "-o", "run", "-q", "--set", "duration=0.05")
        self.hydrolith("resume", "run", "-q", "--set", "duration=0.1", "--set", "output.frame_rate=120",
                       "--set", "solver.tolerance=1e-3")
        history = " ".join(self.record("run")["history"])
        for text in ("output.frame_rate: 60 -> 120", "solver.tolerance: (default) -> 1e-3"):
            self.assertIn(text, history)

    def test_formats_may(self):
        self.hydrolith("run", "scene.yaml", "-o", "run", "-q", "--set", "duration=0.05", "--set", "output.formats=[hdf5]")
        before = len(list((self.folder / "run" / "frames").glob("*.h5")))
        self.hydrolith("resume", "run", "-q", "--set", "duration=0.1", "--set", "output.formats=[hdf5, vtk]")
        frames = sorted((self.folder / "run" / "frames").glob("*.h5"))
        self.assertGreater(len(frames), before)
        listed = (self.folder / "run" / "vtk" / "run.pvd").read_text()
        self.assertIn(f"_{len(frames) - 1:06}.vtp", listed)
        for file in set(re.findall(r'file="([^"]+)"', listed)):
            self.assertTrue((self.folder / "run" / "vtk" / file).exists(), file)

    def test_a_run_that_could_not_go_on_does_with_other_settings(self):
        done = self.hydrolith("run", "scene.yaml", "-o", "run", "-q", "--set", "solver.max_travel=0.0022", expect=5)
        self.assertIn("hydrolith resume run --set time_step=...", done.stderr)
        self.assertEqual(self.record("run")["state"], "failed")
        self.hydrolith("resume", "run", "-q", "--set", "solver.max_travel=2")
        self.assertEqual(self.record("run")["state"], "finished")

    def test_a_duration_that_is_over_is_refused(self):
        self.hydrolith("run", "scene.yaml", "-o", "run", "-q", "--set", "duration=0.1")
        done = self.hydrolith("resume", "run", "--set", "duration=0.05", expect=2)
        self.assertIn("the run is at t = 0.1", done.stderr)
        self.assertIn("duration: 0.1", (self.folder / "run/scene.yaml").read_text())

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
        for _ in range(10):  # checkpoints come and go
            self.assertIn("  state       running", self.hydrolith("info", "run").stdout)
        run.kill()
        run.wait()
        self.assertIn("ended without a word", self.hydrolith("info", "run").stdout)
        info = json.loads(self.hydrolith("info", "run", "--json", "--quick").stdout)
        self.assertEqual(info["state"], "ended")
        self.assertTrue(info["can_go_on"])

    def test_a_finished_run_stays_as_it_is(self):
        self.hydrolith("run", "scene.yaml", "-o", "a", "-q", "--set", "duration=0.05")
        self.hydrolith("run", "scene.yaml", "-o", "b", "-q", "--set", "duration=0.05")
        self.assertIn("already finished", self.hydrolith("resume", "b").stdout)
        self.assertEqual(differences(self.folder, "a", "b"), [])

    def test_something_else_is_no_run(self):
        done = self.hydrolith("resume", ".", expect=4)
        self.assertIn("not the folder of a run", done.stderr)

    def test_two_resumes_at_once_do_not_meet(self):
        self.hydrolith("run", "scene.yaml", "-o", "run", "-q", "--set", "duration=0.05")
        self.hydrolith("run", "scene.yaml", "-o", "straight", "-q")
        both = [subprocess.Popen([COMMAND, "resume", "run", "-q", "--set", "duration=0.4"], cwd=self.folder, text=True,
                                 stderr=subprocess.PIPE) for _ in range(2)]
        said = [process.communicate()[1] for process in both]
        codes = [process.returncode for process in both]
        self.assertIn(0, codes, said)
        if codes != [0, 0]:  # else the second came when the first was done
            self.assertEqual(sorted(codes), [0, 4])
            self.assertIn("another process", "".join(said))
        self.assertEqual(differences(self.folder, "straight", "run"), [])

    def test_a_closed_terminal_leaves_a_checkpoint(self):
        self.hydrolith("run", "scene.yaml", "-o", "straight", "-q")
        master, slave = pty.openpty()
        run = subprocess.Popen([COMMAND, "run", "scene.yaml", "-o", "run", "--set", "output.checkpoint_steps=0"],
                               cwd=self.folder, stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
                               preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.close(slave)
        os.read(master, 100)
        while not (self.folder / "run" / "frames" / "frame_000003.h5").exists():
            time.sleep(0.01)
        os.close(master)  # SIGHUP, and nobody reads what is printed
        run.wait()
        self.assertEqual(self.record("run")["state"], "interrupted")
        self.assertEqual(len(self.checkpoints("run")), 1)
        self.hydrolith("resume", "run", "-q")
        self.assertEqual(differences(self.folder, "straight", "run"), [])

    def test_a_second_ctrl_c_ends_it_at_once(self):
        run = subprocess.Popen([COMMAND, "run", "scene.yaml", "-o", "run", "-q", "--set", "duration=100"],
                               cwd=self.folder)
        while not self.checkpoints("run"):
            time.sleep(0.01)
        run.send_signal(signal.SIGSTOP)  # so that both arrive within one step
        run.send_signal(signal.SIGTERM)
        run.send_signal(signal.SIGCONT)
        time.sleep(0.001)
        run.send_signal(signal.SIGTERM)
        self.assertIn(run.wait(), (-signal.SIGTERM, 130))
        self.hydrolith("resume", "run", "-q", "--set", "duration=0.05")


class Info(RestartTest):
    def setUp(self):
        super().setUp()
        self.hydrolith("run", "scene.yaml", "-o", "run", "-q", "--set", "duration=0.1")
        self.frames = sorted((self.folder / "run" / "frames").glob("*.h5"))

    def info(self, *words, expect=0):
        return json.loads(self.hydrolith("info", "run", "--json", *words, expect=expect).stdout)

    def test_for_programs(self):
        info = self.info()
        self.assertEqual((info["scene"], info["state"], info["whole"], info["can_go_on"]),
                         ("everything", "finished", True, False))
        self.assertEqual(info["frames"], len(self.frames))
        self.assertEqual(len(info["checkpoints"]), 2)
        self.assertAlmostEqual(info["time"], 0.1)
        self.assertEqual(info["bytes"], sum(f.stat().st_size for f in (self.folder / "run").rglob("*") if f.is_file()))
        self.assertEqual({**info, "frames_checked": False}, self.info("--quick"))

    def test_tells_missing_and_damaged_frames(self):
        self.frames[1].unlink()
        self.frames[2].write_bytes(self.frames[2].read_bytes()[:-700])
        content = bytearray(self.frames[3].read_bytes())
        content[len(content) // 3] ^= 1
        self.frames[3].write_bytes(content)
        shown = self.hydrolith("info", "run", expect=4).stdout
        self.assertIn(f"frames      {len(self.frames) - 3} whole", shown)
        self.assertIn("missing: 1", shown)
        for frame in self.frames[2:4]:
            self.assertIn(f"damaged     run/frames/{frame.name}", shown)
        info = self.info(expect=4)
        self.assertEqual(info["frames_missing"], [1])
        self.assertEqual(len(info["faults"]), 2)
        self.assertFalse(info["whole"])

    def test_does_not_need_everything_to_be_there(self):
        for name in ("objects.h5", "metrics.csv", "scene.yaml", "run.json"):
            (self.folder / "run" / name).unlink()
            info = self.info(expect=4)
            self.assertTrue(any(name in fault for fault in info["faults"]), info["faults"])
        self.assertEqual(info["state"], "unknown")


if __name__ == "__main__":
    unittest.main()
