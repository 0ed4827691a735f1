"""Small line charts as SVG files that stand by themselves, on white."""

import math
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 480, 250                     # [px]
LEFT, RIGHT, TOP, BELOW = 56, 14, 24, 38     # [px] around the plot
COLOURS = {"cells": "#1f6fb5", "kernel": "#8a8f98", "hybrid": "#d1701b"}


class Axis:
    """A range of values and where they lie on the page."""

    def __init__(self, values, start, end):
        values = [v for v in values if math.isfinite(v)] or [0.0]
        self.low, self.high = min(values), max(values)
        if self.high - self.low <= 1e-9 * max(abs(self.low), abs(self.high)):
            room = 0.1 * abs(self.low) or 1.0
            self.low, self.high = self.low - room, self.high + room
        self.start, self.end = start, end

    def __call__(self, value):
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)

    def ticks(self):
        """Three to eight round numbers, 1, 2 or 5 times a power of ten apart."""
        rough = (self.high - self.low) / 4
        power = 10 ** math.floor(math.log10(rough))
        step = power * next(s for s in (1, 2, 5, 10) if rough / power <= s + 1e-9)
        first = math.ceil(self.low / step - 1e-9)
        return [k * step for k in range(first, first + 12) if k * step <= self.high + 1e-9 * step]


def thinned(x, y, most=160):
    """At most so many points: of every stretch its lowest and highest, so that peaks stay."""
    n = len(x)
    if n <= most:
        return list(x), list(y)
    kept = []
    for k in range(most // 2):
        stretch = range(k * n * 2 // most, (k + 1) * n * 2 // most)
        kept += sorted({min(stretch, key=y.__getitem__), max(stretch, key=y.__getitem__)})
    return [x[k] for k in kept], [y[k] for k in kept]


def path(x_axis, y_axis, x, y, style):
    points = "L".join(f"{x_axis(a):.1f} {y_axis(b):.1f}" for a, b in zip(*thinned(x, y)) if math.isfinite(b))
    return f'<path d="M{points}" fill="none" {style}/>\n'


def text(x, y, words, anchor="middle", colour="#555"):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}">{escape(words)}</text>\n'


def line_chart(labels, curves, theory, points):
    """`curves`: (engine, label, x, y), the label at the end of its line; `theory`: (name, x, y), dashed or as points."""
    everything = [(x, y) for _, _, x, y in curves] + [(x, y) for _, x, y in theory]
    right = RIGHT + (34 if any(label for _, label, _, _ in curves) else 0)
    x_axis = Axis([v for x, _ in everything for v in x], LEFT, WIDTH - right)
    y_axis = Axis([v for _, y in everything for v in y], HEIGHT - BELOW, TOP)
    out = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" ' \
          'font-family="sans-serif" font-size="11">\n<rect width="100%" height="100%" fill="white"/>\n'
    for v in y_axis.ticks():
        out += f'<path d="M{LEFT} {y_axis(v):.1f}H{WIDTH - right}" stroke="#ddd"/>\n'
        out += text(LEFT - 5, y_axis(v) + 4, f"{v:.5g}", "end")
    for v in x_axis.ticks():
        out += text(x_axis(v), HEIGHT - BELOW + 15, f"{v:.5g}")
    out += text(0.5 * (LEFT + WIDTH - right), HEIGHT - 6, labels[0])
    out += text(LEFT, 14, labels[1], "start")
    for k, (_, x, y) in enumerate(theory):
        if not points:
            out += path(x_axis, y_axis, x, y, 'stroke="#333" stroke-width="1.2" stroke-dasharray="5 3"')
            continue
        for a, b in zip(x, y):
            filled = "#333" if k == 0 else "white"
            out += f'<circle cx="{x_axis(a):.1f}" cy="{y_axis(b):.1f}" r="3" fill="{filled}" stroke="#333"/>\n'
    for engine, label, x, y in curves:
        out += path(x_axis, y_axis, x, y, f'stroke="{COLOURS[engine]}" stroke-width="1.5" opacity="0.9"')
        if label and engine == "hybrid":
            out += text(x_axis(x[-1]) + 3, y_axis(y[-1]) + 4, label, "start")
    at = WIDTH - right
    for name, colour in [(name, "#333") for name, _, _ in reversed(theory)] + \
            [(e, c) for e, c in reversed(COLOURS.items()) if any(e == engine for engine, *_ in curves)]:
        out += text(at, 14, name, "end", colour)
        at -= 6.2 * len(name) + 10
    return out + "</svg>\n"
