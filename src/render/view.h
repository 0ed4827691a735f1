#pragma once
// The camera: from pixels to rays and back, and the place from which given points fill the picture.

#include "hydrolith/frame.h"

#include <vector>

namespace hydrolith {

/// Directions of the picture in the world, a right-handed frame: right, up, towards the viewer.
struct ViewAxes {
  Vec3 right, up, back;
};
/// `world_up` shows upwards in the picture; if one looks along it, another direction does.
ViewAxes view_axes(const Vec3& looking_along, const Vec3& world_up);

/// Two axes that span the ground for `up`: the picture's right and the side facing the viewer when
/// one looks straight at the front (x and z for y up).
struct GroundAxes {
  Vec3 right, front;
};
GroundAxes ground_axes(const Vec3& up);

struct ViewRay {
  Vec3 origin;     // [m]
  Vec3 direction;  // unit
};

/// A camera with its picture. Two-dimensional scenes are seen without perspective.
class View {
 public:
  /// Throws Error for a camera that looks nowhere.
  View(const Camera& camera, const Vec3& world_up, int width, int height, bool parallel);

  /// Through the point (x, y) of the picture [pixels], y from the top.
  ViewRay ray(double x, double y) const;
  /// The point of the picture [pixels] that shows `point`; NaN for points behind the camera.
  Vec2 project(const Vec3& point) const;

  const ViewAxes& axes() const { return axes_; }

 private:
  Vec3 from_;
  ViewAxes axes_;
  double distance_;     // [m] to what the camera looks at
  double half_height_;  // of the picture plane at distance 1
  int width_, height_;
  bool parallel_;
};

/// The camera nearest to `points` that looks along `direction` and sees all of them, with `margin`
/// (a part of the picture) free on every side. Looks at the points' middle distance.
Camera fit_camera(const std::vector<Vec3>& points, const Vec3& direction, const Vec3& world_up,
                  double aspect, double field_of_view, double margin, bool parallel);

}  // namespace hydrolith
