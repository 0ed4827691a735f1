// The solve for pressure and viscosity of a box of N^3 cells half full of liquid, to 1e-6:
//   bench_viscous [N] [threads] [dt]
// prints unknowns, seconds of assembly and solve, iterations, for viscosities from 1 to 1e4 Pa s.

#include "../tests/hybrid/still_liquid.h"
#include "core/parallel.h"
#include "core/stopwatch.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

using namespace hydrolith;
using hydrolith::hybrid::test::StillLiquid;

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 64;
  set_threads(argc > 2 ? std::atoi(argv[2]) : 1);
  const double dt = argc > 3 ? std::atof(argv[3]) : 1.0 / 240, dx = 1.0 / n;
  for (double eta : {0.0, 1.0, 100.0, 1e4}) {
    StillLiquid liquid(
        fmt::format("spacing: {}\nengine: hybrid\nbodies:\n  - {{name: tank, kind: static, shape: "
                    "{{box: [1, 1, 1], inside_out: true}}, at: [0.5, 0.5, 0.5]}}\n",
                    dx),
        {Vec3(0, 0, 0), Vec3(1, 0.5, 1)}, [](const Vec3& x) { return x.y() - 0.5; }, eta, 1e-6);
    liquid.set([&](const Vec3& x) {
      return Vec3(std::sin(5 * x.y()) * std::cos(3 * x.z()), -9.81 * dt + 0.3 * std::sin(7 * x.x()),
                  std::cos(4 * x.x() + 2 * x.y()));
    });
    Stopwatch watch;
    liquid.fluid.assemble(liquid.grid, liquid.solids, liquid.surface, liquid.material,
                          liquid.state.bodies, dt);
    liquid.fluid.load(liquid.grid, liquid.solids, liquid.u, dt);
    const double assembly = watch.lap();
    write_bodies(liquid.world, liquid.state, liquid.bodies);
    liquid.coupled.z.assign(liquid.fluid.size(), 0);
    watch.lap();
    const auto report =
        liquid.coupled.solve(liquid.fluid, liquid.bodies, liquid.contacts, liquid.rows, dt);
    fmt::print("eta {:6g}: {:7} unknowns, assembly {:.3f} s, solve {:.3f} s, {} iterations\n", eta,
               liquid.fluid.size(), assembly, watch.lap(), report.iterations);
  }
}
