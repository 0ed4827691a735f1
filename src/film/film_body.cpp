#include "film/film_body.h"

#include <Eigen/SparseCholesky>

#include <algorithm>
#include <cmath>

namespace hydrolith {

namespace {

constexpr double mostly_wet = 0.5;   // [-] of a piece in a gap, from which on it is no film
constexpr double wet_rim = 0.1;      // [-] of a piece at the rim, from which on the rim is wet
constexpr double least_rest = 1e-3;  // [-] of a wet piece that is worth a film

/// Part of an opening into a gap of width w that its film closes: all of a narrow one, and less the
/// wider it is, so that liquid comes in before the film ends.
double closed_part(double w, double reach) {
  constexpr double narrow = 0.4;  // [-] of the reach
  return std::clamp((1 - w / reach) / (1 - narrow), 0.0, 1.0);
}

Vec6 wrench(const Vec3& force, const Vec3& at, const Vec3& centre) {
  Vec6 w;
  w << force, (at - centre).cross(force);
  return w;
}

/// Liquid that wets a piece.
struct Cover {
  std::uint32_t liquid = 0;
  double area = 0;  // [m^2]
};

/// Bare: air. Closed: in a gap that is sealed, or that another body sees to.
enum class Role : char { bare, wet, film, closed };

/// Columns of areas: the wrench on the body of a unit of pressure on a piece, and those on all
/// solids opposite.
using Columns = Eigen::RowVectorXd;

class BodyFilm {
 public:
  BodyFilm(const FilmOptions& options, std::span<const FilmSolid> solids, std::uint32_t body)
      : options_(options),
        solids_(solids),
        body_(body),
        own_(solids[body]),
        shape_(*own_.shape),
        pieces_(shape_.pieces()) {}

  BodyFilms solve(std::span<const FilmGap> gaps, std::span<const WetSurface> wet,
                  const RimReader& liquid) {
    cover_pieces(wet);
    assign_roles(gaps);
    find_parts();
    number_films();
    assemble();
    spread();
    share(liquid);
    continue_pressure(wet, liquid);
    return std::move(result_);
  }

 private:
  /// Where liquid feeds a film.
  struct Rim {
    Eigen::Index row = -1;    // -1: the rest of a wet piece, which takes its pressure
    double conductance = 1;   // [-]
    std::uint32_t piece = 0;  // whose liquid it is
    Vec3 at = Vec3::Zero();   // [m] world
    double opening = 0;       // [m^2]
  };

  void cover_pieces(std::span<const WetSurface> wet);
  void assign_roles(std::span<const FilmGap> gaps);
  void find_parts();
  void number_films();
  void assemble();
  void spread();
  void share(const RimReader& liquid);
  void continue_pressure(std::span<const WetSurface> wet, const RimReader& liquid);

  double bare_part(std::uint32_t p) const { return 1 - covered_[p] / pieces_[p].size(); }
  bool in_gap(std::uint32_t p) const { return gap_of_[p] != nullptr && !gap_of_[p]->sealed; }
  bool has_rest(std::uint32_t p) const {
    return in_gap(p) && role_[p] == Role::wet && bare_part(p) > least_rest;
  }
  Eigen::Index columns() const { return 6 + 6 * static_cast<Eigen::Index>(others_.size()); }
  Columns areas_of(std::uint32_t p) const;
  void count(std::uint32_t p) {
    const double area = bare_part(p) * pieces_[p].size();
    result_.area += area;
    result_.volume += area * gap_of_[p]->width;
  }
  double closed_at(std::uint32_t p) const {  // [m]
    if (part_dry_[part_of_[p]]) return 0;
    return gap_of_[p]->width * closed_part(gap_of_[p]->width, options_.reach * options_.h);
  }

  const FilmOptions& options_;
  std::span<const FilmSolid> solids_;
  std::uint32_t body_;
  const FilmSolid& own_;
  const FilmShape& shape_;
  std::span<const FilmShape::Piece> pieces_;

  std::vector<std::vector<Cover>> cover_;  // per piece
  std::vector<double> covered_;            // [m^2] per piece
  std::vector<Role> role_;
  std::vector<const FilmGap*> gap_of_;
  std::vector<std::uint32_t> part_of_;     // piece in a gap -> connected part
  std::vector<char> part_wet_, part_dry_;  // whether liquid, air is at its rim
  std::vector<std::int32_t> row_;          // piece -> film, or -1
  std::vector<std::uint32_t> film_;        // pieces
  std::vector<std::uint32_t> others_;      // solids opposite
  std::vector<Rim> rims_;
  std::vector<Eigen::Triplet<double>> entries_;  // of K
  Eigen::MatrixXd areas_, weights_;              // a, K^-1 a
  BodyFilms result_;
};

/// Every wet surface covers the pieces nearest to it.
void BodyFilm::cover_pieces(std::span<const WetSurface> wet) {
  cover_.resize(pieces_.size());
  covered_.assign(pieces_.size(), 0);
  std::vector<std::uint32_t> around;
  const Pose into = own_.pose.inverse();
  for (const WetSurface& w : wet) {
    shape_.around(into * w.centre, -(into.orientation * w.area), around);
    double left = w.area.norm();
    for (const std::uint32_t p : around) {
      const double part = std::min(left, pieces_[p].size() - covered_[p]);
      if (part <= 0) continue;
      cover_[p].push_back({w.liquid, part});
      covered_[p] += part;
      if ((left -= part) <= 0) break;
    }
  }
}

void BodyFilm::assign_roles(std::span<const FilmGap> gaps) {
  role_.assign(pieces_.size(), Role::bare);
  gap_of_.assign(pieces_.size(), nullptr);
  for (std::size_t p = 0; p < pieces_.size(); ++p)
    if (covered_[p] > wet_rim * pieces_[p].size()) role_[p] = Role::wet;
  for (const FilmGap& gap : gaps) {
    gap_of_[gap.piece] = &gap;
    if (covered_[gap.piece] < mostly_wet * pieces_[gap.piece].size())
      role_[gap.piece] = gap.sealed ? Role::closed : Role::film;
  }
}

/// Connected parts of the gaps, and what is at their rims.
void BodyFilm::find_parts() {
  constexpr std::uint32_t none = UINT32_MAX;
  part_of_.assign(pieces_.size(), none);
  std::vector<std::uint32_t> stack;
  for (std::uint32_t start = 0; start < pieces_.size(); ++start) {
    if (!in_gap(start) || part_of_[start] != none) continue;
    const auto part = static_cast<std::uint32_t>(part_wet_.size());
    part_wet_.push_back(0), part_dry_.push_back(0);
    part_of_[start] = part;
    stack.push_back(start);
    while (!stack.empty()) {
      const std::uint32_t p = stack.back();
      stack.pop_back();
      if (covered_[p] > 0) part_wet_[part] = 1;
      for (const FilmShape::Seam& seam : shape_.seams_of(p)) {
        if (in_gap(seam.other)) {
          if (part_of_[seam.other] != none) continue;
          part_of_[seam.other] = part;
          stack.push_back(seam.other);
        } else if (role_[p] == Role::film && role_[seam.other] != Role::closed) {
          (role_[seam.other] == Role::wet ? part_wet_ : part_dry_)[part] = 1;
        }
      }
    }
  }
}

void BodyFilm::number_films() {
  row_.assign(pieces_.size(), -1);
  for (std::uint32_t p = 0; p < pieces_.size(); ++p) {
    const bool film = role_[p] == Role::film && part_wet_[part_of_[p]];
    if (film) row_[p] = static_cast<std::int32_t>(film_.size()), film_.push_back(p);
    if ((film || has_rest(p)) &&
        std::find(others_.begin(), others_.end(), gap_of_[p]->other) == others_.end())
      others_.push_back(gap_of_[p]->other);
  }
}

Columns BodyFilm::areas_of(std::uint32_t p) const {
  const FilmGap& gap = *gap_of_[p];
  const Vec3 at = own_.pose * pieces_[p].centre;
  const Vec3 n = (own_.pose.orientation * pieces_[p].area).normalized();
  const double area = bare_part(p) * pieces_[p].size();
  Columns a = Columns::Zero(columns());
  a.segment<6>(0) = wrench(-area * n, at, own_.centre).transpose();
  const auto k = std::find(others_.begin(), others_.end(), gap.other) - others_.begin();
  a.segment<6>(6 + 6 * k) =
      wrench(area * n, at + gap.width * n, solids_[gap.other].centre).transpose();
  return a;
}

/// K and B of K p = B p_rim: fluxes between neighbours, width / distance times the difference.
void BodyFilm::assemble() {
  areas_.resize(static_cast<Eigen::Index>(film_.size()), columns());
  for (std::size_t f = 0; f < film_.size(); ++f) {
    const std::uint32_t p = film_[f];
    const auto i = static_cast<Eigen::Index>(f);
    areas_.row(i) = areas_of(p);
    count(p);
    double diagonal = 0;
    const auto feed = [&](double conductance, std::uint32_t from, const Vec3& at, double opening) {
      rims_.push_back({i, conductance, from, own_.pose * at, opening});
      diagonal += conductance;
    };
    if (covered_[p] > 0) feed(2 * covered_[p] / pieces_[p].size(), p, pieces_[p].centre, 0);
    for (const FilmShape::Seam& seam : shape_.seams_of(p)) {
      if (role_[seam.other] == Role::closed) continue;
      if (row_[seam.other] >= 0) {
        const double k = seam.width / (pieces_[p].centre - pieces_[seam.other].centre).norm();
        entries_.emplace_back(i, row_[seam.other], -k);
        diagonal += k;
      } else if (role_[seam.other] == Role::wet) {
        feed(seam.width / seam.way, seam.other, seam.at, seam.width * closed_at(p));
      } else {
        diagonal += seam.width / seam.way;
      }
    }
    entries_.emplace_back(i, i, diagonal);
  }
  for (std::uint32_t p = 0; p < pieces_.size(); ++p)
    if (has_rest(p)) {
      rims_.push_back({.piece = p, .at = own_.pose * pieces_[p].centre});
      count(p);
    }
}

void BodyFilm::spread() {
  weights_.resize(areas_.rows(), areas_.cols());
  if (film_.empty()) return;
  Eigen::SparseMatrix<double> K(areas_.rows(), areas_.rows());
  K.setFromTriplets(entries_.begin(), entries_.end());
  weights_ = Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>>(K).solve(areas_);
}

/// B^T K^-1 a, shared among the liquid at each rim. A film with air at none of its rims closes the
/// openings through which liquid looks into it; into others it may run.
void BodyFilm::share(const RimReader& liquid) {
  struct Given {
    std::uint32_t liquid = 0;
    double opening = 0;
    Columns values;
  };
  std::vector<Given> given;
  Columns load = Columns::Zero(columns());
  const double full = 0.5 * options_.h * options_.gravity.norm();
  for (const Rim& rim : rims_) {
    const Columns all =
        rim.row < 0 ? areas_of(rim.piece) : Columns(rim.conductance * weights_.row(rim.row));
    double known = 0;  // [-] whether there is pressure at all to be continued
    for (const Cover& c : cover_[rim.piece]) {
      const RimLiquid l = liquid(c.liquid);
      if (full > 0) known = std::max(known, std::clamp(l.pressure / (l.density * full), 0.0, 1.0));
    }
    for (const Cover& c : cover_[rim.piece]) {
      const double weight = c.area / covered_[rim.piece];
      const RimLiquid l = liquid(c.liquid);
      load += known * l.density * options_.gravity.dot(rim.at - l.x) * weight * all;
      given.push_back({c.liquid, weight * rim.opening, weight * all});
    }
  }
  // Liquid in a gap looks into nothing but it.
  const double around = own_.index->dimensions() == 2 ? 2 : 4 * options_.h;
  for (std::uint32_t p = 0; p < pieces_.size(); ++p)
    if (in_gap(p))
      for (const Cover& c : cover_[p])
        given.push_back({c.liquid, around * closed_at(p), Columns::Zero(columns())});
  std::stable_sort(given.begin(), given.end(),
                   [](const Given& a, const Given& b) { return a.liquid < b.liquid; });
  for (std::size_t k = 0; k < given.size();) {
    const std::uint32_t j = given[k].liquid;
    Columns sum = Columns::Zero(columns());
    double opening = 0;
    for (; k < given.size() && given[k].liquid == j; ++k)
      sum += given[k].values, opening += given[k].opening;
    const auto link = [&](std::uint32_t solid, Eigen::Index at) {
      if (sum.segment<6>(at).isZero(0)) return;
      result_.links.push_back({j, solid, sum.segment<6>(at).transpose()});
    };
    link(body_, 0);
    for (std::size_t o = 0; o < others_.size(); ++o)
      link(others_[o], 6 + 6 * static_cast<Eigen::Index>(o));
    result_.openings.push_back({j, opening});
  }
  result_.loads.emplace_back(body_, load.segment<6>(0).transpose());
  for (std::size_t o = 0; o < others_.size(); ++o)
    result_.loads.emplace_back(others_[o],
                               load.segment<6>(6 + 6 * static_cast<Eigen::Index>(o)).transpose());
}

/// Liquid at the rim that reaches into a gap by itself, its pressure being known beside the body
/// and not below it: hydrostatics down to the gap.
void BodyFilm::continue_pressure(std::span<const WetSurface> wet, const RimReader& liquid) {
  const double full = 0.5 * options_.h * options_.gravity.norm();
  if (!(full > 0)) return;
  const Pose into = own_.pose.inverse();
  std::vector<std::uint32_t> around;
  for (const WetSurface& w : wet) {
    const RimLiquid l = liquid(w.liquid);
    if (w.area.dot(w.centre - l.x) >= 0) continue;
    shape_.around(into * w.centre, -(into.orientation * w.area), around);
    if (around.empty() || !in_gap(around.front())) continue;
    const double known = std::clamp(l.pressure / (l.density * full), 0.0, 1.0);
    const Vec3 force = known * l.density * options_.gravity.dot(w.centre - l.x) * w.area;
    const std::uint32_t other = gap_of_[around.front()]->other;
    result_.loads.emplace_back(body_, wrench(force, w.centre, own_.centre));
    result_.loads.emplace_back(other, wrench(-force, w.centre, solids_[other].centre));
  }
}

}  // namespace

BodyFilms solve_films(const FilmOptions& options, std::span<const FilmSolid> solids,
                      std::uint32_t body, std::span<const FilmGap> gaps,
                      std::span<const WetSurface> wet, const RimReader& liquid) {
  return BodyFilm(options, solids, body).solve(gaps, wet, liquid);
}

}  // namespace hydrolith
