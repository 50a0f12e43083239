#!/usr/bin/env bash
# Controllers as source code without dependencies: a PUMA 560 led by pole placement, its gains evaluated at every tick, with its inverse kinematics, for
# a microcontroller in C; the same from the abbreviated model, a fifth of the operations; a slider-crank led by its one motor, in C++.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
tactus="${TACTUS:-build/release/tactus}"
out="${OUT:-out}"

"$tactus" generate models/puma560.yaml --what controller:pole-placement,controller:inverse-kinematics:tool --poles -12,45 --lang c \
  --out "$out/controllers"
"$tactus" generate models/puma560.yaml --what controller:pole-placement --abbreviate 0.01 --lang c --name puma560_short --out "$out/controllers"
"$tactus" generate models/slider_crank.yaml --what controller:passive --lead q1 --gains 25,10 --out "$out/controllers"

# The tool is asked for where it is: the angles come back, and the forces that hold the arm there.
cat > "$out/controllers/hold.c" <<'END'
#include <stdio.h>
#include "puma560.h"
#include "puma560_short.h"
int main(void) {
  const double R[9] = {1, 0, 0, 0, 0, -1, 0, 1, 0}, p[3] = {0.4, 0.2, 0.3}, none[6] = {0};
  const double near[6] = {0, -0.5, 2.5, 0, 0.5, 0};
  double q[6], qd[6], qdd[6], regular[2], tau[6], less[6];
  const int reach = puma560_inverse_kinematics_tool(R, p, none, none, near, q, qd, qdd, regular);
  const int cut = puma560_control_pole_placement(0.0, q, qd, q, qd, qdd, 0, tau);
  puma560_short_control_pole_placement(0.0, q, qd, q, qd, qdd, 0, less);
  for (int i = 0; i < 6; ++i) printf("q%d %9.5f rad  tau %9.5f N m, abbreviated %9.5f\n", i + 1, q[i], tau[i], less[i]);
  return reach != 0 || cut != 0;
}
END
cc -std=c99 -O2 "$out/controllers/hold.c" -o "$out/controllers/hold" -lm
"$out/controllers/hold"
