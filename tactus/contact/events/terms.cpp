#include <tactus/contact/events/terms.h>

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

}  // namespace

TermsKernel::TermsKernel(const derive::Equations& equations, std::vector<int> wanted,
                         generate::Backend backend)
    : nq(equations.nq()),
      nv(equations.nv()),
      wrenches(static_cast<int>(equations.options().wrenches.size())),
      parents(equations.parent_speeds()) {
  wanted.erase(std::remove(wanted.begin(), wanted.end(), 0), wanted.end());
  function = equations.contact_terms(wanted);
  kernel = generate::compile(function, backend, generate::Rounding::separate);
  for (const derive::ConstraintRow& row : equations.constraint_rows())
    rows.push_back({row.label, row.constraint, row.holonomic, 0.0});
  const std::vector<derive::SpeedBlock>& given = equations.blocks();
  place_of_row.resize(rows.size());
  for (std::size_t k = 0; k < given.size(); ++k) {
    Block block{given[k].speeds, given[k].rows, offset_of(kernel, fmt::format("M_{}", k)), 0};
    if (!block.rows.empty()) block.A = offset_of(kernel, fmt::format("A_{}", k));
    for (std::size_t i = 0; i < block.rows.size(); ++i)
      place_of_row[static_cast<std::size_t>(block.rows[i])] = {static_cast<int>(k), static_cast<int>(i)};
    blocks.push_back(std::move(block));
  }
  qdot = offset_of(kernel, "qdot");
  Q = offset_of(kernel, "Q");
  if (!rows.empty()) {
    Phi = offset_of(kernel, "Phi");
    velocity = offset_of(kernel, "velocity");
    gamma = offset_of(kernel, "gamma");
  }

  body_slot.assign(equations.model().bodies.size(), -1);
  for (const int b : wanted) {
    Body body{b,
              equations.block_of_body(b),
              offset_of(kernel, fmt::format("X_{}", b)),
              offset_of(kernel, fmt::format("V_{}", b)),
              offset_of(kernel, fmt::format("a_{}", b)),
              0};
    if (body.block >= 0) body.J = offset_of(kernel, fmt::format("J_{}", b));
    body_slot[static_cast<std::size_t>(b)] = static_cast<int>(bodies.size());
    bodies.push_back(body);
  }
}

Terms::Terms(const TermsKernel& kernel)
    : kernel_(kernel),
      arguments_(kernel.kernel.input_size()),
      out_(kernel.kernel.output_size()),
      work_(kernel.kernel.work_size()) {}

void Terms::evaluate(double t, const double* q, const double* u) {
  arguments_[0] = t;
  std::copy_n(q, kernel_.nq, arguments_.begin() + 1);
  std::copy_n(u, kernel_.nv, arguments_.begin() + 1 + kernel_.nq);
  evaluate(arguments_.data());
}

}  // namespace tactus::contact
