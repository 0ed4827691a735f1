#include "rigid/bodies.h"

#include <Eigen/Eigenvalues>

#include <array>
#include <cmath>

namespace hydrolith {

namespace {

/// The order and signs of the principal axes that turn the body frame least: the eigenvector with
/// the largest component along an axis is taken for that axis.
Mat3 nearest_axes(const Mat3& vectors, Vec3& moments) {
  const Vec3 given = moments;
  Mat3 axes = Mat3::Zero();
  std::array<bool, 3> taken{};
  for (int column = 0; column < 3; ++column) {
    int best = -1;
    for (int k = 0; k < 3; ++k)
      if (!taken[k] &&
          (best < 0 || std::abs(vectors(column, k)) > std::abs(vectors(column, best)) + 1e-12))
        best = k;
    taken[best] = true;
    const double sign = vectors(column, best) < 0 ? -1 : 1;
    axes.col(column) = sign * vectors.col(best);
    moments[column] = given[best];
  }
  if (axes.determinant() < 0) axes.col(2) *= -1;
  return axes;
}

/// omega = Q I^-1 Q^T L, with Q from principal axes to world.
Vec3 angular_velocity(const RigidBodies& b, std::size_t i) {
  const Quat Q = b.q[i] * b.axes[i];
  return Q * (Q.conjugate() * b.L[i]).cwiseQuotient(b.inertia[i]);
}

/// Turns the body about its principal axis k for a time tau, as if the body spun only about it.
/// m is the angular momentum in the principal frame, Q the orientation of that frame.
void turn_about(int k, double tau, const Vec3& I, Vec3& m, Quat& Q) {
  const Quat turn(Eigen::AngleAxisd(tau * m[k] / I[k], Vec3::Unit(k)));
  m = turn.conjugate() * m;
  Q = Q * turn;
}

/// Free rotation by the symmetric splitting of Dullweber, Leimkuhler & McLachlan (1997): the
/// kinetic energy is split into its three terms m_k^2 / (2 I_k), each of which turns the body
/// exactly about one principal axis. Second order, symplectic; L in the world is conserved to
/// round-off, the energy error stays bounded. Departs from Probst & Teschner 2023 eq. B.2b (first
/// order, no gyroscopic term in the update), to which it reduces for a sphere.
void rotate_freely(RigidBodies& b, std::size_t i, double dt) {
  Quat Q = b.q[i] * b.axes[i];
  Vec3 m = Q.conjugate() * b.L[i];
  const Vec3& I = b.inertia[i];
  turn_about(0, dt / 2, I, m, Q);
  turn_about(1, dt / 2, I, m, Q);
  turn_about(2, dt, I, m, Q);
  turn_about(1, dt / 2, I, m, Q);
  turn_about(0, dt / 2, I, m, Q);
  b.q[i] = (Q * b.axes[i].conjugate()).normalized();
  b.omega[i] = angular_velocity(b, i);
}

}  // namespace

Inertia principal_inertia(double mass, const Mat3& tensor) {
  const Eigen::SelfAdjointEigenSolver<Mat3> solver(0.5 * (tensor + tensor.transpose()));
  Inertia result;
  result.mass = mass;
  result.moments = solver.eigenvalues();
  result.axes = Quat(nearest_axes(solver.eigenvectors(), result.moments)).normalized();
  return result;
}

std::size_t add_body(RigidBodies& b, BodyKind kind, const Inertia& inertia, const Pose& pose) {
  b.kind.push_back(kind);
  b.mass.push_back(kind == BodyKind::dynamic ? inertia.mass : 0);
  b.inertia.push_back(inertia.moments);
  b.axes.push_back(inertia.axes);
  b.x.push_back(pose.position);
  b.q.push_back(pose.orientation.normalized());
  b.v.emplace_back(Vec3::Zero());
  b.omega.emplace_back(Vec3::Zero());
  b.L.emplace_back(Vec3::Zero());
  return b.size() - 1;
}

void set_angular_velocity(RigidBodies& b, std::size_t i, const Vec3& omega) {
  b.omega[i] = omega;
  if (b.kind[i] != BodyKind::dynamic) return;
  const Quat Q = b.q[i] * b.axes[i];
  b.L[i] = Q * (Q.conjugate() * omega).cwiseProduct(b.inertia[i]);
}

void apply_impulse(RigidBodies& b, std::size_t i, const Vec3& impulse, const Vec3& angular) {
  b.v[i] += impulse / b.mass[i];
  b.L[i] += angular;
  b.omega[i] = angular_velocity(b, i);
}

// 1 / m + (r x n) . I^-1 (r x n)
double lightness_at(const RigidBodies& b, std::size_t i, const Vec3& arm, const Vec3& n) {
  if (b.kind[i] != BodyKind::dynamic) return 0;
  const Vec3 turn = (b.q[i] * b.axes[i]).conjugate() * arm.cross(n);
  return 1 / b.mass[i] + turn.dot(turn.cwiseQuotient(b.inertia[i]));
}

void drift(RigidBodies& b, std::size_t i, double dt) {
  b.x[i] += dt * b.v[i];
  rotate_freely(b, i, dt);
}

double kinetic_energy(const RigidBodies& b, std::size_t i) {
  return 0.5 * (b.mass[i] * b.v[i].squaredNorm() + b.omega[i].dot(b.L[i]));
}

}  // namespace hydrolith
