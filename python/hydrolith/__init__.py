"""Liquids and rigid bodies that push on each other in one solve.

    import hydrolith
    simulation = hydrolith.Simulation("dam.yaml")
    while not simulation.finished:
        simulation.step()
    print(simulation.liquid.position.mean(axis=0), simulation.metrics["total_energy"])

Everything is explained in docs/python.md; scenes in docs/scene-reference.md.
"""

try:
    import numpy as _numpy  # noqa: F401  (arrays are NumPy's)
except ImportError as _error:
    raise ImportError("hydrolith needs NumPy in this Python: apt-get install python3-numpy, "
                      "or make the environment with --system-site-packages") from _error

from ._hydrolith import (
    BodiesFrame, BodiesState, Body, BodyForces, BodyInfo, Checkpoint, Diagnostic, Error, Frame,
    IoError, LiquidFrame, LiquidInfo, LiquidState, LiquidSurface, MeshError, Objects, Progress,
    Recorder, Run, RunResult, SceneError, SceneFile, SceneSize, Simulation, SimulationError,
    StepReport, SurfaceMesh, Verdict, Wrench, instruction_set, liquid_surface, resume, run,
    set_threads, threads, version)

__version__ = version()
__all__ = [
    "BodiesFrame", "BodiesState", "Body", "BodyForces", "BodyInfo", "Checkpoint", "Diagnostic",
    "Error", "Frame", "IoError", "LiquidFrame", "LiquidInfo", "LiquidState", "LiquidSurface",
    "MeshError", "Objects", "Progress", "Recorder", "Run", "RunResult", "SceneError", "SceneFile",
    "SceneSize", "Simulation", "SimulationError", "StepReport", "SurfaceMesh", "Verdict",
    "Wrench", "instruction_set", "liquid_surface", "resume", "run", "set_threads", "threads",
    "version"]
