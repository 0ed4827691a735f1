#include "hybrid/fluid_system.h"

#include "core/parallel.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace hydrolith::hybrid {

namespace {

constexpr double least_theta = 0.01;       // [-] of the ghost fluid
constexpr double least_liquid = 0.02;      // [-] W_L^u where an unknown acts on the face
constexpr double least_compliance = 1e-3;  // [-] W_F^s W_L^s

/// Calls f(kind, cell, sign) for the entries of a row of [Ghat Dhat]: all unknowns beside the lower
/// face of `cell` along `axis`, to be divided by dx.
///   face u:  +-p -+xx, -xy (along y), -xz (along z)
///   face v:  +-p +-(xx + zz), -xy (along x), -yz (along z)
///   face w:  +-p -+zz, -xz (along x), -yz (along y)
template <class F>
void for_each_beside(const TileGrid& grid, std::size_t cell, int axis, bool viscous, F&& f) {
  const std::int32_t below = grid.next(cell, axis, -1);
  const auto here = static_cast<std::int32_t>(cell);
  f(pressure, here, 1);
  f(pressure, below, -1);
  if (!viscous) return;
  const bool three = grid.dimensions() == 3;
  if (axis == 0 || axis == 1) {
    const int sign = axis == 0 ? -1 : 1;
    f(xx, here, sign);
    f(xx, below, -sign);
  }
  if (three && (axis == 2 || axis == 1)) {
    const int sign = axis == 2 ? -1 : 1;
    f(zz, here, sign);
    f(zz, below, -sign);
  }
  for (int other = 0; other < grid.dimensions(); ++other) {
    if (other == axis) continue;
    const Kind shear = axis + other == 1 ? xy : axis + other == 2 ? xz : yz;
    f(shear, here, 1);
    f(shear, grid.next(cell, other, 1), -1);
  }
}

/// The faces beside an unknown: f(cell, axis) for the lower face of `cell` along `axis`.
template <class F>
void for_each_face_of(const TileGrid& grid, Kind kind, std::size_t cell, F&& f) {
  const auto here = static_cast<std::int32_t>(cell);
  if (kind <= zz) {
    for (int a = 0; a < grid.dimensions(); ++a) {
      f(here, a);
      f(grid.next(cell, a, 1), a);
    }
    return;
  }
  const int a = kind == yz ? 1 : 0, b = kind == xy ? 1 : 2;
  f(here, a), f(grid.next(cell, b, -1), a);
  f(here, b), f(grid.next(cell, a, -1), b);
}

/// Mean over the sub-cells of a control volume: of a cell, or of an edge along `along` through the
/// cell's lower corner (2D: a node; along = 2).
template <class Part>
double cell_mean(const Part& part, std::size_t cell, std::size_t parts) {
  double sum = 0;
  for (std::size_t s = 0; s < parts; ++s) sum += part[parts * cell + s];
  return sum / static_cast<double>(parts);
}

/// `missing` stands for cells that do not exist.
template <class Part>
double edge_mean(const TileGrid& grid, const Part& part, std::size_t cell, int along,
                 double missing) {
  const std::size_t parts = grid.dimensions() == 3 ? 8 : 4;
  const int a = along == 0 ? 1 : 0, b = along == 2 ? 1 : 2;
  const std::size_t tile = grid.tile_of(cell);
  const Cell3 here = grid.local(cell);
  double sum = 0;
  for (int ob = 0; ob < 2; ++ob)
    for (int oa = 0; oa < 2; ++oa) {
      Cell3 c = here;
      c[a] -= oa, c[b] -= ob;
      const std::int32_t at = grid.cell_at(tile, c.x(), c.y(), c.z());
      for (int n = 0; n < (parts == 8 ? 2 : 1); ++n) {
        int half[3] = {0, 0, 0};
        half[a] = oa, half[b] = ob;  // the upper half of the cell below
        if (parts == 8) half[along] = n;
        const std::size_t s = static_cast<std::size_t>(4 * half[2] + 2 * half[1] + half[0]);
        sum +=
            at == TileGrid::none ? missing : double{part[parts * static_cast<std::size_t>(at) + s]};
      }
    }
  return sum / (parts == 8 ? 8 : 4);
}

template <class Part>
double face_mean(const TileGrid& grid, const Part& part, std::size_t cell, int axis,
                 double missing) {
  const int parts = grid.dimensions() == 3 ? 8 : 4;
  const std::int32_t below = grid.next(cell, axis, -1);
  double sum = 0;
  for (int s = 0; s < parts; ++s) {
    const bool upper = s >> axis & 1;
    const auto at = static_cast<std::size_t>(upper ? below : static_cast<std::int32_t>(cell));
    sum += upper && below == TileGrid::none
               ? missing
               : double{part[static_cast<std::size_t>(parts) * at + static_cast<std::size_t>(s)]};
  }
  return sum / parts;
}

bool is_open(const SolidField& solids, std::int32_t cell, int axis) {
  return cell != TileGrid::none &&
         solids.open[static_cast<std::size_t>(axis)][static_cast<std::size_t>(cell)] > 0;
}

bool has_open_face(const TileGrid& grid, const SolidField& solids, Kind kind, std::size_t cell) {
  bool any = false;
  for_each_face_of(grid, kind, cell,
                   [&](std::int32_t c, int axis) { any = any || is_open(solids, c, axis); });
  return any;
}

/// A cell inside a solid whose open faces all face the same way: there s_xx and s_zz would do what
/// the pressure does already, and only make the system harder to solve.
bool is_behind_flat_wall(const TileGrid& grid, const SolidField& solids, std::size_t cell) {
  if (cell_mean(solids.room, cell, grid.dimensions() == 3 ? 8 : 4) > 1e-3) return false;
  int axes = 0;
  for (int a = 0; a < grid.dimensions(); ++a)
    axes += is_open(solids, static_cast<std::int32_t>(cell), a) ||
            is_open(solids, grid.next(cell, a, 1), a);
  return axes < 2;
}

}  // namespace

// --- Unknowns -----------------------------------------------------------------------------------

namespace {

/// Numbers the cells for which `valid(cell)` holds, in their order, from `first` on.
template <class Valid>
std::size_t number(const TileGrid& grid, std::size_t first, Valid&& valid,
                   std::vector<std::uint32_t>& tile_first, std::vector<std::int32_t>& column) {
  const std::size_t n = grid.tile_cells();
  column.resize(grid.cells());
  tile_first.assign(grid.tiles() + 1, 0);
  parallel_for(
      grid.tiles(),
      [&](std::size_t t) {
        std::uint32_t count = 0;
        for (std::size_t cell = n * t; cell < n * (t + 1); ++cell) {
          column[cell] = valid(cell) ? 0 : -1;
          count += column[cell] == 0;
        }
        tile_first[t + 1] = count;
      },
      1);
  std::partial_sum(tile_first.begin(), tile_first.end(), tile_first.begin());
  parallel_for(
      grid.tiles(),
      [&](std::size_t t) {
        auto next = static_cast<std::int32_t>(first + tile_first[t]);
        for (std::size_t cell = n * t; cell < n * (t + 1); ++cell)
          if (column[cell] == 0) column[cell] = next++;
      },
      1);
  return first + tile_first.back();
}

}  // namespace

void FluidSystem::number_inviscid(const TileGrid& grid, const SolidField& solids,
                                  const LiquidSurface& surface) {
  pressures = number(
      grid, 0,
      [&](std::size_t cell) {
        return surface.phi[cell] < 0 && has_open_face(grid, solids, pressure, cell);
      },
      tile_first_, column[pressure]);
  for (int k = 1; k < kinds; ++k) column[static_cast<std::size_t>(k)].clear();
  stresses = 0;
}

void FluidSystem::number_viscous(const TileGrid& grid, const SolidField& solids,
                                 const LiquidSurface& surface) {
  const bool three = grid.dimensions() == 3;
  const std::size_t parts = three ? 8 : 4;
  std::size_t total = 0;
  for (int k = 0; k < kinds; ++k) {
    const auto kind = static_cast<Kind>(k);
    std::vector<std::int32_t>& columns = column[static_cast<std::size_t>(k)];
    std::vector<float>& liquid = liquid_[static_cast<std::size_t>(k)];
    if (!three && (kind == zz || kind == yz || kind == xz)) {
      columns.clear();
      continue;
    }
    liquid.resize(grid.cells());
    parallel_for(
        grid.cells(),
        [&](std::size_t cell) {
          liquid[cell] =
              static_cast<float>(kind <= zz ? cell_mean(surface.part, cell, parts)
                                            : edge_mean(grid, surface.part, cell, kind - yz, 0));
        },
        1024);
    total = number(
        grid, total,
        [&](std::size_t cell) {
          if ((kind == xx || kind == zz) && is_behind_flat_wall(grid, solids, cell)) return false;
          return liquid[cell] > 0 && has_open_face(grid, solids, kind, cell);
        },
        tile_first_, columns);
    if (kind == pressure) pressures = total;
  }
  stresses = total - pressures;
}

double FluidSystem::liquid_part(std::size_t p) const {
  return viscous ? std::max(double{liquid_[pressure][pressure_cell[p]]}, 0.05) : 1;
}

double FluidSystem::face_density(std::size_t cell, std::int32_t below) const {
  const double here = material_->density[cell];
  const double under =
      below == TileGrid::none ? 0 : material_->density[static_cast<std::size_t>(below)];
  if (here > 0 && under > 0) return 0.5 * (here + under);
  return here > 0 || under > 0 ? std::max(here, under) : material_->usual_density;
}

/// 1 / theta of the ghost fluid: theta is the part of the way from the liquid's centre to the air's
/// at which the surface lies.
double FluidSystem::inverse_theta(std::size_t cell, std::int32_t below) const {
  const double here = surface_->phi[cell];
  const double under = below == TileGrid::none ? 1 : surface_->phi[static_cast<std::size_t>(below)];
  if ((here < 0) == (under < 0)) return 1;
  const double in = std::min(here, under), out = std::max(here, under);
  return 1 / std::max(in / (in - out), least_theta);
}

// --- Assembly -----------------------------------------------------------------------------------

void FluidSystem::assemble(const TileGrid& grid, const SolidField& solids,
                           const LiquidSurface& surface, const LiquidMaterial& material,
                           const RigidBodies& bodies, double dt) {
  material_ = &material;
  surface_ = &surface;
  viscous = !material.viscosity.empty();
  viscous ? number_viscous(grid, solids, surface) : number_inviscid(grid, solids, surface);
  pressure_cell.resize(pressures);
  A_pp.cell.resize(pressures), A_pp.next.resize(pressures);
  A_pp.diagonal.resize(pressures), A_pp.link.resize(pressures);
  parallel_for(
      grid.cells(),
      [&](std::size_t cell) {
        const std::int32_t p = column[pressure][cell];
        if (p < 0) return;
        pressure_cell[static_cast<std::size_t>(p)] = static_cast<std::uint32_t>(cell);
      },
      4096);
  if (viscous) {
    assemble_viscous(grid, solids, surface);
    set_viscosity(grid, material, dt);
  } else {
    mark_pressures(grid, solids);
    assemble_inviscid(grid, solids);
  }
  link_back(A_pp);
  assemble_forces(grid, solids, bodies);
}

void FluidSystem::assemble_inviscid(const TileGrid& grid, const SolidField& solids) {
  const double per_dx_sq = 1 / (grid.dx() * grid.dx());
  parallel_for(
      pressures,
      [&](std::size_t p) {
        const std::size_t cell = pressure_cell[p];
        A_pp.cell[p] = grid.coordinates(cell);
        A_pp.next[p] = {-1, -1, -1};
        A_pp.link[p] = {0, 0, 0};
        double diagonal = 0;
        // k = W_F / (rho theta dx^2) of a face; liquid on its other side: a link.
        for (int a = 0; a < grid.dimensions(); ++a)
          for (int step : {0, 1}) {
            const std::int32_t upper =
                step == 0 ? static_cast<std::int32_t>(cell) : grid.next(cell, a, 1);
            const std::int32_t lower =
                step == 1 ? static_cast<std::int32_t>(cell) : grid.next(cell, a, -1);
            if (!is_open(solids, upper, a)) continue;
            const auto face = static_cast<std::size_t>(upper);
            const double k = solids.open[static_cast<std::size_t>(a)][face] *
                             inverse_theta(face, lower) * per_dx_sq / face_density(face, lower);
            diagonal += k;
            if (step == 0 || column[pressure][face] < 0) continue;
            A_pp.next[p][static_cast<std::size_t>(a)] = column[pressure][face];
            A_pp.link[p][static_cast<std::size_t>(a)] = -k;
          }
        A_pp.diagonal[p] = diagonal;
      },
      1024);
}

void FluidSystem::assemble_viscous(const TileGrid& grid, const SolidField& solids,
                                   const LiquidSurface& surface) {
  const double per_dx = 1 / grid.dx();
  const auto column_of = [&](Kind kind, std::int32_t cell) {
    return cell == TileGrid::none
               ? -1
               : column[static_cast<std::size_t>(kind)][static_cast<std::size_t>(cell)];
  };
  // Rows: open faces beside an unknown.
  faces_.clear();
  inverse_mass_.clear();
  B_.clear(size());
  for (std::size_t cell = 0; cell < grid.cells(); ++cell)
    for (int a = 0; a < grid.dimensions(); ++a) {
      const double open = solids.open[static_cast<std::size_t>(a)][cell];
      if (open == 0) continue;
      bool any = false;
      for_each_beside(grid, cell, a, true, [&](Kind kind, std::int32_t at, int sign) {
        const std::int32_t c = column_of(kind, at);
        if (c < 0) return;
        any = true;
        B_.add(static_cast<std::uint32_t>(c), sign * per_dx * open);
      });
      if (!any) continue;
      B_.end_row();
      faces_.push_back({static_cast<std::uint32_t>(cell), a});
      const double liquid = std::max(face_mean(grid, surface.part, cell, a, 0), least_liquid);
      inverse_mass_.push_back(1 / (face_density(cell, grid.next(cell, a, -1)) * open * liquid));
    }
  transpose(B_, Bt_);

  // G^T M_f^-1 G for the multigrid; it has the pattern of the inviscid one.
  parallel_for(
      pressures,
      [&](std::size_t p) {
        A_pp.cell[p] = grid.coordinates(pressure_cell[p]);
        A_pp.next[p] = {-1, -1, -1};
        A_pp.link[p] = {0, 0, 0};
        double diagonal = 0;
        const auto rows = Bt_.columns_of(p);
        const auto values = Bt_.values_of(p);
        for (std::size_t n = 0; n < rows.size(); ++n) {
          const Face& face = faces_[rows[n]];
          const double g = values[n] * inverse_mass_[rows[n]];
          diagonal += g * values[n];
          if (face.cell == pressure_cell[p]) continue;  // its lower face
          const std::int32_t next = column[pressure][face.cell];
          if (next < 0) continue;
          const auto beside = B_.columns_of(rows[n]);
          for (std::size_t m = 0; m < beside.size(); ++m) {
            if (beside[m] != static_cast<std::uint32_t>(next)) continue;
            A_pp.next[p][static_cast<std::size_t>(face.axis)] = next;
            A_pp.link[p][static_cast<std::size_t>(face.axis)] = g * B_.values_of(rows[n])[m];
          }
        }
        A_pp.diagonal[p] = diagonal;
      },
      1024);

  // Places and weights of stresses.
  stress_cell_.resize(stresses), stress_kind_.resize(stresses), stress_weight_.resize(stresses);
  partner_.assign(stresses, -1);
  const std::size_t parts = grid.dimensions() == 3 ? 8 : 4;
  parallel_for(
      grid.cells(),
      [&](std::size_t cell) {
        for (int k = xx; k < kinds; ++k) {
          const std::vector<std::int32_t>& columns = column[static_cast<std::size_t>(k)];
          if (columns.empty() || columns[cell] < 0) continue;
          const std::size_t s = static_cast<std::size_t>(columns[cell]) - pressures;
          stress_cell_[s] = static_cast<std::uint32_t>(cell);
          stress_kind_[s] = static_cast<std::uint8_t>(k);
          const double fluid = k <= zz ? cell_mean(solids.room, cell, parts)
                                       : edge_mean(grid, solids.room, cell, k - yz, 1);
          const double liquid = liquid_[static_cast<std::size_t>(k)][cell];
          stress_weight_[s] = std::max(fluid * liquid, least_compliance) / (liquid * liquid);
          if (k == xx && grid.dimensions() == 3) partner_[s] = column[zz][cell];
          if (k == zz) partner_[s] = column[xx][cell];
        }
      },
      1024);
}

/// Compliance W H / (2 eta dt W_L^2): H = 2 for shears and in 2D, [[2, 1], [1, 2]] on (s_xx, s_zz)
/// in 3D.
void FluidSystem::set_viscosity(const TileGrid& grid, const LiquidMaterial& material, double dt) {
  compliance_.resize(stresses), partner_value_.resize(stresses), diagonal_s.resize(stresses);
  const auto viscosity_of = [&](std::size_t s) {
    const std::size_t cell = stress_cell_[s];
    const int kind = stress_kind_[s];
    double sum = 0;
    int count = 0;
    const auto include = [&](std::int32_t c) {
      if (c == TileGrid::none || material.viscosity[static_cast<std::size_t>(c)] <= 0) return;
      sum += material.viscosity[static_cast<std::size_t>(c)];
      ++count;
    };
    include(static_cast<std::int32_t>(cell));
    if (kind > zz) {
      const int one = kind == yz ? 1 : 0, other = kind == xy ? 1 : 2;
      Cell3 c = grid.local(cell);
      include(grid.next(cell, one, -1));
      include(grid.next(cell, other, -1));
      c[one] -= 1, c[other] -= 1;
      include(grid.cell_at(grid.tile_of(cell), c.x(), c.y(), c.z()));
    }
    if (count == 0)
      for (int a = 0; a < grid.dimensions(); ++a)
        for (int step : {-1, 1}) include(grid.next(cell, a, step));
    return count > 0 ? sum / count : material.usual_viscosity;
  };
  parallel_for(
      stresses,
      [&](std::size_t s) {
        const double c = stress_weight_[s] / (viscosity_of(s) * dt);
        compliance_[s] = c;
        partner_value_[s] = partner_[s] >= 0 ? 0.5 * c : 0;
        double diagonal = c;
        const auto rows = Bt_.columns_of(pressures + s);
        const auto values = Bt_.values_of(pressures + s);
        for (std::size_t n = 0; n < rows.size(); ++n)
          diagonal += values[n] * values[n] * inverse_mass_[rows[n]];
        diagonal_s[s] = diagonal;
      },
      1024);
}

void FluidSystem::shear_stress(const TileGrid& grid, std::span<const double> z,
                               std::vector<double>& stress) const {
  stress.resize(grid.cells());
  const auto at = [&](Kind kind, std::int32_t cell, double& sum, int& count) {
    if (cell == TileGrid::none) return;
    const std::vector<std::int32_t>& columns = column[static_cast<std::size_t>(kind)];
    if (columns.empty() || columns[static_cast<std::size_t>(cell)] < 0) return;
    const double liquid = liquid_[static_cast<std::size_t>(kind)][static_cast<std::size_t>(cell)];
    if (liquid < least_liquid) return;
    sum += z[static_cast<std::size_t>(columns[static_cast<std::size_t>(cell)])] / liquid;
    ++count;
  };
  parallel_for(
      grid.cells(),
      [&](std::size_t cell) {
        stress[cell] = 0;
        if (column[xx][cell] < 0) return;
        const auto here = static_cast<std::int32_t>(cell);
        double s_xx = 0, s_zz = 0;
        int count = 0;
        at(xx, here, s_xx, count);
        at(zz, here, s_zz, count);
        double squares = s_xx * s_xx + s_zz * s_zz + (s_xx + s_zz) * (s_xx + s_zz);
        // Shears: means over the four edges of the cell along each axis.
        for (int k = yz; k < kinds; ++k) {
          const auto kind = static_cast<Kind>(k);
          const int one = kind == yz ? 1 : 0, other = kind == xy ? 1 : 2;
          if (other >= grid.dimensions()) continue;
          double sum = 0;
          count = 0;
          Cell3 c = grid.local(cell);
          at(kind, here, sum, count);
          at(kind, grid.next(cell, one, 1), sum, count);
          at(kind, grid.next(cell, other, 1), sum, count);
          c[one] += 1, c[other] += 1;
          at(kind, grid.cell_at(grid.tile_of(cell), c.x(), c.y(), c.z()), sum, count);
          if (count > 0) squares += 2 * (sum / count) * (sum / count);
        }
        stress[cell] = std::sqrt(0.5 * squares);
      },
      1024);
}

// --- Use ----------------------------------------------------------------------------------------

void FluidSystem::load(const TileGrid& grid, const SolidField& solids, const FaceField& u,
                       double dt) {
  b.resize(size());
  if (viscous) {
    face_scratch_.resize(faces_.size());
    for (std::size_t f = 0; f < faces_.size(); ++f)
      face_scratch_[f] = u[static_cast<std::size_t>(faces_[f].axis)][faces_[f].cell] / dt;
    hydrolith::multiply(Bt_, face_scratch_, b);
    return;
  }
  const double scale = 1 / (grid.dx() * dt);
  parallel_for(
      pressures,
      [&](std::size_t p) {
        const std::size_t cell = pressure_cell[p];
        double sum = 0;
        for (int a = 0; a < grid.dimensions(); ++a) {
          const auto axis = static_cast<std::size_t>(a);
          sum += solids.open[axis][cell] * u[axis][cell];
          const std::int32_t next = grid.next(cell, a, 1);
          if (next != TileGrid::none)
            sum -= solids.open[axis][static_cast<std::size_t>(next)] *
                   u[axis][static_cast<std::size_t>(next)];
        }
        b[p] = scale * sum;
      },
      1024);
}

void FluidSystem::multiply(std::span<const double> z, std::span<double> y) const {
  if (!viscous) return hydrolith::multiply(A_pp, z, y);
  face_scratch_.resize(faces_.size());
  hydrolith::multiply(B_, z, face_scratch_);
  parallel_for(
      faces_.size(), [&](std::size_t f) { face_scratch_[f] *= inverse_mass_[f]; }, 4096);
  hydrolith::multiply(Bt_, face_scratch_, y);
  parallel_for(
      stresses,
      [&](std::size_t s) {
        double sum = compliance_[s] * z[pressures + s];
        if (partner_[s] >= 0) sum += partner_value_[s] * z[static_cast<std::size_t>(partner_[s])];
        y[pressures + s] += sum;
      },
      4096);
}

void FluidSystem::push(const TileGrid& grid, const SolidField&, std::span<const double> z,
                       double dt, FaceField& u) const {
  if (viscous) {
    face_scratch_.resize(faces_.size());
    hydrolith::multiply(B_, z, face_scratch_);
    for (std::size_t f = 0; f < faces_.size(); ++f)
      u[static_cast<std::size_t>(faces_[f].axis)][faces_[f].cell] -=
          dt * inverse_mass_[f] * face_scratch_[f];
    return;
  }
  const std::vector<std::int32_t>& columns = column[pressure];
  const auto push_face = [&](std::size_t cell, int a) {
    const std::int32_t below = grid.next(cell, a, -1), upper_p = columns[cell];
    const std::int32_t lower_p =
        below == TileGrid::none ? -1 : columns[static_cast<std::size_t>(below)];
    const double difference = (upper_p < 0 ? 0 : z[static_cast<std::size_t>(upper_p)]) -
                              (lower_p < 0 ? 0 : z[static_cast<std::size_t>(lower_p)]);
    u[static_cast<std::size_t>(a)][cell] -=
        dt * inverse_theta(cell, below) * difference / (face_density(cell, below) * grid.dx());
  };
  parallel_for(
      grid.tiles(),
      [&](std::size_t t) {
        for (int a = 0; a < grid.dimensions(); ++a)
          for_each_cell(marked_[static_cast<std::size_t>(a)][t],
                        [&](std::size_t local) { push_face(t * grid.tile_cells() + local, a); });
      },
      8);
}

void FluidSystem::mark_faces(const TileGrid& grid, const SolidField&,
                             std::array<CellSet, 3>& known) const {
  if (!viscous) {
    known = marked_;
    return;
  }
  for (int a = 0; a < grid.dimensions(); ++a)
    known[static_cast<std::size_t>(a)].assign(grid.tiles(), {});
  for (const Face& f : faces_)
    known[static_cast<std::size_t>(f.axis)][grid.tile_of(f.cell)].add(f.cell % grid.tile_cells());
}

/// Open faces with a pressure on one side or both.
void FluidSystem::mark_pressures(const TileGrid& grid, const SolidField& solids) {
  const std::size_t n = grid.tile_cells();
  with_pressure_.resize(grid.tiles());
  parallel_for(
      grid.tiles(),
      [&](std::size_t t) {
        with_pressure_[t] = {};
        for (std::size_t local = 0; local < n; ++local)
          if (column[pressure][t * n + local] >= 0) with_pressure_[t].add(local);
      },
      8);
  for (int a = 0; a < grid.dimensions(); ++a)
    marked_[static_cast<std::size_t>(a)].resize(grid.tiles());
  parallel_for(
      grid.tiles(),
      [&](std::size_t t) {
        for (int a = 0; a < grid.dimensions(); ++a) {
          const auto axis = static_cast<std::size_t>(a);
          TileMask open;
          for_each_cell(with_pressure_[t] | beside(grid, with_pressure_, t, a, -1),
                        [&](std::size_t local) {
                          if (solids.open[axis][t * n + local] > 0) open.add(local);
                        });
          marked_[axis][t] = open;
        }
      },
      8);
}

double FluidSystem::face_mass(const TileGrid& grid, const SolidField& solids, std::size_t cell,
                              int axis) const {
  if (!viscous) {
    const std::int32_t below = grid.next(cell, axis, -1);
    return solids.open[static_cast<std::size_t>(axis)][cell] * face_density(cell, below) /
           inverse_theta(cell, below);
  }
  const auto row = std::lower_bound(
      faces_.begin(), faces_.end(), std::pair(cell, axis),
      [](const Face& f, const auto& at) { return std::pair(std::size_t{f.cell}, f.axis) < at; });
  return 1 / inverse_mass_[static_cast<std::size_t>(row - faces_.begin())];
}

// --- Bodies -------------------------------------------------------------------------------------

namespace {

Vec6 unit_wrench(int axis, const Vec3& arm) {
  Vec6 w = Vec6::Zero();
  const Vec3 e = Vec3::Unit(axis);
  w[axis] = 1;
  w.tail<3>() = arm.cross(e);
  return w;
}

}  // namespace

/// F = -Q W_S^u [Ghat Dhat], with the arm of every face: then what acts inside a body cancels, and
/// only unknowns near its surface are left (supplement of Takahashi & Batty 2020, eq. 2).
void FluidSystem::assemble_forces(const TileGrid& grid, const SolidField& solids,
                                  const RigidBodies& bodies) {
  const double per_dx = 1 / grid.dx();
  forces.resize(solids.moving.size());
  parallel_for(
      solids.moving.size(),
      [&](std::size_t n) {
        const BodyShares& m = solids.moving[n];
        BodyForceColumns& out = forces[n];
        out.body = m.body;
        std::vector<std::pair<std::uint32_t, Vec6>> terms;
        for (int k = 0; k < m.size.z(); ++k)
          for (int j = 0; j < m.size.y(); ++j)
            for (int i = 0; i < m.size.x(); ++i) {
              const Cell3 c = m.lo + Cell3(i, j, k);
              const std::int32_t cell = grid.find_cell(c);
              if (cell == TileGrid::none) continue;
              for (int a = 0; a < grid.dimensions(); ++a) {
                const double share = m.at(c, a);
                if (share == 0) continue;
                const Vec6 w = unit_wrench(a, grid.face(c, a) - bodies.x[m.body]);
                for_each_beside(grid, static_cast<std::size_t>(cell), a, viscous,
                                [&](Kind kind, std::int32_t at, int sign) {
                                  if (at == TileGrid::none) return;
                                  const auto where = static_cast<std::size_t>(at);
                                  const std::int32_t col =
                                      column[static_cast<std::size_t>(kind)][where];
                                  if (col < 0) return;
                                  terms.emplace_back(static_cast<std::uint32_t>(col),
                                                     Vec6(-sign * per_dx * share * w));
                                });
              }
            }
        std::stable_sort(terms.begin(), terms.end(),
                         [](const auto& x, const auto& y) { return x.first < y.first; });
        out.column.clear(), out.value.clear();
        for (std::size_t t = 0; t < terms.size();) {
          Vec6 sum = Vec6::Zero();
          const std::uint32_t col = terms[t].first;
          for (; t < terms.size() && terms[t].first == col; ++t) sum += terms[t].second;
          // What is left of a cancellation is rounding, far below any force.
          if (sum.cwiseAbs().maxCoeff() < 1e-13 * per_dx) continue;
          out.column.push_back(col);
          out.value.push_back(sum);
        }
      },
      1);
}

}  // namespace hydrolith::hybrid
