// The text of an XML file with the places of its elements: tinyxml2 knows lines only, and of a syntax error little more than
// that there is one.
#pragma once

#include <string>
#include <vector>

#include <tinyxml2.h>

#include <tactus/describe/read/yaml_tree.h>

namespace tactus::describe {

class XmlSource {
 public:
  /// Throws InputError where the text is not XML: what is wrong, at its line and column. `source`: Value::source of the
  /// places.
  XmlSource(const std::string& text, const std::string& file, int source);

  const tinyxml2::XMLElement* root() const { return document_.RootElement(); }
  /// Where the element's tag begins; a place only.
  Value at(const tinyxml2::XMLElement* element) const;

 private:
  Value at_offset(std::size_t offset) const;

  int source_;
  tinyxml2::XMLDocument document_;
  std::vector<std::size_t> lines_;  // where each begins
  std::vector<std::size_t> tags_;   // where each element begins, in the order of the file
};

}  // namespace tactus::describe
