#include "output/svg_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace hydrolith {

namespace {

constexpr double width = 640, height = 260;                    // [px] of a line chart
constexpr double left = 70, right = 12, top = 10, below = 40;  // [px] around the plot

/// A range of values and where they lie on the page.
struct Axis {
  double lo = std::numeric_limits<double>::infinity(), hi = -lo;
  double from = 0, to = 1;  // [px] of lo and hi

  void include(double v) {
    if (!std::isfinite(v)) return;
    lo = std::min(lo, v);
    hi = std::max(hi, v);
  }
  /// Makes room: a range of no width, or of nothing, gets some.
  void settle() {
    if (lo > hi) lo = 0, hi = 1;
    const double least = 1e-9 * std::max({std::abs(lo), std::abs(hi), 1e-300});
    if (hi - lo <= least) {
      const double room = lo == 0 ? 1 : 0.1 * std::abs(lo);
      lo -= room;
      hi += room;
    }
  }
  double operator()(double v) const { return from + (v - lo) / (hi - lo) * (to - from); }
};

/// Three to eight round numbers in [lo, hi], 1, 2 or 5 times a power of ten apart.
std::vector<double> ticks(const Axis& a) {
  const double rough = (a.hi - a.lo) / 5, power = std::pow(10, std::floor(std::log10(rough)));
  const double lead = rough / power;
  const double step = power * (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10);
  std::vector<double> all;
  if (!(step > 0) || !std::isfinite(step)) return all;
  const double first = std::ceil(a.lo / step);
  for (int k = 0; k < 12; ++k) {
    const double v = (first + k) * step;
    if (v > a.hi + 1e-9 * step) break;
    all.push_back(std::abs(v) < 1e-9 * step ? 0 : v);
  }
  return all;
}

std::string open_svg(double w, double h) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:g} {:g}\" role=\"img\">\n", w, h);
}

void draw_axes(const Axis& x, const Axis& y, const std::string& x_label, std::string& out) {
  for (const double v : ticks(y))
    out += fmt::format(
        "<line class=\"grid\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>"
        "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{:.5g}</text>\n",
        x.from, x.to, y(v), y(v), x.from - 6, y(v) + 4, v);
  for (const double v : ticks(x))
    out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{:.5g}</text>\n",
                       x(v), y.from + 16, v);
  out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n",
                     0.5 * (x.from + x.to), height - 6, xml_escape(x_label));
}

void draw_series(const ChartSeries& s, std::size_t k, const Axis& x, const Axis& y,
                 std::string& out) {
  constexpr const char* dashes[] = {"none", "6 3", "2 3", "8 3 2 3"};
  std::string path;
  bool down = false;  // the pen
  for (std::size_t i = 0; i < s.x.size(); ++i) {
    if (!std::isfinite(s.x[i]) || !std::isfinite(s.y[i])) {
      down = false;
      continue;
    }
    path += fmt::format("{}{:.1f} {:.1f}", down ? "L" : "M", x(s.x[i]), y(s.y[i]));
    down = true;
  }
  if (path.empty()) return;
  out += fmt::format(
      "<path class=\"line s{}\" stroke-dasharray=\"{}\" d=\"{}\"><title>{}</title></path>\n", k % 8,
      dashes[k / 8 % 4], path, xml_escape(s.name));
}

}  // namespace

std::string xml_escape(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else if (c == '\'')
      out += "&#39;";
    else
      out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out;
}

ChartSeries thinned(const ChartSeries& s, std::size_t most) {
  const std::size_t n = s.x.size(), stretches = most / 2;
  if (n <= most || stretches == 0) return s;
  // What is not a number is the lowest: the hole stays, and so does the peak beside it.
  const auto less = [](double a, double b) { return !std::isnan(b) && (std::isnan(a) || a < b); };
  ChartSeries out{s.name, {}, {}};
  for (std::size_t k = 0; k < stretches; ++k) {
    const std::size_t begin = k * n / stretches, end = (k + 1) * n / stretches;
    const auto [low, high] = std::minmax_element(s.y.begin() + begin, s.y.begin() + end, less);
    const auto a = static_cast<std::size_t>(low - s.y.begin());
    const auto b = static_cast<std::size_t>(high - s.y.begin());
    for (const std::size_t i : {std::min(a, b), std::max(a, b)}) {
      out.x.push_back(s.x[i]);
      out.y.push_back(s.y[i]);
    }
  }
  return out;
}

std::string line_chart(const std::string& x_label, const std::vector<ChartSeries>& series) {
  Axis x{.from = left, .to = width - right}, y{.from = height - below, .to = top};
  for (const ChartSeries& s : series)
    for (std::size_t i = 0; i < s.x.size(); ++i)
      if (std::isfinite(s.y[i])) {
        x.include(s.x[i]);
        y.include(s.y[i]);
      }
  x.settle();
  y.settle();
  std::string out = open_svg(width, height);
  draw_axes(x, y, x_label, out);
  for (std::size_t k = 0; k < series.size(); ++k) draw_series(series[k], k, x, y, out);
  return out + "</svg>\n";
}

std::string bar_chart(const std::vector<ChartBar>& bars, bool logarithmic) {
  constexpr double row = 40, thick = 14, text_room = 110;
  const double h = row * static_cast<double>(bars.size()) + 4;
  const auto drawn = [](const ChartBar& b) { return std::isfinite(b.value) && b.value > 0; };
  const auto scaled = [&](double v) { return logarithmic ? std::log10(v) : v; };
  Axis x{.from = 0, .to = width - text_room};
  for (const ChartBar& b : bars)
    if (drawn(b)) x.include(scaled(b.value));
  // On a logarithmic scale the smallest bar must still be seen.
  x.lo = logarithmic ? std::floor(x.lo - 0.05) : 0;
  if (!(x.hi > x.lo)) x.lo = 0, x.hi = 1;
  std::string out = open_svg(width, h);
  for (std::size_t k = 0; k < bars.size(); ++k) {
    const double y = row * static_cast<double>(k);
    const double w = drawn(bars[k]) ? x(scaled(bars[k].value)) : 0;
    out += fmt::format("<text x=\"0\" y=\"{:.1f}\">{}</text>\n", y + 14, xml_escape(bars[k].name));
    out += fmt::format(
        "<rect class=\"bar s{}\" x=\"0\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:g}\" rx=\"2\"/>"
        "<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
        k % 8, y + 20, w, thick, w + 6, y + 31, xml_escape(bars[k].text));
  }
  return out + "</svg>\n";
}

}  // namespace hydrolith
