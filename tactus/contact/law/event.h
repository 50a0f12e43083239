// Events and books as the engines of contact write them (simulate/motion/event.h).
#pragma once

#include <tactus/simulate/motion/event.h>

namespace tactus::contact {

using simulate::Books;
using simulate::Event;
using simulate::EventKind;
using simulate::name_of;

}  // namespace tactus::contact
