"""Episodes as in reinforcement learning: a raft is to be held at its place by a thruster while waves
run over it. Every episode starts from the same checkpoint, to the last bit; the best one is recorded.

    python3 episodes.py [FOLDER]         then: hydrolith view FOLDER
"""

import sys

import hydrolith
import numpy as np

STRONGEST = 40.0                            # [N] of the thruster, per metre of width
INTERVAL, LENGTH = 0.05, 24                 # [s] between actions, actions in an episode
WAVE = 0.25                                 # [m/s] amplitude of the wave maker's velocity

SCENE = {
    "name": "episodes", "dimensions": 2, "spacing": "2.5 cm", "duration": 1.5,
    "liquids": [{"name": "water", "shape": {"box": [1.6, 0.3], "at": [0, 0.15]}}],
    "bodies": [
        {"name": "tank", "kind": "static", "at": [0, 0.4],
         "shape": {"box": [1.8, 0.8], "inside_out": True}},
        {"name": "wave_maker", "kind": "kinematic", "motion": {"driven": True},
         "shape": {"box": [0.1, 0.6]}, "at": [-0.85, 0.3]},
        {"name": "raft", "density": 500, "shape": {"box": [0.3, 0.08]}, "at": [0.1, 0.3]}],
}


class Environment:
    """reset() and step(action), as agents know them; an action is between -1 and 1."""

    def __init__(self):
        self.simulation = hydrolith.Simulation(SCENE)
        self.raft = self.simulation.body("raft")
        self.simulation.on_step(self.push)
        self.simulation.step_until(0.3)         # the raft finds its draught
        self.start = self.simulation.checkpoint()

    def push(self, simulation):
        """Before every step of the simulation; there are several to an action."""
        t = simulation.time
        simulation.set_body_velocity("wave_maker", [WAVE * np.sin(8 * t), 0, 0], [0, 0, 0])
        self.raft.apply_force([self.force, 0, 0])

    force = 0.0

    def reset(self):
        self.simulation.restore(self.start)
        self.home, self.force, self.actions = self.raft.position[0], 0.0, 0
        return self.observe()

    def observe(self):
        return np.array([self.raft.position[0] - self.home, self.raft.velocity[0]])

    def step(self, action):
        """What is seen, the reward, and whether the episode is over."""
        self.force = STRONGEST * float(np.clip(action, -1, 1))
        self.actions += 1
        self.simulation.step_until(self.start.time + self.actions * INTERVAL)
        seen = self.observe()
        return seen, -abs(seen[0]), self.actions == LENGTH


def episode(environment, policy, after_action=lambda: None):
    """The sum of rewards."""
    seen, over, total = environment.reset(), False, 0.0
    while not over:
        seen, reward, over = environment.step(policy(seen))
        total += reward
        after_action()
    return total


if __name__ == "__main__":
    environment = Environment()
    gains = [0.0, 1.0, 4.0]                     # the policy: a spring and a damper
    returns = [episode(environment, lambda seen, k=k: -k * (5 * seen[0] + 1.5 * seen[1]))
               for k in gains]
    for k, total in zip(gains, returns):
        print(f"gain {k:.0f}: sum of rewards {total:.3f} m")
    best = gains[int(np.argmax(returns))]
    environment.reset()
    folder = sys.argv[1] if len(sys.argv) > 1 else "runs/episode"
    with hydrolith.Recorder(environment.simulation, folder) as recorder:
        again = episode(environment, lambda seen: -best * (5 * seen[0] + 1.5 * seen[1]),
                        recorder.record)
    print(f"the best one again: {again:.3f} m, recorded in {folder}")
