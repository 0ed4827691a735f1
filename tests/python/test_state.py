"""Arrays of the state: no copies, and safe whatever is done with them."""

import gc
import unittest
import weakref

import hydrolith
import numpy as np
from scenes import ENGINES, brick, floating, fountain


def address(array):
    return array.__array_interface__["data"][0]


class Arrays(unittest.TestCase):
    def test_shapes_and_types(self):
        for engine in ENGINES:
            with self.subTest(engine):
                simulation = hydrolith.Simulation(floating(engine=engine))
                simulation.step()
                liquid, bodies = simulation.liquid, simulation.bodies
                n = simulation.size().liquid_particles
                self.assertEqual(len(liquid), n)
                for name, shape, kind in (("position", (n, 3), "float64"),
                                          ("velocity", (n, 3), "float64"),
                                          ("volume", (n,), "float64"),
                                          ("pressure", (n,), "float32"), ("id", (n,), "uint32"),
                                          ("liquid", (n,), "uint32")):
                    array = getattr(liquid, name)
                    self.assertEqual((array.shape, array.dtype), (shape, np.dtype(kind)), name)
                self.assertEqual(len(set(liquid.id)), n)
                self.assertEqual(bodies.name, ["tank", "box"])
                self.assertEqual(len(bodies), 2)
                self.assertEqual(bodies.orientation.tolist()[0], [1, 0, 0, 0])
                self.assertEqual(bodies.position.shape, (2, 3))
                self.assertEqual(bodies.mass[0], 0)
                self.assertEqual(bodies.forces.pressure.force.shape, (2, 3))
                self.assertEqual(simulation.body("box").forces.friction.torque.shape, (3,))

    def test_an_array_is_the_engines_own_memory(self):
        # On cells the report counts the liquid's mass that goes with bodies at their speed.
        simulation = hydrolith.Simulation(floating(solver={"volumes": "kernel"}))
        self.assertEqual(address(simulation.liquid.position), address(simulation.liquid.position))
        # One pass over all particles agrees with the sum that the engine made itself.
        density = simulation.objects.liquids[0].density
        box = simulation.body("box")
        for _ in range(5):
            report = simulation.step()
        liquid = simulation.liquid
        momentum = density * (liquid.volume[:, None] * liquid.velocity).sum(axis=0)
        momentum += box.mass * box.velocity
        # Round-off of sums of some hundred numbers of either sign.
        np.testing.assert_allclose(report.momentum, momentum, atol=1e-10)

    def test_an_array_cannot_be_written_to(self):
        simulation = hydrolith.Simulation(floating())
        for array in (simulation.liquid.position, simulation.bodies.velocity, simulation.frame()
                      .liquids[0].position, simulation.body(1).position):
            with self.assertRaises(ValueError):
                array[0] = 1
            with self.assertRaises(ValueError):
                array.flags.writeable = True

    def test_an_array_keeps_its_time_while_the_simulation_goes_on(self):
        for engine in ENGINES:
            with self.subTest(engine):
                simulation = hydrolith.Simulation(fountain(engine=engine))
                kept = []
                for _ in range(30):  # columns grow, shrink and are sorted
                    simulation.step()
                    x, v = simulation.liquid.position, simulation.liquid.velocity
                    kept.append((x, x.copy(), v, v.copy()))
                self.assertGreater(len({len(x) for x, *_ in kept}), 1)
                del simulation
                gc.collect()
                for x, x_then, v, v_then in kept:
                    np.testing.assert_array_equal(x, x_then)
                    np.testing.assert_array_equal(v, v_then)

    def test_arrays_held_do_not_change_what_is_simulated(self):
        alone, watched = (hydrolith.Simulation(floating()) for _ in range(2))
        kept = []
        for _ in range(5):
            alone.step()
            kept += [watched.liquid.position, watched.bodies.forces.contact.force]
            watched.step()
        np.testing.assert_array_equal(alone.liquid.position, watched.liquid.position)

    def test_a_scene_without_liquid_or_bodies_gives_empty_arrays(self):
        dry = hydrolith.Simulation(brick())
        self.assertEqual(dry.liquid.position.shape, (0, 3))
        self.assertEqual(dry.liquid.id.shape, (0,))
        self.assertEqual(dry.frame().liquids, [])
        wet = hydrolith.Simulation({"spacing": 0.1, "liquids": [{"shape": {"box": [1, 1, 1]}}]})
        self.assertEqual(wet.bodies.position.shape, (0, 3))
        self.assertEqual(wet.bodies.orientation.shape, (0, 4))
        self.assertEqual(wet.bodies.forces.total_force.shape, (0, 3))


class Life(unittest.TestCase):
    def test_a_simulation_goes_when_nobody_holds_it(self):
        simulation = hydrolith.Simulation(brick())
        x = simulation.bodies.position
        gone = weakref.ref(simulation)
        del simulation
        self.assertIsNone(gone())
        self.assertEqual(x.tolist(), [[0, 0, 0]])

    def test_a_callback_that_holds_its_simulation_does_not_keep_it_for_ever(self):
        class Canary:
            pass

        simulation, canary = hydrolith.Simulation(brick()), Canary()
        gone = weakref.ref(canary)

        def callback(_, canary=canary):
            return simulation, canary

        simulation.on_step(callback)
        simulation.step()
        del canary, callback
        self.assertIsNotNone(gone())
        del simulation
        gc.collect()
        self.assertIsNone(gone())

    def test_views_of_a_simulation_keep_it(self):
        liquid = hydrolith.Simulation(floating()).liquid
        body = hydrolith.Simulation(floating()).body("box")
        gc.collect()
        self.assertGreater(len(liquid.position), 100)
        self.assertEqual(body.name, "box")


class Looking(unittest.TestCase):
    def test_metrics_and_the_step_report_agree(self):
        simulation = hydrolith.Simulation(floating())
        report = simulation.step()
        metrics = simulation.metrics
        self.assertEqual(list(metrics), simulation.metric_names)
        self.assertEqual(metrics["time"], report.time)
        self.assertEqual(metrics["momentum.y"], report.momentum[1])
        self.assertEqual(simulation.time, report.time)
        self.assertEqual(simulation.time_step, 0.004)

    def test_a_frame_is_a_copy_with_the_fields_asked_for(self):
        simulation = hydrolith.Simulation(floating(output={"fields": ["velocity", "pressure"]}))
        simulation.step()
        frame = simulation.frame()
        water = frame.liquids[0]
        self.assertEqual(frame.step, 1)
        self.assertEqual(set(water.fields), {"velocity", "pressure"})
        self.assertEqual(water.units["pressure"], "Pa")
        np.testing.assert_array_equal(water.position,
                                      simulation.liquid.position.astype(np.float32))
        np.testing.assert_array_equal(water.fields["velocity"],
                                      simulation.liquid.velocity.astype(np.float32))
        np.testing.assert_array_equal(frame.bodies.position, simulation.bodies.position)
        np.testing.assert_array_equal(frame.bodies.orientation, simulation.bodies.orientation)
        np.testing.assert_array_equal(frame.bodies.forces.pressure.force,
                                      simulation.bodies.forces.pressure.force)

    def test_objects_tell_what_never_changes(self):
        objects = hydrolith.Simulation(floating()).objects
        self.assertEqual([b.name for b in objects.bodies], ["tank", "box"])
        self.assertEqual([b.kind for b in objects.bodies], ["static", "dynamic"])
        mesh = objects.meshes[objects.bodies[1].mesh]
        # The corners of the box, in single precision.
        np.testing.assert_allclose(mesh.vertices.max(axis=0), [0.1, 0.05, 0.1], rtol=1e-6)
        self.assertLess(mesh.triangles.max(), len(mesh.vertices))


if __name__ == "__main__":
    unittest.main()
