"""What a step costs from Python beyond the step in C++, on a scene of one brick without liquid:

    PYTHONPATH=build/release/python python3 bench/python_overhead.py build/release/bench/bench_step_loop
"""

import pathlib
import subprocess
import sys
import tempfile
import time

import hydrolith

STEPS, BATCHES = 1000, 30
SCENE = {"spacing": 0.1, "duration": 1, "time_step": 0.01, "gravity": [0, 0, 0],
         "bodies": [{"name": "brick", "shape": {"box": [0.4, 0.3, 0.2]}, "density": 500}]}


def fastest(simulation, look=None):
    """Time of a step [us] in the fastest batch."""
    best = float("inf")
    for _ in range(BATCHES):
        start = time.perf_counter()
        for _ in range(STEPS):
            simulation.step()
            if look:
                look(simulation)
        best = min(best, (time.perf_counter() - start) / STEPS)
    return 1e6 * best


def control(simulation):
    brick = simulation.body("brick")
    brick.apply_force(-brick.position)


def fastest_plain(scene):
    """The same in C++."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "brick.yaml"
        file.write_text(scene.yaml)
        return float(subprocess.run([sys.argv[1], file, str(STEPS), str(BATCHES)], check=True,
                                    capture_output=True, text=True).stdout)


def reset(simulation):
    simulation.restore(start)


scene = hydrolith.SceneFile.from_dict(SCENE)
start = hydrolith.Simulation(scene).checkpoint()
# C++ again between the others: the fastest of all counts, so a busy moment flatters nobody.
plain, rows = fastest_plain(scene), []
for what, callback, look in (("step from Python", None, None),
                             ("with an empty on_step", lambda s: None, None),
                             ("with a controller in on_step", control, None),
                             ("and positions as arrays", None, lambda s: s.bodies.position),
                             ("and all metrics as a dict", None, lambda s: s.metrics),
                             ("and back to a checkpoint", None, reset)):
    simulation = hydrolith.Simulation(scene)
    simulation.on_step(callback)
    rows.append((what, fastest(simulation, look)))
    plain = min(plain, fastest_plain(scene))
print(f"step in C++                   {plain:7.2f} us")
for what, here in rows:
    print(f"{what:30}{here:7.2f} us, {here - plain:6.2f} us beyond")
