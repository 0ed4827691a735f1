"""Bodies set and pushed from Python, callbacks, threads."""

import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

import hydrolith
import numpy as np
from scenes import ENGINES, brick, floating


class Pushing(unittest.TestCase):
    def test_a_force_in_a_callback_is_the_scenes_load_bit_for_bit(self):
        for engine in ENGINES:
            with self.subTest(engine):
                scene = floating(engine=engine)
                pushed = hydrolith.Simulation(scene)
                scene["bodies"][1]["loads"] = [{"force": [2, 1, 0]}]
                loaded = hydrolith.Simulation(scene)
                pushed.on_step(lambda s: s.body("box").apply_force([2, 1, 0]))
                for _ in range(5):
                    pushed.step()
                    loaded.step()
                np.testing.assert_array_equal(pushed.liquid.velocity, loaded.liquid.velocity)
                self.assertEqual(pushed.metrics, loaded.metrics)

    def test_force_point_and_torque(self):
        simulation = hydrolith.Simulation(brick())
        body = simulation.body("brick")
        simulation.apply_force("brick", np.array([6, 0, 0]), point=(0, 0.1, 0))
        simulation.apply_torque(body, [0, 0, 0.5])
        simulation.step()
        inertia = body.mass * (0.4 ** 2 + 0.3 ** 2) / 12
        # v = F dt / m, omega = T dt / I to the round-off of the mesh's mass.
        np.testing.assert_allclose(body.velocity, [6 * 0.01 / body.mass, 0, 0], rtol=1e-10)
        np.testing.assert_allclose(body.angular_velocity, [0, 0, (0.5 - 0.6) * 0.01 / inertia],
                                   rtol=1e-10, atol=1e-15)

    def test_state_set_is_the_state_read(self):
        body = hydrolith.Simulation(brick()).body(0)
        body.position, body.orientation = [1, 2, 3], [1, 1, 0, 0]
        body.velocity, body.angular_velocity = (4, 5, 6), np.array([7.0, 8, 9])
        np.testing.assert_array_equal(body.position, [1, 2, 3])
        np.testing.assert_allclose(body.orientation, np.sqrt([0.5, 0.5, 0, 0]), rtol=1e-15)
        np.testing.assert_array_equal(body.velocity, [4, 5, 6])
        np.testing.assert_array_equal(body.angular_velocity, [7, 8, 9])
        # A quarter turn about x: y goes to z.
        np.testing.assert_allclose(body.direction([0, 1, 0]), [0, 0, 1], atol=1e-15)
        np.testing.assert_allclose(body.to_world([0, 1, 0]), [1, 2, 4], atol=1e-15)


class Refusals(unittest.TestCase):
    def test_wrong_types_shapes_and_numbers(self):
        simulation = hydrolith.Simulation(floating())
        box = simulation.body("box")
        nan = float("nan")
        for call, error, message in (
                (lambda: box.apply_force([1, 2]), ValueError, "force: 3 numbers are wanted, got 2"),
                (lambda: box.apply_force(np.zeros((1, 3))), ValueError, r"shape \(1, 3\)"),
                (lambda: box.apply_force(np.float64(3)), (TypeError, ValueError), "force: 3 numbers"),
                (lambda: box.apply_force(3), TypeError, "force: 3 numbers are wanted, got int"),
                (lambda: box.apply_force("123"), TypeError, "got str"),
                (lambda: box.apply_force([1, 2, "3"]), TypeError, "got str among them"),
                (lambda: box.apply_force([1, 2, nan]), hydrolith.Error, "not a finite number"),
                (lambda: box.apply_force([1, 2, 3], [0, 0, nan]), hydrolith.Error, "not a finite"),
                (lambda: setattr(box, "position", [1, 2, 3, 4]), ValueError, "got 4"),
                (lambda: setattr(box, "orientation", [0, 0, 0, 0]), hydrolith.Error, "other than 0"),
                (lambda: setattr(box, "mass", 3), AttributeError, ""),
                (lambda: setattr(simulation.body("tank"), "velocity", [1, 0, 0]), hydrolith.Error,
                 "a static body does not move"),
                (lambda: simulation.body("bocks"), hydrolith.Error, 'no body "bocks"'),
                (lambda: simulation.body("bx"), hydrolith.Error, 'Did you mean "box"'),
                (lambda: simulation.body(2), IndexError, "the scene has 2"),
                (lambda: simulation.body(None), TypeError, "name, index or Body"),
                (lambda: simulation.body(1 << 80), IndexError, ""),
                (lambda: simulation.apply_force(hydrolith.Simulation(brick()).body(0), [1, 0, 0]),
                 ValueError, "another simulation"),
                (lambda: simulation.on_step(3), TypeError, "on_step"),
                (lambda: hydrolith.set_threads(-1), ValueError, "set_threads"),
                (lambda: hydrolith.Simulation(), TypeError, "")):
            with self.assertRaisesRegex(error, message):
                call()
        simulation.step()

    def test_numbers_that_change_their_list_do_no_harm(self):
        class Number:
            def __float__(self):
                numbers.clear()
                return 1.0

        numbers = [Number(), 2.0, 3.0]
        body = hydrolith.Simulation(brick()).body(0)
        body.position = numbers
        np.testing.assert_array_equal(body.position, [1, 2, 3])

    def test_a_failing_simulation_is_a_simulation_error(self):
        simulation = hydrolith.Simulation(brick())
        simulation.body(0).velocity = [1e9, 0, 0]
        with self.assertRaisesRegex(hydrolith.SimulationError, "step 1, t = 0 s"):
            simulation.step()
        self.assertEqual(simulation.time, 0)
        simulation.body(0).velocity = [0, 0, 0]
        simulation.step()


class Callbacks(unittest.TestCase):
    def test_they_see_the_state_the_step_starts_from(self):
        simulation, seen = hydrolith.Simulation(floating()), []

        @simulation.on_step
        def look(s):
            self.assertIs(s, simulation)
            seen.append((s.time, s.time_step, s.liquid.position))

        first, second = simulation.step(), simulation.step()
        self.assertEqual([s[0] for s in seen], [0, first.time])
        self.assertEqual(seen[1][1], second.dt)
        self.assertTrue((seen[0][2] != seen[1][2]).any())
        simulation.on_step(None)
        simulation.step()
        self.assertEqual(len(seen), 2)

    def test_an_exception_in_a_callback_comes_out_and_the_step_is_not_taken(self):
        simulation = hydrolith.Simulation(floating())

        def fail(s):
            s.body("box").apply_force([1e5, 0, 0])
            raise ZeroDivisionError("on purpose")

        simulation.on_step(fail)
        with self.assertRaisesRegex(ZeroDivisionError, "on purpose"):
            simulation.step()
        self.assertEqual(simulation.time, 0)
        simulation.on_step(None)
        simulation.step()
        self.assertLess(abs(simulation.body("box").velocity[0]), 0.1)  # the force has gone

    def test_a_callback_cannot_step_or_change_itself(self):
        simulation = hydrolith.Simulation(brick())
        for wrong in (lambda s: s.step(), lambda s: s.prepare(), lambda s: s.on_step(None)):
            simulation.on_step(wrong)
            with self.assertRaises(hydrolith.Error):
                simulation.step()
        simulation.on_step(lambda s: s.frame())
        simulation.step()


class Threads(unittest.TestCase):
    def test_four_simulations_in_threads_give_the_bits_of_one_after_the_other(self):
        def simulate(n):
            scene = floating(engine=ENGINES[n % 2], duration=0.06)
            scene["bodies"][1]["density"] = 300 + 100 * n
            simulation = hydrolith.Simulation(scene)
            simulation.on_step(lambda s: s.body("box").apply_force([n, 0, 0]))
            while not simulation.finished:
                simulation.step()
            return simulation.liquid.position, simulation.metrics

        in_turn = [simulate(n) for n in range(4)]
        with ThreadPoolExecutor(4) as pool:
            at_once = list(pool.map(simulate, range(4)))
        for (x, metrics), (y, others) in zip(in_turn, at_once):
            np.testing.assert_array_equal(x, y)
            self.assertEqual(metrics, others)

    def test_a_callback_lets_its_own_thread_look_and_no_other(self):
        simulation, outcomes = hydrolith.Simulation(brick()), []

        def look():
            try:
                outcomes.append(simulation.frame().time)
            except hydrolith.Error as error:
                outcomes.append(str(error))

        def callback(_):
            look()
            thread = threading.Thread(target=look)
            thread.start()
            thread.join()

        simulation.on_step(callback)
        simulation.step()
        look()
        self.assertEqual(outcomes[0], 0)
        self.assertIn("in another thread", outcomes[1])
        self.assertEqual(outcomes[2], 0.01)

    def test_a_simulation_at_work_refuses_other_threads(self):
        simulation = hydrolith.Simulation(floating(spacing="2.5 cm"))
        outcomes, stop = [], threading.Event()

        def look():
            while not stop.is_set():
                try:
                    outcomes.append(float(simulation.liquid.position[0, 0]))
                    simulation.body("box").apply_force([0, 0, 0])
                    simulation.frame()
                except hydrolith.Error as error:
                    outcomes.append(str(error))
                time.sleep(1e-3)

        thread = threading.Thread(target=look)
        thread.start()
        steps = 0
        while steps < 5:
            try:
                simulation.step()
                steps += 1
            except hydrolith.Error:  # the other thread is looking
                pass
        stop.set()
        thread.join()
        refused = [o for o in outcomes if isinstance(o, str)]
        self.assertTrue(refused)
        self.assertTrue(all("in another thread" in o for o in refused), refused[:3])


if __name__ == "__main__":
    unittest.main()
