// A place for messages that have none.
#pragma once

#include <tactus/base/error.h>
#include <tactus/describe/model/model.h>

namespace tactus::describe {

/// The same message with a place in the model's file, where it has none of its own: that of the constraint that it names first, or
/// the file.
InputError placed(const InputError& error, const Model& model);

}  // namespace tactus::describe
