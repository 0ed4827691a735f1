"""Runs of the command and what they leave behind: metrics.csv as columns, particles of frames."""

import csv
import json
import math
import pathlib
import shutil
import struct
import subprocess


class Run:
    """A finished run: its columns, read once."""

    def __init__(self, folder, command):
        self.folder, self.command = folder, command
        with open(folder / "metrics.csv", newline="") as file:
            rows = list(csv.reader(file))
        columns = zip(*rows[1:])
        self.columns = {name: [float(v) if v else math.nan for v in column]
                        for name, column in zip(rows[0], columns)}
        self.time = self.columns["time"]

    def __getitem__(self, name):
        return self.columns[name]

    def at(self, time, name):
        """Value of a column at a time, linear between steps."""
        t, v = self.time, self.columns[name]
        if not t[0] <= time <= t[-1] + 1e-9:
            raise ValueError(f"{self.folder.name}: no {name} at {time} s, the run ends at {t[-1]} s")
        k = next((k for k, value in enumerate(t) if value >= time - 1e-9), len(t) - 1)
        if k == 0:
            return v[0]
        part = min(1.0, (time - t[k - 1]) / (t[k] - t[k - 1]))
        return v[k - 1] + part * (v[k] - v[k - 1])

    def between(self, start, end, name):
        return [v for t, v in zip(self.time, self.columns[name]) if start - 1e-9 <= t <= end + 1e-9]

    def frames(self, liquid="water"):
        """(time, particles) of every frame; a particle is {"x": (x, y, z), FIELD: value}."""
        folder = self.folder / "bgeo"
        if not folder.exists():
            subprocess.run([self.command, "export", self.folder, "--to", "bgeo", "--objects", liquid, "--quiet"],
                           check=True)
        rate = frame_rate(self.folder / "scene.yaml")
        for k, path in enumerate(sorted((folder / liquid).glob("*.bgeo"))):
            yield k / rate, read_bgeo(path.read_bytes())


def frame_rate(scene):
    """output.frame_rate of a scene as a run writes it."""
    text = scene.read_text()
    return float(text.split("frame_rate:")[1].split(",")[0].split("}")[0].split()[0])


def read_bgeo(data):
    """Points of a BGEO file (version 5, big endian): 41 bytes of counts, attributes, four floats a point and those."""
    if data[:5] != b"BgeoV":
        raise ValueError("not a BGEO file")
    points, = struct.unpack_from(">i", data, 9)
    attributes, = struct.unpack_from(">i", data, 25)
    offset, layout, names = 41, ">4f", []
    for _ in range(attributes):
        length, = struct.unpack_from(">H", data, offset)
        name = data[offset + 2:offset + 2 + length].decode()
        offset += 2 + length
        size, kind = struct.unpack_from(">Hi", data, offset)
        offset += 6 + 4 * size
        layout += f"{size}{'i' if kind == 1 else 'f'}"
        names.append((name, size))
    record = struct.Struct(layout)
    particles = []
    for values in record.iter_unpack(data[offset:offset + points * record.size]):
        particle, at = {"x": values[:3]}, 4
        for name, size in names:
            particle[name] = values[at] if size == 1 else values[at:at + size]
            at += size
        particles.append(particle)
    return particles


def finished(folder):
    """Whether a run in this folder came to its end."""
    path = folder / "run.json"
    return path.exists() and json.loads(path.read_text()).get("state") == "finished"


def run(command, scene, settings, folder, threads, reuse=False):
    """Runs a scene with settings (KEY=VALUE) into a folder; an earlier run there is thrown away unless `reuse`."""
    if not (reuse and finished(folder)):
        shutil.rmtree(folder, ignore_errors=True)
        folder.parent.mkdir(parents=True, exist_ok=True)
        words = [command, "run", scene, "--output", folder, "--quiet"]
        words += ["--threads", str(threads)] if threads else []
        for setting in settings:
            words += ["--set", setting]
        done = subprocess.run(words, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"{pathlib.Path(scene).name} {' '.join(settings)}: {done.stderr.strip()}")
    return Run(folder, command)
