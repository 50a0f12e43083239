#!/usr/bin/env bash
# A coin that rolls on a table: constraints on its velocity that no coordinates can express. Equations, code, motion.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
tactus="${TACTUS:-build/release/tactus}"
out="${OUT:-out}"
mkdir -p "$out/generated"

"$tactus" derive models/rolling_coin.yaml            # with multipliers: the forces at the contact
"$tactus" derive models/rolling_coin.yaml --reduced  # in yaw, lean and spin: the classical equations
{
  printf '\\documentclass{article}\n\\usepackage[margin=2cm]{geometry}\n\\usepackage{amsmath}\n\\allowdisplaybreaks\n\\begin{document}\n'
  "$tactus" derive models/rolling_coin.yaml --latex
  "$tactus" derive models/rolling_coin.yaml --reduced --latex
  printf '\\end{document}\n'
} > "$out/rolling_coin.tex"
if command -v pdflatex > /dev/null; then  # a PDF, and nothing sticks out of its page
  (cd "$out" && pdflatex -interaction=nonstopmode -halt-on-error rolling_coin.tex > rolling_coin.tex.log)
  if grep Overfull "$out/rolling_coin.tex.log"; then exit 1; fi
  echo "$out/rolling_coin.pdf"
else
  echo "there is no pdflatex here: $out/rolling_coin.tex is not compiled"
fi

"$tactus" generate models/rolling_coin.yaml --what constrained-dynamics,constraints,step --out "$out/generated"
"$tactus" eval models/rolling_coin.yaml > "$out/rolling_coin.json"
list() {  # the numbers of a list in the JSON
  awk -v key="\"$1\": [" 'index($0, key) && /^  "/ {on = 1; next} on && /\]/ {exit} on {gsub(/[ ,]/, ""); printf "%s ", $0}' "$out/rolling_coin.json"
}
cat > "$out/generated/check_coin.cpp" <<'CPP'
// Usage: check_coin q[6] u[6] udot[6]: does the generated code give the same accelerations?
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include "rolling_coin.hpp"
int main(int, char** words) {
  double x[18], udot[6], qdot[6], lambda[3], distances[3], pivots[3];
  const double tau[6] = {0, 0, 0, 0, 0, 0};
  for (int i = 0; i < 18; ++i) x[i] = std::atof(words[1 + i]);
  rolling_coin::constrained_dynamics(x, x + 6, tau, udot, qdot, lambda, distances, pivots);
  for (int i = 0; i < 6; ++i) {
    std::printf("udot[%d] = %.15g, eval says %.15g\n", i, udot[i], x[12 + i]);
    if (!(std::fabs(udot[i] - x[12 + i]) <= 1e-9 * (1.0 + std::fabs(x[12 + i])))) return 1;
  }
  std::printf("the table carries %.6g N\n", lambda[0]);
  return 0;
}
CPP
"${CXX:-c++}" -std=c++17 -O2 "$out/generated/check_coin.cpp" -o "$out/generated/check_coin"
# shellcheck disable=SC2046
"$out/generated/check_coin" $(list q) $(list u) $(list udot)

"$tactus" simulate models/rolling_coin.yaml --duration 2 --out "$out/rolling_coin.csv" --plot "$out/rolling_coin.svg"
