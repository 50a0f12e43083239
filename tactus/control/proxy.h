// The virtual proxy, or god object [ZillesSalisbury1995]: the point where the handle would be if surfaces could not be entered, and a spring to it.
//
//   proxy p:  nearest to the handle h on the planes that hold it,  min |p - h|^2  with  N p = d:     p = h - N^T (N N^T)^-1 (N h - d)
//   force     K (p - h)                                                                             on the handle
//
// Planes hold it from when its way to the next place crosses their face from outside: which face was crossed is remembered by where the proxy is, not
// by where the handle is deepest, so that a thin plate is not passed however deep the handle lies, and an edge is slid over. Three planes fix a
// point. It is the baseline for point contact, without friction; nothing of the mechanism moves.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <span>

#include <tactus/math/vec3.h>

namespace tactus::control {

/// A convex polygon seen from outside: corners in the sense of the normal's thumb.
struct ProxyFace {
  std::array<math::Vec3<double>, 4> corners{};
  std::size_t count = 4;
  math::Vec3<double> normal{};  // a unit vector
  double offset = 0.0;          // [m] normal . p = offset on it
};

/// Of corners that lie in a plane.
inline ProxyFace proxy_face(std::span<const math::Vec3<double>> corners) {
  ProxyFace face;
  face.count = corners.size() < 4 ? corners.size() : 4;
  for (std::size_t i = 0; i < face.count; ++i) face.corners[i] = corners[i];
  const math::Vec3<double> n = cross(corners[1] - corners[0], corners[2] - corners[1]);
  face.normal = (1.0 / std::sqrt(dot(n, n))) * n;
  face.offset = dot(face.normal, corners[0]);
  return face;
}

/// All that it remembers.
struct ProxyMemory {
  math::Vec3<double> p{};  // [m]
  std::size_t held = 0;    // by so many planes, 3 at most
};

struct Proxy {
  double stiffness = 1000.0;  // [N/m]
  std::span<const ProxyFace> faces;

  /// Where the proxy is once the handle is there; the memory begins with both in the same free place.
  void follow(ProxyMemory& memory, const math::Vec3<double>& handle) const noexcept {
    std::array<const ProxyFace*, 3> held{};
    std::size_t count = 0;
    while (true) {
      const math::Vec3<double> to = nearest(held, count, handle);
      const ProxyFace* met = nullptr;
      double share = 1.0;
      for (const ProxyFace& face : faces) {
        bool known = false;
        for (std::size_t i = 0; i < count; ++i) known |= held[i] == &face;
        double at = 0.0;
        if (!known && crossed(face, memory.p, to, at) && (met == nullptr || at < share)) {
          met = &face;
          share = at;
        }
      }
      memory.held = count;
      memory.p = memory.p + share * (to - memory.p);
      if (met == nullptr || count == held.size()) return;
      held[count++] = met;
    }
  }
  /// Whether a point is behind a face by more than rounding: a proxy there does not meet it.
  static bool behind(const ProxyFace& face, const math::Vec3<double>& p) noexcept {
    return dot(face.normal, p) - face.offset < -kSide;
  }
  /// [N] on the handle.
  math::Vec3<double> force(const ProxyMemory& memory, const math::Vec3<double>& handle) const noexcept {
    return stiffness * (memory.p - handle);
  }

 private:
  static constexpr double kSide = 1e-9;  // [m] behind a face by rounding is still before it

  /// Nearest to h on the planes, by one after the other made square to those before (Gram and Schmidt).
  static math::Vec3<double> nearest(const std::array<const ProxyFace*, 3>& held, std::size_t count,
                                    const math::Vec3<double>& h) noexcept {
    std::array<math::Vec3<double>, 3> n{};
    std::array<double, 3> d{};
    math::Vec3<double> p = h;
    std::size_t used = 0;
    for (std::size_t i = 0; i < count; ++i) {
      math::Vec3<double> square = held[i]->normal;
      double offset = held[i]->offset;
      for (std::size_t j = 0; j < used; ++j) {
        const double along = dot(square, n[j]);
        square = square - along * n[j];
        offset -= along * d[j];
      }
      const double size = std::sqrt(dot(square, square));
      if (size < 1e-9) continue;  // parallel to the others
      n[used] = (1.0 / size) * square;
      d[used] = offset / size;
      p = p - (dot(n[used], p) - d[used]) * n[used];
      ++used;
    }
    return p;
  }

  /// Whether the way from a to b goes through the face from outside, and where on the way.
  static bool crossed(const ProxyFace& face, const math::Vec3<double>& a, const math::Vec3<double>& b,
                      double& share) noexcept {
    const double from = dot(face.normal, a) - face.offset, to = dot(face.normal, b) - face.offset;
    if (from < -kSide || to >= -kSide) return false;
    share = from > 0.0 ? from / (from - to) : 0.0;
    const math::Vec3<double> at = a + share * (b - a);
    for (std::size_t i = 0; i < face.count; ++i) {
      const math::Vec3<double>&first = face.corners[i], &next = face.corners[(i + 1) % face.count];
      const math::Vec3<double> side = cross(next - first, at - first);
      if (dot(side, face.normal) < -kSide * std::sqrt(dot(next - first, next - first))) return false;
    }
    return true;
  }
};

}  // namespace tactus::control
