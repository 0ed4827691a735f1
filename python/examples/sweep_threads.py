"""Many small simulations at once: how deep boxes of other densities float, each in a thread.

    python3 sweep_threads.py
"""

from concurrent.futures import ThreadPoolExecutor

import hydrolith

HEIGHT = 0.2


def draught(density):
    """Draught [m] of a box in a tank, in two dimensions."""
    start = 0.4 + (0.5 - density / 1000) * HEIGHT
    simulation = hydrolith.Simulation({
        "dimensions": 2, "spacing": 0.025, "duration": 1,
        "liquids": [{"viscosity": "1 Pa s", "shape": {"box": [1.2, 0.4], "at": [0, 0.2]}}],
        "bodies": [{"name": "tank", "kind": "static", "at": [0, 0.4],
                    "shape": {"box": [1.2, 0.8], "inside_out": True}},
                   {"name": "box", "density": density, "at": [0, start],
                    "shape": {"box": [0.4, HEIGHT]}}],
        "probes": [{"name": "level", "height": {"at": [0.5, 0]}}]})
    while not simulation.finished:  # without the GIL: other threads go on meanwhile
        simulation.step()
    return simulation.metrics["level.height"] - simulation.body("box").position[1] + HEIGHT / 2


if __name__ == "__main__":
    densities = [200, 400, 600, 800]
    with ThreadPoolExecutor() as pool:
        for density, found in zip(densities, pool.map(draught, densities)):
            print(f"density {density}: draught {found:.3f} m, "
                  f"Archimedes {density / 1000 * HEIGHT:.3f} m")
