"""A box comes to rest in water: its draught, and the forces that carry it, by their origin.

    python3 draught.py
"""

import hydrolith
import numpy as np

DEPTH, HEIGHT, DENSITY = 0.3, 0.16, 600

SCENE = {
    "name": "draught", "spacing": "4 cm", "duration": "1.5 s",
    "liquids": [{"name": "water", "viscosity": "1 Pa s",
                 "shape": {"box": [0.8, DEPTH, 0.8], "at": [0, DEPTH / 2, 0]}}],
    "bodies": [
        {"name": "tank", "kind": "static", "at": [0, 0.3, 0],
         "shape": {"box": [0.8, 0.6, 0.8], "inside_out": True}},
        {"name": "box", "density": DENSITY, "at": [0, DEPTH - 0.01, 0],
         "shape": {"box": [0.32, HEIGHT, 0.32]}}],
    "probes": [{"name": "level", "height": {"at": [0.3, 0, 0.3]}}],
}

simulation = hydrolith.Simulation(SCENE)
box = simulation.body("box")
pressure, viscosity, draught = [], [], []
while not simulation.finished:
    simulation.step()
    if simulation.time > 1:
        pressure.append(box.forces.pressure.force)
        viscosity.append(box.forces.viscosity.force)
        draught.append(simulation.metrics["level.height"] - box.position[1] + HEIGHT / 2)

weight = 9.81 * box.mass
print(f"draught    {np.mean(draught):.3f} m, Archimedes says {DENSITY / 1000 * HEIGHT:.3f} m")
print(f"pressure   {np.mean(pressure, axis=0)[1]:.1f} N up, the box weighs {weight:.1f} N")
print(f"viscosity  {np.mean(viscosity, axis=0)[1]:.1f} N up")
