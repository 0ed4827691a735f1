#include "particles/void_measure.h"

#include "core/parallel.h"
#include "particles/model.h"
#include "sampling/point_grid.h"

#include <cmath>

namespace hydrolith::particles {

namespace {

constexpr double points[] = {1, 3, 5};  // [h] outside the surface
constexpr double between = 2;           // [h] points
constexpr double wet = 1;               // [h] from a liquid particle
constexpr double in_the_way = 1.25;     // [h] from a sample: more than sqrt(1 + 1/2)
constexpr double adjoin = 1.6;          // [h] samples: more than the diagonal of a square
constexpr std::uint32_t no_body = UINT32_MAX;

}  // namespace

/// What a sample can see.
struct VoidMeasure::View {
  const NeighbourSearch& search;
  const Samples& samples;
  double h;  // [m]
  Vec3 up;   // unit; zero without gravity

  bool is_wet(const Vec3& x) const { return search.liquid_within(x, wet); }
  bool is_blocked(const Vec3& x, std::uint32_t but_by) const {
    return search.sample_within(samples, x, in_the_way, but_by);
  }
};

VoidMeasure::VoidMeasure(const Model& m) : adjoining_(m.samples.size()) {
  for (std::size_t k = 0; k < m.samples.size(); ++k) {
    if (m.solids.shapes[k].kind != BodyKind::dynamic) continue;
    const double reach = adjoin * m.solids.shapes[k].resolution;
    const std::vector<Vec3>& x = m.samples[k].position;
    const PointGrid grid(reach, x);
    Adjoining& a = adjoining_[k];
    a.first.push_back(0);
    for (std::uint32_t i = 0; i < x.size(); ++i) {
      grid.for_each_near(x[i], reach, [&](std::uint32_t j, double) {
        if (j != i) a.sample.push_back(j);
      });
      a.first.push_back(static_cast<std::uint32_t>(a.sample.size()));
    }
  }
}

/// What lies along the normal from a point of the surface.
VoidMeasure::Outlook VoidMeasure::look(const View& view, const Vec3& surface, const Vec3& normal,
                                       std::uint32_t body) {
  const double h = view.h;
  const Vec3 first = surface + points[0] * h * normal;
  if (view.is_wet(first)) return Outlook::filled;
  if (view.is_blocked(first, body)) return Outlook::blocked;
  for (const double distance : {points[1], points[2]}) {
    const Vec3 x = surface + distance * h * normal;
    if (!view.is_wet(x)) {
      if (view.is_blocked(x, no_body)) return Outlook::blocked;
      continue;
    }
    const Vec3 behind = x + between * h * normal;
    if (!view.is_wet(behind) && !view.is_blocked(behind, no_body)) continue;  // a drop
    // x at the height of the first point, and one spacing more.
    const Vec3 level = x + ((first - x).dot(view.up) + h) * view.up;
    return !view.up.isZero() && view.is_wet(level) ? Outlook::submerged_hollow : Outlook::hollow;
  }
  return Outlook::dry;
}

/// Hollow samples in [begin, end) that are connected to dry samples become dry.
void VoidMeasure::open_to_air(const Adjoining& shape, std::size_t begin, std::size_t end) {
  std::uint32_t* const queue = queue_.data() + begin;
  Outlook* const outlook = outlook_.data() + begin;
  std::size_t count = 0;
  for (std::size_t k = 0; k < end - begin; ++k)
    if (outlook[k] == Outlook::dry) queue[count++] = static_cast<std::uint32_t>(k);
  for (std::size_t at = 0; at < count; ++at)
    for (std::uint32_t k = shape.first[queue[at]]; k < shape.first[queue[at] + 1]; ++k) {
      Outlook& next = outlook[shape.sample[k]];
      if (next != Outlook::hollow) continue;
      next = Outlook::dry;
      queue[count++] = shape.sample[k];
    }
}

VoidReport VoidMeasure::measure(const Model& m, const RigidBodies& bodies, const Samples& samples,
                                const NeighbourSearch& search) {
  const double h = m.scene.spacing, g = m.scene.gravity.norm();
  const View view{search, samples, h, g > 0 ? Vec3(-m.scene.gravity / g) : Vec3(Vec3::Zero())};
  outlook_.resize(samples.size());
  queue_.resize(samples.size());
  const auto is_dynamic = [&](std::size_t b) { return bodies.kind[b] == BodyKind::dynamic; };
  parallel_for(
      samples.size(),
      [&](std::size_t k) {
        const std::uint32_t b = samples.body[k];
        outlook_[k] = Outlook::unknown;
        if (!is_dynamic(b)) return;
        const SurfaceSamples& local = m.samples[m.solids.shape_of[b]];
        const Vec3 normal = bodies.q[b] * local.normal[k - samples.first[b]];
        outlook_[k] = look(view, samples.x[k] + samples.radius[k] * normal, normal, b);
      },
      64);
  parallel_for(
      bodies.size(),
      [&](std::size_t b) {
        if (is_dynamic(b))
          open_to_air(adjoining_[m.solids.shape_of[b]], samples.first[b], samples.first[b + 1]);
      },
      4);
  double voids = 0, filled = 0;  // [m^2], 2D: [m] of surface
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const double resolution = m.solids.shapes[m.solids.shape_of[b]].resolution;
    const double area = std::pow(resolution, m.scene.dimensions - 1);
    for (std::size_t k = samples.first[b]; k < samples.first[b + 1]; ++k) {
      const Outlook o = outlook_[k];
      voids += o == Outlook::hollow || o == Outlook::submerged_hollow ? area : 0;
      filled += o == Outlook::filled ? area : 0;
    }
  }
  if (voids == 0) return {};
  return {voids * between * h, voids / (voids + filled)};
}

}  // namespace hydrolith::particles
