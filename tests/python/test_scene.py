"""Scenes as dicts: the same checks and messages as scene files."""

import pathlib
import tempfile
import types
import unittest

import hydrolith
import numpy as np
from scenes import brick, floating


class FromDict(unittest.TestCase):
    def test_a_dict_is_the_scene_of_the_same_yaml(self):
        text = """
name: floating
spacing: 5 cm
duration: 0.1
time_step: 4 ms
liquids: [{name: water, shape: {box: [0.6, 0.3, 0.4], at: [0, 0.15, 0]}}]
bodies:
  - {name: tank, kind: static, at: [0, 0.3, 0], shape: {box: [0.6, 0.6, 0.4], inside_out: true}}
  - {name: box, density: 500, shape: {box: [0.2, 0.1, 0.2]}, at: [0, 0.3, 0]}
"""
        a = hydrolith.Simulation(hydrolith.SceneFile.parse(text))
        b = hydrolith.Simulation(floating())
        for _ in range(3):
            a.step()
            b.step()
        np.testing.assert_array_equal(a.liquid.position, b.liquid.position)

    def test_numpy_numbers_arrays_paths_and_expressions_are_values(self):
        scene = brick(spacing=np.float32(0.125), parameters={"length": np.int64(2)})
        scene["bodies"][0]["at"] = np.array([1.0, 2.0, 3.0])
        scene["bodies"][0]["shape"] = {"box": ["length/5", "30 cm", np.float64(0.25)]}
        simulation = hydrolith.Simulation(scene)
        self.assertEqual(simulation.objects.spacing, 0.125)
        np.testing.assert_array_equal(simulation.body("brick").position, [1, 2, 3])
        # density * 0.4 * 0.3 * 0.25, to the round-off of the mesh's volume
        self.assertAlmostEqual(simulation.body(0).mass, 15, delta=1e-12)

    def test_any_mapping_is_a_dict_and_a_text_is_told_from_a_path(self):
        scene = types.MappingProxyType(brick())
        self.assertEqual(hydrolith.Simulation(scene).scene.name, "brick")
        self.assertEqual(hydrolith.SceneFile.from_dict(scene).duration, 1)
        with self.assertRaisesRegex(ValueError, r"SceneFile.parse\(text\)"):
            hydrolith.Simulation("spacing: 0.1\nbodies: []\n")
        with self.assertRaisesRegex(TypeError, "a scene is a dict, not list"):
            hydrolith.SceneFile.from_dict([1])

    def test_the_text_made_of_a_dict_reads_as_the_same_scene(self):
        first = hydrolith.SceneFile.from_dict(floating(description='a "quoted": text, # no comment'))
        again = hydrolith.SceneFile.parse(first.yaml)
        self.assertEqual(again.name, "floating")
        self.assertEqual(again.duration, 0.1)
        self.assertIn("\n", first.yaml.strip())

    def test_overrides_work_as_on_the_command_line(self):
        scene = hydrolith.SceneFile.from_dict(floating(), overrides=["duration=0.5"])
        self.assertEqual(scene.duration, 0.5)

    def test_all_faults_are_told_with_their_keys_and_without_lines(self):
        scene = floating(spaicng=1)
        scene["liquids"][0]["viscosty"] = 1
        with self.assertRaises(hydrolith.SceneError) as caught:
            hydrolith.Simulation(scene)
        text = str(caught.exception)
        self.assertIn('scene  spaicng: unknown key. Did you mean "spacing"?', text)
        self.assertIn('liquids[0].viscosty: unknown key. Did you mean "viscosity"?', text)
        self.assertEqual(len(caught.exception.diagnostics), 2)
        self.assertEqual(caught.exception.diagnostics[0].line, 0)
        self.assertIsInstance(caught.exception, hydrolith.Error)

    def test_what_no_scene_can_hold_is_told_with_its_key(self):
        for value, message in ((float("nan"), "duration: nan is not a finite number"),
                               (object(), "duration: a scene cannot hold a object"),
                               (1j, "duration: a scene cannot hold a complex"),
                               ({1: 2}, "duration: the key 1 is not a text"),
                               (b"1", "duration: a scene cannot hold a bytes")):
            with self.assertRaisesRegex(hydrolith.SceneError, message):
                hydrolith.Simulation(floating(duration=value))
        endless = floating()
        endless["bodies"].append(endless)
        with self.assertRaisesRegex(hydrolith.SceneError, "does it hold itself"):
            hydrolith.Simulation(endless)
        with self.assertRaisesRegex(hydrolith.SceneError, "the scene is empty"):
            hydrolith.Simulation({})
        with self.assertRaises(hydrolith.SceneError):
            hydrolith.Simulation(floating(name="half a pair: \ud800"))


class FromFile(unittest.TestCase):
    def test_a_path_is_read_and_faults_have_lines(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "scene.yaml"
            file.write_text("spacing: 0.1\nduratoin: 1\nbodies: [{shape: {sphere: 1}}]\n")
            with self.assertRaises(hydrolith.SceneError) as caught:
                hydrolith.Simulation(file)
            self.assertEqual(caught.exception.diagnostics[0].line, 2)
            self.assertEqual(caught.exception.diagnostics[0].path, "duratoin")

    def test_a_file_that_is_not_there_is_an_io_error(self):
        with self.assertRaisesRegex(hydrolith.IoError, "nowhere.yaml: the scene file cannot be"):
            hydrolith.Simulation("nowhere.yaml")

    def test_what_is_no_scene_at_all_is_a_type_error(self):
        for wrong in (1, None, [1], b"scene.yaml\0"):
            with self.assertRaises((TypeError, ValueError, hydrolith.IoError)):
                hydrolith.Simulation(wrong)


if __name__ == "__main__":
    unittest.main()
