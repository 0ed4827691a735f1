"""bench/validate.py: its judgement and its readers by themselves, then the short cases with both engines."""

import importlib.util
import math
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

COMMAND = pathlib.Path(os.environ["HYDROLITH_COMMAND"])
SOURCE = pathlib.Path(os.environ["HYDROLITH_SOURCE"])
SCRIPT = SOURCE / "bench" / "validate.py"
spec = importlib.util.spec_from_file_location("validate", SCRIPT)
validate = importlib.util.module_from_spec(spec)
spec.loader.exec_module(validate)
cases, runs, page = validate.cases, validate.runs, validate.page


class Judgement(unittest.TestCase):
    def test_a_miss_is_pardoned_only_if_it_is_listed_and_not_worse(self):
        self.assertEqual(validate.verdict(-0.04, 0.05, None), "met")
        self.assertEqual(validate.verdict(0.06, 0.05, None), "unlisted miss")
        self.assertEqual(validate.verdict(-0.5, 0.05, -0.45), "known fault")
        self.assertEqual(validate.verdict(-0.6, 0.05, -0.45), "worse than known")
        self.assertEqual(validate.verdict(math.nan, 0.05, 1), "failed")

    def test_a_reference_that_was_never_stored_fails(self):
        case = cases.slosh()
        row, = validate.judge(case, "hybrid", [cases.Quantity("q", 1.0, cases.grid, 0.1)], {}, [])
        self.assertEqual(row["verdict"], "failed")

    def test_updating_the_list_keeps_reasons_and_drops_what_is_mended(self):
        case = cases.slosh()
        before = [{"case": "slosh", "engine": "kernel", "why": "because", "errors": {"a": 1.0, "b": 1.0}},
                  {"case": "tank_2d", "engine": "hybrid", "why": "else", "errors": {"c": 1.0}}]
        rows = [{"quantity": "a", "error": 0.5, "verdict": "known fault"},
                {"quantity": "b", "error": 0.0, "verdict": "met"}]
        after = validate.updated_faults([(case, {"kernel": rows})], before)
        self.assertEqual(validate.mended([(case, {"kernel": rows})], before), [("slosh", "kernel", "b")])
        self.assertEqual(after, [before[1], {"case": "slosh", "engine": "kernel", "why": "because", "errors": {"a": 0.5}}])

    def test_every_known_fault_names_a_case_an_engine_and_a_reason(self):
        names = {case.name for case in cases.all_cases()}
        for fault in validate.load(validate.FAULTS, []):
            self.assertIn(fault["case"], names)
            self.assertIn(fault["engine"], validate.ENGINES)
            self.assertGreater(len(fault["why"]), 30, fault)

    def test_the_page_names_every_case_and_its_plots_are_there(self):
        text = (SOURCE / "docs/validation.md").read_text()
        for case in cases.all_cases():
            self.assertIn(f"## {case.title}\n", text)
            self.assertTrue((SOURCE / f"docs/images/validation/{case.name}.svg").exists(), case.name)


class Readers(unittest.TestCase):
    def test_a_bgeo_file_is_read_with_its_fields(self):
        head = b"BgeoV" + struct.pack(">9i", 5, 2, 0, 0, 0, 2, 0, 0, 0)
        head += struct.pack(">H2sHii", 2, b"id", 1, 1, 0) + struct.pack(">H8sHif", 8, b"pressure", 1, 0, 0)
        points = struct.pack(">4fif", 1, 2, 3, 1, 7, 0.5) + struct.pack(">4fif", 4, 5, 6, 1, 8, 1.5)
        first, second = runs.read_bgeo(head + points + b"\x00\xff")
        self.assertEqual(first, {"x": (1, 2, 3), "id": 7, "pressure": 0.5})
        self.assertEqual(second["x"], (4, 5, 6))

    def test_noise_about_zero_is_one_passage(self):
        class Wave:
            time = [0.01 * k for k in range(400)]
            momentum = [math.sin(2 * math.pi * t) + 0.05 * (-1)**k for k, t in enumerate(time)]

            def __getitem__(self, name):
                return self.momentum
        times = cases.passages(Wave(), 1.0)
        self.assertEqual(len(times), 7)
        for k, when in enumerate(times):
            self.assertAlmostEqual(when, 0.5 + 0.5 * k, delta=0.02)

    def test_the_rising_disc_starts_with_the_acceleration_of_its_scene(self):
        times, speeds = cases.rising_disc_theory(0.01)
        self.assertAlmostEqual(speeds[-1] / times[-1], 6.96, delta=0.01)  # a0 of scenes/rising_disc_2d.yaml


class Short(unittest.TestCase):
    def test_the_short_cases_bring_no_surprise(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([sys.executable, SCRIPT, "--small", "--command", COMMAND, "--output", folder, "--threads", "1"],
                                  capture_output=True, text=True, timeout=900)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_a_run_that_breaks_off_fails_its_case_and_says_why(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([sys.executable, SCRIPT, "--case", "channel", "--engines", "kernel", "--set", "spacng=1",
                                   "--command", COMMAND, "--output", folder], capture_output=True, text=True)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("Did you mean", done.stdout)
            self.assertIn("failed: channel, kernel", done.stdout)

    def test_a_case_that_does_not_exist_is_refused_with_those_that_do(self):
        done = subprocess.run([sys.executable, SCRIPT, "--case", "slush"], capture_output=True, text=True)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("slosh", done.stderr)


if __name__ == "__main__":
    unittest.main()
