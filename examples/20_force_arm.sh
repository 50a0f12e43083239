#!/usr/bin/env bash
# A PUMA 560 as a force display: a weightless cube of 5 kg that meets another, felt through the arm; the same with a noisy transducer, a gripper beyond
# it and friction that the arm's law does not know; and an arm that is pushed faster than its motors can follow, which stops and says why.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
tactus="${TACTUS:-build/release/tactus}"
out="${OUT:-out}"
mkdir -p "$out"

"$tactus" haptic models/virtual_cube.yaml --device arm:models/puma560.yaml --size 0.08 \
  --plot "$out/cube_by_arm.svg"
"$tactus" haptic models/virtual_cube.yaml --device arm:models/puma560.yaml --size 0.08 \
  --arm-noise 0.2,0.01 --arm-gripper 0.5,0,0,0.05 --arm-friction 1.2 --arm-law computed-torque
if "$tactus" haptic models/rigid_body.yaml --device arm:models/puma560.yaml --hand push --force 20; then
  echo "it should have stopped" >&2
  exit 1
fi
