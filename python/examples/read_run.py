"""Reads a run frame by frame.

    python3 read_run.py RUN
"""

import sys

import hydrolith
import numpy as np

run = hydrolith.Run(sys.argv[1])
print(run.record["scene"], run.record["state"], f"{len(run)} frames")
for frame in run:
    line = f"t = {frame.time:.3f} s"
    for info, liquid in zip(run.objects.liquids, frame.liquids):
        speed = np.linalg.norm(liquid.fields["velocity"], axis=1)
        line += f"  {info.name}: {len(liquid)} particles, fastest {speed.max(initial=0):.2f} m/s"
    print(line)
energy = run.metrics["total_energy"]
print(f"energy lost: {energy[0] - energy[-1]:.1f} J in {len(energy) - 1} steps")
