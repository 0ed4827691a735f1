"""From a dict to the text of a scene. The text goes the way of every scene file, so a dict has the
same keys, units, expressions and messages."""

import json
import math
import numbers
import os
from collections.abc import Mapping

from ._hydrolith import SceneError

_DEEPEST = 64


def to_yaml(scene):
    """The scene as YAML, one key a line; what is short stays on one line."""
    if not isinstance(scene, Mapping):
        raise TypeError(f"a scene is a dict, not {type(scene).__name__}")
    if not scene:
        raise SceneError("scene  the scene is empty; it needs at least a liquid or a body")
    return "".join(_lines(_plain(scene, "", 0), 0))


def _fault(path, message):
    return SceneError(f"scene  {path}: {message}" if path else f"scene  {message}")


def _plain(value, path, depth):
    """The same with Python's own types only."""
    if depth > _DEEPEST:
        raise _fault(path, f"nested deeper than {_DEEPEST}; does it hold itself?")
    if hasattr(value, "tolist"):  # NumPy's arrays and scalars
        value = value.tolist()
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str) or not _is_text(key):
                raise _fault(path, f"the key {key!r} is not a text")
        return {key: _plain(v, f"{path}.{key}" if path else key, depth + 1)
                for key, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(v, f"{path}[{i}]", depth + 1) for i, v in enumerate(value)]
    if isinstance(value, str) and not _is_text(value):
        raise _fault(path, f"{value!r} is not a text that can be written in UTF-8")
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real):
        if not math.isfinite(value):
            raise _fault(path, f"{value} is not a finite number")
        return float(value)
    raise _fault(path, f"a scene cannot hold a {type(value).__name__}")


def _is_text(value):
    """Half a surrogate pair is not."""
    return value.isascii() or value == value.encode(errors="replace").decode()


def _flow(value):
    """On one line. JSON is YAML."""
    return json.dumps(value, ensure_ascii=False)


def _lines(value, indent):
    space = "  " * indent
    items = value.items() if isinstance(value, dict) else ((None, v) for v in value)
    for key, v in items:
        head = f"{space}-" if key is None else f"{space}{_flow(key)}:"
        text = _flow(v)
        if not v or not isinstance(v, (dict, list)) or len(head) + len(text) < 100:
            yield f"{head} {text}\n"
        else:
            yield f"{head}\n"
            yield from _lines(v, indent + 1)
