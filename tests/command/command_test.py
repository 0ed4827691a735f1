"""The command as a person meets it: messages, exit codes, results, interruptions."""

import csv
import json
import os
import pathlib
import pty
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree

COMMAND = os.environ["HYDROLITH_COMMAND"]
SOURCE = pathlib.Path(os.environ["HYDROLITH_SOURCE"])

SCENE = """\
name: drop
spacing: 0.05
duration: 0.2
time_step: 5 ms
liquids:
  - {name: water, shape: {box: {size: [0.5, 0.5, 0.5]}}}
bodies:
  - {name: ball, shape: {sphere: 0.2}, at: [2, 0, 0], density: 500}
probes:
  - {name: ball, pose: ball}
expect:
  # y_n = -g dt^2 n (n + 1) / 2 with n = 40
  - {metric: ball.position.y, equals: -0.20109, margin: 1e-4}
"""
LONG = SCENE.replace("duration: 0.2", "duration: 2000")


class CommandTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def scene(self, text=SCENE, name="drop.yaml"):
        (self.folder / name).write_text(text)
        return name

    def hydrolith(self, *args, **kwargs):
        return subprocess.run([COMMAND, *args], cwd=self.folder, text=True, capture_output=True,
                              timeout=300, **kwargs)

    def start(self, *args):
        return subprocess.Popen([COMMAND, *args], cwd=self.folder, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def state(self, run):
        return json.loads((self.folder / run / "run.json").read_text())["state"]


class Run(CommandTest):
    def test_a_run_writes_its_folder_and_verifies_itself(self):
        done = self.hydrolith("run", self.scene(), "-o", "out", "--verify")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("pass  ball.position.y at the end", done.stdout)
        self.assertIn("Look at it:     hydrolith view out", done.stdout)
        out = self.folder / "out"
        self.assertEqual((out / "scene.yaml").read_text(), SCENE)
        self.assertEqual(len(list((out / "frames").glob("frame_*.h5"))), 6)  # 0, 0.04, ... 0.2 s
        rows = (out / "metrics.csv").read_text().splitlines()
        self.assertEqual(len(rows), 1 + 41)  # header, the start, 40 steps
        self.assertEqual(self.state("out"), "finished")

    def test_a_failed_expectation_is_exit_code_1_only_with_verify(self):
        scene = self.scene(SCENE.replace("-0.20109", "-0.25"))
        self.assertEqual(self.hydrolith("run", scene, "-o", "a").returncode, 0)
        done = self.hydrolith("run", scene, "-o", "b", "--verify", "--quiet")
        self.assertEqual(done.returncode, 1)
        self.assertIn("FAIL  ball.position.y", done.stdout)

    def test_quiet_says_nothing_when_all_is_well(self):
        done = self.hydrolith("run", self.scene(), "-o", "out", "--quiet", "--verify")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_an_existing_run_is_not_overwritten(self):
        self.hydrolith("run", self.scene(), "-o", "out", "-q")
        done = self.hydrolith("run", self.scene(), "-o", "out")
        self.assertEqual(done.returncode, 4)
        self.assertIn("already holds a run", done.stderr)
        self.assertEqual(self.state("out"), "finished")

    def test_without_output_the_folder_is_numbered(self):
        self.hydrolith("run", self.scene(), "-q")
        self.hydrolith("run", self.scene(), "-q")
        self.assertTrue((self.folder / "runs/drop/run.json").exists())
        self.assertTrue((self.folder / "runs/drop-2/run.json").exists())

    def test_overrides_are_recorded_in_the_scene_as_run(self):
        done = self.hydrolith("run", self.scene(), "-o", "out", "-q", "--set", "duration=0.1",
                              "--set", "liquids[0].density=800")
        self.assertEqual(done.returncode, 0, done.stderr)
        text = (self.folder / "out/scene.yaml").read_text()
        self.assertIn("800", text)
        again = self.hydrolith("run", "out/scene.yaml", "-o", "again", "-q")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual((self.folder / "out/metrics.csv").read_text(),
                         (self.folder / "again/metrics.csv").read_text())

    def test_the_number_of_threads_does_not_change_a_bit(self):
        for n in ("1", "2", "7"):
            self.hydrolith("run", self.scene(), "-o", n, "-q", "--threads", n)
        self.assertEqual((self.folder / "1/metrics.csv").read_text(),
                         (self.folder / "7/metrics.csv").read_text())
        for frame in sorted((self.folder / "1/frames").iterdir()):
            self.assertEqual(frame.read_bytes(),
                             (self.folder / "2/frames" / frame.name).read_bytes(), frame.name)

    def test_a_run_with_a_mesh_can_be_run_again_from_its_own_folder(self):
        (self.folder / "parts").mkdir()
        (self.folder / "parts/tetra.obj").write_text(
            "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
        scene = self.scene(SCENE.replace("{sphere: 0.2}", "{mesh: parts/tetra.obj}"))
        self.assertEqual(self.hydrolith("run", scene, "-o", "out", "-q").returncode, 0)
        again = self.hydrolith("run", "out/scene.yaml", "-o", "again", "-q")
        self.assertEqual(again.returncode, 0, again.stderr)

    def test_a_closed_pipe_does_not_end_the_run(self):
        run = self.start("run", self.scene(), "-o", "out")
        run.stdout.close()
        run.stderr.close()
        run.wait(timeout=120)
        self.assertEqual(self.state("out"), "finished")

    def test_vtk_and_ply_are_written_on_request(self):
        done = self.hydrolith("run", self.scene(), "-o", "out", "-q",
                              "--set", "output.formats=[hdf5, vtk, ply]")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(list((self.folder / "out/vtk").rglob("*.vtp")))
        self.assertTrue(list((self.folder / "out/vtk").glob("*.pvd")))
        self.assertTrue(list((self.folder / "out/ply").rglob("*.ply")))

    def test_progress_is_plain_lines_in_a_log_and_one_line_on_a_terminal(self):
        done = self.hydrolith("run", self.scene(), "-o", "out")
        self.assertIn("100 %  t 0.200 / 0.2 s  step 40  dt 5 ms", done.stdout)
        self.assertNotIn("\r", done.stdout)
        try:
            reader, writer = pty.openpty()
        except OSError as error:
            self.skipTest(f"no terminal to be had here: {error}")
        live = subprocess.Popen([COMMAND, "run", "drop.yaml", "-o", "live"], cwd=self.folder,
                                stdout=writer, stderr=writer)
        live.wait(timeout=120)
        os.close(writer)
        shown = os.read(reader, 1 << 20).decode()
        os.close(reader)
        self.assertIn("\r\033[K100 %", shown)


class Stopping(CommandTest):
    def wait_for_frames(self, run, count):
        frames = self.folder / run / "frames"
        for _ in range(600):
            if frames.exists() and len(list(frames.glob("frame_*.h5"))) >= count:
                return
            time.sleep(0.05)
        self.fail("no frames were written")

    def test_ctrl_c_ends_in_order_and_says_how_to_go_on(self):
        run = self.start("run", self.scene(LONG), "-o", "out")
        self.wait_for_frames("out", 3)
        run.send_signal(signal.SIGINT)
        shown, _ = run.communicate(timeout=60)
        self.assertEqual(run.returncode, 130)
        self.assertIn("hydrolith resume out", shown)
        self.assertEqual(self.state("out"), "interrupted")
        info = self.hydrolith("info", "out")
        self.assertEqual(info.returncode, 0, info.stderr)
        self.assertIn("interrupted", info.stdout)

    def test_a_kill_at_any_moment_leaves_only_whole_frames(self):
        seed = 20240607
        print("seed", seed)
        dice = random.Random(seed)
        for n in range(6):
            run = self.start("run", self.scene(LONG), "-o", f"out{n}", "-q")
            self.wait_for_frames(f"out{n}", 2)
            time.sleep(dice.uniform(0, 0.2))
            run.kill()
            run.communicate()
            info = self.hydrolith("info", f"out{n}")
            self.assertEqual(info.returncode, 0, info.stderr)
            self.assertIn("ended without a word", info.stdout)
            pictures = self.hydrolith("render", f"out{n}", "--size", "32x18", "--no-video", "-q",
                                      "--frames", "0:3")
            self.assertEqual(pictures.returncode, 0, pictures.stderr)

    def test_a_full_disk_is_a_clear_error_and_keeps_what_was_finished(self):
        def small_files_only():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, 150_000))
        scene = self.scene(LONG.replace("[0.5, 0.5, 0.5]", "[1, 1, 1]"))
        done = self.hydrolith("run", scene, "-o", "out", "--set", "duration=20",
                              preexec_fn=small_files_only)
        self.assertEqual(done.returncode, 4)
        self.assertIn("out/", done.stderr)
        info = self.hydrolith("info", "out")
        self.assertEqual(info.returncode, 0, info.stderr)

    def test_an_unwritable_folder_is_a_clear_error(self):
        (self.folder / "file").write_text("not a folder")
        done = self.hydrolith("run", self.scene(), "-o", "file/out")
        self.assertEqual(done.returncode, 4)
        self.assertIn("file/out", done.stderr)


class Faults(CommandTest):
    def test_all_faults_of_a_scene_are_told_at_once_with_exit_code_3(self):
        scene = self.scene(SCENE.replace("spacing", "spaicng").replace("density: 500", "density: -5"))
        for command in ("check", "run"):
            done = self.hydrolith(command, scene)
            self.assertEqual(done.returncode, 3)
            self.assertIn('drop.yaml:2:1  spaicng: unknown key. Did you mean "spacing"?', done.stderr)
            self.assertIn("bodies[0].density", done.stderr)
            self.assertIn("2 faults in the scene.", done.stderr)

    def test_an_unknown_metric_is_found_by_check(self):
        done = self.hydrolith("check", self.scene(SCENE.replace("ball.position.y", "ball.positon.y")))
        self.assertEqual(done.returncode, 3)
        self.assertIn('Did you mean "ball.position.y"?', done.stderr)

    def test_an_open_mesh_with_a_density_says_so(self):
        (self.folder / "sheet.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0.3\nf 1 2 3\nf 2 4 3\n")
        done = self.hydrolith("check", self.scene(SCENE.replace(
            "{sphere: 0.2}", "{mesh: {file: sheet.obj, repair: false}}")))
        self.assertEqual(done.returncode, 3)
        self.assertIn("the mesh is open", done.stderr)

    def test_what_cannot_fit_in_memory_is_refused_before_trying(self):
        for change in ("spacing=10 um", "bodies[0].shape={sphere: 1000, scale: 1000}"):
            done = self.hydrolith("check", self.scene(), "--set", change)
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertIn("this machine has", done.stderr)

    def test_check_tells_the_memory_that_a_run_takes(self):
        """To a quarter, on 100,000 particles."""
        scene = str(SOURCE / "bench/scenes/dam_break_100k.yaml")
        told = self.hydrolith("check", scene).stdout.split("memory      about ")[1].split()
        told = float(told[0]) * {"MiB": 2 ** 20, "GiB": 2 ** 30}[told[1]]
        run = self.start("run", scene, "--output", "run", "--set", "duration=5ms")
        run.communicate()
        # The largest of all children so far; the others are small.
        peak = 1024 * resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        self.assertEqual(run.returncode, 0)
        self.assertLess(abs(told - peak), 0.25 * peak, f"{told:.3g} told, {peak:.3g} taken")

    def test_liquid_that_leaves_its_container_and_thin_syrup_are_told(self):
        self.scene("""\
name: leak
solver: {volumes: kernel}
spacing: 0.05
duration: 0.5
liquids:
  - {name: syrup, viscosity: 1000, velocity: [4, 0, 0], shape: {box: [0.3, 0.3, 0.3], at: [0, 0.15, 0]}}
bodies:
  - {name: floor, kind: static, shape: {box: [1, 0.2, 1], at: [0, -0.1, 0]}}
""", "leak.yaml")
        out = self.hydrolith("run", "leak.yaml", "--output", "run")
        log = (self.folder / "run/log.txt").read_text()
        for text in (out.stdout, log):
            self.assertIn("liquid particles are outside the box around all static bodies", text)
            self.assertIn("of a viscosity of 1000 Pa s only", text)
        told = "\n".join(json.loads((self.folder / "run/run.json").read_text())["warnings"])
        info = self.hydrolith("info", "run").stdout
        for text in (told, info):  # and so the viewer
            self.assertIn("liquid particles are outside", text)
            self.assertIn("of a viscosity of 1000 Pa s only", text)
        rows = list(csv.DictReader((self.folder / "run/metrics.csv").open()))
        self.assertEqual(float(rows[0]["outside"]), 0)
        self.assertGreater(float(rows[-1]["outside"]), 0)
        self.assertLess(float(rows[-1]["viscosity_share"]), 1)

    def test_liquid_outside_the_domain_is_told(self):
        done = self.hydrolith("check", self.scene(), "--set",
                              "domain={min: [-1, 0, -1], max: [1, 1, 1]}")
        self.assertEqual(done.returncode, 3)
        self.assertIn("outside the domain", done.stderr)

    def test_liquid_that_does_not_fit_is_told(self):
        done = self.hydrolith("check", self.scene(), "--set", "liquids[0].shape={sphere: 0.01}")
        self.assertEqual(done.returncode, 3)
        self.assertIn("no liquid fits here", done.stderr)

    def test_a_mistyped_command_is_understood(self):
        done = self.hydrolith("exprot", "out")
        self.assertEqual(done.returncode, 2)
        self.assertIn('Did you mean "export"?', done.stderr)

    def test_wrong_usage_is_exit_code_2(self):
        for words in ((), ("fly",), ("run",), ("run", "drop.yaml", "--threads", "many"),
                      ("run", "no-such-scene"), ("render", "nowhere", "--size", "big")):
            done = self.hydrolith(*words)
            self.assertIn(done.returncode, (2, 4), words)
            self.assertTrue(done.stderr, words)

    def test_a_missing_scene_suggests_a_gallery_scene(self):
        done = self.hydrolith("run", "fountian")
        self.assertEqual(done.returncode, 2)
        self.assertIn('Did you mean "fountain"?', done.stderr)

    def test_info_on_something_else_is_an_io_error(self):
        done = self.hydrolith("info", ".")
        self.assertEqual(done.returncode, 4)
        self.assertIn("run.json", done.stderr)


FLAT = """\
name: flat
dimensions: 2
spacing: 0.1
duration: 0.1
time_step: 5 ms
liquids:
  - {name: water, shape: {box: [1, 0.6], at: [0, 0.3]}}
bodies:
  - {name: tank, kind: static, shape: {box: [1, 2], inside_out: true}, at: [0, 1]}
  - {name: ball, shape: {sphere: 0.2}, at: [0, 0.6], density: 500}
probes:
  - {name: ball, pose: ball}
expect:
  - {metric: ball.position.x, equals: 0, margin: 0.1}
  - {metric: ball.position.x, time: 1 s, equals: 0, margin: 0.1}
"""


class Compare(CommandTest):
    def rows(self, file):
        lines = [line for line in (self.folder / file).read_text().splitlines(keepends=True)
                 if not line.startswith("#")]
        return list(csv.DictReader(lines))

    def test_all_combinations_are_run_and_a_refused_one_is_a_row(self):
        done = self.hydrolith("compare", self.scene(FLAT), "-o", "out", "-j", "1",
                              "--vary", "solver.method=automatic,magic", "--vary", "time_step=5ms,2ms")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = self.rows("out/table.csv")
        self.assertEqual([(r["solver.method"], r["time_step"], r["outcome"]) for r in rows],
                         [("automatic", "5ms", "stable"), ("automatic", "2ms", "stable"),
                          ("magic", "5ms", "refused"), ("magic", "2ms", "refused")])
        self.assertEqual([r["steps"] for r in rows], ["20", "50", "", ""])
        self.assertIn("magic", rows[2]["reason"])
        self.assertIn("pass: ", rows[0]["expect ball.position.x at the end"])
        self.assertIn("left out: after the end", rows[0]["notes"])
        self.assertIn("--max-void", (self.folder / "out/table.md").read_text())
        self.assertEqual(len(list((self.folder / "out/metrics").iterdir())), 2)
        page = xml.etree.ElementTree.fromstring((self.folder / "out/compare.html").read_text())
        charts = page.findall(".//figure")
        self.assertEqual(len(charts), 1 + 5 + 1)  # processor time, five metrics, what is expected
        again = self.hydrolith("compare", "drop.yaml", "-o", "out")
        self.assertEqual(again.returncode, 4)
        self.assertIn("already holds a comparison", again.stderr)

    def test_the_metrics_are_those_of_a_run(self):
        self.hydrolith("compare", self.scene(FLAT), "-o", "out", "-q")
        self.hydrolith("run", "drop.yaml", "-o", "run", "-q", "--set",
                       "expect=[]")  # one lies after the end
        self.assertEqual((self.folder / "out/metrics/01.csv").read_text(),
                         (self.folder / "run/metrics.csv").read_text())

    def test_an_unstable_variant_says_why_and_when(self):
        done = self.hydrolith("compare", self.scene(FLAT), "-o", "out", "--max-speed", "1e-6")
        self.assertEqual(done.returncode, 0, done.stderr)
        row = self.rows("out/table.csv")[0]
        self.assertEqual((row["outcome"], row["steps"], row["unstable at [s]"]),
                         ("unstable", "1", "0.005"))
        self.assertIn("more than 1e-06", row["reason"])

    def test_the_search_lists_what_it_tried(self):
        done = self.hydrolith("compare", self.scene(FLAT), "-o", "out", "-q", "--resolution", "2",
                              "--largest-stable-step=2.5ms:10ms")
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        tries = self.rows("out/tries.csv")
        stable = [float(t["step [s]"]) for t in tries if t["outcome"] == "stable"]
        self.assertEqual(float(tries[0]["step [s]"]), 0.005)
        row = self.rows("out/table.csv")[0]
        self.assertEqual(float(row["largest stable step [s]"]), max(stable))
        self.assertEqual(row["gain"], "1")

    def test_ctrl_c_ends_with_what_is_there(self):
        run = self.start("compare", self.scene(FLAT), "-o", "out", "--vary", "duration=0.05,2000,1")
        self.assertIn("[2/3]", self.line_with(run, "[2/3]"))
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=60)
        self.assertEqual(run.returncode, 130)
        rows = self.rows("out/table.csv")
        self.assertEqual([r["outcome"] for r in rows], ["stable", "interrupted"])

    def line_with(self, run, part):
        for line in run.stdout:
            if part in line:
                return line
        return ""

    def test_wrong_words_are_told(self):
        for words in (("--vary", "spacing"), ("--vary", "spacing=1,,2"),
                      ("--largest-stable-step=soon",), ("--largest-stable-step=1m:2m",),
                      ("--largest-stable-step=2ms:1ms",),
                      ("--largest-stable-step=1ms:2ms", "--vary", "time_step=1ms,2ms")):
            done = self.hydrolith("compare", self.scene(FLAT), *words)
            self.assertEqual(done.returncode, 2, words)
            self.assertTrue(done.stderr, words)
        all_wrong = self.hydrolith("compare", self.scene(FLAT), "--vary", "spacing=-1,-2")
        self.assertEqual(all_wrong.returncode, 3)


class Look(CommandTest):
    def test_help_names_every_command_and_the_exit_codes(self):
        done = self.hydrolith("--help")
        self.assertEqual(done.returncode, 0)
        for word in ("run", "check", "schema", "info", "render", "resume", "gallery", "compare", "Exit codes"):
            self.assertIn(word, done.stdout)

    def test_version_tells_the_code_path(self):
        self.assertRegex(self.hydrolith("--version").stdout, r"hydrolith \d+\.\d+\.\d+, .*built: ")

    def test_check_tells_what_would_be_simulated(self):
        done = self.hydrolith("check", self.scene())
        self.assertEqual(done.returncode, 0, done.stderr)
        for part in ("1000 particles", "1 dynamic", "5 ms", "memory",
                     "spacings apart; rest volumes vary by at most"):
            self.assertIn(part, done.stdout)

    def test_the_gallery_lists_scenes_that_check(self):
        done = self.hydrolith("gallery")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("has faults", done.stdout)
        for file in sorted((SOURCE / "scenes").glob("*.yaml")):
            self.assertIn(file.stem, done.stdout)
            checked = self.hydrolith("check", file.stem, "--quiet")
            self.assertEqual(checked.returncode, 0, f"{file.stem}: {checked.stderr}")

    def test_the_schema_is_json_and_the_reference_in_docs_is_up_to_date(self):
        schema = self.hydrolith("schema").stdout
        json.loads(schema)
        self.assertEqual(schema, (SOURCE / "docs/scene-schema.json").read_text(), "run `make docs`")
        page = self.hydrolith("schema", "--format", "markdown").stdout
        self.assertEqual(page, (SOURCE / "docs/scene-reference.md").read_text(), "run `make docs`")

    def test_pictures_are_made_once(self):
        self.hydrolith("run", self.scene(), "-o", "out", "-q")
        words = ("render", "out", "--size", "64x36", "--no-video")
        self.assertIn("6 made, 0 were there", self.hydrolith(*words).stdout)
        self.assertIn("0 made, 6 were there", self.hydrolith(*words).stdout)
        self.assertIn("1 made", self.hydrolith(*words, "--frames", "last", "-o", "one").stdout)
        self.assertIn("6 made", self.hydrolith(*words, "--colour-by", "body").stdout)
        wrong = self.hydrolith(*words, "--frames", "90:95")
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("the run has frames 0 to 5", wrong.stderr)


class Gallery(CommandTest):
    def test_every_gallery_scene_is_valid(self):
        for file in sorted((SOURCE / "scenes").glob("*.yaml")):
            done = self.hydrolith("check", file.stem)
            self.assertEqual(done.returncode, 0, f"{file.stem}: {done.stdout}{done.stderr}")

    # The rest of the gallery takes minutes: `make gallery` runs all of it.
    QUICK = ["tumble", "incline_stick", "incline_slide", "box_on_fixed_box", "hybrid_hydrostatic",
             "koshizuka_hybrid_2d", "koshizuka_2d"]
    SHORT = {"hydrostatic": "duration=1", "neutral": "duration=0.2", "growing_pillar": "parameters.height=0.3",
             "hybrid_water_wheel": "engine=particles"}

    def test_quick_gallery_scenes_meet_their_expectations(self):
        for name in self.QUICK:
            done = self.hydrolith("run", name, "-o", name, "-q", "--verify")
            self.assertEqual(done.returncode, 0, f"{name}: {done.stdout}{done.stderr}")

    def test_scenes_of_particle_liquid_meet_their_expectations_when_made_short(self):
        for name, setting in self.SHORT.items():
            done = self.hydrolith("run", name, "-o", name, "-q", "--verify", "--set", setting)
            self.assertEqual(done.returncode, 0, f"{name}: {done.stdout}{done.stderr}")


if __name__ == "__main__":
    unittest.main(verbosity=1)
