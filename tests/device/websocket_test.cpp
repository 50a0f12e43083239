// Frames of WebSockets: the examples of RFC 6455, and what must not pass.
#include <gtest/gtest.h>

#include <tactus/device/drivers/websocket.h>
#include <tactus/device/drivers/websocket_frame.h>
#include "fakes/haply_service.h"

namespace tactus::device::websocket {
namespace {

using Result = Reader::Result;

std::string hex_of(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    constexpr char kDigits[] = "0123456789abcdef";
    text += kDigits[static_cast<unsigned char>(c) >> 4];
    text += kDigits[static_cast<unsigned char>(c) & 15];
  }
  return text;
}

TEST(WebSocket, HashesAsRfc3174Says) {
  const auto digest = [](std::string_view text) {
    const auto d = sha1(text);
    return hex_of({reinterpret_cast<const char*>(d.data()), d.size()});
  };
  EXPECT_EQ(digest("abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_EQ(digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
  EXPECT_EQ(digest(std::string(1'000'000, 'a')), "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
  EXPECT_EQ(digest(""), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
}

TEST(WebSocket, WritesBase64AsRfc4648Says) {
  const char* const kPairs[][2] = {{"", ""},
                                   {"f", "Zg=="},
                                   {"fo", "Zm8="},
                                   {"foo", "Zm9v"},
                                   {"foob", "Zm9vYg=="},
                                   {"fooba", "Zm9vYmE="},
                                   {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : kPairs) EXPECT_EQ(base64(bytes), text);
}

TEST(WebSocket, AcceptsTheKeyOfTheRfcsExample) {
  EXPECT_EQ(accept_for("dGhlIHNhbXBsZSBub25jZQ=="), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
}

TEST(WebSocket, MasksAsTheRfcsExample) {
  std::string out;
  append_frame(out, Opcode::text, "Hello", {0x37, 0xfa, 0x21, 0x3d});
  EXPECT_EQ(hex_of(out), "818537fa213d7f9f4d5158");
  out.clear();
  append_frame(out, Opcode::text, std::string(200, 'x'), {0, 0, 0, 0});
  EXPECT_EQ(hex_of(out.substr(0, 8)), "81fe00c800000000");
  out.clear();
  append_frame(out, Opcode::binary, std::string(70000, 'x'), {0, 0, 0, 0});
  EXPECT_EQ(hex_of(out.substr(0, 10)), "82ff0000000000011170");
}

std::string bytes_of(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  return bytes;
}

TEST(WebSocket, ReadsTheRfcsExamplesInPiecesOfAnySize) {
  // A text, a text of two fragments with a ping between them, a binary of 256 bytes, a pong, a close.
  const std::string all = bytes_of(
                              "810548656c6c6f"
                              "010348656c"
                              "890548656c6c6f"
                              "80026c6f"
                              "827e0100") +
                          std::string(256, 'b') +
                          bytes_of(
                              "8a00"
                              "880203e8");
  for (std::size_t piece = 1; piece <= all.size(); ++piece) {
    Reader reader;
    std::string payload;
    std::vector<std::pair<Result, std::string>> got;
    for (std::size_t at = 0; at < all.size(); at += piece) {
      reader.push(std::string_view(all).substr(at, piece));
      for (Result result; (result = reader.next(payload)) != Result::nothing;)
        got.emplace_back(result, payload);
    }
    const std::vector<std::pair<Result, std::string>> expected{{Result::message, "Hello"},
                                                               {Result::ping, "Hello"},
                                                               {Result::message, "Hello"},
                                                               {Result::message, std::string(256, 'b')},
                                                               {Result::close, "\x03\xe8"}};
    ASSERT_EQ(got, expected) << piece;
  }
}

TEST(WebSocket, BreaksAtWhatTheProtocolForbids) {
  const std::pair<const char*, const char*> kBad[] = {
      {"818537fa213d7f9f4d5158", "a masked frame from a server"},
      {"c10548656c6c6f", "a reserved bit"},
      {"830548656c6c6f", "an unknown opcode"},
      {"090548656c6c6f", "a ping in fragments"},
      {"897e0100", "a long ping"},
      {"80026c6f", "a continuation of nothing"},
      {"010348656c810348656c", "a message within a message"},
      {"827f0000000000100001", "more than a megabyte"},
      {"827fffffffffffffffff", "a length that overflows"},
  };
  for (const auto& [hex, what] : kBad) {
    Reader reader;
    reader.push(bytes_of(hex));
    std::string payload;
    EXPECT_EQ(reader.next(payload), Result::broken) << what;
  }
}

TEST(WebSocket, SaysThatAServiceTakesNothingMore) {
  test::HaplyService service;
  service.set([](auto& now) { now.deaf = true; });
  Client client("127.0.0.1", std::to_string(service.port()), 2.0);
  // More than the buffers of both ends hold.
  EXPECT_FALSE(client.send(std::string(64 << 20, 'x'), 0.05));
}

}  // namespace
}  // namespace tactus::device::websocket
