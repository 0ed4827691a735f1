"""A boat keeps its course against a wind that takes it by the bow: a controller in on_step.

    python3 hold_course.py [FOLDER]      then: hydrolith render FOLDER/held
"""

import math
import sys

import hydrolith
import numpy as np

THRUST, WIND = 5.0, np.array([0.0, 0.0, 3.0])  # [N]
STERN, BOW = [-0.35, -0.05, 0], [0.3, 0, 0]    # [m] in the frame of the boat
STRONGEST = 8.0                                # [N] of the stern thruster

SCENE = {
    "name": "hold_course", "spacing": "5 cm", "duration": 2,
    "liquids": [{"name": "water", "shape": {"box": [2.4, 0.3, 1.2], "at": [0, 0.15, 0]}}],
    "bodies": [
        {"name": "pool", "kind": "static", "at": [0, 0.35, 0],
         "shape": {"box": [2.4, 0.7, 1.2], "inside_out": True}},
        {"name": "boat", "density": 350, "colour": "firebrick", "at": [-0.7, 0.33, -0.1],
         "shape": {"union": [
             {"intersection": [{"ellipsoid": [0.4, 0.16, 0.14]},
                               {"box": [1, 0.2, 0.4], "at": [0, -0.06, 0]}]},
             {"box": [0.2, 0.1, 0.14], "at": [-0.1, 0.07, 0]}]}}],
    "picture": {"camera": {"from": [0.9, 1.7, 2.2], "to": [0, 0.2, 0], "field_of_view": 40}},
}


def heading(boat):
    """Angle about the vertical [rad]; 0: along x."""
    ahead = boat.direction([1, 0, 0])
    return math.atan2(-ahead[2], ahead[0])


def sail(controlled, folder):
    """Runs the scene; the heading [deg] before every step."""
    headings = []

    def on_step(simulation):
        boat = simulation.body("boat")
        headings.append(math.degrees(heading(boat)))
        boat.apply_force(WIND, point=boat.to_world(BOW))
        boat.apply_force(THRUST * boat.direction([1, 0, 0]), point=boat.to_world(STERN))
        if controlled:  # a proportional-derivative controller: stern thruster from heading and rate
            side = -40 * heading(boat) - 12 * boat.angular_velocity[1]
            side = max(-STRONGEST, min(STRONGEST, side))
            boat.apply_force(side * boat.direction([0, 0, 1]), point=boat.to_world(STERN))

    hydrolith.run(SCENE, folder, on_step=on_step)
    return np.array(headings)


if __name__ == "__main__":
    folder = sys.argv[1] if len(sys.argv) > 1 else "runs/hold_course"
    held, free = sail(True, f"{folder}/held"), sail(False, f"{folder}/free")
    print(f"largest heading error with control:    {abs(held).max():5.1f} deg")
    print(f"                      without control: {abs(free).max():5.1f} deg")
