// The arithmetic of wrist_arm.h: inverse kinematics of arms with six turning joints whose last three axes meet in one point. The
// derivations stand there.
//
// Equations in one angle are what it is made of. With R the turn by q about the unit axis k,
//
//   R p = k (k.p) + cos q (p - k (k.p)) + sin q (k x p)
//
//   wrist_turn_to(p, r, k)            q for which R p comes nearest to r
//   wrist_turns_between(h, p, k, d)   the q with h.(R p) = d, two or none: A cos q + B sin q = C
//   wrist_turns_of_two(...)           q and s with two such equations in both, four or fewer
//
// No arc cosine: near a border, where two solutions become one, the sines and cosines are as exact as they can be.
//
// What stands between the two marks is compiled into the library, and pasted as it is into generated code, in C++ and in C
// (pasted_kernels.h): the same text, the same bits. It is written in what both languages share.
#pragma once

#include <cmath>

#include <tactus/math/sincos.h>

namespace tactus::control {

/// As generated code has it.
inline void sincos_of(const double* x, double* s, double* c, int n) {
  for (int k = 0; k < n; ++k) {
    const math::SinCos both = math::sincos(x[k]);
    s[k] = both.sin;
    c[k] = both.cos;
  }
}

// kernel begins
typedef struct {
  double x, y, z;
} WristVec;

/// By columns.
typedef struct {
  WristVec a, b, c;
} WristMat;

/// Where all coordinates are zero: axes, ways between them to the wrist's centre and on to the frame, the frame's axes.
typedef struct {
  WristVec h[6];
  WristVec o_1, p_12, p_23, p_34, p_cp;
  WristMat R_0;
  double size; /* [m] of the arm */
  int kind;    /* 0: axes 2 and 3 are parallel; 1: axes 1 and 2 meet; 2: neither */
} WristData;

/// A way to a pose. reach: 0 the pose is met; 1 two of the wrist's axes are one line; 2 the centre lies on the first axis; 3 the
/// centre cannot get there, and misses by `missed` [m].
typedef struct {
  double q[6];
  double missed;
  int reach;
} WristBranch;

/// A cos q + B sin q = C. missed: |C| - hypot(A, B) where that is positive, both q are then the one that comes nearest; any: A and B
/// vanish, every q does or none.
typedef struct {
  double q[2];
  double missed;
  int any;
} WristTurns;

/// Axes and points as they are now.
typedef struct {
  WristVec z[6], o[3];
  WristVec c, p;
  WristMat R_6;
} WristPlace;

/// What is left to the wrist behind three angles.
typedef struct {
  WristMat R; /* R_3^T R_6 */
  WristVec last;
  WristTurns fifth;
  int aligned;
} WristTask;

inline WristVec wrist_vec(double x, double y, double z) {
  WristVec v;
  v.x = x;
  v.y = y;
  v.z = z;
  return v;
}
inline WristVec wrist_add(WristVec a, WristVec b) { return wrist_vec(a.x + b.x, a.y + b.y, a.z + b.z); }
inline WristVec wrist_sub(WristVec a, WristVec b) { return wrist_vec(a.x - b.x, a.y - b.y, a.z - b.z); }
inline WristVec wrist_scaled(double k, WristVec a) { return wrist_vec(k * a.x, k * a.y, k * a.z); }
inline double wrist_dot(WristVec a, WristVec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline WristVec wrist_cross(WristVec a, WristVec b) {
  return wrist_vec(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
inline double wrist_norm(WristVec a) { return std::sqrt(wrist_dot(a, a)); }
inline double wrist_determinant(WristVec a, WristVec b, WristVec c) {
  return wrist_dot(a, wrist_cross(b, c));
}
inline WristVec wrist_times(WristMat R, WristVec v) {
  return wrist_vec(R.a.x * v.x + R.b.x * v.y + R.c.x * v.z, R.a.y * v.x + R.b.y * v.y + R.c.y * v.z,
                   R.a.z * v.x + R.b.z * v.y + R.c.z * v.z);
}
inline WristVec wrist_transposed_times(WristMat R, WristVec v) {
  return wrist_vec(wrist_dot(R.a, v), wrist_dot(R.b, v), wrist_dot(R.c, v));
}
inline WristMat wrist_product(WristMat A, WristMat B) {
  WristMat C;
  C.a = wrist_times(A, B.a);
  C.b = wrist_times(A, B.b);
  C.c = wrist_times(A, B.c);
  return C;
}
inline WristMat wrist_transposed_product(WristMat A, WristMat B) {
  WristMat C;
  C.a = wrist_transposed_times(A, B.a);
  C.b = wrist_transposed_times(A, B.b);
  C.c = wrist_transposed_times(A, B.c);
  return C;
}
inline WristMat wrist_transposed(WristMat A) {
  WristMat C;
  C.a = wrist_vec(A.a.x, A.b.x, A.c.x);
  C.b = wrist_vec(A.a.y, A.b.y, A.c.y);
  C.c = wrist_vec(A.a.z, A.b.z, A.c.z);
  return C;
}

/// R(k, q) p, with the cosine and the sine of q.
inline WristVec wrist_turned(WristVec k, double c, double s, WristVec p) {
  const WristVec along = wrist_scaled(wrist_dot(k, p), k);
  return wrist_add(wrist_add(along, wrist_scaled(c, wrist_sub(p, along))),
                   wrist_scaled(s, wrist_cross(k, p)));
}
inline WristVec wrist_turned_by(WristVec k, double q, WristVec p) {
  double s, c;
  sincos_of(&q, &s, &c, 1);
  return wrist_turned(k, c, s, p);
}
inline WristMat wrist_turn(WristVec k, double q) {
  WristMat R;
  double s, c;
  sincos_of(&q, &s, &c, 1);
  R.a = wrist_turned(k, c, s, wrist_vec(1.0, 0.0, 0.0));
  R.b = wrist_turned(k, c, s, wrist_vec(0.0, 1.0, 0.0));
  R.c = wrist_turned(k, c, s, wrist_vec(0.0, 0.0, 1.0));
  return R;
}

/// Zero where p or r lies on the axis: any angle does.
inline double wrist_turn_to(WristVec p, WristVec r, WristVec k) {
  const WristVec a = wrist_sub(p, wrist_scaled(wrist_dot(k, p), k));
  return std::atan2(wrist_dot(k, wrist_cross(a, r)), wrist_dot(a, r));
}

/// cos q = (A C -+ B s)/r^2, sin q = (B C +- A s)/r^2 with r^2 = A^2 + B^2, s = sqrt(r^2 - C^2).
inline WristTurns wrist_turns_of(double A, double B, double C) {
  WristTurns turns;
  const double r = std::sqrt(A * A + B * B), size = std::fabs(C);
  turns.missed = 0.0;
  turns.any = r > 1e-12 * (size > 1.0 ? size : 1.0) ? 0 : 1;
  if (!(size <= r)) {
    turns.missed = size - r;
    turns.q[0] = turns.q[1] = C < 0.0 ? std::atan2(-B, -A) : std::atan2(B, A);
  } else {
    const double s = std::sqrt((r - C) * (r + C));
    turns.q[0] = std::atan2(B * C + A * s, A * C - B * s);
    turns.q[1] = std::atan2(B * C - A * s, A * C + B * s);
  }
  return turns;
}
inline WristTurns wrist_turns_between(WristVec h, WristVec p, WristVec k, double d) {
  return wrist_turns_of(wrist_dot(h, wrist_sub(p, wrist_scaled(wrist_dot(k, p), k))),
                        wrist_dot(h, wrist_cross(k, p)), d - wrist_dot(h, k) * wrist_dot(k, p));
}

inline double wrist_wrapped(double angle) { return std::remainder(angle, 6.283185307179586); }

/// Angles with k[0] + k[1] cos q + k[2] sin q + k[3] cos 2q + k[4] sin 2q = 0: times 2 z^2, z = e^iq, it is
///
///   (k3 - i k4) z^4 + (k1 - i k2) z^3 + 2 k0 z^2 + (k1 + i k2) z + (k3 + i k4)
///
/// whose roots are found all at once [Aberth1973]; those of size one are angles, and are made exact by Newton's method.
inline int wrist_roots(const double* k, double* q) {
  const double nothing = 1e-12;  /* coefficients below this part of the largest are none */
  const double on_circle = 1e-5; /* double roots come out to the root of rounding */
  const double re[5] = {k[3], k[1], 2.0 * k[0], k[1], k[3]}, im[5] = {k[4], k[2], 0.0, -k[2], -k[4]};
  double x[4] = {0.9, -0.4, -0.7, 0.5}, y[4] = {0.3, 0.8, -0.6, -0.9};
  const double first = std::sqrt(re[4] * re[4] + im[4] * im[4]);
  double largest = std::fabs(re[2]);
  int count = 0;
  if (first > largest) largest = first;
  if (std::sqrt(re[3] * re[3] + im[3] * im[3]) > largest) largest = std::sqrt(re[3] * re[3] + im[3] * im[3]);
  if (!(largest > 0.0 && largest <= 1e300)) return 0;
  if (!(first > nothing * largest)) {
    const WristTurns two = wrist_turns_of(k[1], k[2], -k[0]);
    if (two.missed > 0.0 || two.any) return 0;
    q[0] = two.q[0];
    q[1] = two.q[1];
    return 2;
  }
  for (int round = 0; round < 100; ++round) {
    double moved = 0.0;
    for (int i = 0; i < 4; ++i) {
      /* p and its slope by Horner's rule; the step is w/(1 - w sum 1/(z - z_j)), w = p/p'. */
      double pr = re[4], pi = im[4], dr = 0.0, di = 0.0, sr = 0.0, si = 0.0;
      for (int n = 3; n >= 0; --n) {
        const double er = dr * x[i] - di * y[i] + pr, ei = dr * y[i] + di * x[i] + pi;
        const double vr = pr * x[i] - pi * y[i] + re[n], vi = pr * y[i] + pi * x[i] + im[n];
        dr = er;
        di = ei;
        pr = vr;
        pi = vi;
      }
      for (int j = 0; j < 4; ++j) {
        const double ar = x[i] - x[j], ai = y[i] - y[j], square = ar * ar + ai * ai;
        if (j == i || !(square > 0.0)) continue;
        sr += ar / square;
        si -= ai / square;
      }
      /* p/(p' - p sum) */
      {
        const double nr = dr - (pr * sr - pi * si), ni = di - (pr * si + pi * sr), square = nr * nr + ni * ni;
        if (square > 0.0) {
          const double wr = (pr * nr + pi * ni) / square, wi = (pi * nr - pr * ni) / square;
          x[i] -= wr;
          y[i] -= wi;
          moved += std::fabs(wr) + std::fabs(wi);
        }
      }
    }
    if (!(moved > 1e-15)) break;
  }
  for (int i = 0; i < 4; ++i) {
    double angle;
    if (!(std::fabs(std::sqrt(x[i] * x[i] + y[i] * y[i]) - 1.0) < on_circle)) continue;
    angle = std::atan2(y[i], x[i]);
    for (int round = 0; round < 3; ++round) {
      double s, c, value, slope;
      sincos_of(&angle, &s, &c, 1);
      value = k[0] + k[1] * c + k[2] * s + k[3] * (c * c - s * s) + k[4] * (2.0 * s * c);
      slope = -k[1] * s + k[2] * c - 2.0 * k[3] * (2.0 * s * c) + 2.0 * k[4] * (c * c - s * s);
      if (!(std::fabs(value) < 1e-3 * std::fabs(slope))) break;
      angle -= value / slope;
    }
    q[count++] = angle;
  }
  return count;
}

/// Two equations a cos q + b sin q + c cos s + d sin s = e, (a, b, c, d, e) one after the other in `e`. Where they fix (cos s, sin s) = g + G (cos q,
/// sin q), the unit circle gives one in q alone. Pairs (q, s), at most four.
inline int wrist_turns_of_two(const double* e, double* q, double* s) {
  const double determinant = e[2] * e[8] - e[3] * e[7];
  double g[2], G[2][2], k[5] = {-1.0, 0.0, 0.0, 0.0, 0.0}, found[4];
  int count = 0, roots;
  for (int j = 0; j < 3; ++j) {
    const double x = j < 2 ? -e[j] : e[4], y = j < 2 ? -e[5 + j] : e[9];
    const double first = (x * e[8] - y * e[3]) / determinant, second = (y * e[2] - x * e[7]) / determinant;
    if (j < 2) {
      G[0][j] = first;
      G[1][j] = second;
    } else {
      g[0] = first;
      g[1] = second;
    }
  }
  for (int i = 0; i < 2; ++i) {
    k[0] += g[i] * g[i] + 0.5 * (G[i][0] * G[i][0] + G[i][1] * G[i][1]);
    k[1] += 2.0 * g[i] * G[i][0];
    k[2] += 2.0 * g[i] * G[i][1];
    k[3] += 0.5 * (G[i][0] * G[i][0] - G[i][1] * G[i][1]);
    k[4] += G[i][0] * G[i][1];
  }
  roots = wrist_roots(k, found);
  for (int i = 0; i < roots; ++i) {
    double sine, cosine;
    int again = 0;
    for (int j = 0; j < count; ++j)
      if (std::fabs(wrist_wrapped(found[i] - q[j])) < 1e-7) again = 1;
    if (again) continue;
    sincos_of(&found[i], &sine, &cosine, 1);
    q[count] = found[i];
    s[count++] =
        std::atan2(g[1] + G[1][0] * cosine + G[1][1] * sine, g[0] + G[0][0] * cosine + G[0][1] * sine);
  }
  return count;
}

/// |p_23 + R p_34|^2 = square
inline WristTurns wrist_third(const WristData* arm, double square) {
  return wrist_turns_between(
      arm->p_23, arm->p_34, arm->h[2],
      0.5 * (square - wrist_dot(arm->p_23, arm->p_23) - wrist_dot(arm->p_34, arm->p_34)));
}
/// h_2.(R(h_1, -q_1) target) = d
inline WristTurns wrist_first(const WristData* arm, WristVec target, double d) {
  return wrist_turns_between(arm->h[1], target, wrist_scaled(-1.0, arm->h[0]), d);
}
/// p_23 + R(h_3, q_3) p_34
inline WristVec wrist_elbow(const WristData* arm, double q_3) {
  return wrist_add(arm->p_23, wrist_turned_by(arm->h[2], q_3, arm->p_34));
}
/// R(h_1, -q_1) target - p_12
inline WristVec wrist_from_second(const WristData* arm, WristVec target, double q_1) {
  return wrist_sub(wrist_turned_by(arm->h[0], -q_1, target), arm->p_12);
}
inline int wrist_on_axis(const WristData* arm, WristVec target) {
  const WristVec along = wrist_scaled(wrist_dot(target, arm->h[0]), arm->h[0]);
  return wrist_norm(wrist_sub(target, along)) < 1e-9 * arm->size ? 1 : 0;
}

inline int wrist_keep(const WristData* arm, WristVec target, double q_1, double q_3, double missed,
                      int on_axis, int count, WristBranch* ways) {
  if (count == 4) return count;
  ways[count].q[0] = q_1;
  ways[count].q[1] = wrist_turn_to(wrist_elbow(arm, q_3), wrist_from_second(arm, target, q_1), arm->h[1]);
  ways[count].q[2] = q_3;
  ways[count].q[3] = ways[count].q[4] = ways[count].q[5] = 0.0;
  ways[count].missed = missed > 1e-12 * arm->size ? missed : 0.0;
  ways[count].reach = ways[count].missed > 0.0 ? 3 : on_axis ? 2 : 0;
  return count + 1;
}

/// q_1, q_2, q_3 for the centre, up to four; the others are zero.
inline int wrist_arm_solutions(const WristData* arm, WristVec centre, WristBranch* ways) {
  const WristVec target = wrist_sub(centre, arm->o_1);
  const double arm_length = wrist_norm(arm->p_23), lever = arm_length > 1e-300 ? arm_length : 1e-300;
  int count = 0;
  if (arm->kind == 0) {
    const int on_axis = wrist_on_axis(arm, target);
    const WristTurns first = wrist_first(
        arm, target,
        wrist_dot(arm->h[1], arm->p_12) + wrist_dot(arm->h[1], arm->p_23) + wrist_dot(arm->h[1], arm->p_34));
    for (int i = 0; i < 2; ++i) {
      const WristVec r = wrist_from_second(arm, target, first.q[i]);
      const WristTurns third = wrist_third(arm, wrist_dot(r, r));
      for (int j = 0; j < 2; ++j)
        count = wrist_keep(arm, target, first.q[i], third.q[j],
                           std::hypot(first.missed, third.missed / lever), on_axis, count, ways);
    }
  } else if (arm->kind == 1) {
    const WristTurns third = wrist_third(arm, wrist_dot(target, target));
    for (int i = 0; i < 2; ++i) {
      const WristTurns first = wrist_first(arm, target, wrist_dot(arm->h[1], wrist_elbow(arm, third.q[i])));
      for (int j = 0; j < 2; ++j)
        count = wrist_keep(arm, target, first.q[j], third.q[i],
                           std::hypot(first.missed, third.missed / lever), first.any, count, ways);
    }
  } else {
    /* (i) and (ii), with everything that does not depend on an angle on the right: q is q_3, s is q_1. */
    const WristVec back = wrist_scaled(-1.0, arm->h[0]), k = arm->h[2];
    const WristVec across_p = wrist_sub(arm->p_34, wrist_scaled(wrist_dot(k, arm->p_34), k)),
                   turned_p = wrist_cross(k, arm->p_34);
    const WristVec across_t = wrist_sub(target, wrist_scaled(wrist_dot(back, target), back)),
                   turned_t = wrist_cross(back, target);
    const double along_p = wrist_dot(k, arm->p_34), along_t = wrist_dot(back, target);
    double e[10], q_3[4], q_1[4];
    int found;
    e[0] = wrist_dot(arm->h[1], across_p);
    e[1] = wrist_dot(arm->h[1], turned_p);
    e[2] = -wrist_dot(arm->h[1], across_t);
    e[3] = -wrist_dot(arm->h[1], turned_t);
    e[4] = wrist_dot(arm->h[1], back) * along_t - wrist_dot(arm->h[1], arm->p_12) -
           wrist_dot(arm->h[1], arm->p_23) - wrist_dot(arm->h[1], k) * along_p;
    e[5] = 2.0 * wrist_dot(arm->p_23, across_p);
    e[6] = 2.0 * wrist_dot(arm->p_23, turned_p);
    e[7] = 2.0 * wrist_dot(arm->p_12, across_t);
    e[8] = 2.0 * wrist_dot(arm->p_12, turned_t);
    e[9] = wrist_dot(target, target) + wrist_dot(arm->p_12, arm->p_12) -
           2.0 * (wrist_dot(arm->p_12, back) * along_t) - wrist_dot(arm->p_23, arm->p_23) -
           wrist_dot(arm->p_34, arm->p_34) - 2.0 * (wrist_dot(arm->p_23, k) * along_p);
    found = wrist_turns_of_two(e, q_3, q_1);
    for (int i = 0; i < found; ++i) count = wrist_keep(arm, target, q_1[i], q_3[i], 0.0, 0, count, ways);
  }
  return count;
}

inline WristTask wrist_task(const WristData* arm, const double* q, WristMat R_6) {
  WristTask task;
  const WristMat R_3 = wrist_product(wrist_product(wrist_turn(arm->h[0], q[0]), wrist_turn(arm->h[1], q[1])),
                                     wrist_turn(arm->h[2], q[2]));
  task.R = wrist_transposed_product(R_3, R_6);
  task.last = wrist_times(task.R, arm->h[5]);
  task.fifth = wrist_turns_between(arm->h[3], arm->h[5], arm->h[4], wrist_dot(arm->h[3], task.last));
  task.aligned = wrist_norm(wrist_cross(arm->h[3], task.last)) < 1e-9 ? 1 : 0;
  return task;
}

inline WristBranch wrist_with_wrist(const WristData* arm, WristBranch way, const WristTask* task,
                                    double q_5) {
  const WristMat R_5 = wrist_turn(arm->h[4], q_5);
  const WristVec across = wrist_cross(
      arm->h[5], std::fabs(arm->h[5].x) < 0.7 ? wrist_vec(1.0, 0.0, 0.0) : wrist_vec(0.0, 1.0, 0.0));
  double q_4 = wrist_turn_to(wrist_times(R_5, arm->h[5]), task->last, arm->h[3]), q_6;
  if (task->aligned) {
    q_4 = 0.0;
    if (way.reach == 0) way.reach = 1;
  }
  /* R(h_6, q_6) = (R_4 R_5)^T R: seen on a vector across h_6. */
  q_6 = wrist_turn_to(
      across,
      wrist_transposed_times(wrist_product(wrist_turn(arm->h[3], q_4), R_5), wrist_times(task->R, across)),
      arm->h[5]);
  if (task->aligned) {
    /* The turns add up, or their difference does. */
    q_4 = (wrist_dot(arm->h[3], task->last) > 0.0 ? 0.5 : -0.5) * q_6;
    q_6 = 0.5 * q_6;
  }
  way.q[3] = q_4;
  way.q[4] = q_5;
  way.q[5] = q_6;
  return way;
}

/// All ways to a pose R, p, eight at most; where the centre cannot get there, those that come nearest.
inline int wrist_position(const WristData* arm, WristMat R, WristVec p, WristBranch* found) {
  const WristMat R_6 = wrist_product(R, wrist_transposed(arm->R_0));
  WristBranch arms[4];
  const int all = wrist_arm_solutions(arm, wrist_sub(p, wrist_times(R_6, arm->p_cp)), arms);
  double least = 1e300;
  int count = 0;
  for (int i = 0; i < all; ++i)
    if (arms[i].missed < least) least = arms[i].missed;
  for (int i = 0; i < all; ++i) {
    WristTask task;
    int again = 0; /* at a border two are one */
    if (arms[i].missed > least) continue;
    for (int k = 0; k < i; ++k)
      if (arms[k].missed <= least && arms[k].q[0] == arms[i].q[0] && arms[k].q[1] == arms[i].q[1] &&
          arms[k].q[2] == arms[i].q[2])
        again = 1;
    if (again) continue;
    task = wrist_task(arm, arms[i].q, R_6);
    if (task.fifth.missed > 1e-9) continue; /* axes that are not orthogonal: the wrist cannot turn so far */
    for (int k = 0; k < (task.aligned ? 1 : 2); ++k)
      found[count++] = wrist_with_wrist(arm, arms[i], &task, task.fifth.q[k]);
  }
  return count;
}

/// Angles within half a turn of `near`; the square of the way there.
inline double wrist_bring_near(const double* near, double* q) {
  double square = 0.0;
  for (int k = 0; k < 6; ++k) {
    q[k] = near[k] + wrist_wrapped(q[k] - near[k]);
    square += (q[k] - near[k]) * (q[k] - near[k]);
  }
  return square;
}

/// The way nearest to `near`. Turns that do not matter stay as they are there. Without a way `missed` is 1e300 and more.
inline WristBranch wrist_nearest(const WristData* arm, WristMat R, WristVec p, const double* near) {
  WristBranch ways[8], best;
  const int count = wrist_position(arm, R, p, ways);
  double least = 1e300;
  for (int k = 0; k < 6; ++k) best.q[k] = 0.0;
  best.missed = 1e301;
  best.reach = 0;
  for (int i = 0; i < count; ++i) {
    WristBranch way = ways[i];
    double distance;
    if (way.reach == 1) {
      /* q_4 stays, q_6 takes the rest of the turn about the common line. */
      const double sign =
          wrist_dot(arm->h[3], wrist_turned_by(arm->h[4], way.q[4], arm->h[5])) > 0.0 ? 1.0 : -1.0;
      const double whole = way.q[5] + sign * way.q[3];
      way.q[3] = near[3];
      way.q[5] = whole - sign * near[3];
    }
    distance = wrist_bring_near(near, way.q);
    if (distance < least) {
      least = distance;
      best = way;
    }
  }
  return best;
}

/// Of two turns the nearer one; `rejected` falls to how far the other one is.
inline double wrist_nearer(const WristTurns* two, double to, double* rejected) {
  const double a = wrist_wrapped(two->q[0] - to), b = wrist_wrapped(two->q[1] - to);
  const int first = std::fabs(a) <= std::fabs(b) ? 1 : 0;
  const double other = std::fabs(first ? b : a);
  if (other < *rejected) *rejected = other;
  return to + (first ? a : b);
}

/// The same as wrist_nearest(), faster where it moves a little.
inline WristBranch wrist_follow(const WristData* arm, WristMat R, WristVec p, const double* near) {
  const WristMat R_6 = wrist_product(R, wrist_transposed(arm->R_0));
  const WristVec target = wrist_sub(wrist_sub(p, wrist_times(R_6, arm->p_cp)), arm->o_1);
  WristBranch way;
  WristTurns first, elbow;
  WristTask task;
  WristVec r;
  double rejected = 1e300;
  if (arm->kind == 2) return wrist_nearest(arm, R, p, near);
  way.missed = 0.0;
  way.reach = 0;
  if (arm->kind == 0) {
    first = wrist_first(
        arm, target,
        wrist_dot(arm->h[1], arm->p_12) + wrist_dot(arm->h[1], arm->p_23) + wrist_dot(arm->h[1], arm->p_34));
    way.q[0] = wrist_nearer(&first, near[0], &rejected);
    r = wrist_from_second(arm, target, way.q[0]);
    elbow = wrist_third(arm, wrist_dot(r, r));
    way.q[2] = wrist_nearer(&elbow, near[2], &rejected);
  } else {
    elbow = wrist_third(arm, wrist_dot(target, target));
    way.q[2] = wrist_nearer(&elbow, near[2], &rejected);
    first = wrist_first(arm, target, wrist_dot(arm->h[1], wrist_elbow(arm, way.q[2])));
    way.q[0] = wrist_nearer(&first, near[0], &rejected);
    r = wrist_from_second(arm, target, way.q[0]);
  }
  /* Borders, and turns that do not matter, are wrist_nearest()'s. */
  if (first.missed > 0.0 || elbow.missed > 0.0 || first.any || elbow.any || wrist_on_axis(arm, target))
    return wrist_nearest(arm, R, p, near);
  way.q[1] = wrist_turn_to(wrist_elbow(arm, way.q[2]), r, arm->h[1]);
  task = wrist_task(arm, way.q, R_6);
  if (task.aligned || task.fifth.missed > 0.0) return wrist_nearest(arm, R, p, near);
  way = wrist_with_wrist(arm, way, &task, wrist_nearer(&task.fifth, near[4], &rejected));
  return wrist_bring_near(near, way.q) < rejected * rejected ? way : wrist_nearest(arm, R, p, near);
}

inline WristPlace wrist_place(const WristData* arm, const double* q) {
  const WristVec ways[3] = {arm->p_12, arm->p_23, arm->p_34};
  WristPlace now;
  WristMat R = wrist_turn(arm->h[0], q[0]);
  now.c = arm->o_1;
  now.z[0] = arm->h[0];
  for (int i = 0; i < 6; ++i) {
    if (i > 0) {
      now.z[i] = wrist_times(R, arm->h[i]);
      R = wrist_product(R, wrist_turn(arm->h[i], q[i]));
    }
    if (i < 3) {
      now.o[i] = now.c;
      now.c = wrist_add(now.c, wrist_times(R, ways[i]));
    }
  }
  now.R_6 = R;
  now.p = wrist_add(now.c, wrist_times(R, arm->p_cp));
  return now;
}

/// 1 where the three are orthogonal.
inline double wrist_regularity(WristVec a, WristVec b, WristVec c) {
  const double sizes = wrist_norm(a) * wrist_norm(b) * wrist_norm(c);
  return sizes > 0.0 ? std::fabs(wrist_determinant(a, b, c)) / sizes : 0.0;
}

/// x a + y b + z c = r. Below a regularity of 1e-3 damped: (J^T J + d I)^-1 J^T r with d so that it sets in softly.
inline WristVec wrist_solve(WristVec a, WristVec b, WristVec c, WristVec r, double regular) {
  const double singular = 1e-3;
  if (regular >= singular) {
    return wrist_scaled(1.0 / wrist_determinant(a, b, c),
                        wrist_vec(wrist_dot(r, wrist_cross(b, c)), wrist_dot(a, wrist_cross(r, c)),
                                  wrist_dot(a, wrist_cross(b, r))));
  } else {
    const double missing = 1.0 - regular / singular,
                 size = wrist_dot(a, a) + wrist_dot(b, b) + wrist_dot(c, c),
                 damping = missing * missing * singular * singular * size + 2.2250738585072014e-308;
    const double ab = wrist_dot(a, b), ac = wrist_dot(a, c), bc = wrist_dot(b, c);
    const WristVec n0 = wrist_vec(wrist_dot(a, a) + damping, ab, ac),
                   n1 = wrist_vec(ab, wrist_dot(b, b) + damping, bc),
                   n2 = wrist_vec(ac, bc, wrist_dot(c, c) + damping),
                   right = wrist_vec(wrist_dot(a, r), wrist_dot(b, r), wrist_dot(c, r));
    return wrist_scaled(
        1.0 / wrist_determinant(n0, n1, n2),
        wrist_vec(wrist_dot(right, wrist_cross(n1, n2)), wrist_dot(n0, wrist_cross(right, n2)),
                  wrist_dot(n0, wrist_cross(n1, right))));
  }
}

/// Three joints for the centre, three for what is left of the turning.
inline void wrist_in_two_steps(const WristPlace* now, const WristVec* J, double arm, double wrist,
                               WristVec of_centre, WristVec turning, double* x) {
  const WristVec first = wrist_solve(J[0], J[1], J[2], of_centre, arm);
  WristVec last;
  turning = wrist_sub(turning, wrist_scaled(first.x, now->z[0]));
  turning = wrist_sub(turning, wrist_scaled(first.y, now->z[1]));
  turning = wrist_sub(turning, wrist_scaled(first.z, now->z[2]));
  last = wrist_solve(now->z[3], now->z[4], now->z[5], turning, wrist);
  x[0] = first.x;
  x[1] = first.y;
  x[2] = first.z;
  x[3] = last.x;
  x[4] = last.y;
  x[5] = last.z;
}

/// Of the last link and of the centre, without joint accelerations.
inline void wrist_bias(const WristPlace* now, const double* qd, WristVec* alpha_last, WristVec* a_centre) {
  const WristVec ways[3] = {wrist_sub(now->o[1], now->o[0]), wrist_sub(now->o[2], now->o[1]),
                            wrist_sub(now->c, now->o[2])};
  WristVec w = wrist_vec(0.0, 0.0, 0.0), alpha = w, a = w;
  for (int i = 0; i < 6; ++i) {
    alpha = wrist_add(alpha, wrist_scaled(qd[i], wrist_cross(w, now->z[i])));
    w = wrist_add(w, wrist_scaled(qd[i], now->z[i]));
    if (i < 3)
      a = wrist_add(wrist_add(a, wrist_cross(alpha, ways[i])), wrist_cross(w, wrist_cross(w, ways[i])));
  }
  *alpha_last = alpha;
  *a_centre = a;
}

/// qd and qdd for which the frame moves by V and A, [angular; linear] of its origin; regular[2]: how far arm and wrist are from
/// singular, 1 at best.
inline void wrist_rates(const WristPlace* now, const double* V, const double* A, double* qd, double* qdd,
                        double* regular) {
  const WristVec w = wrist_vec(V[0], V[1], V[2]), v = wrist_vec(V[3], V[4], V[5]),
                 alpha = wrist_vec(A[0], A[1], A[2]), a = wrist_vec(A[3], A[4], A[5]),
                 r = wrist_sub(now->p, now->c);
  WristVec J[3], alpha_last, a_centre;
  for (int i = 0; i < 3; ++i) J[i] = wrist_cross(now->z[i], wrist_sub(now->c, now->o[i]));
  regular[0] = wrist_regularity(J[0], J[1], J[2]);
  regular[1] = wrist_regularity(now->z[3], now->z[4], now->z[5]);
  wrist_in_two_steps(now, J, regular[0], regular[1], wrist_sub(v, wrist_cross(w, r)), w, qd);
  wrist_bias(now, qd, &alpha_last, &a_centre);
  wrist_in_two_steps(
      now, J, regular[0], regular[1],
      wrist_sub(wrist_sub(wrist_sub(a, wrist_cross(alpha, r)), wrist_cross(w, wrist_cross(w, r))), a_centre),
      wrist_sub(alpha, alpha_last), qdd);
}
// kernel ends

}  // namespace tactus::control
