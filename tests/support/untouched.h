// Contact that never comes: what it adds to a model must not change its motion, nor cost much.
#pragma once

#include <string>

#include <tactus/describe/model/model.h>

#include "support/model_graph.h"

namespace tactus::test {

/// Far from where any of the mechanisms gets [rad, m].
inline constexpr double kFarAway = 1e4;

/// Two stops at a coordinate, neither of which is ever touched.
inline describe::Model with_stops_far_away(describe::Model model, int coordinate) {
  for (const bool upper : {false, true}) {
    describe::JointStop stop;
    stop.name = upper ? "never.upper" : "never.lower";
    stop.coordinate = coordinate;
    stop.upper = upper;
    stop.limit = upper ? kFarAway : -kFarAway;
    model.contact.stops.push_back(stop);
  }
  return model;
}

/// A ball on a body, and another one on the ground, far away.
inline describe::Model with_pair_far_away(describe::Model model, int body) {
  const algebra::Graph::Scope scope(support::graph_of(model));
  const auto ball_at = [](double x) {
    describe::Geometry ball;
    ball.shape = describe::Geometry::Shape::sphere;
    ball.size = {algebra::Expr(0.05), algebra::Expr(0.0), algebra::Expr(0.0)};
    ball.X_BG.p = {algebra::Expr(x), algebra::Expr(0.0), algebra::Expr(0.0)};
    ball.contact = true;
    return ball;
  };
  describe::ContactPair pair;
  pair.name = "never";
  pair.body_a = 0;
  pair.body_b = body;
  for (const int b : {pair.body_a, pair.body_b}) {
    auto& shapes = model.bodies[static_cast<std::size_t>(b)].geometry;
    (b == 0 ? pair.geometry_a : pair.geometry_b) = static_cast<int>(shapes.size());
    shapes.push_back(ball_at(b == 0 ? kFarAway : 0.0));
  }
  pair.law.restitution = 0.5;
  model.contact.pairs.push_back(pair);
  return model;
}

}  // namespace tactus::test
