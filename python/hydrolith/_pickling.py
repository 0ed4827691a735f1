"""How results of the compiled part come out of a pickle: a function of Python, since pickle cannot
name those of pybind11."""

from . import _hydrolith


def rebuild(function, *values):
    """What a class's __reduce__ asks for."""
    return getattr(_hydrolith, function)(*values)
