"""Run inside Blender: imports what `hydrolith export` wrote in the folder given after --, and prints what it sees.

Debian's Blender has no USD; where there is one, run.usda is imported too."""

import json
import pathlib
import sys

import bpy
import numpy

if not hasattr(numpy, "bool"):  # Blender 3.4's glTF reader is older than Debian's NumPy
    numpy.bool = bool

folder = pathlib.Path(sys.argv[sys.argv.index("--") + 1])
seen = {}


def fresh():
    bpy.ops.wm.read_factory_settings(use_empty=True)


def last(pattern):
    return str(sorted(folder.glob(pattern))[-1])


fresh()
bpy.ops.wm.obj_import(filepath=last("obj/water_surface/*.obj"))
seen["obj"] = len(bpy.context.active_object.data.vertices)

fresh()
bpy.ops.import_mesh.ply(filepath=last("ply/water_surface/*.ply"))
seen["ply"] = len(bpy.context.active_object.data.vertices)

fresh()
scene = bpy.context.scene
scene.render.fps = 20  # the run's
bpy.ops.import_scene.gltf(filepath=str(folder / "gltf" / "run.glb"))
scene = bpy.context.scene
surfaces = sorted((o for o in bpy.data.objects if "water_surface" in o.name), key=lambda o: o.name)
shown = []  # in each frame
for frame in range(len(surfaces)):
    scene.frame_set(frame)
    shown.append([o.name for o in surfaces if o.scale.x > 0.5])
seen["gltf"] = {"shown": shown, "objects": sorted(o.name for o in bpy.data.objects)}

files = sorted(folder.glob("vdb/water/*.vdb"))
if files and "volume_import" in dir(bpy.ops.object):
    fresh()
    bpy.ops.object.volume_import(filepath=str(files[0]), directory=str(files[0].parent),
                                 files=[{"name": file.name} for file in files])
    volume = bpy.context.active_object.data
    volume.frame_start = 0
    bpy.context.scene.frame_set(2)
    volume.grids.load()
    seen["vdb"] = {"grids": sorted(grid.name for grid in volume.grids),
                   "file": pathlib.Path(volume.grids.frame_filepath).name}

if "usd_import" in dir(bpy.ops.wm):
    fresh()
    bpy.ops.wm.usd_import(filepath=str(folder / "usd" / "run.usda"))
    seen["usd"] = sorted(o.name for o in bpy.data.objects)

print("SEEN " + json.dumps(seen))
