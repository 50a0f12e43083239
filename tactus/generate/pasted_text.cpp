#include <cctype>
#include <set>

#include <tactus/base/check.h>
#include <tactus/generate/source.h>

namespace tactus::generate {

namespace {

constexpr std::string_view kBegins = "// kernel begins\n", kEnds = "// kernel ends\n";

bool of_a_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// The names that the text defines: "inline double NAME(...", and "} NAME;" of types.
std::set<std::string_view> names_in(std::string_view text) {
  std::set<std::string_view> names;
  constexpr std::string_view kInline = "\ninline ";
  for (std::size_t at = 0; (at = text.find(kInline, at)) != std::string_view::npos; at += kInline.size()) {
    const std::size_t open = text.find('(', at);
    std::size_t from = open;
    while (of_a_name(text[from - 1])) --from;
    names.insert(text.substr(from, open - from));
  }
  constexpr std::string_view kType = "\n} ";
  for (std::size_t at = 0; (at = text.find(kType, at)) != std::string_view::npos; at += kType.size()) {
    const std::size_t from = at + kType.size();
    names.insert(text.substr(from, text.find(';', from) - from));
  }
  return names;
}

}  // namespace

std::string pasted_text(std::string_view header, const SourceWords& words) {
  const std::size_t from = header.find(kBegins), end = header.find(kEnds);
  TACTUS_CHECK(from != std::string_view::npos && end != std::string_view::npos);
  // With the end of the line before it, so that every definition follows one.
  const std::string_view text = header.substr(from + kBegins.size() - 1, end - from - kBegins.size() + 1);
  const std::set<std::string_view> names = names_in(text);
  std::string result;
  for (std::size_t i = 1; i < text.size();) {
    const std::string_view rest = text.substr(i);
    if (!of_a_name(text[i]) || of_a_name(text[i - 1])) {
      result += text[i++];
      continue;
    }
    std::size_t length = 1;
    while (length < rest.size() && of_a_name(rest[length])) ++length;
    const std::string_view name = rest.substr(0, length);
    if (rest.starts_with("std::")) {
      result += words.std;
      i += 5;
    } else if (name == "inline" && text[i - 1] == '\n') {
      result += words.qualifier;
      i += length + 1;
    } else {
      if (names.contains(name) || name == "sincos_of") result += words.own;
      result += name;
      i += length;
    }
  }
  return result + "\n";
}

}  // namespace tactus::generate
