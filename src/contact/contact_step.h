#pragma once
// Contacts in a step: looked for ahead, given to a solve as rows, and applied to the bodies and
// remembered once an engine has solved them.

#include "contact/contact_rows.h"
#include "contact/contacts.h"
#include "contact/samples.h"
#include "setup/world.h"

#include <span>
#include <vector>

namespace hydrolith {

/// Bodies and contacts of one step, as a solve sees them.
struct ContactSystem {
  BodyColumns bodies;
  Contacts contacts;
  ContactRows rows;
};

/// What a solve has found.
struct ContactSolution {
  std::span<const NormalTangent> gamma;  // [N s] per row
  std::span<const Vec3> spin;            // [N m s] per row; empty if nothing resists turning
  std::span<const Vec6> u;               // per body: velocity after the solve
  std::span<const Vec6> push;            // [N s], [N m s] on every body but for contacts
};

/// Memory from step to step.
struct ContactWorkspace {
  explicit ContactWorkspace(const Samples& placed) : samples_ahead(placed) {}

  ContactFinder finder;
  WorldState ahead;            // bodies where they would be without contact, for the finder
  Samples samples_ahead;       // theirs
  std::vector<double> pushed;  // [m] per body: what the solve may add to that
  std::vector<Vec6> pair_sums, wrench;
};

/// Contacts that the step may close, with `margin` [m] to spare, into `system.contacts`: gaps and
/// points as at the start of the step, last step's forces as a guess. Reads `system.bodies` and
/// `w.pushed`.
void find_contacts(const World& world, const WorldState& s, double margin, double dt,
                   ContactWorkspace& w, ContactSystem& system);

/// The rows of `system.contacts`, with what the scene says of overlaps.
void build_contact_rows(const World& world, const WorldState& s, double dt, ContactSystem& system);

/// Where the solve has pushed bodies, to velocities u, farther than `covered` and what was expected
/// of them [m], `pushed` grows; the list of contacts must then be made anew.
bool widen(const BodyColumns& bodies, std::span<const Vec6> u, double covered, double dt,
           std::vector<double>& pushed);

/// Impulses of contacts, friction and `solution.push` on every body; forces of contacts and
/// friction, and what the next step starts from, into the state.
void apply_contacts(const ContactSolution& solution, double dt, WorldState& s, ContactWorkspace& w,
                    ContactSystem& system);

/// [m] Deepest overlap at the end of the step among contacts that it has made deeper.
double deepening_overlap(const ContactSystem& system, std::span<const Vec6> u, double dt);

}  // namespace hydrolith
