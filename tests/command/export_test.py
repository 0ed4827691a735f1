"""`hydrolith export`: files that other programs read. VTK reads ours; so does Blender where it is installed."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

COMMAND = os.environ["HYDROLITH_COMMAND"]
SOURCE = pathlib.Path(os.environ["HYDROLITH_SOURCE"])
SCENE = """
spacing: 0.1
duration: 0.2
liquids: [{name: water, shape: {box: [1, 0.5, 1], at: [0, 0.25, 0]}}]
bodies:
  - {name: tank, kind: static, shape: {box: [1, 1, 1], inside_out: true}, at: [0, 0.5, 0]}
  - {name: cork, shape: {box: [0.2, 0.2, 0.2]}, density: 300, at: [0, 0.7, 0]}
probes: [{name: gauge, pressure: [0, 0.2, 0]}]
output: {frame_rate: 20, fields: [velocity, pressure]}
"""
# What VTK sees in the files of one folder: points, cells and arrays.
VTK_READER = """
import json, sys, vtk
seen = []
for name in sys.argv[1:]:
    reader = vtk.vtkPLYReader() if name.endswith(".ply") else vtk.vtkXMLPolyDataReader()
    reader.SetFileName(name)
    reader.Update()
    if reader.GetErrorCode():
        sys.exit(f"{name}: error {reader.GetErrorCode()}")
    data = reader.GetOutput()
    edges = vtk.vtkFeatureEdges()
    edges.SetInputData(data)
    edges.FeatureEdgesOff()
    edges.ManifoldEdgesOff()
    edges.Update()
    arrays = data.GetPointData()
    inside = vtk.vtkMassProperties()
    inside.SetInputData(data)
    if data.GetNumberOfPolys():
        inside.Update()
    seen.append({"volume": inside.GetVolume() if data.GetNumberOfPolys() else 0,
                 "points": data.GetNumberOfPoints(), "cells": data.GetNumberOfCells(),
                 "open_edges": edges.GetOutput().GetNumberOfCells(), "bounds": data.GetBounds(),
                 "arrays": sorted(arrays.GetArrayName(i) for i in range(arrays.GetNumberOfArrays()))})
print(json.dumps(seen))
"""
# What ParaView sees in a collection: times, and the points of every named block at the last of them.
PARAVIEW_READER = """
import json, sys
from paraview.simple import PVDReader
from paraview.servermanager import Fetch
reader = PVDReader(FileName=sys.argv[1])
times = list(reader.TimestepValues)
reader.UpdatePipeline(times[-1])
data = Fetch(reader)
name = lambda k: data.GetMetaData(k).Get(data.NAME())
print("SEEN " + json.dumps({"times": times, "points": {name(k): data.GetBlock(k).GetNumberOfPoints()
                                                       for k in range(data.GetNumberOfBlocks())}}))
"""
PYTHON = "/usr/bin/python3"
HAS_VTK = subprocess.run([PYTHON, "-c", "import vtk"], capture_output=True).returncode == 0
HAS_READERS = shutil.which("node") and (SOURCE / "web/node_modules/tinyusdz").is_dir()


class Export(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        (cls.folder / "scene.yaml").write_text(SCENE)
        done = subprocess.run([COMMAND, "run", "scene.yaml", "-o", "run", "-q"], cwd=cls.folder, text=True,
                              capture_output=True)
        assert done.returncode == 0, done.stderr

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def export(self, *words, expect=0):
        done = subprocess.run([COMMAND, "export", "run", *words], cwd=self.folder, text=True, capture_output=True)
        self.assertEqual(done.returncode, expect, done.stdout + done.stderr)
        return done

    def vtk(self, *files):
        done = subprocess.run([PYTHON, "-c", VTK_READER, *map(str, files)], text=True, capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("ERR", done.stderr)
        return json.loads(done.stdout)

    @unittest.skipUnless(HAS_VTK, "python3-vtk9 is not installed")
    def test_vtk_reads_particles_and_bodies(self):
        self.export("--to", "vtk", "-o", "vtk", "-q")
        water, cork = self.vtk(self.folder / "vtk/water/water_000002.vtp", self.folder / "vtk/cork/cork_000002.vtp")
        self.assertEqual(water["arrays"], ["id", "pressure", "velocity"])
        self.assertEqual(water["points"], water["cells"])
        self.assertGreater(water["points"], 300)
        self.assertEqual(cork["arrays"], ["velocity"])
        self.assertEqual(cork["open_edges"], 0)

    @unittest.skipUnless(HAS_VTK, "python3-vtk9 is not installed")
    def test_vtk_reads_the_surface_and_finds_it_closed(self):
        self.export("--to", "vtk", "--liquid", "surface", "-o", "vtk_surface", "-q")
        self.export("--to", "ply", "--liquid", "surface", "-o", "ply_surface", "-q")
        for surface in self.vtk(self.folder / "vtk_surface/water_surface/water_surface_000003.vtp",
                                self.folder / "ply_surface/water_surface/water_surface_000003.ply"):
            self.assertGreater(surface["cells"], 1000)
            self.assertEqual(surface["open_edges"], 0)  # boundary or non-manifold
            # The tank is 1 m wide; a surface stays within a fifth of a spacing of what holds it.
            self.assertGreater(surface["bounds"][2], -0.02)
            self.assertLess(surface["bounds"][1], 0.52)
        pvd = (self.folder / "vtk_surface/run.pvd").read_text()
        for name in ("water_surface/water_surface_000003.vtp", "cork/cork_000003.vtp"):
            self.assertIn(name, pvd)

    @unittest.skipUnless(HAS_VTK, "python3-vtk9 is not installed")
    def test_the_surface_of_either_engine_holds_the_liquid_and_stays_in_the_tank(self):
        for engine in ("particles", "hybrid"):
            done = subprocess.run([COMMAND, "run", "scene.yaml", "-o", engine, "-q", "--set", f"engine={engine}",
                                   "--set", "spacing=0.05"], cwd=self.folder, text=True, capture_output=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            done = subprocess.run([COMMAND, "export", engine, "--to", "vtk", "--liquid", "surface", "-q"],
                                  cwd=self.folder, text=True, capture_output=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            for surface in self.vtk(*sorted((self.folder / engine / "vtk/water_surface").iterdir())):
                # Half a cubic metre; edges are rounded, and the cork makes a dent (5 %).
                self.assertAlmostEqual(surface["volume"], 0.5, delta=0.025, msg=engine)
                for low, high in zip(surface["bounds"][::2], surface["bounds"][1::2]):
                    self.assertGreater(low, -0.52)
                    self.assertLess(high, 0.62)  # the level rises by a splash
                self.assertGreater(surface["bounds"][2], -0.02)  # the floor

    @unittest.skipUnless(shutil.which("pvpython"), "ParaView is not installed")
    def test_paraview_reads_all_objects_with_their_names_and_times(self):
        self.export("--to", "vtk", "--liquid", "surface", "-o", "paraview", "-q")
        (self.folder / "reader.py").write_text(PARAVIEW_READER)
        done = subprocess.run([shutil.which("pvpython"), "reader.py", "paraview/run.pvd"], text=True,
                              capture_output=True, cwd=self.folder, env={**os.environ, "PATH": "/usr/bin:/bin"})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("ERR", done.stderr)
        seen = json.loads(next(line for line in done.stdout.splitlines() if line.startswith("SEEN "))[5:])
        self.assertEqual(len(seen["times"]), 5)
        self.assertEqual(seen["times"][0], 0)
        self.assertEqual(list(seen["points"]), ["water_surface", "tank", "cork"])
        self.assertGreater(min(seen["points"].values()), 7)

    @unittest.skipUnless(HAS_READERS, "node or the packages of web/ are missing: make web-packages")
    def test_the_validator_of_gltf_and_a_reader_of_usd_find_no_fault(self):
        self.export("--to", "gltf", "-o", "valid", "-q")
        self.export("--to", "usd", "-o", "valid", "-q")
        self.export("--to", "usd", "--liquid", "surface", "-o", "valid/surface", "-q")
        whole = (self.folder / "valid/run.usda").read_text()
        (self.folder / "valid/torn.usda").write_text(whole.replace("quatd", "quatx"))  # the reader can say no
        done = subprocess.run([shutil.which("node"), SOURCE / "tests/exports/read_back.mjs", SOURCE / "web",
                               "valid/run.glb", "valid/run.usda", "valid/surface/run.usda", "valid/torn.usda"],
                              text=True, capture_output=True, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        glb, points, surface, torn = json.loads(done.stdout.splitlines()[-1])
        self.assertEqual(glb["problems"], [])  # not even a hint
        self.assertGreater(glb["triangles"], 1000)
        self.assertEqual(glb["animations"], 1)
        for usd in (points, surface):
            self.assertTrue(usd["grammar"] and usd["schemas"], usd["error"])
        self.assertEqual(points["meshes"], 2)  # tank and cork
        self.assertEqual(surface["meshes"], 3)
        self.assertFalse(torn["grammar"])

    @unittest.skipUnless(shutil.which("blender"), "Blender is not installed")
    def test_blender_imports_what_it_knows(self):
        out = self.folder / "blender"
        for words in (["obj"], ["ply", "--liquid", "surface"], ["gltf"], ["usd", "--liquid", "surface"], ["vdb"]):
            done = subprocess.run([COMMAND, "export", "run", "--to", *words, "-o", out / words[0], "-q"],
                                  cwd=self.folder, text=True, capture_output=True)
            self.assertTrue(done.returncode == 0 or "no OpenVDB" in done.stderr, done.stderr)
        done = subprocess.run([shutil.which("blender"), "-b", "--python-exit-code", "3", "--python",
                               SOURCE / "tests/exports/blender_import.py", "--", out],
                              text=True, capture_output=True, timeout=300,
                              env={**os.environ, "PATH": "/usr/bin:/bin"})  # its Python is the system's
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        seen = json.loads(next(line for line in done.stdout.splitlines() if line.startswith("SEEN "))[5:])
        self.assertGreater(seen["obj"], 500)
        self.assertEqual(seen["obj"], seen["ply"])
        # In frame k of Blender the surface of frame k of the run, and no other.
        self.assertEqual(seen["gltf"]["shown"], [[f"water_surface_{k:06}"] for k in range(5)])
        self.assertIn("cork", seen["gltf"]["objects"])
        if (out / "vdb").is_dir():
            self.assertEqual(seen["vdb"], {"grids": ["density", "surface", "velocity"], "file": "water_000002.vdb"})
        if "usd" in seen:
            self.assertTrue({"water_surface", "cork", "tank"} <= set(seen["usd"]), seen["usd"])

    def test_frames_and_objects_are_chosen(self):
        self.export("--to", "obj", "--frames", "1:3:2", "--objects", "water", "-o", "some")
        files = sorted(f.name for f in (self.folder / "some").rglob("*.obj"))
        self.assertEqual(files, ["water_surface_000001.obj", "water_surface_000003.obj"])

    def test_tables_have_bodies_and_probes(self):
        self.export("--to", "csv", "-o", "csv")
        rows = (self.folder / "csv/bodies/cork.csv").read_text().splitlines()
        self.assertEqual(len(rows), 1 + len(list((self.folder / "run/frames").iterdir())))
        self.assertTrue((self.folder / "csv/probes.csv").read_text().startswith("time,step,gauge.pressure\n"))

    def test_threads_do_not_change_a_byte(self):
        for to, liquid in (("ply", "surface"), ("gltf", "surface"), ("usd", "particles")):
            one, two = f"{to}_one", f"{to}_two"
            self.export("--to", to, "--liquid", liquid, "-j", "1", "-o", one, "-q")
            self.export("--to", to, "--liquid", liquid, "-j", "2", "-o", two, "-q")
            for file in (self.folder / one).rglob("*"):
                if file.is_file():
                    other = self.folder / two / file.relative_to(self.folder / one)
                    self.assertEqual(file.read_bytes(), other.read_bytes(), file)

    def test_the_default_folder_is_in_the_run(self):
        shown = self.export("--to", "bgeo", "--frames", "last").stdout
        self.assertIn("run/bgeo (1 frame, bgeo)", shown)
        self.assertEqual(len(list((self.folder / "run/bgeo/water").glob("*.bgeo"))), 1)

    def test_mistakes_are_named_with_what_to_do(self):
        for words, message in ((["--to", "gltff"], 'Did you mean "gltf"?'),
                               (["--to", "vtk", "--objects", "corkk"], 'Did you mean "cork"?'),
                               (["--to", "vdb", "--liquid", "surface"], "it can: volume"),
                               (["--to", "ply", "--liquid", "surface", "--cell", "3"], "0.25 to 1 spacings"),
                               (["--to", "usd", "--frames", "900"], "the run has frames 0 to"),
                               (["--to", "usd", "--frames", "3:1"], "ends before it begins"),
                               (["--to", "bgeo", "--objects", "cork"], "no liquid is chosen"),
                               (["--to", "obj", "--compression", "3"], "--compression: obj has none"),
                               (["--to", "usd", "--cell", "0.5"], "add --liquid surface"),
                               (["--to", "bgeo", "--smoothing", "2"], "add --liquid surface with another format"),
                               (["--to", "usd", "--liquid", "none", "--objects", "water"], "no bodies are chosen")):
            self.assertIn(message, self.export(*words, expect=2).stderr)
        (self.folder / "taken").write_text("a file")
        self.assertIn("taken", self.export("--to", "usd", "-o", "taken", expect=4).stderr)
        done = subprocess.run([COMMAND, "export", "nowhere", "--to", "usd"], cwd=self.folder, text=True,
                              capture_output=True)
        self.assertEqual(done.returncode, 4)
        self.assertIn("nowhere", done.stderr)

    def test_a_damaged_frame_is_left_out_and_told_of(self):
        broken = self.folder / "broken"
        shutil.copytree(self.folder / "run", broken)
        frames = sorted((broken / "frames").iterdir())
        frames[0].write_bytes(frames[0].read_bytes()[:300])
        frames[2].write_bytes(b"not a frame")
        done = subprocess.run([COMMAND, "export", "broken", "--to", "usd"], cwd=self.folder, text=True,
                              capture_output=True)
        self.assertEqual(done.returncode, 4, done.stdout + done.stderr)
        for number in (0, 2):
            self.assertIn(f"frame_{number:06}.h5", done.stderr)
            self.assertIn(f"Frame {number} is left out.", done.stderr)
        text = (broken / "usd/run.usda").read_text()
        self.assertIn("timeCodesPerSecond = 20\n", text)
        self.assertIn("startTimeCode = 1\n", text)
        self.assertNotIn("\n2: ", text)
        for file in frames:
            file.write_bytes(b"")
        done = subprocess.run([COMMAND, "export", "broken", "--to", "ply", "-q"], cwd=self.folder, text=True,
                              capture_output=True)
        self.assertEqual(done.returncode, 4)
        self.assertNotIn("Exported", done.stdout)

    def test_frames_of_an_earlier_run_are_told_of(self):
        self.assertNotIn("earlier", self.export("--to", "ply", "-o", "again").stderr)
        later = self.folder / "again/water/water_000099.ply"
        shutil.copy(self.folder / "again/water/water_000001.ply", later)
        os.utime(later, (1e9, 1e9))
        shown = self.export("--to", "ply", "-o", "again", "--frames", "0:1").stderr
        self.assertIn("again/water/water_000099.ply is of an earlier run", shown)  # and 2, 3 are not

    def test_a_full_disk_is_told_of_and_leaves_no_torn_file(self):
        out = self.folder / "full"
        for to in ("usd", "gltf", "obj", "vtk"):
            limited = f"ulimit -f 20; exec {COMMAND} export run --to {to} -o full -q"  # 20 KB a file
            done = subprocess.run(["bash", "-c", "trap '' XFSZ; " + limited], cwd=self.folder, text=True,
                                  capture_output=True)
            self.assertEqual(done.returncode, 4, done.stdout + done.stderr)
            self.assertRegex(done.stderr, r"full/\S+: cannot write: File too large\.")
            for file in out.rglob("*"):
                self.assertFalse(file.name.startswith("."), file)
                self.assertLessEqual(file.stat().st_size, 20 * 1024)

    def test_ctrl_c_leaves_whole_files_only(self):
        out = self.folder / "stopped"
        process = subprocess.Popen([COMMAND, "export", "run", "--to", "obj", "--cell", "0.25", "-o", out], text=True,
                                   cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        while not list(out.rglob("*.obj")) and process.poll() is None:
            time.sleep(0.005)
        process.send_signal(signal.SIGINT)
        shown, _ = process.communicate()
        self.assertIn(process.returncode, (0, 130), shown)  # 0: it was faster than we
        for file in out.rglob("*"):
            self.assertFalse(file.name.startswith("."), file)
        for file in out.rglob("water_surface_*.obj"):
            self.assertTrue(file.read_text().rstrip().splitlines()[-1].startswith("f "))

    def test_the_help_lists_every_format_in_a_line(self):
        done = subprocess.run([COMMAND, "export", "--help"], text=True, capture_output=True)
        for name in ("vtk", "ply", "obj", "usd", "gltf", "vdb", "bgeo", "csv"):
            self.assertRegex(done.stdout, rf"(?m)^  {name} +\w")


if __name__ == "__main__":
    unittest.main()
