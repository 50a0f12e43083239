#include <tactus/describe/urdf/xml_source.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include <tactus/base/error.h>

namespace tactus::describe {

namespace {

using Word = std::string_view;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
bool ends_name(char c) { return is_blank(c) || c == '/' || c == '>' || c == '=' || c == '<'; }

/// Elements within elements. tinyxml2 has a bound of its own, 100 or 500 by its version; with a smaller one a file is refused or read alike
/// everywhere.
constexpr std::size_t kMostNested = 64;

/// A walk over the tags of a text, which need not be XML: where its elements begin, and the first thing that is wrong.
class TagWalk {
 public:
  struct Fault {
    std::size_t offset = 0;
    std::string wrong, remedy;
  };

  explicit TagWalk(Word text) : text_(text) {
    while (!fault_ && at_ < text_.size()) {
      at_ = text_.find('<', at_);
      if (at_ == Word::npos) break;
      if (starts("<!--"))
        pass("-->", "this comment is never closed", "end it with -->");
      else if (starts("<![CDATA["))
        pass("]]>", "this CDATA section is never closed", "end it with ]]>");
      else if (starts("<?"))
        pass("?>", "this declaration is never closed", "end it with ?>");
      else if (starts("<!"))
        pass(">", "this declaration is never closed", "end it with >");
      else if (starts("</"))
        close();
      else
        open();
    }
    if (!fault_ && !open_.empty())
      fault_ = {open_.back().offset, fmt::format("<{}> is never closed", open_.back().name),
                fmt::format("write </{}> where it ends, or /> at the end of the tag", open_.back().name)};
  }

  const std::vector<std::size_t>& tags() const { return tags_; }
  const std::optional<Fault>& fault() const { return fault_; }
  bool too_deep() const { return too_deep_; }

 private:
  struct Open {
    std::size_t offset;
    std::string name;
  };

  bool starts(Word with) const { return text_.compare(at_, with.size(), with) == 0; }

  void pass(Word end, const char* wrong, const char* remedy) {
    const std::size_t found = text_.find(end, at_);
    if (found == Word::npos)
      fault_ = {at_, wrong, remedy};
    else
      at_ = found + end.size();
  }

  void skip_blanks() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  }

  std::string name() {
    const std::size_t from = at_;
    while (at_ < text_.size() && !ends_name(text_[at_])) ++at_;
    return std::string(text_.substr(from, at_ - from));
  }

  void close() {
    const std::size_t tag = at_;
    at_ += 2;
    const std::string closed = name();
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != '>') {
      fault_ = {tag, fmt::format("the tag </{} is not ended by >", closed), "write >"};
      return;
    }
    ++at_;
    if (!open_.empty() && open_.back().name == closed) {
      open_.pop_back();
      return;
    }
    const bool open_further_out =
        std::any_of(open_.begin(), open_.end(), [&](const Open& o) { return o.name == closed; });
    if (open_further_out)
      fault_ = {
          open_.back().offset,
          fmt::format("<{}> is not closed before </{}> in line {}", open_.back().name, closed,
                      1 + std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(tag), '\n')),
          fmt::format("write </{}> where it ends, or /> at the end of the tag", open_.back().name)};
    else
      fault_ = {tag, fmt::format("</{}> closes a tag that is not open", closed),
                "remove it, or add the opening tag"};
  }

  void open() {
    const std::size_t tag = at_++;
    const std::string tag_name = name();
    tags_.push_back(tag);
    attributes_.clear();
    for (;;) {
      skip_blanks();
      if (at_ >= text_.size() || text_[at_] == '<') {
        fault_ = {tag, fmt::format("the tag <{} is not ended by >", tag_name), "write > or />"};
        return;
      }
      if (text_[at_] == '>') {
        ++at_;
        open_.push_back({tag, tag_name});
        if (open_.size() > kMostNested) {
          fault_ = {tag, "the elements are nested too deeply", "no robot needs more than a dozen"};
          too_deep_ = true;
        }
        return;
      }
      if (starts("/>")) {
        at_ += 2;
        return;
      }
      attribute();
      if (fault_) return;
    }
  }

  void attribute() {
    const std::size_t from = at_;
    const std::string key = name();
    skip_blanks();
    const bool has_value = at_ < text_.size() && text_[at_] == '=';
    if (has_value) ++at_;
    skip_blanks();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    if (key.empty() || !has_value || (quote != '"' && quote != '\'')) {
      fault_ = {from, "an attribute is not written as name=\"value\"",
                fmt::format("write {}=\"...\"", key.empty() ? "name" : key)};
      return;
    }
    if (std::find(attributes_.begin(), attributes_.end(), key) != attributes_.end()) {
      fault_ = {from, fmt::format("the attribute `{}` is given twice", key), "keep one of them"};
      return;
    }
    attributes_.push_back(key);
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == Word::npos)
      fault_ = {at_, fmt::format("the value of `{}` has no closing quote", key),
                fmt::format("end it with {}", quote)};
    else
      at_ = end + 1;
  }

  Word text_;
  std::size_t at_ = 0;
  std::vector<std::size_t> tags_;
  std::vector<Open> open_;
  std::vector<std::string> attributes_;  // of the tag at hand
  std::optional<Fault> fault_;
  bool too_deep_ = false;
};

}  // namespace

XmlSource::XmlSource(const std::string& text, const std::string& file, int source)
    : source_(source), lines_{0} {
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] == '\n') lines_.push_back(i + 1);
  const TagWalk walk(text);
  if (walk.too_deep()) {
    const Value where = at_offset(walk.fault()->offset);
    throw InputError({file, where.line, where.column}, walk.fault()->wrong, walk.fault()->remedy);
  }
  if (document_.Parse(text.data(), text.size()) != tinyxml2::XML_SUCCESS) {
    Value where;
    // The first tag of the line that tinyxml2 names, or the last one before it.
    where.line = document_.ErrorLineNum();
    for (const std::size_t tag : walk.tags()) {
      const Value place = at_offset(tag);
      if (place.line > where.line || (place.line == where.line && where.column > 0)) break;
      if (place.line == where.line) where.column = place.column;
    }
    if (where.column == 0) where.column = 1;
    std::string wrong = "it cannot be read around here", remedy = "check tags and quotes";
    if (walk.fault()) {
      where = at_offset(walk.fault()->offset);
      wrong = walk.fault()->wrong;
      remedy = walk.fault()->remedy;
    }
    if (document_.ErrorID() == tinyxml2::XML_ERROR_EMPTY_DOCUMENT) return;
    throw InputError({file, where.line, where.column}, "this is not XML: " + wrong, remedy);
  }
  tags_ = walk.tags();
  // Elements know their number in the order of the file; that is the order of the tags.
  std::uintptr_t count = 0;
  for (tinyxml2::XMLElement* e = document_.RootElement(); e != nullptr;) {
    e->SetUserData(reinterpret_cast<void*>(++count));
    tinyxml2::XMLNode* next = e->FirstChildElement();
    for (tinyxml2::XMLNode* up = e; next == nullptr && up != nullptr; up = up->Parent())
      next = up->NextSiblingElement();
    e = next == nullptr ? nullptr : next->ToElement();
  }
  if (count != tags_.size()) tags_.clear();  // tinyxml2 took for markup what is none: lines alone are known
}

Value XmlSource::at(const tinyxml2::XMLElement* element) const {
  const auto number = reinterpret_cast<std::uintptr_t>(element->GetUserData());
  if (number > 0 && number <= tags_.size()) return at_offset(tags_[number - 1]);
  Value where;
  where.source = source_;
  where.line = element->GetLineNum();
  return where;
}

Value XmlSource::at_offset(std::size_t offset) const {
  const auto after = std::upper_bound(lines_.begin(), lines_.end(), offset);
  Value where;
  where.source = source_;
  where.line = static_cast<int>(after - lines_.begin());
  where.column = static_cast<int>(offset - *(after - 1)) + 1;
  return where;
}

}  // namespace tactus::describe
