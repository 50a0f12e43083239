// Whatever a page sends, decoding it ends in a message or in a refusal.
#include <tactus/serve/page/message.h>

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace {

using namespace tactus::serve;

/// The refusal of a text; null where it is a message.
std::optional<Refusal> refusal_of(std::string_view text) {
  try {
    decode(text);
  } catch (const Refusal& refusal) {
    return refusal;
  }
  return std::nullopt;
}

/// One of every type, with all its fields.
const std::vector<std::string>& examples() {
  static const std::vector<std::string> texts{
      R"({"type":"hello","version":1,"name":"Ada"})",
      R"({"type":"ping","t":12.5,"request":3})",
      R"({"type":"frames","rate":30})",
      R"({"type":"channels","names":["q1","energy.total"]})",
      R"({"type":"take","force":true})",
      R"({"type":"leave"})",
      R"({"type":"open","model":"four_bar"})",
      R"({"type":"open","text":"name: x","name":"x.yaml"})",
      R"({"type":"grab","body":2,"point":[0,0,0.1],"target":[1,2,3],"sequence":7})",
      R"({"type":"move","target":[1,2,3],"turn":[0,0,0.5],"sequence":8})",
      R"({"type":"release"})",
      R"({"type":"push","body":1,"force":[1,0,0],"point":[0,0,0]})",
      R"({"type":"coupling","stiffness":100,"damping":0.7,"force":20})",
      R"({"type":"coupling","stiffness":null})",
      R"({"type":"parameter","name":"m","value":2})",
      R"({"type":"parameters_reset"})",
      R"({"type":"constraint","name":"stick","on":true})",
      R"({"type":"choose","formulation":"projection","step":0.001,"weightless":true,"device":"mouse","port":null})",
      R"({"type":"time","do":"step","ticks":10,"rate":0.5})",
      R"({"type":"snapshot","do":"load","id":3})",
      R"({"type":"record","on":true})",
      R"({"type":"equations","form":"canonical","threshold":0.01,"symbols":false})",
      R"({"type":"check","text":"name: x"})",
      R"({"type":"apply","text":"name: x","keep":false})",
      R"({"type":"text","model":"four_bar"})",
      R"({"type":"clear_fault"})",
      R"({"type":"probe","body":2,"point":[0,0,0.1]})",
      R"({"type":"probe","body":null})",
      R"({"type":"control","law":"pole-placement","poles":[-12,45],"target":"slew","seconds":1.5,"learn":true})",
      R"({"type":"loci","law":"computed-torque","poles":[-20,0],"sampled":false,"now":true})"};
  return texts;
}

TEST(Messages, OfEveryTypeAreRead) {
  for (const std::string& text : examples())
    EXPECT_FALSE(refusal_of(text)) << text << ": " << refusal_of(text)->what();
  const Decoded grab = decode(examples()[8]);
  const auto& held = std::get<say::Grab>(grab.message);
  EXPECT_EQ(held.body, 2);
  EXPECT_EQ(held.point.z, 0.1);
  EXPECT_EQ(held.target.y, 2.0);
  EXPECT_EQ(held.sequence, 7u);
  EXPECT_EQ(decode(examples()[1]).request, 3);
  EXPECT_EQ(std::get<say::Coupling>(decode(R"({"type":"coupling","stiffness":null})").message).stiffness,
            0.0);
  EXPECT_EQ(std::get<say::Probe>(decode(R"({"type":"probe","body":null})").message).body, -1);
  const auto control = std::get<say::Control>(decode(examples()[examples().size() - 2]).message);
  EXPECT_EQ(control.law, "pole-placement");
  EXPECT_EQ(control.poles->re, -12.0);
  EXPECT_EQ(control.poles->im, 45.0);
  EXPECT_EQ(control.target, say::Control::Target::slew);
  EXPECT_TRUE(control.learn);
  const auto loci = std::get<say::Loci>(decode(R"({"type":"loci"})").message);
  EXPECT_TRUE(loci.sampled && !loci.now && !loci.law && !loci.poles);
}

TEST(Messages, ThatChangeSomethingNeedTheHold) {
  for (const char* text :
       {R"({"type":"grab","body":1,"point":[0,0,0],"target":[0,0,0]})", R"({"type":"open","model":"x"})",
        R"({"type":"time","do":"pause"})", R"({"type":"apply","text":""})", R"({"type":"clear_fault"})",
        R"({"type":"control","law":"off"})", R"({"type":"probe","body":1})"})
    EXPECT_TRUE(needs_hold(decode(text).message)) << text;
  for (const char* text :
       {R"({"type":"ping","t":0})", R"({"type":"equations"})", R"({"type":"channels","names":[]})",
        R"({"type":"check","text":""})", R"({"type":"take"})", R"({"type":"loci"})"})
    EXPECT_FALSE(needs_hold(decode(text).message)) << text;
}

TEST(Messages, WithWrongFieldsAreRefusedInWordsAndKeepTheConnection) {
  for (const char* text : {
           R"({"type":"nothing"})",
           R"({"kind":"grab"})",
           R"({"type":7})",
           R"({"type":"grab","body":1.5,"point":[0,0,0],"target":[0,0,0]})",
           R"({"type":"grab","body":-1,"point":[0,0,0],"target":[0,0,0]})",
           R"({"type":"grab","body":1,"point":[0,0],"target":[0,0,0]})",
           R"({"type":"grab","body":1,"point":[0,0,"x"],"target":[0,0,0]})",
           R"({"type":"grab","body":1,"point":[0,0,1e7],"target":[0,0,0]})",
           R"({"type":"move","target":{"x":1}})",
           R"({"type":"move","target":[0,0,0],"sequence":-1})",
           R"({"type":"frames","rate":1000})",
           R"({"type":"channels","names":"q1"})",
           R"({"type":"channels","names":[1]})",
           R"({"type":"time","do":"fly"})",
           R"({"type":"time","rate":0})",
           R"({"type":"time","do":"step","ticks":100000})",
           R"({"type":"parameter","name":"m"})",
           R"({"type":"parameter","name":"m","value":"2"})",
           R"({"type":"record"})",
           R"({"type":"choose","step":1})",
           R"({"type":"coupling","damping":9})",
           R"({"type":"open"})",
           R"({"type":"hello"})",
           R"({"type":"probe"})",
           R"({"type":"probe","body":-3})",
           R"({"type":"probe","body":1,"point":[0,1]})",
           R"({"type":"control","law":7})",
           R"({"type":"control","poles":[12,45]})",
           R"({"type":"control","poles":[-12,-45]})",
           R"({"type":"control","poles":[-1e9,0]})",
           R"({"type":"control","poles":[-12]})",
           R"({"type":"control","poles":[-12,"45"]})",
           R"({"type":"control","target":"moon"})",
           R"({"type":"control","seconds":0})",
           R"({"type":"loci","poles":[0,0]})",
           R"({"type":"loci","sampled":1})",
       }) {
    const auto refusal = refusal_of(text);
    ASSERT_TRUE(refusal) << text;
    EXPECT_FALSE(refusal->fatal) << text;
    EXPECT_STRNE(refusal->what(), "") << text;
    EXPECT_NE(refusal->remedy, "") << text;
  }
}

TEST(Messages, ThatAreNoneEndTheConnection) {
  const std::string deep = std::string(100000, '[') + std::string(100000, ']');
  const std::string nested = R"({"type":"ping","t":)" + std::string(20, '[') + std::string(20, ']') + "}";
  const std::string large = R"({"type":"check","text":")" + std::string(kLargestMessage, 'x') + "\"}";
  for (const std::string& text :
       {std::string(), std::string("x"), std::string("[]"), std::string("7"), std::string("{"),
        std::string("null"), std::string("{\"type\":\"ping\",\"t\":1e999}"), std::string("\xff\xfe{}"),
        std::string("{\"type\":\"ping\",\"t\":NaN}"), deep, nested, large}) {
    const auto refusal = refusal_of(text);
    ASSERT_TRUE(refusal) << text.substr(0, 50);
    EXPECT_TRUE(refusal->fatal) << text.substr(0, 50);
  }
}

TEST(Messages, LongTextsAndManyNamesAreRefused) {
  EXPECT_TRUE(refusal_of(R"({"type":"check","text":")" + std::string(kLargestModel + 1, 'x') + "\"}"));
  EXPECT_TRUE(refusal_of(R"({"type":"parameter","value":1,"name":")" + std::string(1000, 'x') + "\"}"));
  std::string names = R"({"type":"channels","names":["a")";
  for (std::size_t i = 0; i < kMostChannels; ++i) names += ",\"a\"";
  EXPECT_TRUE(refusal_of(names + "]}"));
}

/// Bytes of messages changed, cut, doubled and joined at random: nothing but a message or a Refusal may come of it. The fuzz target
/// (tests/fuzz/fuzz_messages.cpp) does the same with the compiler's help.
TEST(Messages, ChangedAtRandomAreReadOrRefused) {
  constexpr int kTrials = 40000;
  std::mt19937 random(11);
  const auto up_to = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n)(random); };
  int read = 0, refused = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::string text = examples()[up_to(examples().size() - 1)];
    for (std::size_t change = 0; change <= up_to(3); ++change) {
      const std::size_t at = up_to(text.size());
      switch (up_to(4)) {
        case 0:
          if (at < text.size()) text[at] = static_cast<char>(up_to(255));
          break;
        case 1:
          text.resize(at);
          break;
        case 2:
          text.insert(at, 1, "{}[]\",:0-e.\\"[up_to(11)]);
          break;
        case 3:
          text.insert(at, text.substr(0, up_to(text.size())));
          break;
        default: {
          const std::string& other = examples()[up_to(examples().size() - 1)];
          text = text.substr(0, at) + other.substr(up_to(other.size()));
        }
      }
    }
    ++(refusal_of(text) ? refused : read);
  }
  EXPECT_GT(read, kTrials / 100);
  EXPECT_GT(refused, kTrials / 100);
}

}  // namespace
