// Whatever a page sends, decoding it ends in a message or in a Refusal; whatever it asks for, the guard answers.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <tactus/serve/net/guard.h>
#include <tactus/serve/page/message.h>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tactus::serve;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    needs_hold(decode(text).message);
  } catch (const Refusal&) {
  }
  static const Guard guard("127.0.0.1", 8710, "0123456789abcdef");
  RequestHead head;
  head.method = "GET";
  head.host = "127.0.0.1:8710";
  head.target = head.cookie = head.protocols = head.origin = text;
  head.upgrade = size % 2 == 0;
  guard.refuse(head);
  path_of(text);
  return 0;
}
