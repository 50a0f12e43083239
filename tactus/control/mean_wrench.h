// What a hand gives in the period that comes, of what is sensed where it begins.
//
// Four channels give the sensed wrench F_k to the mechanism for a period, and take it from the handle by the motors (control/four_channel.h). The hand goes on meanwhile: its mean over the period is
// F_k + F' T/2, and with the masses M_d of the handle and m of the port, along one direction,
//
//   M_d xdd_H = F_k + F' T/2 - F_k + M_d xdd_P        handle:   the hand has T/2M_d besides, a damper in series, which burns
//   m xdd_P = F_k                                     port:     late by T/2, and v_P/F = exp(-j w T/2)/(j w m) has -T/2m, which feeds
//
// As long as nothing holds handle and port together: the penalty k_j, b_j of a resisted direction makes, of the same F' T/2M_d,
//
//   e = s T/(2 M_d)/(s^2 + b_j s + k_j) F,            slow hands:   s e/F = -w^2 T/(2 M_d k_j)
//
// and that feeds: 180 N of a hand at 3 rad/s on 0.2 kg, 200 1/s^2 and 1 kHz come to 1.8 W, and 7 mm of handle and port apart. So the hand's mean is foretold,
//
//   F = F_k + p (F_k - F_k-1)/2
//
// which is wrong by 5/12 F'' T^2, and handle and port get that instead. With it 1 - p is left of both, T/2M_d and -T/2m.
//
// A hand of damping B: with a = B T/M_d and v = M_d/m the handle's speed has the characteristic polynomial
//
//   (1 + a/2) z^2 - (1 - a/2 + a (1 - v) (1 + p/2)) z + a (1 - v) p/2
//
// which at z = -1 is 2 + a (1 - v) (1 + p): above 0 for every B where v <= 1, while a port that is lighter than the handle bears less than without. So p = 1 - v along each of the port's directions
// (four_channel.h, S), and 0 where it is lighter: all of it where nothing moves, and what is left of dampers is T/2m (1 - v) >= 0. A function of S, as the penalties' weights are: nothing jumps where directions cross.
//
// Scales. With D^2 = 1/(f c) of rotations and c/f of translations, f and c being the scales of force and motion, the handle has S_h = D S D: in the port's directions v_k, G = V^T D V,
//
//   V^T S_h V = G^T diag(s) G,      v_k = the sum of the sizes in its row k
//
// s_k D^2 where a direction is of one kind, or c = 1; otherwise a bound: diag(v) - S_h has no negative eigenvalue, so that no more is foretold than may be.
//
// Where directions are judged by the Jacobian alone (Rank::jacobian) the masses are not known: their weights stand for p.
#pragma once

#include <tactus/control/four_channel.h>

namespace tactus::control {

/// At the handle; `directions` are those of the tick before, M_d is their metric.
Vector6 mean_wrench(const FourChannelGains& gains, const Vector6& now, const Vector6& before,
                    const Resisted& directions, const Matrix6& M_d) noexcept;

}  // namespace tactus::control
