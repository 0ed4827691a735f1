"""Runs written and read from Python."""

import json
import os
import pathlib
import signal
import tempfile
import threading
import unittest

import hydrolith
import numpy as np
from scenes import ENGINES, brick, floating


class RunTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name) / "run"

    def state(self):
        return json.loads((self.folder / "run.json").read_text())["state"]


class Writing(RunTest):
    def test_a_run_is_what_stepping_gives(self):
        scene = floating(output={"frame_rate": 50})
        seen = []
        result = hydrolith.run(scene, self.folder, progress=lambda p: seen.append(p.step.time))
        self.assertTrue(result.finished)
        self.assertEqual((result.steps, len(seen)), (25, 25))
        simulation = hydrolith.Simulation(scene)
        while not simulation.finished:
            simulation.step()
        run = hydrolith.Run(self.folder)
        last = run[-1]
        self.assertEqual((len(run), result.frames), (6, 6))  # 0, 0.02, ... 0.1 s
        np.testing.assert_array_equal(last.liquids[0].position,
                                      simulation.liquid.position.astype(np.float32))
        np.testing.assert_array_equal(last.bodies.position, simulation.bodies.position)
        np.testing.assert_array_equal(last.bodies.forces.pressure.force,
                                      simulation.bodies.forces.pressure.force)

    def test_on_step_pushes_in_a_run_as_in_memory(self):
        for engine in ENGINES:
            with self.subTest(engine):
                folder = self.folder / engine
                held = []

                def push(simulation):
                    held[:] = [simulation, simulation.liquid.position]
                    simulation.body("box").apply_force([3, 0, 0])

                hydrolith.run(floating(engine=engine), folder, on_step=push)
                simulation = hydrolith.Simulation(floating(engine=engine))
                simulation.on_step(lambda s: s.body("box").apply_force([3, 0, 0]))
                while not simulation.finished:
                    simulation.step()
                run = hydrolith.Run(folder)
                np.testing.assert_array_equal(run[-1].bodies.position, simulation.bodies.position)
                # The simulation of a run ends with it; its arrays do not.
                with self.assertRaisesRegex(hydrolith.Error, "ended with the run"):
                    held[0].time
                with self.assertRaisesRegex(hydrolith.Error, "ended with the run"):
                    held[0].step()
                self.assertEqual(held[1].shape[1], 3)
                self.assertTrue(np.isfinite(held[1]).all())

    def test_stop_ends_in_order(self):
        event = threading.Event()
        result = hydrolith.run(brick(duration=1000), self.folder, stop=event.is_set,
                               progress=lambda p: p.step.step == 7 and event.set())
        self.assertFalse(result.finished)
        self.assertEqual(result.steps, 7)
        self.assertEqual(self.state(), "interrupted")

    def test_ctrl_c_ends_in_order_and_is_raised(self):
        def in_progress(progress):
            if progress.step.step == 5:
                os.kill(os.getpid(), signal.SIGINT)

        def in_on_step(simulation):
            if simulation.metrics["step"] == 5:
                os.kill(os.getpid(), signal.SIGINT)

        timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
        for n, callback in enumerate(({"progress": in_progress}, {"on_step": in_on_step}, {})):
            folder = self.folder / str(n)
            if not callback:
                timer.start()
            with self.assertRaises(KeyboardInterrupt):
                hydrolith.run(brick(duration=1e5), folder, **callback)
            record = hydrolith.Run(folder).record
            self.assertEqual(record["state"], "interrupted")
            if callback:
                self.assertEqual(record["steps"], 5)

    def test_an_exception_in_a_callback_ends_the_run_as_failed(self):
        def fail(_):
            raise ZeroDivisionError("on purpose")

        for n, callback in enumerate(("on_step", "progress", "stop")):
            folder = self.folder / str(n)
            fail_here = fail if callback != "stop" else lambda: fail(None)
            with self.assertRaisesRegex(ZeroDivisionError, "on purpose"):
                hydrolith.run(brick(), folder, **{callback: fail_here})
            record = hydrolith.Run(folder).record
            self.assertEqual(record["state"], "failed")
            self.assertIn("on purpose", record["message"])

    def test_errors_are_those_of_the_command(self):
        hydrolith.run(brick(duration=0.02), self.folder)
        with self.assertRaisesRegex(hydrolith.IoError, "already holds a run"):
            hydrolith.run(brick(), self.folder)
        with self.assertRaises(TypeError):
            hydrolith.run(brick(), self.folder / "x", progress=3)
        file = self.folder / "file"
        file.write_text("")
        with self.assertRaises(hydrolith.IoError):
            hydrolith.run(brick(), file / "x")

    def test_expectations_are_told(self):
        scene = brick(duration=0.02, expect=[{"metric": "time", "above": 0.01},
                                             {"metric": "time", "above": 5}])
        result = hydrolith.run(scene, self.folder)
        self.assertEqual([v.passed for v in result.verdicts], [True, False])


class Resuming(RunTest):
    def test_a_stopped_run_goes_on_to_the_same_end(self):
        def push(simulation):
            simulation.body("box").apply_force([3, 0, 0])

        straight, stopped = self.folder / "a", self.folder / "b"
        hydrolith.run(floating(), straight, on_step=push)
        steps = []
        hydrolith.run(floating(), stopped, on_step=push, progress=lambda p: steps.append(p.step.step),
                      stop=lambda: len(steps) == 10)
        news = []
        result = hydrolith.resume(stopped, tell=news.append, on_step=push)
        self.assertTrue(result.finished)
        self.assertTrue(news)
        self.assertEqual(len(steps), 10)
        self.assertEqual((straight / "metrics.csv").read_bytes(), (stopped / "metrics.csv").read_bytes())
        with self.assertRaises(hydrolith.Error):
            hydrolith.resume(stopped, ["gravity=[0, 0, 0]"])


class Reading(RunTest):
    def test_frames_metrics_and_record(self):
        hydrolith.run(floating(output={"frame_rate": 50, "fields": ["velocity", "pressure"]}),
                      self.folder)
        run = hydrolith.Run(str(self.folder))
        self.assertEqual([f.index for f in run], list(range(6)))
        self.assertEqual(run[0].time, 0)
        for wrong in (6, -7, 1 << 40):
            with self.assertRaises(IndexError):
                run[wrong]
        with self.assertRaises(TypeError):
            run["0"]
        self.assertEqual(run.objects.bodies[1].name, "box")
        metrics = run.metrics
        self.assertEqual(len(metrics["time"]), 26)  # the start and 25 steps
        self.assertEqual(metrics["time"][-1], run[-1].time)
        self.assertEqual(run.record["state"], "finished")
        self.assertEqual(run.record["steps"], 25)
        water = run[-1].liquids[0]
        self.assertEqual(water.fields["velocity"].shape, (len(water), 3))
        self.assertEqual(water.fields["pressure"].shape, (len(water),))
        self.assertEqual(pathlib.Path(run.folder), self.folder)

    def test_arrays_of_a_frame_outlive_it(self):
        hydrolith.run(floating(duration=0.02), self.folder)
        x = hydrolith.Run(self.folder)[0].liquids[0].position
        self.assertTrue(np.isfinite(x).all())
        self.assertEqual(x.dtype, np.float32)

    def test_a_running_run_can_be_followed(self):
        lengths = []

        def look(progress):
            run = hydrolith.Run(self.folder)
            lengths.append((len(run), run.update()))

        hydrolith.run(floating(output={"frame_rate": 250}), self.folder, progress=look)
        self.assertTrue(all(a <= b for a, b in lengths))
        self.assertGreater(hydrolith.Run(self.folder).update(), 20)

    def test_what_is_no_run_or_damaged_is_an_io_error(self):
        with self.assertRaisesRegex(hydrolith.IoError, "not the folder of a run"):
            hydrolith.Run(self.folder)
        hydrolith.run(floating(duration=0.02), self.folder)
        frame = self.folder / "frames/frame_000000.h5"
        data = bytearray(frame.read_bytes())
        data[len(data) // 2] ^= 0xff
        frame.write_bytes(data)
        with self.assertRaisesRegex(hydrolith.IoError, "frame_000000.h5"):
            hydrolith.Run(self.folder)[0]


if __name__ == "__main__":
    unittest.main()
