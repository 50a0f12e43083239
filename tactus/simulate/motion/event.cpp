#include <tactus/simulate/motion/event.h>

namespace tactus::simulate {

std::string_view name_of(EventKind kind) {
  switch (kind) {
    case EventKind::impact:
      return "impact";
    case EventKind::rests:
      return "rests";
    case EventKind::slides:
      return "slides";
    case EventKind::sticks:
      return "sticks";
    case EventKind::leaves:
      return "leaves";
    case EventKind::transition:
      return "transition";
  }
  return "";
}

}  // namespace tactus::simulate
