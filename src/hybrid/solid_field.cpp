#include "hybrid/solid_field.h"

#include "core/parallel.h"
#include "geometry/section.h"
#include "hybrid/cut_fraction.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace hydrolith::hybrid {

namespace {

constexpr double on_surface = 1e-9;  // [dx] a node that near counts as solid
constexpr double least_open = 1e-3;  // [-] smaller openings are closed
constexpr std::uint32_t around_all = (1u << 27) - 1;
constexpr double least_solid = 1e-7;  // [-] rounding of a distance

Box3 moved(const Box3& box, const Pose& pose) {
  const Vec3 centre = pose * box.centre();
  const Vec3 half = pose.orientation.toRotationMatrix().cwiseAbs() * (0.5 * box.size());
  return {centre - half, centre + half};
}

/// Fractions of a block of cells from a signed distance, asked only near the surface.
class BlockMeasure {
 public:
  BlockMeasure(const Cell3& size, double dx, int dimensions)
      : size_(size), dx_(dx), dimensions_(dimensions), parts_(dimensions == 3 ? 8 : 4) {}

  /// distance(x) for a world point; the block starts at cell lo. Returns whether anything is solid.
  template <class Distance>
  bool run(const Cell3& lo, Distance&& distance, std::array<std::vector<double>, 3>& area,
           std::vector<float>& part) {
    const std::size_t n = static_cast<std::size_t>(size_.prod());
    for (int a = 0; a < dimensions_; ++a) area[static_cast<std::size_t>(a)].assign(n, 0);
    part.assign(n * static_cast<std::size_t>(parts_), 0);
    nodes_.assign(node_count(), unknown);
    bool any = false;
    const double far = (dimensions_ == 3 ? std::sqrt(3.0) : std::sqrt(2.0)) * 0.5 * dx_ * 1.001;
    constexpr int block = 4;
    for (int bz = 0; bz < size_.z(); bz += block)
      for (int by = 0; by < size_.y(); by += block)
        for (int bx = 0; bx < size_.x(); bx += block) {
          const Cell3 b(bx, by, bz), e = (b + Cell3::Constant(block)).cwiseMin(size_);
          Vec3 middle = 0.5 * (b + e).cast<double>() + lo.cast<double>();
          Vec3 extent = 0.5 * (e - b).cast<double>() * dx_;
          if (dimensions_ == 2) extent.z() = 0, middle.z() = 0;
          const double d = distance(Vec3(middle * dx_));
          if (d > extent.norm() * 1.001) continue;
          any = true;
          const bool full = d < -extent.norm() * 1.001;
          for (int k = b.z(); k < e.z(); ++k)
            for (int j = b.y(); j < e.y(); ++j)
              for (int i = b.x(); i < e.x(); ++i)
                full ? fill({i, j, k}, area, part)
                     : measure_cell(lo, {i, j, k}, far, distance, area, part);
        }
    return any;
  }

 private:
  static constexpr double unknown = 1e300;
  std::size_t node_count() const {
    const Cell3 n = 2 * size_ + Cell3::Ones();
    return static_cast<std::size_t>(n.x() * n.y() * (dimensions_ == 3 ? n.z() : 1));
  }
  std::size_t cell_index(const Cell3& c) const {
    return static_cast<std::size_t>((c.z() * size_.y() + c.y()) * size_.x() + c.x());
  }
  void fill(const Cell3& c, std::array<std::vector<double>, 3>& area, std::vector<float>& part) {
    const std::size_t n = cell_index(c);
    for (int a = 0; a < dimensions_; ++a) area[static_cast<std::size_t>(a)][n] = 1;
    for (int s = 0; s < parts_; ++s)
      part[n * static_cast<std::size_t>(parts_) + static_cast<std::size_t>(s)] = 1;
  }
  /// Distance at a node of the half grid, coordinates from the block's corner.
  template <class Distance>
  double node(const Cell3& lo, int i, int j, int k, Distance&& distance) {
    const int nx = 2 * size_.x() + 1, ny = 2 * size_.y() + 1;
    double& d = nodes_[static_cast<std::size_t>((k * ny + j) * nx + i)];
    if (d == unknown) {
      const Vec3 x((lo.x() + 0.5 * i) * dx_, (lo.y() + 0.5 * j) * dx_,
                   dimensions_ == 3 ? (lo.z() + 0.5 * k) * dx_ : 0);
      d = distance(x) - on_surface * dx_;
    }
    return d;
  }
  template <class Distance>
  void measure_cell(const Cell3& lo, const Cell3& c, double far, Distance&& distance,
                    std::array<std::vector<double>, 3>& area, std::vector<float>& part) {
    const int o = dimensions_ == 3 ? 1 : 0;
    const double d = node(lo, 2 * c.x() + 1, 2 * c.y() + 1, o * (2 * c.z() + 1), distance);
    if (d > far) return;
    if (d < -far) return fill(c, area, part);
    double v[3][3][3] = {};
    for (int k = 0; k <= 2 * o; ++k)
      for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i)
          v[k][j][i] = node(lo, 2 * c.x() + i, 2 * c.y() + j, o * 2 * c.z() + k, distance);
    const std::size_t n = cell_index(c);
    float* out = &part[n * static_cast<std::size_t>(parts_)];
    if (dimensions_ == 2) {
      area[0][n] = 0.5 * (cut_line(v[0][0][0], v[0][1][0]) + cut_line(v[0][1][0], v[0][2][0]));
      area[1][n] = 0.5 * (cut_line(v[0][0][0], v[0][0][1]) + cut_line(v[0][0][1], v[0][0][2]));
      for (int j = 0; j < 2; ++j)
        for (int i = 0; i < 2; ++i)
          out[2 * j + i] = static_cast<float>(
              cut_square({v[0][j][i], v[0][j][i + 1], v[0][j + 1][i], v[0][j + 1][i + 1]}));
      return;
    }
    for (int q = 0; q < 2; ++q)
      for (int p = 0; p < 2; ++p) {
        area[0][n] +=
            0.25 * cut_square({v[q][p][0], v[q][p + 1][0], v[q + 1][p][0], v[q + 1][p + 1][0]});
        area[1][n] +=
            0.25 * cut_square({v[q][0][p], v[q][0][p + 1], v[q + 1][0][p], v[q + 1][0][p + 1]});
        area[2][n] +=
            0.25 * cut_square({v[0][q][p], v[0][q][p + 1], v[0][q + 1][p], v[0][q + 1][p + 1]});
        for (int r = 0; r < 2; ++r)
          out[4 * r + 2 * q + p] = static_cast<float>(cut_cube(
              {v[r][q][p], v[r][q][p + 1], v[r][q + 1][p], v[r][q + 1][p + 1], v[r + 1][q][p],
               v[r + 1][q][p + 1], v[r + 1][q + 1][p], v[r + 1][q + 1][p + 1]}));
      }
  }

  Cell3 size_;
  double dx_;
  int dimensions_, parts_;
  std::vector<double> nodes_;
};

/// Area of a shape's surface [m^2], in 2D the length of its outline [m].
double surface_of(const SolidShape& shape, int dimensions) {
  if (dimensions == 3) return area(shape.mesh);
  double length = 0;
  for (const auto& ring : shape.outline.loops)
    for (std::size_t i = 0; i < ring.size(); ++i)
      length += (ring[i] - ring[(i + 1) % ring.size()]).norm();
  return length;
}

}  // namespace

/// What walls do to a tile. Where they do nothing the vectors are empty and stand for 1.
struct SolidField::Wall {
  bool measured = false, empty = true;
  std::array<std::vector<double>, 3> area;  // [-] solid part of faces
  std::vector<float> room;                  // [-] fluid part of sub-cells
  std::vector<float> corner;                // [m] distance at the corners of cells
  // What follows from this tile and those around it that exist (bits of `around`).
  std::uint32_t around = 0;
  std::array<std::vector<double>, 3> open;  // [-] before small openings are closed
  std::vector<double> hat;                  // [-]
};

struct SolidField::Walls {
  std::map<std::tuple<int, int, int>, Wall> tiles;  // by first cell
  std::vector<Wall*> of;                            // tile of the present grid ->
  std::vector<std::uint32_t> around;                // likewise: which tiles beside it exist
  std::vector<const Wall*> copied;                  // whose values `open`, `room` and `hat` hold
};

SolidField::SolidField(const Solids& solids, std::span<const std::uint32_t> watched, double dx,
                       int dimensions)
    : solids_(&solids), dx_(dx), dimensions_(dimensions), walls_(std::make_unique<Walls>()) {
  for (std::uint32_t i = 0; i < solids.bodies.size(); ++i) {
    const bool is_watched = std::find(watched.begin(), watched.end(), i) != watched.end();
    const bool is_wall = solids.bodies.kind[i] == BodyKind::fixed && !is_watched;
    (is_wall ? fixed_ : moving_bodies_).push_back(i);
  }
  for (const SolidShape& shape : solids.shapes)
    surface_.push_back(shape.container ? 0 : surface_of(shape, dimensions));
  place(solids.bodies);
}
SolidField::~SolidField() = default;

void SolidField::place(const RigidBodies& bodies) {
  box_.resize(bodies.size());
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const SolidShape& s = solids_->shapes[solids_->shape_of[i]];
    box_[i] = s.container ? Box3{Vec3::Constant(-unlimited), Vec3::Constant(unlimited)}
                          : moved(bounds(s.mesh), bodies.pose(i));
    if (dimensions_ == 2) box_[i].lo.z() = -unlimited, box_[i].hi.z() = unlimited;
  }
}

double SolidField::distance(const RigidBodies& bodies, std::size_t body, const Vec3& x) const {
  const SolidShape& s = solids_->shapes[solids_->shape_of[body]];
  const Vec3 local = bodies.q[body].conjugate() * (x - bodies.x[body]);
  return dimensions_ == 2 ? signed_distance(s.outline, Vec2(local.head<2>()))
                          : s.distance->signed_distance(local);
}

SolidField::Nearest SolidField::nearest(const RigidBodies& bodies, const Vec3& x,
                                        double reach) const {
  Nearest best{reach, -1};
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (!box_[i].grown(best.distance > 0 ? best.distance : 0).contains(x)) continue;
    const double d = distance(bodies, i, x);
    if (d < best.distance) best = {d, static_cast<std::int32_t>(i)};
  }
  return best;
}

void SolidField::measure_wall(const TileGrid& grid, std::size_t tile, const RigidBodies& bodies,
                              Wall& w) const {
  w.measured = true;
  if (fixed_.empty()) return;
  const Cell3 lo = grid.first_cell(tile);
  const Cell3 size(TileGrid::side, TileGrid::side, grid.depth());
  Box3 tile_box{lo.cast<double>() * dx_, (lo + size).cast<double>() * dx_};
  if (dimensions_ == 2) tile_box.lo.z() = tile_box.hi.z() = 0;
  const double reach = 0.5 * tile_box.size().norm() * 1.001 + dx_;
  std::vector<std::uint32_t> close;
  for (std::uint32_t i : fixed_)
    if (box_[i].grown(reach).contains(tile_box.centre()) ||
        !((box_[i].grown(dx_).lo.array() > tile_box.hi.array()).any() ||
          (box_[i].grown(dx_).hi.array() < tile_box.lo.array()).any()))
      close.push_back(i);
  BlockMeasure block(size, dx_, dimensions_);
  const auto to_walls = [&](const Vec3& x) {
    double d = unlimited;
    for (std::uint32_t i : close) d = std::min(d, distance(bodies, i, x));
    return d;
  };
  w.empty = !block.run(lo, to_walls, w.area, w.room);
  if (w.empty) {
    w.area = {};
    w.room = {};
    return;
  }
  for (float& r : w.room) r = 1 - r;
  const int layers = dimensions_ == 3 ? TileGrid::side + 1 : 1;
  for (int k = 0; k < layers; ++k)
    for (int j = 0; j <= TileGrid::side; ++j)
      for (int i = 0; i <= TileGrid::side; ++i) {
        Vec3 x = (lo + Cell3(i, j, k)).cast<double>() * dx_;
        if (dimensions_ == 2) x.z() = 0;
        w.corner.push_back(static_cast<float>(to_walls(x)));
      }
}

SolidField::WallDistance SolidField::wall_distance(const TileGrid& grid, std::size_t tile,
                                                   const Vec3& x) const {
  const Wall& w = *walls_->of[tile];
  if (w.empty) return {unlimited, Vec3::Zero()};
  constexpr int n = TileGrid::side + 1;
  const Vec3 at = x / dx_ - grid.first_cell(tile).cast<double>();
  const int i = std::clamp(static_cast<int>(at.x()), 0, n - 2);
  const int j = std::clamp(static_cast<int>(at.y()), 0, n - 2);
  const double p = at.x() - i, q = at.y() - j;
  const auto layer = [&](int k, Vec3& gradient) {
    const float* c = &w.corner[static_cast<std::size_t>((k * n + j) * n + i)];
    const double low = c[0] + p * (c[1] - c[0]), high = c[n] + p * (c[n + 1] - c[n]);
    gradient.x() = (1 - q) * (c[1] - c[0]) + q * (c[n + 1] - c[n]);
    gradient.y() = high - low;
    return low + q * (high - low);
  };
  WallDistance d;
  if (dimensions_ == 2) {
    d.distance = layer(0, d.gradient);
  } else {
    const int k = std::clamp(static_cast<int>(at.z()), 0, n - 2);
    const double r = at.z() - k;
    Vec3 low = Vec3::Zero(), high = Vec3::Zero();
    const double a = layer(k, low), b = layer(k + 1, high);
    d.distance = a + r * (b - a);
    d.gradient = low + r * (high - low);
    d.gradient.z() = b - a;
  }
  d.gradient /= dx_;
  return d;
}

void SolidField::measure_moving(const TileGrid& grid, const RigidBodies& bodies, std::size_t body,
                                BodyShares& out) const {
  out.body = static_cast<std::uint32_t>(body);
  Cell3 lo = Cell3::Constant(1 << 29), hi = Cell3::Constant(-(1 << 29));
  const Box3 mine = box_[body].grown(dx_);
  for (std::size_t t = 0; t < grid.tiles(); ++t) {
    const Cell3 first = grid.first_cell(t);
    const Cell3 end = first + Cell3(TileGrid::side, TileGrid::side, grid.depth());
    bool meets = true;
    for (int a = 0; a < dimensions_; ++a)
      meets = meets && mine.lo[a] <= end[a] * dx_ && mine.hi[a] >= first[a] * dx_;
    if (meets) lo = lo.cwiseMin(first), hi = hi.cwiseMax(end);
  }
  if ((lo.array() > hi.array()).any()) {
    out.size.setZero();
    return;
  }
  // All of the body, so that its volume can be compared; of what has no end, what lies on tiles.
  for (int a = 0; a < dimensions_; ++a) {
    if (mine.lo[a] > -1e9) lo[a] = static_cast<int>(std::floor(mine.lo[a] / dx_));
    if (mine.hi[a] < 1e9) hi[a] = static_cast<int>(std::ceil(mine.hi[a] / dx_));
  }
  out.lo = lo;
  out.size = (hi - lo).cwiseMax(0);
  if (dimensions_ == 2) out.size.z() = 1;
  if (out.size.prod() == 0) return;
  BlockMeasure block(out.size, dx_, dimensions_);
  double swelling = 0;
  const auto to_body = [&](const Vec3& x) { return distance(bodies, body, x) - swelling; };
  block.run(lo, to_body, out.area, out.part);
  const SolidShape& shape = solids_->shapes[solids_->shape_of[body]];
  const double surface = surface_[solids_->shape_of[body]];
  if (!(surface > 0) || !(shape.volume > 0)) return;
  double seen = 0;
  for (float p : out.part) seen += p;
  seen *= std::pow(0.5 * dx_, dimensions_);
  if (std::abs(shape.volume - seen) < 1e-5 * shape.volume) return;
  swelling = std::clamp((shape.volume - seen) / surface, -0.1 * dx_, 0.1 * dx_);
  block.run(lo, to_body, out.area, out.part);
}

namespace {

/// Sums `value(sub-cell index, share)` over the 2^d sub-cells around the lower face of cell
/// `c` along `axis`: half of them lie in the cell below.
template <class Part>
double face_volume(int axis, int dimensions, Part&& part) {
  const int layers = dimensions == 3 ? 2 : 1;
  double sum = 0;
  for (int r = 0; r < layers; ++r)
    for (int q = 0; q < 2; ++q)
      for (int p = 0; p < 2; ++p) {
        const int at[3] = {p, q, r};
        sum += part(at[axis] == 1, 4 * r + 2 * q + p);  // upper half of the cell below, or
      }                                                 // lower half of the cell itself
  return sum / (dimensions == 3 ? 8 : 4);
}

/// A solid that covers the whole face but neither of the cells on its sides: thinner than two
/// cells, and open by volume although nothing passes.
bool is_thin_wall(double area, double above, double below) {
  return area > 1 - least_open && above < 0.95 && below < 0.95;
}

/// Fluid part of the hat function (1 - |x|/dx)(1 - |y|/dx)(1 - |z|/dx) around every centre of a
/// tile: sub-cells at a quarter and three quarters of a cell have the weights 3/8 and 1/8.
/// room(tile, sub-cell) is asked for the tile and those around it; what does not exist is open.
template <class Room>
void spread_room(const TileGrid& grid, std::size_t tile, Room&& room, double* hat) {
  const std::size_t parts = grid.dimensions() == 3 ? 8 : 4;
  const int layers = grid.dimensions() == 3 ? 4 : 1;
  constexpr double weight[4] = {0.125, 0.375, 0.375, 0.125};
  // Sub-cell n of {-1 upper, 0 lower, 0 upper, +1 lower}.
  constexpr int cell_step[4] = {-1, 0, 0, 1}, half[4] = {1, 0, 1, 0};
  for (std::size_t local = 0; local < grid.tile_cells(); ++local) {
    const Cell3 c = grid.local(local);
    double sum = 0;
    for (int r = 0; r < layers; ++r)
      for (int q = 0; q < 4; ++q)
        for (int p = 0; p < 4; ++p) {
          const bool flat = layers == 1;
          const std::int32_t at = grid.cell_at(tile, c.x() + cell_step[p], c.y() + cell_step[q],
                                               c.z() + (flat ? 0 : cell_step[r]));
          const double w = weight[p] * weight[q] * (flat ? 1.0 : weight[r]);
          const int s = 4 * (flat ? 0 : half[r]) + 2 * half[q] + half[p];
          if (at == TileGrid::none) {
            sum += w;
            continue;
          }
          const auto cell = static_cast<std::size_t>(at);
          sum += w * room(grid.tile_of(cell),
                          parts * (cell % grid.tile_cells()) + static_cast<std::size_t>(s));
        }
    hat[local] = sum;
  }
}

}  // namespace

/// Openings and hats of a tile from the walls in it and around it.
void SolidField::derive(const TileGrid& grid, std::size_t tile, Wall& w) const {
  const std::size_t parts = dimensions_ == 3 ? 8 : 4, n = grid.tile_cells();
  const auto room_of = [&](std::size_t t, std::size_t part) -> double {
    const Wall& of = *walls_->of[t];
    return of.empty ? 1.0f : of.room[part];
  };
  w.around = walls_->around[tile];
  w.hat.clear();
  for (std::vector<double>& o : w.open) o.clear();
  const bool cut = is_cut_around(grid, tile);
  if (cut) {
    w.hat.resize(n);
    spread_room(grid, tile, room_of, w.hat.data());
  }
  if (!cut && (w.around & around_all) == around_all) return;
  const auto mean_room = [&](std::size_t cell) {
    double sum = 0;
    for (std::size_t s = 0; s < parts; ++s)
      sum += room_of(grid.tile_of(cell), parts * (cell % n) + s);
    return sum / static_cast<double>(parts);
  };
  for (int a = 0; a < dimensions_; ++a) {
    std::vector<double>& o = w.open[static_cast<std::size_t>(a)];
    o.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      const std::int32_t below = grid.next(tile * n + i, a, -1);
      o[i] = face_volume(a, dimensions_, [&](bool in_below, int s) -> double {
        if (!in_below) return room_of(tile, parts * i + static_cast<std::size_t>(s));
        if (below == TileGrid::none) return 0;
        const auto cell = static_cast<std::size_t>(below);
        return room_of(grid.tile_of(cell), parts * (cell % n) + static_cast<std::size_t>(s));
      });
      if (!w.empty && below != TileGrid::none &&
          is_thin_wall(w.area[static_cast<std::size_t>(a)][i], 1 - mean_room(tile * n + i),
                       1 - mean_room(static_cast<std::size_t>(below))))
        o[i] = 0;
      if (1 - o[i] < least_solid) o[i] = 1;
    }
  }
}

void SolidField::find_walls(const TileGrid& grid, const RigidBodies& bodies) {
  Walls& walls = *walls_;
  const std::size_t tiles = grid.tiles();
  walls.of.resize(tiles), walls.around.resize(tiles), is_cut_.resize(tiles);
  for (std::size_t t = 0; t < tiles; ++t) {
    const Cell3 lo = grid.first_cell(t);
    walls.of[t] = &walls.tiles[{lo.x(), lo.y(), lo.z()}];
  }
  parallel_for(
      tiles,
      [&](std::size_t t) {
        if (!walls.of[t]->measured) measure_wall(grid, t, bodies, *walls.of[t]);
        is_cut_[t] = !walls.of[t]->empty;
        std::uint32_t around = 0;
        for (int n = 0; n < 27; ++n)
          if (grid.near(t, n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1) != TileGrid::none)
            around |= 1u << n;
        walls.around[t] = around;
      },
      1);
  parallel_for(
      tiles,
      [&](std::size_t t) {
        Wall& w = *walls.of[t];
        if (w.around == walls.around[t]) return;
        derive(grid, t, w);
        if (t < walls.copied.size()) walls.copied[t] = nullptr;
      },
      1);
}

/// Walls alone into the fields; a tile that holds them already is left.
void SolidField::copy_walls(const TileGrid& grid) {
  const std::size_t parts = dimensions_ == 3 ? 8 : 4, n = grid.tile_cells();
  room.resize(parts * grid.cells());
  hat.resize(grid.cells());
  for (int a = 0; a < dimensions_; ++a) open[static_cast<std::size_t>(a)].resize(grid.cells());
  walls_->copied.resize(grid.tiles(), nullptr);
  parallel_for(
      grid.tiles(),
      [&](std::size_t t) {
        const Wall& w = *walls_->of[t];
        if (walls_->copied[t] == &w) return;
        walls_->copied[t] = &w;
        const auto copy = []<class T>(const std::vector<T>& from, T* to, std::size_t count) {
          if (from.empty())
            std::fill_n(to, count, T{1});
          else
            std::copy_n(from.data(), count, to);
        };
        copy(w.room, &room[parts * n * t], parts * n);
        copy(w.hat, &hat[n * t], n);
        for (std::size_t a = 0; a < static_cast<std::size_t>(dimensions_); ++a) {
          double* to = &open[a][n * t];
          copy(w.open[a], to, n);
          for (std::size_t i = 0; i < n; ++i)
            if (to[i] < least_open) to[i] = 0;
        }
      },
      8);
}

/// W_S^u of a moving body.
void SolidField::measure_faces(BodyShares& m) const {
  const std::size_t parts = dimensions_ == 3 ? 8 : 4, n = m.cells();
  const auto part = [&](const Cell3& c, std::size_t s) {
    return m.contains(c) ? double{m.part[parts * m.index(c) + s]} : 0.0;
  };
  const auto mean_part = [&](const Cell3& c) {
    double sum = 0;
    for (std::size_t s = 0; s < parts; ++s) sum += part(c, s);
    return sum / static_cast<double>(parts);
  };
  for (std::size_t a = 0; a < static_cast<std::size_t>(dimensions_); ++a) {
    m.face[a].resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      const Cell3 c = m.lo + Cell3(static_cast<int>(i) % m.size.x(),
                                   static_cast<int>(i) / m.size.x() % m.size.y(),
                                   static_cast<int>(i) / (m.size.x() * m.size.y()));
      Cell3 below = c;
      below[static_cast<int>(a)] -= 1;
      m.face[a][i] = face_volume(static_cast<int>(a), dimensions_, [&](bool in_below, int s) {
        return part(in_below ? below : c, static_cast<std::size_t>(s));
      });
      if (is_thin_wall(m.area[a][i], mean_part(c), mean_part(below))) m.face[a][i] = 1;
    }
    for (double& f : m.face[a])
      if (f < least_solid) f = 0;
  }
}

/// Sub-cells of liquid that moving bodies fill, and the hats around.
void SolidField::subtract_moving(const TileGrid& grid) {
  const std::size_t parts = dimensions_ == 3 ? 8 : 4, n = grid.tile_cells();
  is_reached_.assign(grid.tiles(), 0);
  for (const BodyShares& m : moving)
    for_each_cell_in(grid, m.lo, m.size, [&](std::size_t cell, const Cell3& c) {
      is_reached_[grid.tile_of(cell)] = 1;
      const float* part = &m.part[parts * m.index(c)];
      for (std::size_t s = 0; s < parts; ++s) {
        float& r = room[parts * cell + s];
        r = std::max(0.0f, r - part[s]);
      }
    });
  if (moving.empty()) return;
  const auto room_of = [&](std::size_t t, std::size_t part) -> double {
    return room[parts * n * t + part];
  };
  parallel_for(
      grid.tiles(),
      [&](std::size_t t) {
        bool near = false;
        for (int k = 0; k < 27; ++k) {
          const std::int32_t at = grid.near(t, k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1);
          near = near || (at != TileGrid::none && is_reached_[static_cast<std::size_t>(at)]);
        }
        if (is_reached_[t]) is_cut_[t] = 1;
        if (!near) return;
        walls_->copied[t] = nullptr;
        spread_room(grid, t, room_of, &hat[n * t]);
      },
      1);
}

/// Openings below 1e-3 are closed; the solids' shares of a face then sum to one. Shares that
/// overlap are scaled down likewise.
void SolidField::share_faces(const TileGrid& grid) {
  if (moving.empty()) return;
  const auto dimensions = static_cast<std::size_t>(dimensions_);
  const std::size_t n = grid.tile_cells();
  // What walls leave open and what all bodies fill together ...
  for (std::size_t a = 0; a < dimensions; ++a) filled_[a].resize(grid.cells());
  const auto wall_open = [&](std::size_t t, std::size_t a, std::size_t i) {
    const std::vector<double>& o = walls_->of[t]->open[a];
    return o.empty() ? 1.0 : o[i];
  };
  for (std::size_t t = 0; t < grid.tiles(); ++t)
    for (std::size_t a = 0; is_reached_[t] && a < dimensions; ++a)
      std::fill_n(&filled_[a][n * t], n, 0.0);
  for (const BodyShares& m : moving)
    for_each_cell_in(grid, m.lo, m.size, [&](std::size_t cell, const Cell3& c) {
      for (std::size_t a = 0; a < dimensions; ++a) filled_[a][cell] += m.face[a][m.index(c)];
    });
  // ... then every body's share of it: a face with total > 1 - least is closed.
  for (BodyShares& m : moving)
    for_each_cell_in(grid, m.lo, m.size, [&](std::size_t cell, const Cell3& c) {
      for (std::size_t a = 0; a < dimensions; ++a) {
        double& f = m.face[a][m.index(c)];
        if (f == 0) continue;
        const double total = filled_[a][cell] + (1 - wall_open(grid.tile_of(cell), a, cell % n));
        if (total > 1 - least_open) f *= 1 / total;
      }
    });
  parallel_for(
      grid.tiles(),
      [&](std::size_t t) {
        for (std::size_t a = 0; is_reached_[t] && a < dimensions; ++a)
          for (std::size_t i = 0; i < n; ++i) {
            const double free = wall_open(t, a, i) - filled_[a][n * t + i];
            open[a][n * t + i] = free < least_open ? 0 : free;
          }
      },
      8);
}

bool SolidField::is_cut_around(const TileGrid& grid, std::size_t tile) const {
  for (int oz = -1; oz <= 1; ++oz)
    for (int oy = -1; oy <= 1; ++oy)
      for (int ox = -1; ox <= 1; ++ox) {
        const std::int32_t t = grid.near(tile, ox, oy, oz);
        if (t != TileGrid::none && is_cut_[static_cast<std::size_t>(t)]) return true;
      }
  return false;
}

void SolidField::measure(const TileGrid& grid, const RigidBodies& bodies) {
  place(bodies);
  find_walls(grid, bodies);
  copy_walls(grid);
  moving.resize(moving_bodies_.size());
  parallel_for(
      moving_bodies_.size(),
      [&](std::size_t n) {
        measure_moving(grid, bodies, moving_bodies_[n], moving[n]);
        measure_faces(moving[n]);
      },
      1);
  std::erase_if(moving, [](const BodyShares& m) { return m.size.prod() == 0; });
  subtract_moving(grid);
  share_faces(grid);
}

}  // namespace hydrolith::hybrid
