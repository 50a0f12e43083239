#!/usr/bin/env bash
# A haptic device with a loop: its equations to read and as LaTeX, C++ code of the constrained motion that agrees with `eval`, a
# plot of the motion.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
tactus="${TACTUS:-build/release/tactus}"
out="${OUT:-out}"
mkdir -p "$out/generated"

"$tactus" derive models/pantograph.yaml              # M, h, Phi, A, Adot u, and the motion with multipliers
"$tactus" derive models/pantograph.yaml --reduced    # the same in the speeds of the two motors
"$tactus" derive models/pantograph.yaml --latex --document > "$out/pantograph.tex"
if command -v pdflatex > /dev/null; then  # a PDF, and nothing sticks out of its page
  (cd "$out" && pdflatex -interaction=nonstopmode -halt-on-error pantograph.tex > pantograph.tex.log)
  if grep Overfull "$out/pantograph.tex.log"; then exit 1; fi
  echo "$out/pantograph.pdf"
else
  echo "there is no pdflatex here: $out/pantograph.tex is not compiled"
fi

# Source code without dependencies: accelerations and multipliers, residuals and Jacobian, a whole step.
"$tactus" generate models/pantograph.yaml --what constrained-dynamics,constraints,step --out "$out/generated"
"$tactus" eval models/pantograph.yaml --at examples/12_push.yaml --assemble > "$out/pantograph.json"
list() {  # the numbers of a list in the JSON
  awk -v key="\"$1\": [" 'index($0, key) && /^  "/ {on = 1; next} on && /\]/ {exit} on {gsub(/[ ,]/, ""); printf "%s ", $0}' "$out/pantograph.json"
}
cat > "$out/generated/check.cpp" <<'CPP'
// Usage: check q[4] u[4] tau[4] udot[4]: does the generated code give the same accelerations?
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include "pantograph.hpp"
int main(int, char** words) {
  double x[16], udot[4], qdot[4], lambda[2], distances[2], pivots[2];
  for (int i = 0; i < 16; ++i) x[i] = std::atof(words[1 + i]);
  pantograph::constrained_dynamics(x, x + 4, x + 8, udot, qdot, lambda, distances, pivots);
  for (int i = 0; i < 4; ++i) {
    std::printf("udot[%d] = %.15g, eval says %.15g\n", i, udot[i], x[12 + i]);
    if (!(std::fabs(udot[i] - x[12 + i]) <= 1e-9 * (1.0 + std::fabs(x[12 + i])))) return 1;
  }
  double q[4] = {x[0], x[1], x[2], x[3]}, u[4] = {x[4], x[5], x[6], x[7]};
  for (int k = 0; k < 100; ++k)
    if (pantograph::step(k * 1e-3, (k + 1) * 1e-3, q, u, x + 8) != 0) return 1;
  std::printf("after 0.1 s: left %.9g, right %.9g rad\n", q[0], q[1]);
  return 0;
}
CPP
"${CXX:-c++}" -std=c++17 -O2 "$out/generated/check.cpp" -o "$out/generated/check"
# shellcheck disable=SC2046
"$out/generated/check" $(list q) $(list u) $(list tau) $(list udot)

"$tactus" simulate models/pantograph.yaml --script examples/12_pull.yaml --duration 2 --frames handle \
  --out "$out/pantograph.csv" --plot "$out/pantograph.svg"
