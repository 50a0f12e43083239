// All that a program needs, from the file to the motion:
//
//   const describe::Model model = describe::load("models/puma560.yaml");
//   const derive::Equations equations(model);                             // to look at
//   const std::unique_ptr<simulate::Mechanism> arm = contact::open(model);  // to move
//   display::HapticLoop loop(*arm, *device, port, gains, limits);           // to feel
//
// What is public, here or by itself, is listed in cmake/public_headers.cmake; nothing else is installed.
#pragma once

#include <tactus/algebra/calculus.h>
#include <tactus/algebra/print.h>
#include <tactus/base/error.h>
#include <tactus/contact/open.h>
#include <tactus/control/coupler_design.h>
#include <tactus/derive/equations.h>
#include <tactus/describe/model/model.h>
#include <tactus/describe/read/load.h>
#include <tactus/describe/words/report.h>
#include <tactus/device/registry.h>
#include <tactus/display/run_loop.h>
#include <tactus/generate/kernel.h>
#include <tactus/generate/requests.h>
#include <tactus/simulate/constraints/assembly.h>
#include <tactus/simulate/files/recording.h>
