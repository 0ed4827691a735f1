"""Small scenes that the tests share."""

import copy

TANK = {"name": "tank", "kind": "static", "at": [0, 0.3, 0],
        "shape": {"box": [0.6, 0.6, 0.4], "inside_out": True}}
BOX = {"name": "box", "density": 500, "shape": {"box": [0.2, 0.1, 0.2]}, "at": [0, 0.3, 0]}
WATER = {"name": "water", "shape": {"box": [0.6, 0.3, 0.4], "at": [0, 0.15, 0]}}


def floating(**changes):
    """A box in a small tank of water, 500 particles."""
    scene = {"name": "floating", "spacing": "5 cm", "duration": 0.1, "time_step": "4 ms",
             "liquids": [WATER], "bodies": [TANK, BOX]}
    return copy.deepcopy({**scene, **changes})


def brick(**changes):
    """A brick alone in space, no gravity."""
    scene = {"name": "brick", "spacing": 0.1, "duration": 1, "time_step": 0.01,
             "gravity": [0, 0, 0],
             "bodies": [{"name": "brick", "shape": {"box": [0.4, 0.3, 0.2]}, "density": 500}]}
    return copy.deepcopy({**scene, **changes})


def fountain(**changes):
    """Liquid that comes and goes: columns grow and shrink."""
    scene = {"name": "fountain", "spacing": 0.05, "duration": 1, "time_step": "5 ms",
             "liquids": [{"name": "water", "shape": {"box": [0.2, 0.2, 0.2], "at": [0, 1, 0]}}],
             "emitters": [{"liquid": "water", "radius": 0.1, "at": [0, 0, 0],
                           "direction": [0, 1, 0], "speed": 3}],
             "domain": {"min": [-1, -0.2, -1], "max": [1, 1.2, 1]}}
    return copy.deepcopy({**scene, **changes})


ENGINES = ("particles", "hybrid")
