"""What the package shows: docstrings, stubs and the table of docs/python.md agree with the module."""

import ast
import os
import pathlib
import re
import unittest

import hydrolith

SOURCE = pathlib.Path(os.environ["HYDROLITH_SOURCE"])


def members(cls):
    return {n for n in vars(cls) if not n.startswith("_")} | {n for n in vars(cls) if n in (
        "__len__", "__getitem__", "__iter__", "__enter__", "__exit__")}


class Surface(unittest.TestCase):
    def setUp(self):
        tree = ast.parse((SOURCE / "python/hydrolith/_hydrolith.pyi").read_text())
        self.functions = {n.name for n in tree.body if isinstance(n, ast.FunctionDef)}
        self.classes = {n.name: {m.name for m in n.body if isinstance(m, ast.FunctionDef)} |
                        {m.target.id for m in n.body if isinstance(m, ast.AnnAssign)}
                        for n in tree.body if isinstance(n, ast.ClassDef) and n.name[0] != "_"}

    def test_everything_exported_is_in_the_stubs_and_nothing_else(self):
        self.assertEqual(set(hydrolith.__all__), self.functions | set(self.classes))
        compiled = {n for n in vars(hydrolith._hydrolith) if not n.startswith("_")}
        self.assertEqual(compiled - {"Memory"}, set(hydrolith.__all__))
        for name in self.classes:
            self.assertEqual(members(getattr(hydrolith, name)), self.classes[name] - {"__init__"},
                             name)

    def test_everything_has_a_docstring(self):
        for name in hydrolith.__all__:
            thing = getattr(hydrolith, name)
            self.assertTrue(thing.__doc__, name)
            if isinstance(thing, type) and not issubclass(thing, Exception):
                for member in members(thing) - {"__len__", "__enter__", "__exit__"}:
                    self.assertTrue(getattr(thing, member).__doc__, f"{name}.{member}")

    def test_things_go_by_the_name_that_is_imported_and_say_what_they_are(self):
        self.assertEqual(repr(hydrolith.Simulation), "<class 'hydrolith.Simulation'>")
        self.assertIn("apply_force(self: hydrolith.Simulation, body: str | int | Body, force: "
                      "[x, y, z], point: [x, y, z] | None = None)",
                      hydrolith.Simulation.apply_force.__doc__)
        for name in hydrolith.__all__:
            self.assertNotIn("_hydrolith", getattr(hydrolith, name).__doc__)
        simulation = hydrolith.Simulation({"name": "ball", "spacing": 0.1, "bodies": [
            {"name": "ball", "shape": {"sphere": 0.3}}]})
        self.assertEqual(repr(simulation), "<Simulation ball, t = 0.000000 s>")
        self.assertEqual(repr(simulation.bodies), "<BodiesState of 1 bodies>")
        self.assertEqual(repr(simulation.body(0).forces.contact),
                         "<Wrench force [nan nan nan] N, torque [nan nan nan] N m>")
        self.assertIn("friction [nan nan nan] N", repr(simulation.body(0).forces))

    def test_instances_that_were_never_built_are_refused(self):
        for name in hydrolith.__all__:
            thing = getattr(hydrolith, name)
            if not isinstance(thing, type) or issubclass(thing, Exception):
                continue
            if thing in (hydrolith.Simulation, hydrolith.Run, hydrolith.Recorder):
                empty = thing.__new__(thing)
                for use in (len, repr, lambda e: e.time, lambda e: e.step(), lambda e: e.objects,
                            lambda e: e.body(0), lambda e: e[0], lambda e: e.liquid,
                            lambda e: e.on_step(print), lambda e: e.metrics, lambda e: e.record(),
                            lambda e: e.close(), lambda e: e.checkpoint()):
                    if use is repr and thing is hydrolith.Recorder:
                        continue  # Python's own
                    with self.assertRaises((TypeError, AttributeError, RuntimeError), msg=name):
                        use(empty)
            else:
                with self.assertRaises(TypeError, msg=name):
                    thing.__new__(thing)
                with self.assertRaises(TypeError, msg=name):
                    thing()

    def test_the_reference_names_what_there_is(self):
        page = (SOURCE / "docs/python.md").read_text()
        for name in set(hydrolith.__all__) - {"BodiesFrame", "BodiesState", "BodyInfo", "Diagnostic",
                                              "LiquidFrame", "LiquidInfo", "LiquidState", "Objects",
                                              "RunResult", "SceneSize", "SurfaceMesh", "Verdict",
                                              "Wrench", "BodyForces"}:
            self.assertRegex(page, rf"\b{name}\b")
        shown = set(re.findall(r"`\.(\w+)", page))
        known = {m for names in self.classes.values() for m in names}
        self.assertEqual(shown - known, set())

    def test_the_version_is_the_projects(self):
        self.assertRegex((SOURCE / "CMakeLists.txt").read_text(),
                         rf"VERSION {re.escape(hydrolith.version())}")
        self.assertEqual(hydrolith.__version__, hydrolith.version())


if __name__ == "__main__":
    unittest.main()
