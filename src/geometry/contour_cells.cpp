#include "geometry/contour_cells.h"

#include "core/parallel.h"

#include <algorithm>

namespace hydrolith {

int edge_corner(int edge) {
  const int axis = edge / 4, u = (axis + 1) % 3, v = (axis + 2) % 3;
  return (edge & 1) << u | (edge >> 1 & 1) << v;
}

namespace {

// Face 2 axis + side of a cell. Around it in order: corners 0..3, and edge i from corner i to
// corner i + 1.
struct Face {
  std::array<int, 4> corners, edges;
};

int edge_between(int a, int b) {
  for (int edge = 0; edge < 12; ++edge)
    if (edge_corner(edge) == std::min(a, b) &&
        (edge_corner(edge) | 1 << edge / 4) == std::max(a, b))
      return edge;
  return -1;
}

std::array<Face, 6> make_faces() {
  std::array<Face, 6> faces;
  for (int f = 0; f < 6; ++f) {
    const int axis = f / 2, base = (f & 1) << axis;
    const int u = 1 << (axis + 1) % 3, v = 1 << (axis + 2) % 3;
    faces[f].corners = {base, base | u, base | u | v, base | v};
    for (int i = 0; i < 4; ++i)
      faces[f].edges[i] = edge_between(faces[f].corners[i], faces[f].corners[(i + 1) % 4]);
  }
  return faces;
}

const std::array<Face, 6> faces = make_faces();

bool inside(unsigned signs, int corner) { return signs >> corner & 1; }

bool is_ambiguous(unsigned signs, const Face& face) {
  const bool s = inside(signs, face.corners[0]);
  return inside(signs, face.corners[1]) != s && inside(signs, face.corners[2]) == s &&
         inside(signs, face.corners[3]) != s;
}

// The first corner that an arc of an ambiguous face cuts off; the other one is opposite.
// `joined`: the inside goes through the middle of the face, so outside corners are cut off.
int cut_corner(unsigned signs, const Face& face, bool joined) {
  return inside(signs, face.corners[0]) == joined ? 1 : 0;
}

// Labels the crossed edges by curve. Bit f of `joined` settles face f if it is ambiguous.
CellPieces trace_pieces(unsigned signs, unsigned joined) {
  std::array<int, 12> label;
  for (int e = 0; e < 12; ++e) label[e] = e;
  const auto pair_up = [&](int a, int b) {
    const int keep = std::min(label[a], label[b]), drop = std::max(label[a], label[b]);
    std::replace(label.begin(), label.end(), drop, keep);
  };
  const auto crossed = [&](int e) {
    const int corner = edge_corner(e);
    return inside(signs, corner) != inside(signs, corner | 1 << e / 4);
  };
  for (int f = 0; f < 6; ++f) {
    const Face& face = faces[f];
    if (is_ambiguous(signs, face)) {
      const int c = cut_corner(signs, face, joined >> f & 1);
      pair_up(face.edges[c], face.edges[(c + 3) % 4]);
      pair_up(face.edges[(c + 2) % 4], face.edges[(c + 1) % 4]);
      continue;
    }
    int last = -1;
    for (const int e : face.edges) {
      if (!crossed(e)) continue;
      if (last >= 0) pair_up(last, e);
      last = e;
    }
  }
  CellPieces pieces;
  for (int e = 0; e < 12; ++e) {
    pieces.piece[e] = !crossed(e)     ? CellPieces::none
                      : label[e] == e ? pieces.count++
                                      : pieces.piece[label[e]];
  }
  return pieces;
}

// Ambiguous faces, each named by its axis and its lowest corner.
struct AmbiguousFace {
  GridKey key;
  int axis;
  bool joined = false;
  auto operator<=>(const AmbiguousFace& o) const {
    return std::pair(key, axis) <=> std::pair(o.key, o.axis);
  }
  bool operator==(const AmbiguousFace& o) const { return key == o.key && axis == o.axis; }
};

class AmbiguousFaces {
 public:
  AmbiguousFaces(const Sdf& sdf, const NarrowBand& band) : band_(band) {
    for (std::size_t k = 0; k < band.cells.size(); ++k)
      for (int f = 0; f < 6; ++f)
        if (is_ambiguous(band.signs[k], faces[f])) all_.push_back(name(band.cells[k], f));
    std::sort(all_.begin(), all_.end());
    all_.erase(std::unique(all_.begin(), all_.end()), all_.end());
    for (AmbiguousFace& face : all_) {
      Vec3 middle = Vec3::Constant(0.5 * band.grid.cell);
      middle[face.axis] = 0;
      face.joined = sdf(band.grid.position(face.key) + middle) < 0;
    }
    for (AmbiguousFace& face : all_)
      if (is_doubly_joined(face)) face.joined = !face.joined;
  }

  unsigned joined_faces(std::size_t cell) const {
    unsigned bits = 0;
    for (int f = 0; f < 6; ++f)
      if (is_ambiguous(band_.signs[cell], faces[f])) {
        const AmbiguousFace wanted = name(band_.cells[cell], f);
        bits |= unsigned(std::lower_bound(all_.begin(), all_.end(), wanted)->joined) << f;
      }
    return bits;
  }

 private:
  static AmbiguousFace name(GridKey cell, int f) {
    return {cell + (f & 1 ? grid_unit[f / 2] : 0), f / 2};
  }

  bool is_doubly_joined(const AmbiguousFace& face) const {
    return has_one_piece_at(face.key, 2 * face.axis, face.joined) &&
           has_one_piece_at(face.key - grid_unit[face.axis], 2 * face.axis + 1, face.joined);
  }

  // Do both arcs on face f of the cell belong to one piece?
  bool has_one_piece_at(GridKey cell, int f, bool joined) const {
    const std::size_t k = index_of(band_.cells, cell);
    const CellPieces pieces = trace_pieces(band_.signs[k], joined_faces(k));
    const int c = cut_corner(band_.signs[k], faces[f], joined);
    return pieces.piece[faces[f].edges[c]] == pieces.piece[faces[f].edges[(c + 2) % 4]];
  }

  const NarrowBand& band_;
  std::vector<AmbiguousFace> all_;
};

}  // namespace

std::vector<CellPieces> find_pieces(const Sdf& sdf, const NarrowBand& band) {
  const AmbiguousFaces ambiguous(sdf, band);
  std::vector<CellPieces> pieces(band.cells.size());
  parallel_for(pieces.size(), [&](std::size_t k) {
    pieces[k] = trace_pieces(band.signs[k], ambiguous.joined_faces(k));
  });
  std::uint32_t next = 0;
  for (CellPieces& p : pieces) {
    p.first = next;
    next += p.count;
  }
  return pieces;
}

}  // namespace hydrolith
