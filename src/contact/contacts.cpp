#include "contact/contacts.h"

#include "contact/contact_candidates.h"
#include "core/parallel.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace hydrolith {

namespace {

/// Pairs that are measured one after the other into memory of their own, kept from step to step.
struct Block {
  static constexpr std::size_t pairs = 8;
  std::vector<std::uint32_t> candidates;
  std::vector<FoundContact> found;
};

bool same(const ContactPose& a, const ContactPose& b) { return a.R == b.R && a.x == b.x; }

/// One contact on its way to its place.
struct Entry {
  std::uint64_t key = 0;  // sample << 32 | other body
  std::uint32_t pair = 0;
  std::uint32_t index = 0;  // in the pair's block
};

std::uint64_t key_of(std::uint32_t high, std::uint32_t low) {
  return static_cast<std::uint64_t>(high) << 32 | low;
}

/// World box of a body-frame box.
Box3 moved(const Box3& box, const ContactPose& pose) {
  const Vec3 centre = pose.to_world(box.centre()), half = pose.R.cwiseAbs() * (0.5 * box.size());
  return {centre - half, centre + half};
}

bool overlap(const Box3& a, const Box3& b) {
  return (a.lo.array() <= b.hi.array()).all() && (b.lo.array() <= a.hi.array()).all();
}

/// The axis along which the boxes are spread most.
int widest_axis(const std::vector<Box3>& boxes) {
  Vec3 sum = Vec3::Zero(), sum_sq = Vec3::Zero();
  for (const Box3& box : boxes) {
    sum += box.centre();
    sum_sq += box.centre().cwiseAbs2();
  }
  int axis = 0;
  (sum_sq - sum.cwiseAbs2() / static_cast<double>(boxes.size())).maxCoeff(&axis);
  return axis;
}

}  // namespace

struct ContactFinder::Scratch {
  std::vector<ContactShape> shapes;

  // Per body.
  std::vector<ContactPose> poses;
  std::vector<double> travel;  // [m] what it can move within the step, at most
  std::vector<Box3> boxes;     // [m] grown by what counts as near
  std::vector<std::uint32_t> order;
  std::vector<std::uint32_t> first_pair, first_contact;  // and one more at the end

  std::vector<std::uint64_t> keys;  // of pairs: a << 32 | b
  std::vector<ContactPair> pairs;   // sorted by (a, b)
  std::vector<Block> blocks;
  std::vector<Entry> entries;  // sorted by (sample, other body)

  // What was found last: a step looks again, for more, with most pairs as they were.
  std::vector<ContactPose> found_poses;
  std::vector<ContactPair> found_pairs;
  std::vector<Block> found_blocks;
  ContactMeasure found_measure = ContactMeasure::distance;

  // The step before.
  std::vector<std::uint32_t> last_sample, last_b;
  std::vector<Vec3> last_impulse, last_anchor, last_spin;
  std::vector<std::uint32_t> last_of;  // contact -> the same one a step ago, or is_new

  void take_last(Contacts& out);
  void place_bodies(const World& m, const WorldState& s, const ContactOptions& options, double dt);
  void find_pairs(const WorldState& s);
  void set_pairs(const World& m, const WorldState& s, const ContactOptions& options);
  void keep_found();
  bool take_found(const ContactPair& pair, std::vector<FoundContact>& found) const;
  void measure(const ContactScene& scene);
  void sort_contacts();
  void write_contacts(Contacts& out) const;
  void write_spin(Contacts& out) const;
  void write_grain(Contacts& out) const;
  void match_last(const Contacts& out);
  void recall(const std::vector<Vec3>& last, std::vector<Vec3>& out) const;
};

constexpr std::uint32_t is_new = ~0u;

/// The solution of the last step becomes the guess of this one.
void ContactFinder::Scratch::take_last(Contacts& out) {
  last_sample.swap(out.sample);
  last_b.swap(out.b);
  last_impulse.swap(out.impulse);
  last_anchor.swap(out.anchor);
  last_spin.swap(out.spin);
}

/// No point of a body moves farther than dt (|v| + |omega| reach + |g| dt) within the step, as long
/// as nothing pushes it, and what pushes may add; its box grows by that. Two bodies whose boxes
/// stay apart cannot touch. What moves more than max_travel in a step is taken back, so farther
/// contacts never count; half a spacing of it may lie behind (contact_step.cpp).
void ContactFinder::Scratch::place_bodies(const World& m, const WorldState& s,
                                          const ContactOptions& options, double dt) {
  const std::size_t n = s.bodies.size();
  poses.resize(n), travel.resize(n), boxes.resize(n);
  // Volumes count samples nearer than 2h: h for each side.
  const double near =
      options.measure == ContactMeasure::volumes ? m.scene.spacing : 0.5 * options.margin;
  const double farthest = (m.scene.solver.max_travel + 0.5) * m.scene.spacing;
  parallel_for(
      n,
      [&](std::size_t i) {
        const std::uint32_t shape = m.solids.shape_of[i];
        poses[i] = {s.bodies.q[i].toRotationMatrix(), s.bodies.x[i]};
        double speed = 0;
        if (s.bodies.kind[i] != BodyKind::fixed)
          speed = s.bodies.v[i].norm() + s.bodies.omega[i].norm() * m.reach[shape];
        if (s.bodies.kind[i] == BodyKind::dynamic) speed += m.scene.gravity.norm() * dt;
        travel[i] =
            std::min(speed * dt + (options.pushed.empty() ? 0 : options.pushed[i]), farthest);
        boxes[i] = moved(shapes[shape].bounds, poses[i]).grown(std::max(0.0, near) + travel[i]);
      },
      64);
}

/// Sweep and prune along the axis where bodies are spread most.
void ContactFinder::Scratch::find_pairs(const WorldState& s) {
  keys.clear();
  const std::size_t n = boxes.size();
  if (n == 0) return;
  const int axis = widest_axis(boxes);
  order.resize(n);
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](std::uint32_t i, std::uint32_t j) {
    const double a = boxes[i].lo[axis], b = boxes[j].lo[axis];
    return a < b || (a == b && i < j);
  });
  const auto moves = [&](std::uint32_t i) { return s.bodies.kind[i] == BodyKind::dynamic; };
  for (std::size_t p = 0; p < n; ++p) {
    const std::uint32_t i = order[p];
    for (std::size_t q = p + 1; q < n; ++q) {
      const std::uint32_t j = order[q];
      if (boxes[j].lo[axis] > boxes[i].hi[axis]) break;
      if (!(moves(i) || moves(j)) || !overlap(boxes[i], boxes[j])) continue;
      keys.push_back(key_of(i, j));
      keys.push_back(key_of(j, i));
    }
  }
  std::sort(keys.begin(), keys.end());
}

void ContactFinder::Scratch::set_pairs(const World& m, const WorldState& s,
                                       const ContactOptions& options) {
  pairs.resize(keys.size());
  first_pair.assign(boxes.size() + 1, 0);
  for (std::size_t p = 0; p < keys.size(); ++p) {
    const auto a = static_cast<std::uint32_t>(keys[p] >> 32);
    const auto b = static_cast<std::uint32_t>(keys[p]);
    const PairFriction f = m.friction(a, b, s.time);
    pairs[p] = {.a = a,
                .b = b,
                .limit = options.margin + travel[a] + travel[b],
                .mu = f.across > 0 ? f.across : 0,  // not a number: none
                .along = f.along > 0 ? f.along : 0,
                .grain = f.direction.isZero() ? f.direction : poses[f.grain_of].R * f.direction,
                .torsional = f.torsional,
                .rolling = f.rolling};
    ++first_pair[a + 1];
  }
  std::partial_sum(first_pair.begin(), first_pair.end(), first_pair.begin());
}

void ContactFinder::Scratch::keep_found() {
  found_poses.swap(poses);
  found_pairs.swap(pairs);
  found_blocks.swap(blocks);
}

/// Distances depend on the two poses and the limit alone, so where those are the same, bit for bit,
/// the contacts are. False: the pair has to be measured.
bool ContactFinder::Scratch::take_found(const ContactPair& pair,
                                        std::vector<FoundContact>& found) const {
  const auto before = [](const ContactPair& p, std::uint64_t key) {
    return key_of(p.a, p.b) < key;
  };
  const auto last =
      std::lower_bound(found_pairs.begin(), found_pairs.end(), key_of(pair.a, pair.b), before);
  if (last == found_pairs.end() || last->a != pair.a || last->b != pair.b) return false;
  if (last->limit != pair.limit || !same(found_poses[pair.a], poses[pair.a]) ||
      !same(found_poses[pair.b], poses[pair.b]))
    return false;
  const std::size_t p = static_cast<std::size_t>(last - found_pairs.begin());
  const auto first = found_blocks[p / Block::pairs].found.begin() + last->first;
  found.insert(found.end(), first, first + last->count);
  return true;
}

void ContactFinder::Scratch::measure(const ContactScene& scene) {
  const std::size_t used = (pairs.size() + Block::pairs - 1) / Block::pairs;
  if (blocks.size() < used) blocks.resize(used);
  const bool by_distance = scene.options.measure == ContactMeasure::distance;
  const auto measure_pair = by_distance ? &measure_distance : &measure_volumes;
  const bool look_back = by_distance && found_measure == ContactMeasure::distance;
  found_measure = scene.options.measure;
  parallel_for(
      used,
      [&](std::size_t k) {
        Block& block = blocks[k];
        block.found.clear();
        const std::size_t end = std::min(pairs.size(), (k + 1) * Block::pairs);
        for (std::size_t p = k * Block::pairs; p < end; ++p) {
          pairs[p].first = static_cast<std::uint32_t>(block.found.size());
          if (!(look_back && take_found(pairs[p], block.found)))
            measure_pair(scene, pairs[p], block.candidates, block.found);
          pairs[p].count = static_cast<std::uint32_t>(block.found.size()) - pairs[p].first;
        }
      },
      1);
}

/// The contacts of a body's samples, from all its pairs, by sample and other body.
void ContactFinder::Scratch::sort_contacts() {
  const std::size_t n = boxes.size();
  first_contact.assign(n + 1, 0);
  for (const ContactPair& pair : pairs) first_contact[pair.a + 1] += pair.count;
  std::partial_sum(first_contact.begin(), first_contact.end(), first_contact.begin());
  entries.resize(first_contact[n]);
  parallel_for(
      n,
      [&](std::size_t a) {
        std::size_t at = first_contact[a];
        for (std::uint32_t p = first_pair[a]; p < first_pair[a + 1]; ++p)
          for (std::uint32_t i = pairs[p].first; i < pairs[p].first + pairs[p].count; ++i)
            entries[at++] = {key_of(blocks[p / Block::pairs].found[i].sample, pairs[p].b), p, i};
        std::sort(entries.data() + first_contact[a], entries.data() + at,
                  [](const Entry& x, const Entry& y) { return x.key < y.key; });
      },
      4);
}

void ContactFinder::Scratch::write_contacts(Contacts& out) const {
  const std::size_t n = entries.size();
  out.sample.resize(n), out.a.resize(n), out.b.resize(n);
  out.normal.resize(n), out.normal_point.resize(n), out.friction_point.resize(n);
  out.gap.resize(n), out.mu.resize(n);
  parallel_for(n, [&](std::size_t i) {
    const ContactPair& pair = pairs[entries[i].pair];
    const FoundContact& c = blocks[entries[i].pair / Block::pairs].found[entries[i].index];
    out.sample[i] = c.sample;
    out.a[i] = pair.a;
    out.b[i] = pair.b;
    out.normal[i] = c.normal;
    out.normal_point[i] = c.normal_point;
    out.friction_point[i] = c.friction_point;
    out.gap[i] = c.gap;
    out.mu[i] = pair.mu;
  });
}

void ContactFinder::Scratch::write_spin(Contacts& out) const {
  out.torsional.resize(entries.size()), out.rolling.resize(entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    out.torsional[i] = pairs[entries[i].pair].torsional;
    out.rolling[i] = pairs[entries[i].pair].rolling;
  }
}

/// The grain where it lies in the surface, t1, or t2 = n x t1, whichever has the smaller friction.
/// Where the surface is square to the grain all directions are across it.
void ContactFinder::Scratch::write_grain(Contacts& out) const {
  constexpr double square = 1e-3;  // [-] part of the grain that lies in the surface
  out.grain.assign(entries.size(), Vec3::Zero());
  parallel_for(entries.size(), [&](std::size_t i) {
    const ContactPair& pair = pairs[entries[i].pair];
    const Vec3 &n = out.normal[i], t = pair.grain - n.dot(pair.grain) * n;
    if (t.norm() < square || pair.along == pair.mu) return;
    const auto [least, most] = std::minmax(pair.along, pair.mu);
    const Vec3 t1 = t.normalized(), e = pair.along < pair.mu ? t1 : Vec3(n.cross(t1));
    out.mu[i] = most;
    out.grain[i] = std::sqrt(1 - least / most) * e;
  });
}

/// Both lists are sorted by (sample, other body), so a body's contacts are matched in one pass.
void ContactFinder::Scratch::match_last(const Contacts& out) {
  last_of.resize(entries.size());
  const auto last_key = [&](std::size_t j) { return key_of(last_sample[j], last_b[j]); };
  parallel_for(
      boxes.size(),
      [&](std::size_t a) {
        const std::size_t begin = first_contact[a], end = first_contact[a + 1];
        if (begin == end) return;
        std::size_t j = static_cast<std::size_t>(
            std::lower_bound(last_sample.begin(), last_sample.end(), out.sample[begin]) -
            last_sample.begin());
        for (std::size_t i = begin; i < end; ++i) {
          while (j < last_sample.size() && last_key(j) < entries[i].key) ++j;
          const bool same = j < last_sample.size() && last_key(j) == entries[i].key;
          last_of[i] = same ? static_cast<std::uint32_t>(j) : is_new;
        }
      },
      4);
}

/// What the contacts were a step ago; zero where they are new.
void ContactFinder::Scratch::recall(const std::vector<Vec3>& last, std::vector<Vec3>& out) const {
  out.resize(last_of.size());
  parallel_for(last_of.size(), [&](std::size_t i) {
    out[i] = last_of[i] < last.size() ? last[last_of[i]] : Vec3(Vec3::Zero());
  });
}

ContactFinder::ContactFinder() : scratch_(std::make_unique<Scratch>()) {}
ContactFinder::~ContactFinder() = default;

void ContactFinder::find(const World& m, const WorldState& s, const Samples& samples,
                         const CubicSpline& kernel, const ContactOptions& options, double dt,
                         Contacts& out) {
  Scratch& w = *scratch_;
  if (w.shapes.empty())
    for (std::size_t k = 0; k < m.solids.shapes.size(); ++k)
      w.shapes.emplace_back(m.solids.shapes[k], m.samples[k].position,
                            CubicSpline{m.solids.shapes[k].resolution, m.scene.dimensions});
  w.take_last(out);
  w.keep_found();
  w.place_bodies(m, s, options, dt);
  w.find_pairs(s);
  w.set_pairs(m, s, options);
  w.measure({samples, kernel, options, w.shapes, m.solids.shape_of, w.poses});
  w.sort_contacts();
  w.write_contacts(out);
  w.match_last(out);
  w.recall(w.last_impulse, out.impulse);
  if (options.anchored) w.recall(w.last_anchor, out.anchor);
  if (m.friction.has_grain()) w.write_grain(out);
  if (!m.friction.has_spin()) return;
  w.write_spin(out);
  w.recall(w.last_spin, out.spin);
}

}  // namespace hydrolith
