#include "particles/edge_flow.h"

#include "core/parallel.h"
#include "particles/cell_operator.h"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace hydrolith::particles {

namespace {

constexpr std::size_t most_fields = 8;  // the edge's flow, dilation and rigid motions
// [-] Of the edge's flow, what no other field explains: K is known where that is more.
constexpr double told_apart = 0.05;

using Row = Eigen::Matrix<double, 3, most_fields>;
using Square = Eigen::Matrix<double, most_fields, most_fields>;

/// 1 at the edge, 0 at the reach.
double bump(double r_sq) {
  const double u = std::max(0.0, 1 - r_sq);
  return u * u;
}

}  // namespace

/// A piece of an edge and what is near it. Particles of its own are numbered in `around`.
struct EdgeFlow::Work {
  SharpEdge edge;  // world
  std::vector<std::uint32_t> near;
  std::vector<double> weight, share, error;  // of those near
  std::vector<Vec3> flow_near;
  std::vector<std::uint32_t> rows;  // particles whose rows have a share of the piece
  // They and their neighbours, whose repair is given to them; and what both refer to.
  std::vector<std::uint32_t> inner, around;
  std::vector<Float4> flow;  // around
  std::vector<float> rough;  // of the inner ones
  std::vector<Entry> entries;
  std::vector<Vec3> z;

  void find_near(const Model& m, const State& s, const Cells& cells, const CellBuilder& builder);
  void look_around(const State& s, double h, const CellOperator& op);
  void find_errors(const Model& m, const State& s, const Cells& cells, const CellOperator& op);
  bool fit(const Model& m, const State& s);
};

EdgeFlow::EdgeFlow() = default;
EdgeFlow::~EdgeFlow() = default;
EdgeFlow::EdgeFlow(EdgeFlow&&) noexcept = default;

void EdgeFlow::clear() {
  entries_.clear();
  z_.clear();
  first_.assign(1, 0);
  particle_first_.assign(1, 0);
  by_particle_.clear();
  piece_of_.clear();
}

/// Open cells have no part.
void EdgeFlow::Work::find_near(const Model& m, const State& s, const Cells& cells,
                               const CellBuilder& builder) {
  builder.find(edge.at, edge.reach, near);
  std::erase_if(near, [&](std::uint32_t i) { return cells.open[i] > 0; });
  weight.resize(near.size()), share.resize(near.size()), flow_near.resize(near.size());
  rows.clear();
  const double per_sq = 1 / (edge.reach * edge.reach);
  for (std::size_t k = 0; k < near.size(); ++k) {
    const Vec3 x = s.x[near[k]] - edge.at, across = x - x.dot(edge.along) * edge.along;
    weight[k] = bump(per_sq * x.squaredNorm());
    share[k] = edge.share(x) * std::min(1.0, bump(per_sq * across.squaredNorm()) / bump(0.25));
    flow_near[k] = edge.flow(x, m.scene.spacing);
    if (share[k] > 0) rows.push_back(near[k]);
  }
}

namespace {

/// `from`, in ascending order, with all neighbours.
void add_ring(const CellOperator& op, const std::vector<std::uint32_t>& from,
              std::vector<std::uint32_t>& to) {
  to = from;
  for (const std::uint32_t i : from)
    for (std::uint32_t e = op.first(i); e < op.last(i); ++e) to.push_back(op.neighbour(e));
  std::sort(to.begin(), to.end());
  to.erase(std::unique(to.begin(), to.end()), to.end());
}

std::size_t place(const std::vector<std::uint32_t>& list, std::uint32_t i) {
  return static_cast<std::size_t>(std::lower_bound(list.begin(), list.end(), i) - list.begin());
}

}  // namespace

/// The flow as far as rows and the repair of their neighbours' see.
void EdgeFlow::Work::look_around(const State& s, double h, const CellOperator& op) {
  add_ring(op, rows, inner);
  add_ring(op, inner, around);
  flow.resize(around.size()), rough.resize(inner.size());
  for (std::size_t k = 0; k < around.size(); ++k)
    flow[k] = Float4(edge.flow(s.x[around[k]] - edge.at, h));
  for (std::size_t k = 0; k < inner.size(); ++k)
    rough[k] = op.roughness(inner[k], [&](std::uint32_t i) { return flow[place(around, i)]; });
}

/// What rows near the edge say of a flow that has no divergence.
void EdgeFlow::Work::find_errors(const Model& m, const State& s, const Cells& cells,
                                 const CellOperator& op) {
  const double h = m.scene.spacing, face = std::pow(h, m.scene.dimensions - 1);
  error.assign(near.size(), 0);
  for (std::size_t k = 0; k < near.size(); ++k) {
    if (!(share[k] > 0)) continue;
    const std::uint32_t i = near[k];
    double sum = op.plain_divergence(i, [&](std::uint32_t j) { return flow[place(around, j)]; }) -
                 rough[place(inner, i)];
    for (std::uint32_t e = op.first(i); e < op.last(i); ++e)
      sum += op.fitted(e) * rough[place(inner, op.neighbour(e))];
    for (const CellFacet& f : cells.facets_of(i))
      sum += f.push / face * f.normal.dot(edge.flow(s.x[i] + f.centre - edge.at, h));
    error[k] = share[k] * sum;
  }
}

/// t and z; false where too little liquid is near to tell the flow from others.
bool EdgeFlow::Work::fit(const Model& m, const State& s) {
  const double h = m.scene.spacing;
  const bool plane = m.scene.dimensions == 2;
  const int fields = plane ? 5 : 8;
  Eigen::Matrix4d moments = Eigen::Matrix4d::Zero();
  Eigen::Vector4d of_error = Eigen::Vector4d::Zero();
  Square normal = Square::Zero();
  const auto row = [&](std::size_t k) {
    const Vec3 x = (s.x[near[k]] - edge.at) / h;
    Row fields_at = Row::Zero();
    fields_at.col(0) = flow_near[k];
    fields_at.col(1) = plane ? Vec3(x.x(), x.y(), 0) : x;
    if (plane) {
      fields_at.col(2) = Vec3::UnitX(), fields_at.col(3) = Vec3::UnitY();
      fields_at.col(4) = Vec3(-x.y(), x.x(), 0);
    } else {
      for (int c = 0; c < 3; ++c) {
        fields_at.col(2 + c) = Vec3::Unit(c);
        fields_at.col(5 + c) = Vec3::Unit(c).cross(x);
      }
    }
    return fields_at;
  };
  const auto linear = [&](std::size_t k) {
    const Vec3 x = (s.x[near[k]] - edge.at) / h;
    return Eigen::Vector4d(1, x.x(), x.y(), x.z());
  };
  for (std::size_t k = 0; k < near.size(); ++k) {
    const Eigen::Vector4d p = linear(k);
    const Row fields_at = row(k);
    moments += weight[k] * p * p.transpose();
    of_error += error[k] * p;
    normal += weight[k] * fields_at.transpose() * fields_at;
  }
  if (plane) moments(3, 3) = 1;
  for (int c = fields; c < static_cast<int>(most_fields); ++c) normal(c, c) = 1;
  const Eigen::LLT<Eigen::Matrix4d> of_moments(moments);
  const Eigen::LLT<Square> of_normal(normal);
  if (of_moments.info() != Eigen::Success || of_normal.info() != Eigen::Success) return false;
  const Eigen::Vector4d off = of_moments.solve(of_error);
  using Fields = Eigen::Matrix<double, most_fields, 1>;
  const Fields first = of_normal.solve(Fields(Fields::Unit(0)));
  const double told = 1 / (first[0] * normal(0, 0));
  const double sure = std::clamp(told / told_apart - 1, 0.0, 1.0);
  if (!(sure > 0)) return false;
  entries.clear(), z.clear();
  for (std::size_t k = 0; k < near.size(); ++k) {
    const double t = error[k] - weight[k] * linear(k).dot(off);
    z.push_back(weight[k] * row(k) * first);
    entries.push_back({near[k], static_cast<float>(sure * t), z.back().cast<float>()});
  }
  return true;
}

/// Pieces of edges of bodies that liquid touches.
void EdgeFlow::list_pieces(const Model& m, const State& s, const Cells& cells,
                           std::span<const std::vector<SharpEdge>> edges) {
  touched_.assign(s.bodies.size(), 0);
  for (const CellFacet& f : cells.facets) touched_[f.surface] = 1;
  used_ = 0;
  for (std::size_t k = 0; k < s.bodies.size(); ++k) {
    if (!touched_[k]) continue;
    for (const SharpEdge& edge : edges[m.solids.shape_of[k]]) {
      if (used_ == work_.size()) work_.emplace_back();
      work_[used_++].edge = edge.placed(s.bodies.pose(k));
    }
  }
}

void EdgeFlow::assemble(const Model& m, const State& s, const Cells& cells,
                        const CellBuilder& builder, std::span<const std::vector<SharpEdge>> edges,
                        const CellOperator& op) {
  clear();
  list_pieces(m, s, cells, edges);
  const auto least = static_cast<std::size_t>(m.scene.dimensions == 2 ? 6 : 12);
  parallel_for(
      used_,
      [&](std::size_t k) {
        Work& w = work_[k];
        w.entries.clear();
        w.find_near(m, s, cells, builder);
        if (w.near.size() < least || w.rows.empty()) return;
        w.look_around(s, m.scene.spacing, op);
        w.find_errors(m, s, cells, op);
        if (!w.fit(m, s)) w.entries.clear();
      },
      1);
  for (std::size_t k = 0; k < used_; ++k) {
    if (work_[k].entries.empty()) continue;
    piece_of_.insert(piece_of_.end(), work_[k].entries.size(),
                     static_cast<std::uint32_t>(first_.size() - 1));
    entries_.insert(entries_.end(), work_[k].entries.begin(), work_[k].entries.end());
    z_.insert(z_.end(), work_[k].z.begin(), work_[k].z.end());
    first_.push_back(static_cast<std::uint32_t>(entries_.size()));
  }
  if (!entries_.empty()) index();
}

/// Entries by particle.
void EdgeFlow::index() {
  by_particle_.resize(entries_.size());
  std::iota(by_particle_.begin(), by_particle_.end(), 0u);
  std::sort(by_particle_.begin(), by_particle_.end(), [&](std::uint32_t a, std::uint32_t b) {
    const std::uint32_t i = entries_[a].particle, j = entries_[b].particle;
    return i != j ? i < j : a < b;
  });
  particle_first_.clear();
  for (std::uint32_t k = 0; k < by_particle_.size(); ++k)
    if (k == 0 || entries_[by_particle_[k]].particle != entries_[by_particle_[k - 1]].particle)
      particle_first_.push_back(k);
  particle_first_.push_back(static_cast<std::uint32_t>(by_particle_.size()));
}

}  // namespace hydrolith::particles
