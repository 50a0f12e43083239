#include <tactus/contact/terms.h>

#include <algorithm>

#include <fmt/format.h>

#include <tactus/base/check.h>

namespace tactus::contact {

namespace {

std::size_t offset_of(const generate::Kernel& kernel, const std::string& name) {
  const generate::Slot* slot = kernel.output(name);
  TACTUS_CHECK(slot != nullptr);
  return slot->offset;
}

Vec3<double> vector_at(const double* x) { return {x[0], x[1], x[2]}; }

}  // namespace

TermsKernel::TermsKernel(const derive::Equations& equations, std::vector<int> wanted,
                         generate::Backend backend)
    : nq(equations.nq()),
      nv(equations.nv()),
      wrenches(static_cast<int>(equations.options().wrenches.size())),
      parents(equations.parent_speeds()) {
  wanted.erase(std::remove(wanted.begin(), wanted.end(), 0), wanted.end());
  kernel = generate::compile(equations.contact_terms(wanted), backend);
  for (const derive::ConstraintRow& row : equations.constraint_rows())
    rows.push_back({row.label, row.constraint, row.holonomic});
  const std::vector<derive::SpeedBlock>& given = equations.blocks();
  std::vector<int> block_of(static_cast<std::size_t>(nv), -1);
  for (std::size_t k = 0; k < given.size(); ++k) {
    Block block{given[k].speeds, given[k].rows, offset_of(kernel, fmt::format("M_{}", k)), 0};
    if (!block.rows.empty()) block.A = offset_of(kernel, fmt::format("A_{}", k));
    for (const int speed : block.speeds) block_of[static_cast<std::size_t>(speed)] = static_cast<int>(k);
    blocks.push_back(std::move(block));
  }
  qdot = offset_of(kernel, "qdot");
  Q = offset_of(kernel, "Q");
  if (!rows.empty()) {
    Phi = offset_of(kernel, "Phi");
    velocity = offset_of(kernel, "velocity");
    gamma = offset_of(kernel, "gamma");
  }

  const describe::Model& model = equations.model();
  body_slot.assign(model.bodies.size(), -1);
  std::vector<int> first_speed(model.joints.size(), 0);
  for (std::size_t j = 1; j < model.joints.size(); ++j)
    first_speed[j] = first_speed[j - 1] + describe::speed_count(model.joints[j - 1].type);
  for (const int b : wanted) {
    Body body{b,
              -1,
              offset_of(kernel, fmt::format("X_{}", b)),
              offset_of(kernel, fmt::format("V_{}", b)),
              offset_of(kernel, fmt::format("a_{}", b)),
              0};
    // The block of the nearest joint towards the ground that moves.
    for (int at = b; at > 0 && body.block < 0; at = model.joints[static_cast<std::size_t>(at - 1)].parent) {
      const auto joint = static_cast<std::size_t>(at - 1);
      if (describe::speed_count(model.joints[joint].type) > 0)
        body.block = block_of[static_cast<std::size_t>(first_speed[joint])];
    }
    if (body.block >= 0) body.J = offset_of(kernel, fmt::format("J_{}", b));
    body_slot[static_cast<std::size_t>(b)] = static_cast<int>(bodies.size());
    bodies.push_back(body);
  }
}

Terms::Terms(const TermsKernel& kernel)
    : kernel_(kernel),
      arguments_(kernel.kernel.input_size()),
      out_(kernel.kernel.output_size()),
      work_(kernel.kernel.work_size()),
      place_of_row_(kernel.rows.size()) {
  for (std::size_t k = 0; k < kernel.blocks.size(); ++k)
    for (std::size_t i = 0; i < kernel.blocks[k].rows.size(); ++i)
      place_of_row_[static_cast<std::size_t>(kernel.blocks[k].rows[i])] = {static_cast<int>(k),
                                                                           static_cast<int>(i)};
}

void Terms::evaluate(double t, const double* q, const double* u) {
  arguments_[0] = t;
  std::copy_n(q, kernel_.nq, arguments_.begin() + 1);
  std::copy_n(u, kernel_.nv, arguments_.begin() + 1 + kernel_.nq);
  evaluate(arguments_.data());
}

void Terms::mass_matrix(double* M) const {
  const auto nv = static_cast<std::size_t>(kernel_.nv);
  for (const TermsKernel::Block& block : kernel_.blocks) {
    const double* from = out_.data() + block.M;
    for (const int i : block.speeds)
      for (const int j : block.speeds)
        M[static_cast<std::size_t>(i) * nv + static_cast<std::size_t>(j)] = *from++;
  }
}

void Terms::constraint_row(std::size_t row, double* A) const {
  std::fill_n(A, kernel_.nv, 0.0);
  const auto [k, position] = place_of_row_[row];
  const TermsKernel::Block& block = kernel_.blocks[static_cast<std::size_t>(k)];
  const double* from = out_.data() + block.A + static_cast<std::size_t>(position) * block.speeds.size();
  for (const int speed : block.speeds) A[speed] = *from++;
}

BodyMotion<double> Terms::body(int index) const {
  BodyMotion<double> motion;
  const int slot = kernel_.body_slot[static_cast<std::size_t>(index)];
  if (slot < 0) return motion;
  const TermsKernel::Body& body = kernel_.bodies[static_cast<std::size_t>(slot)];
  const double* X = out_.data() + body.X;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) motion.R(i, j) = X[4 * i + j];
    motion.p[i] = X[4 * i + 3];
  }
  motion.w = vector_at(out_.data() + body.V);
  motion.v = vector_at(out_.data() + body.V + 3);
  motion.wd = vector_at(out_.data() + body.a);
  motion.vd = vector_at(out_.data() + body.a + 3);
  return motion;
}

void Terms::add_point_row(int index, const Vec3<double>& c, const Vec3<double>& direction, double sign,
                          double* row) const {
  const int slot = kernel_.body_slot[static_cast<std::size_t>(index)];
  if (slot < 0) return;
  const TermsKernel::Body& body = kernel_.bodies[static_cast<std::size_t>(slot)];
  if (body.block < 0) return;
  const double* X = out_.data() + body.X;
  const Vec3<double> r = c - Vec3<double>{X[3], X[7], X[11]};
  const Vec3<double> moment = cross(r, direction);
  const std::vector<int>& speeds = kernel_.blocks[static_cast<std::size_t>(body.block)].speeds;
  const std::size_t n = speeds.size();
  const double* J = out_.data() + body.J;
  for (std::size_t i = 0; i < n; ++i) {
    const double turning = moment.x * J[i] + moment.y * J[n + i] + moment.z * J[2 * n + i];
    const double moving =
        direction.x * J[3 * n + i] + direction.y * J[4 * n + i] + direction.z * J[5 * n + i];
    row[speeds[i]] += sign * (turning + moving);
  }
}

void contact_rows(const Terms& terms, int body_a, int body_b, const GapMotion<double>& motion,
                  std::size_t count, double* rows) {
  const auto nv = static_cast<std::size_t>(terms.kernel().nv);
  std::fill_n(rows, count * nv, 0.0);
  for (std::size_t k = 0; k < count; ++k) {
    terms.add_point_row(body_b, motion.c_b, motion.direction[k], 1.0, rows + k * nv);
    terms.add_point_row(body_a, motion.c_a, motion.direction[k], -1.0, rows + k * nv);
  }
}

}  // namespace tactus::contact
