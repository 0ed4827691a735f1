"""States kept, restored, saved and loaded; runs recorded step by step; results sent between processes."""

import copy
import gc
import hashlib
import multiprocessing
import pathlib
import pickle
import tempfile
import unittest

import hydrolith
import numpy as np
from scenes import BOX, ENGINES, TANK, WATER, brick, floating, fountain


def everything(simulation):
    """All that can be seen of a state, as fingerprints of its bits."""
    seen = {n: getattr(simulation.liquid, n) for n in ("position", "velocity", "pressure", "volume", "id")}
    bodies = simulation.bodies
    seen |= {"body " + n: getattr(bodies, n)
             for n in ("position", "orientation", "velocity", "angular_velocity")}
    seen |= {"push": bodies.forces.pressure.force, "friction": bodies.forces.friction.torque}
    seen |= {n: np.array(v) for n, v in simulation.metrics.items()}
    return {n: hashlib.sha1(v.tobytes()).hexdigest()[:8] for n, v in seen.items()}


class FolderTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)


class Restoring(FolderTest):
    def scenes(self):
        probe = [{"name": "gauge", "pressure": [0.2, 0.1, 0]}]
        for engine in ENGINES:
            yield engine, floating(engine=engine, probes=probe)
            yield engine + ", emitter", fountain(engine=engine)

    def test_going_back_is_exact_however_often(self):
        for name, scene in self.scenes():
            with self.subTest(name):
                simulation = hydrolith.Simulation(scene)
                simulation.step_until(0.03)
                state, there = simulation.checkpoint(), everything(simulation)
                self.assertEqual((state.time, state.step), (simulation.time, simulation.steps))
                ends = []
                for _ in range(3):
                    simulation.restore(state)
                    self.assertEqual(everything(simulation), there)
                    simulation.step_until(0.08)
                    ends.append(everything(simulation))
                self.assertEqual(ends[0], ends[1])
                self.assertEqual(ends[0], ends[2])
                self.assertNotEqual(ends[0], there)

    def test_a_state_goes_on_elsewhere_from_a_file_or_a_pickle(self):
        for name, scene in self.scenes():
            with self.subTest(name):
                file = self.folder / f"{name}.h5"
                straight = hydrolith.Simulation(scene)
                straight.step_until(0.03)
                straight.save(file)
                state = pickle.loads(pickle.dumps(straight.checkpoint()))
                straight.step_until(0.06)
                other = hydrolith.Simulation(scene)
                other.step()
                third = hydrolith.Simulation(scene)
                other.restore(state)
                third.restore(str(file))
                for s in (other, third, hydrolith.Simulation.load(file)):
                    s.step_until(0.06)
                    self.assertEqual(everything(s), everything(straight))

    def test_the_start_before_the_liquid_has_settled_is_a_state_too(self):
        for engine in ENGINES:
            with self.subTest(engine):
                straight, other = (hydrolith.Simulation(floating(engine=engine)) for _ in range(2))
                start = straight.checkpoint()
                straight.step_until(0.02)
                end = everything(straight)
                straight.restore(start)
                straight.step_until(0.02)
                other.restore(start)
                other.step_until(0.02)
                self.assertEqual(everything(straight), end)
                self.assertEqual(everything(other), end)

    def test_arrays_keep_what_they_showed(self):
        simulation = hydrolith.Simulation(floating())
        state = simulation.checkpoint()
        simulation.step()
        x = simulation.liquid.position
        then = x.copy()
        simulation.restore(state)
        np.testing.assert_array_equal(x, then)
        self.assertTrue((simulation.liquid.position != then).any())

    def test_forces_for_the_next_step_are_gone(self):
        simulation = hydrolith.Simulation(brick())
        state = simulation.checkpoint()
        simulation.body(0).apply_force([1, 0, 0])
        simulation.restore(state)
        simulation.step()
        np.testing.assert_array_equal(simulation.body(0).velocity, [0, 0, 0])

    def test_a_callback_may_take_and_restore_states(self):
        simulation, states = hydrolith.Simulation(brick()), []

        @simulation.on_step
        def look(s):
            states.append(s.checkpoint())
            if len(states) == 3:
                s.restore(states[0])

        for _ in range(3):
            simulation.step()
        self.assertEqual([s.step for s in states], [0, 1, 2])
        self.assertEqual(simulation.steps, 1)

    def test_a_checkpoint_of_a_run_can_be_loaded(self):
        hydrolith.run(floating(), self.folder / "run")
        file, = (self.folder / "run/checkpoints").iterdir()
        simulation = hydrolith.Simulation.load(file)
        self.assertTrue(simulation.finished)
        np.testing.assert_array_equal(simulation.bodies.position,
                                      hydrolith.Run(self.folder / "run")[-1].bodies.position)

    def test_a_loaded_scene_finds_its_meshes_from_anywhere(self):
        home = self.folder / "home"
        home.mkdir()
        (home / "wedge.obj").write_text(
            "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
        (home / "scene.yaml").write_text(
            "spacing: 0.1\nbodies: [{name: wedge, shape: {mesh: wedge.obj}, density: 500}]\n")
        simulation = hydrolith.Simulation(home / "scene.yaml")
        simulation.step()
        simulation.save(self.folder / "state.h5")
        other = hydrolith.Simulation.load(self.folder / "state.h5")
        self.assertEqual(everything(other), everything(simulation))
        self.assertEqual(other.scene.name, simulation.scene.name)
        (home / "wedge.obj").write_text((home / "wedge.obj").read_text().replace("v 1 0", "v 2 0"))
        with self.assertRaisesRegex(hydrolith.Error, "wedge.obj has changed"):
            hydrolith.Simulation.load(self.folder / "state.h5")

    def test_states_of_other_scenes_and_other_files_are_refused(self):
        simulation = hydrolith.Simulation(floating())
        other = floating(gravity=3, duration=7)
        other["bodies"][1]["density"] = 501
        before = everything(simulation)
        with self.assertRaisesRegex(hydrolith.Error, r"another scene:(.|\n)*bodies\[1\].density: 501 "
                                    r"there, 500 here(.|\n)*gravity: 3 there, \(default\) here"):
            simulation.restore(hydrolith.Simulation(other).checkpoint())
        text = self.folder / "text.h5"
        text.write_text("no state")
        with self.assertRaisesRegex(hydrolith.IoError, "text.h5"):
            simulation.restore(text)
        with self.assertRaisesRegex(hydrolith.IoError, "nowhere.h5"):
            hydrolith.Simulation.load("nowhere.h5")
        with self.assertRaisesRegex(hydrolith.IoError, "nowhere"):
            simulation.save("/nowhere/state.h5")
        with self.assertRaisesRegex(TypeError, "a Checkpoint or the path of a file"):
            simulation.restore(3)
        self.assertEqual(everything(simulation), before)
        longer = hydrolith.Simulation(floating(duration=7))  # what resume may change may differ
        longer.restore(simulation.checkpoint())

    def test_a_damaged_file_is_refused(self):
        simulation = hydrolith.Simulation(brick())
        file = self.folder / "state.h5"
        simulation.save(file)
        data = bytearray(file.read_bytes())
        data[len(data) // 2] ^= 1
        file.write_bytes(data)
        with self.assertRaisesRegex(hydrolith.IoError, "state.h5"):
            simulation.restore(file)
        file.write_bytes(data[:100])
        with self.assertRaisesRegex(hydrolith.IoError, "state.h5"):
            hydrolith.Simulation.load(file)


class SteppingUntil(unittest.TestCase):
    def test_it_takes_the_steps_it_needs_and_no_more(self):
        simulation = hydrolith.Simulation(brick())  # steps of 10 ms
        self.assertEqual(simulation.step_until(0.1), 10)
        self.assertEqual(simulation.step_until(0.1), 0)
        self.assertEqual(simulation.step_until(0.05), 0)
        self.assertEqual(simulation.step_until(0.105), 1)
        self.assertEqual(simulation.step_until(1.5), 139)  # beyond the duration
        self.assertEqual(simulation.steps, 150)
        for wrong in (float("nan"), float("inf")):
            with self.assertRaisesRegex(ValueError, "finite"):
                simulation.step_until(wrong)

    def test_an_exception_in_on_step_ends_it(self):
        simulation = hydrolith.Simulation(brick())

        def stop(s):
            if s.steps == 4:
                raise KeyboardInterrupt

        simulation.on_step(stop)
        with self.assertRaises(KeyboardInterrupt):
            simulation.step_until(1)
        self.assertEqual(simulation.steps, 4)


class Recording(FolderTest):
    def test_a_recorded_run_is_the_run_of_the_same_steps(self):
        for engine in ENGINES:
            with self.subTest(engine):
                scene, folder = floating(engine=engine), self.folder / engine
                hydrolith.run(scene, folder / "run")
                simulation = hydrolith.Simulation(scene)
                with hydrolith.Recorder(simulation, folder / "recorded") as recorder:
                    while not simulation.finished:
                        simulation.step()
                        recorder.record()
                run, recorded = (hydrolith.Run(folder / n) for n in ("run", "recorded"))
                self.assertEqual((folder / "run/metrics.csv").read_bytes(),
                                 (folder / "recorded/metrics.csv").read_bytes())
                self.assertEqual(len(run), len(recorded))
                for a, b in zip(run, recorded):
                    self.assertEqual(a.time, b.time)
                    np.testing.assert_array_equal(a.liquids[0].position, b.liquids[0].position)
                self.assertEqual(recorded.record["state"], "finished")
                self.assertEqual(recorded.record["steps"], 25)

    def test_it_ends_interrupted_failed_or_unclosed(self):
        simulation = hydrolith.Simulation(brick())
        recorder = hydrolith.Recorder(simulation, self.folder / "a")
        simulation.step()
        recorder.record()
        result = recorder.close()
        self.assertFalse(result.finished)
        self.assertEqual(hydrolith.Run(self.folder / "a").record["state"], "interrupted")
        self.assertTrue(hydrolith.resume(self.folder / "a").finished)
        with self.assertRaisesRegex(hydrolith.Error, "closed"):
            recorder.record()
        with self.assertRaises(ZeroDivisionError), hydrolith.Recorder(simulation, self.folder / "b"):
            raise ZeroDivisionError("on purpose")
        record = hydrolith.Run(self.folder / "b").record
        self.assertEqual(record["state"], "failed")
        self.assertIn("on purpose", record["message"])
        recorder = hydrolith.Recorder(simulation, self.folder / "c")
        del recorder
        gc.collect()
        self.assertEqual(hydrolith.Run(self.folder / "c").record["state"], "interrupted")

    def test_what_cannot_be_recorded_is_refused(self):
        simulation = hydrolith.Simulation(brick())
        state = simulation.checkpoint()
        recorder = hydrolith.Recorder(simulation, self.folder / "a")
        simulation.step()
        recorder.record()
        simulation.restore(state)
        with self.assertRaisesRegex(hydrolith.Error, "another recording"):
            recorder.record()
        with self.assertRaisesRegex(hydrolith.IoError, "already|written"):
            hydrolith.Recorder(simulation, self.folder / "a")
        with self.assertRaisesRegex(TypeError, "not a int"):
            hydrolith.Recorder(3, self.folder / "x")


def simulated(density):
    scene = floating(duration=0.02)
    scene["bodies"][1]["density"] = density
    simulation = hydrolith.Simulation(scene)
    simulation.step_until(0.02)
    return simulation.checkpoint(), simulation.step()


def faulty(_):
    hydrolith.Simulation({"spaicng": 1})


class Processes(unittest.TestCase):
    def test_results_are_pickled_whole(self):
        # A sunk box in thick liquid: none of the numbers of films and viscosity is zero.
        scene = floating(expect=[{"metric": "time", "above": 0}], solver={"volumes": "cells"},
                         liquids=[{**WATER, "viscosity": 1}],
                         bodies=[TANK, {**BOX, "density": 2000, "at": [0, 0.052, 0],
                                        "shape": {"box": [0.45, 0.1, 0.3]}}])
        simulation = hydrolith.Simulation(scene)
        simulation.step()
        report = simulation.step()
        for name in ("film_area", "film_volume", "film_force", "viscosity_iterations"):
            self.assertGreater(getattr(report, name), 0, name)
        for value in (report, simulation.size(), simulation.scene):
            again = pickle.loads(pickle.dumps(value))
            for name in dir(value):
                if not name.startswith("_") and not callable(getattr(value, name)):
                    np.testing.assert_array_equal(getattr(again, name), getattr(value, name))
        with tempfile.TemporaryDirectory() as folder:
            result = hydrolith.run(simulation.scene, pathlib.Path(folder) / "run")
        again = copy.deepcopy(result)
        self.assertEqual((again.finished, again.steps, again.wall, again.verdicts[0].text),
                         (True, 25, result.wall, result.verdicts[0].text))
        with self.assertRaisesRegex(TypeError, "checkpoint"):
            pickle.dumps(simulation)

    def test_simulations_in_processes(self):
        here = simulated(400)  # threads are at work before the fork
        for method in ("fork", "spawn"):
            with self.subTest(method), multiprocessing.get_context(method).Pool(2) as pool:
                there = pool.map_async(simulated, [400, 600]).get(timeout=120)
                self.assertEqual(there[0][1].kinetic_energy, here[1].kinetic_energy)
                self.assertNotEqual(there[1][1].kinetic_energy, here[1].kinetic_energy)
                scene = hydrolith.SceneFile.parse(there[1][0].scene)
                simulation = hydrolith.Simulation(scene)
                simulation.restore(there[1][0])
                self.assertEqual(simulation.step().kinetic_energy, there[1][1].kinetic_energy)
                with self.assertRaisesRegex(hydrolith.SceneError, "Did you mean") as caught:
                    pool.map_async(faulty, [1]).get(timeout=120)
                self.assertEqual(caught.exception.diagnostics[0].path, "spaicng")


class Surfaces(unittest.TestCase):
    def test_the_surface_of_a_frame_encloses_the_liquid(self):
        simulation = hydrolith.Simulation(floating(spacing="2.5 cm", output={"fields": ["velocity"]}))
        simulation.step_until(0.02)
        surface = hydrolith.liquid_surface(simulation.frame().liquids[0], simulation.objects)
        vertices, triangles = surface.mesh.vertices, surface.mesh.triangles
        self.assertEqual(surface.normal.shape, vertices.shape)
        self.assertEqual(surface.velocity.shape, vertices.shape)
        self.assertEqual(surface.left_out, 0)
        # Closed: every edge belongs to two triangles, once in either direction.
        edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
        keys = edges[:, 0].astype(np.int64) << 32 | edges[:, 1]
        backward = edges[:, 1].astype(np.int64) << 32 | edges[:, 0]
        np.testing.assert_array_equal(np.sort(keys), np.sort(backward))
        a, b, c = (vertices[triangles[:, k]].astype(float) for k in range(3))
        self.assertAlmostEqual(np.einsum("ij,ij", a, np.cross(b, c)) / 6, surface.volume, places=6)
        # The surface of a lattice lies half a spacing off at worst, on all six sides.
        self.assertLess(abs(surface.volume - simulation.metrics["liquid_volume"]),
                        0.25 * surface.volume)
        dull = hydrolith.Simulation(floating(output={"fields": []})).frame().liquids[0]
        self.assertIsNone(hydrolith.liquid_surface(dull, simulation.objects).velocity)
        with self.assertRaisesRegex(hydrolith.Error, "cell"):
            hydrolith.liquid_surface(dull, simulation.objects, cell=7)


if __name__ == "__main__":
    unittest.main()
