// What the network tells the loop, and what the loop answers: plain values that go through rings.
#pragma once

#include <cstdint>

#include <tactus/base/clock.h>
#include <tactus/math/vec3.h>

namespace tactus::serve {

struct Command {
  enum class Kind : std::uint8_t {
    grab,       // index: body; a: point in body axes; b: target
    move,       // a: target; b: rotation vector since the grab
    release,    // value: 1 where the page is gone
    push,       // index: body; a: force; b: point in body axes
    coupling,   // a: {stiffness, ratio, force}; 0: as designed
    parameter,  // index, value
    parameters_reset,
    constraint,  // index, value: 1 on, 0 off
    pause,
    run,
    step,  // index: ticks
    reset,
    rate,  // value
    save,  // index: slot
    load,
    clear_fault,
    record_end,
    probe,     // index: body, -1: none; a: point in body axes
    aim,       // index: Target; value: [s] of a slew
    lead_off,  // the law is switched off
  };
  Kind kind = Kind::release;
  std::uint32_t scene = 0;  // that is meant: what came for another one is dropped
  std::uint32_t client = 0;
  std::int64_t request = -1;
  int index = 0;
  double value = 0.0;
  math::Vec3<double> a{}, b{};
  std::uint32_t sequence = 0;
  Nanoseconds arrived = 0;
};

/// What happened, for the timeline; or what came of a command.
struct Happening {
  enum class Kind : std::uint8_t {
    event,       // of the mechanism: what, pair, stop, transition, impulse
    constraint,  // index, value
    parameter,   // index, value
    reset,
    loaded,  // index
    saved,   // index
    fault,
    let_go,     // bits: the status that the hand's force led to
    went_back,  // value: [s] that it went back; bits: why
    refused,    // the command could not be carried out
    engine,     // another one moves it: what
    law_off,  // the law switched itself off; bits: the status that its forces led to, 0: they were no numbers
  };
  Kind kind = Kind::event;
  std::uint8_t what = 0;  // simulate::EventKind, or Command::Kind
  double t = 0.0;
  int index = -1, pair = -1, stop = -1, transition = -1;
  double value = 0.0, more = 0.0;
  std::uint32_t bits = 0, client = 0;
  std::int64_t request = -1;
};

}  // namespace tactus::serve
