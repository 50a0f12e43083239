#!/usr/bin/env bash
# Generalised speeds: the wrist's joint rates make long equations, its angular velocity along its own axes short ones. `speeds: auto`
# finds them; initial values stay rates of the joints, and the motion is the same.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
tactus="${TACTUS:-build/release/tactus}"
out="${OUT:-out}"
mkdir -p "$out"

{ cat models/spherical_wrist_joint_rates.yaml
  echo "initial: {q: [0.3, 0.8, -0.4], u: {q1: 0.7, q2: -0.3, q3: 0.5}}"; } > "$out/wrist_rates.yaml"
{ cat "$out/wrist_rates.yaml"
  echo "speeds: auto"; } > "$out/wrist_chosen.yaml"

"$tactus" check "$out/wrist_chosen.yaml"                       # the speeds that were chosen
"$tactus" derive "$out/wrist_rates.yaml" --counts              # what each choice costs
"$tactus" derive "$out/wrist_chosen.yaml" --counts
"$tactus" derive "$out/wrist_chosen.yaml" --kane --keep-parameters
"$tactus" simulate "$out/wrist_rates.yaml" --duration 1 --step 0.001    # the same motion
"$tactus" simulate "$out/wrist_chosen.yaml" --duration 1 --step 0.001
