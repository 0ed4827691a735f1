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
bpy.ops.import_scene.gltf(filepath=str(folder / "gltf" / "run.glb"))
scene = bpy.context.scene
shown = []
for frame in range(int(scene.frame_end) + 1):
    scene.frame_set(frame)
    shown.append(sum(o.scale.x > 0.5 for o in bpy.data.objects if "water_surface" in o.name))
seen["gltf"] = {"shown": sorted(set(shown)), "objects": sorted(o.name for o in bpy.data.objects)}

if hasattr(bpy.types, "OBJECT_OT_volume_import"):
    fresh()
    files = sorted(folder.glob("vdb/water/*.vdb"))
    if files:
        bpy.ops.object.volume_import(filepath=str(files[-1]))
        grids = bpy.context.active_object.data.grids
        grids.load()
        seen["vdb"] = sorted(grid.name for grid in grids)

if hasattr(bpy.types, "WM_OT_usd_import"):
    fresh()
    bpy.ops.wm.usd_import(filepath=str(folder / "usd" / "run.usda"))
    seen["usd"] = sorted(o.name for o in bpy.data.objects)

print("SEEN " + json.dumps(seen))
