#include "particles/coarse_cells.h"

#include "small_run.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>

using namespace hydrolith;
using namespace hydrolith::particles;
using hydrolith::particles::test::SmallRun;

namespace {

std::string column(int dimensions, const std::string& body = "") {
  return fmt::format(R"(
dimensions: {}
spacing: 20 mm
time_step: 1 ms
settle: 0.02
liquids:
  - {{name: water, shape: {{box: [0.12, 0.6, 0.12], at: [0, 0.3, 0]}}}}
bodies:
  - {{name: tank, kind: static, shape: {{box: [0.12, 0.8, 0.12], inside_out: true}}, at: [0, 0.4, 0]}}
  {}
)",
                     dimensions, body);
}

/// The system of one step and a coarse level for it.
struct Levels : SmallRun {
  CoarseCells cells;
  BodyResponse response;

  explicit Levels(const std::string& yaml) : SmallRun(yaml) {
    advance(1, 1e-3);
    response.start(w.system.bodies, w.system.rows, w.system.contacts.impulse, 1e-9);
    response.respond(std::vector<Vec6>(s.bodies.size(), Vec6::Zero()));
    response.ensure_factored();
  }
  const LiquidSystem& liquid() const { return w.system.liquid; }
  void build(const std::vector<float>& pressure) {
    cells.build(liquid(), w.before.x, pressure, &response);
  }
  /// A x, bodies included.
  std::vector<float> apply(const std::vector<float>& x) const {
    std::vector<Float4> a(x.size());
    std::vector<float> out(x.size());
    accelerate(liquid(), x, a);
    diverge(liquid(), a, x, out);
    std::vector<Vec6> f(s.bodies.size());
    push_bodies(liquid(), x, f);
    response.comply(f);
    add_body_motion(liquid(), f, out);
    return out;
  }
  /// |e - P Ac^-1 P^T A e| / |e| in the norm of A: what one coarse solve leaves of an error.
  double left_of(const std::vector<float>& e) const {
    const auto size = [&](const std::vector<float>& x) {
      const std::vector<float> Ax = apply(x);
      double sum = 0;
      for (std::size_t i = 0; i < x.size(); ++i) sum += static_cast<double>(x[i]) * Ax[i];
      return std::sqrt(sum);
    };
    Eigen::VectorXd y;
    cells.restrict_to(apply(e), y);
    cells.solve(y);
    std::vector<float> rest = e;
    for (std::size_t i = 0; i < e.size(); ++i) rest[i] -= cells.value(i, y);
    return size(rest) / size(e);
  }
  std::vector<float> column_of(double top, double wave) const {
    std::vector<float> x;
    for (const Vec3& p : w.before.x)
      x.push_back(
          static_cast<float>(std::max(0.0, top - p.y()) * (1 + wave * std::cos(5 * p.y()))));
    return x;
  }
};

constexpr const char* plug =
    "- {name: plug, density: 200, shape: {box: [0.06, 0.1, 0.06]}, at: [0, 0.3, 0]}";

}  // namespace

// The weights follow the last pressure, so a multiple of it in every cell is in the coarse space
// and its error vanishes but for the float rounding of A, amplified by the slope of a long column.
TEST_CASE("the coarse level removes an error that is a multiple of the last pressure") {
  for (const std::string& scene : {column(3), column(2), column(3, plug)}) {
    Levels r(scene);
    const std::vector<float> p = r.column_of(2, 0);  // nowhere four times the mean of a cell
    r.build(p);
    REQUIRE(r.cells.size() >= 4);
    CHECK(r.left_of(p) < 0.01);
  }
}

TEST_CASE("the coarse level takes most of a smooth error that it has not seen") {
  for (const std::string& scene : {column(3), column(2), column(3, plug)}) {
    Levels r(scene);
    std::vector<float> p = r.w.before.pressure;  // what the solve itself gives it
    r.build(p);
    std::vector<float> e = p;
    for (std::size_t i = 0; i < e.size(); ++i)
      e[i] *= static_cast<float>(1 + 0.3 * std::cos(5 * r.w.before.x[i].y()));
    CHECK(r.left_of(e) < 0.6);
  }
}

TEST_CASE("without a last pressure the coarse level uses constants and still helps") {
  for (const std::string& scene : {column(3), column(2), column(3, plug)}) {
    Levels r(scene);
    r.build(std::vector<float>(r.liquid().size(), 0.0f));
    REQUIRE(r.cells.size() >= 4);
    CHECK(r.left_of(r.column_of(0.6, 0)) < 1);  // a projection in the norm of A never adds
  }
}

TEST_CASE("loose liquid without pressure has no coarse level") {
  SmallRun r(R"(
spacing: 20 mm
liquids: [{name: spray, shape: {box: [0.02, 0.02, 0.02]}}]
)");
  r.advance(1, 1e-3);
  CoarseCells cells;
  cells.build(r.w.system.liquid, r.w.before.x, r.w.before.pressure, nullptr);
  CHECK(cells.size() == 0);
  cells.build(r.w.system.liquid, {}, {}, nullptr);
  CHECK(cells.size() == 0);
}
