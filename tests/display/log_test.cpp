#include <gtest/gtest.h>

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <thread>

#include <nlohmann/json.hpp>

#include <tactus/base/error.h>
#include <tactus/display/log/crc32.h>
#include <tactus/display/log/mcap_reader.h>
#include <tactus/display/log/sinks.h>

#include "support/allocations.h"
#include "support/locks.h"

namespace tactus::display {
namespace {

using tactus::test::allocation_count;

std::string temporary(const std::string& name) {
  return testing::TempDir() + "tactus_log_" + std::to_string(::getpid()) + "_" + name;
}

struct Removed {
  std::string path;
  ~Removed() { std::remove(path.c_str()); }
};

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Numbers with all their bits in use, minus zero, tiny and huge ones among them.
class Numbers {
 public:
  double operator()() {
    switch (random_() % 8) {
      case 0:
        return -0.0;
      case 1:
        return std::numeric_limits<double>::denorm_min() * static_cast<double>(random_() % 100);
      case 2:
        return 1e300 * uniform_(random_);
      case 3:
        return std::round(10.0 * uniform_(random_));
      default:
        return uniform_(random_);
    }
  }

 private:
  std::mt19937_64 random_{7};
  std::uniform_real_distribution<double> uniform_{-1.0, 1.0};
};

LogEntry random_entry(Numbers& number, std::uint64_t k) {
  LogEntry entry;
  entry.sample.number = k;
  entry.sample.t = 1e-3 * static_cast<double>(k);
  entry.elapsed = number();
  for (std::size_t i = 0; i < 9; ++i) entry.sample.X_WH.R(i / 3, i % 3) = number();
  for (std::size_t i = 0; i < 3; ++i) entry.sample.X_WH.p[i] = number();
  for (std::size_t i = 0; i < 6; ++i) {
    entry.sample.V_WH[i] = number();
    entry.sample.F_H_W[i] = number();
    entry.command.wrench[i] = number();
    entry.command.V_WH[i] = number();
    entry.record.V_P[i] = number();
    entry.record.on_port[i] = number();
  }
  for (std::size_t i = 0; i < 3; ++i) entry.record.p_P[i] = number();
  entry.record.t = entry.sample.t;
  entry.record.into_port = number();
  entry.record.stage = k == 0 ? control::Stage::ramping : control::Stage::on;
  return entry;
}

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

TEST(Crc32, IsThatOfTheStandardsExample) {
  EXPECT_EQ(crc32("123456789"), 0xCBF43926u);
  EXPECT_EQ(crc32("6789", crc32("12345")), 0xCBF43926u);
  EXPECT_EQ(crc32(""), 0u);
}

TEST(TickMessage, ReadsBackToTheSameBits) {
  Numbers number;
  for (std::uint64_t k = 0; k < 200; ++k) {
    LogEntry entry = random_entry(number, k);
    // Of a simulation in a thread: none, no answer in this tick, some.
    entry.has_answers = k % 5 > 0;
    entry.answers = {.to = {k + 1, k + 2, 1ull << 60}, .count = entry.has_answers ? k % 5 - 1 : 0};
    const LogEntry back = parse_tick(tick_message(entry), "log");
    EXPECT_EQ(back.sample.number, k);
    EXPECT_EQ(back.has_answers, entry.has_answers);
    ASSERT_EQ(back.answers.count, entry.answers.count);
    for (std::size_t i = 0; i < back.answers.count; ++i) EXPECT_EQ(back.answers.to[i], entry.answers.to[i]);
    EXPECT_TRUE(same_bits(back.elapsed, entry.elapsed));
    for (std::size_t i = 0; i < 9; ++i)
      EXPECT_TRUE(same_bits(back.sample.X_WH.R(i / 3, i % 3), entry.sample.X_WH.R(i / 3, i % 3)));
    for (std::size_t i = 0; i < 6; ++i) {
      EXPECT_TRUE(same_bits(back.sample.V_WH[i], entry.sample.V_WH[i]));
      EXPECT_TRUE(same_bits(back.sample.F_H_W[i], entry.sample.F_H_W[i]));
      EXPECT_TRUE(same_bits(back.command.wrench[i], entry.command.wrench[i]));
      EXPECT_TRUE(same_bits(back.record.on_port[i], entry.record.on_port[i]));
    }
    EXPECT_TRUE(same_bits(back.record.into_port, entry.record.into_port));
    EXPECT_EQ(back.record.stage, entry.record.stage);
    EXPECT_TRUE(back.has_all);
    for (std::size_t i = 0; i < 9; ++i)
      EXPECT_TRUE(same_bits(back.record.R_P(i / 3, i % 3), entry.record.R_P(i / 3, i % 3)));
    EXPECT_TRUE(same_bits(back.record.out_of_handle, entry.record.out_of_handle));
    EXPECT_TRUE(same_bits(back.record.guarded, entry.record.guarded));
    EXPECT_TRUE(same_bits(back.record.made, entry.record.made));
    EXPECT_TRUE(same_bits(back.record.softness, entry.record.softness));
    EXPECT_EQ(back.record.resisted, entry.record.resisted);
    EXPECT_EQ(back.record.age, entry.record.age);
  }
  LogEntry odd;
  odd.sample.V_WH = {NAN, INFINITY, -INFINITY, 0, 0, 0};
  const LogEntry back = parse_tick(tick_message(odd), "log");
  EXPECT_TRUE(std::isnan(back.sample.V_WH[0]));
  EXPECT_EQ(back.sample.V_WH[1], INFINITY);
  EXPECT_EQ(back.sample.V_WH[2], -INFINITY);
}

TEST(TickMessage, SaysWhatIsNone) {
  const std::string sound = tick_message(LogEntry{});
  EXPECT_NO_THROW(parse_tick(sound, "log"));
  for (const auto& [part, instead] : std::vector<std::pair<std::string, std::string>>{
           {"\"p\":[0.0,0.0,0.0]", "\"p\":[0.0,0.0]"},
           {"\"p\":[0.0,0.0,0.0]", "\"p\":[0.0,0.0,0.0,0.0]"},
           {"\"p\":[0.0,0.0,0.0]", "\"p\":{\"x\":0,\"y\":0,\"z\":0}"},
           {"\"p\":[0.0,0.0,0.0]", "\"p\":[0.0,\"much\",0.0]"},
           {"\"p\":", "\"q\":"}}) {
    std::string broken = sound;
    ASSERT_NE(broken.find(part), std::string::npos);
    EXPECT_THROW(parse_tick(broken.replace(broken.find(part), part.size(), instead), "log"), InputError)
        << instead;
  }
  for (const char* text : {"", "{}", "[1]", "{\"number\":1}", "{\"number\":\"x\"}"})
    EXPECT_THROW(parse_tick(text, "log"), InputError) << text;
}

LogHead head_of(device::Kind kind) {
  return {kind, true, {{"model", "m.yaml"}, {"rate", "1000"}}, "m.yaml", "name: m\n"};
}

TEST(McapLog, HoldsEveryTickOnChannelsWithCrtkNames) {
  for (const device::Kind kind : {device::Kind::impedance, device::Kind::admittance}) {
    const Removed file{temporary("run.mcap")};
    Numbers number;
    std::vector<LogEntry> entries;
    const auto sink = mcap_log(file.path, head_of(kind));
    for (std::uint64_t k = 0; k < 2500; ++k) {  // some chunks
      entries.push_back(random_entry(number, k));
      sink->write(entries.back());
    }
    sink->finish();

    const McapFile read(file.path);
    EXPECT_TRUE(read.whole());
    EXPECT_EQ(read.metadata().at("tactus").at("rate"), "1000");
    EXPECT_EQ(read.attachments().at("m.yaml"), "name: m\n");
    std::map<std::string, std::size_t> count;
    std::size_t k = 0;
    std::uint64_t last = 0;
    for (const McapMessage& message : read.messages()) {
      ++count[std::string(message.topic)];
      EXPECT_GE(message.nanoseconds, last);
      last = message.nanoseconds;
      const auto json = nlohmann::json::parse(message.data);
      if (message.topic == "/handle/servo_cf") {
        EXPECT_EQ(json["wrench"]["force"]["x"].get<double>(), entries[count["/loop/tick"]].command.wrench[3]);
      }
      if (message.topic != "/loop/tick") continue;
      EXPECT_TRUE(same_bits(parse_tick(message.data, "").record.into_port, entries[k].record.into_port));
      EXPECT_EQ(message.nanoseconds, 1'000'000 * k);
      ++k;
    }
    const bool impedance = kind == device::Kind::impedance;
    EXPECT_EQ(count["/loop/tick"], entries.size());
    EXPECT_EQ(count["/handle/measured_cp"], entries.size());
    EXPECT_EQ(count["/handle/measured_cv"], entries.size());
    EXPECT_EQ(count["/handle/measured_cf"], entries.size());
    EXPECT_EQ(count["/handle/servo_cf"], impedance ? entries.size() : 0);
    EXPECT_EQ(count["/handle/servo_cp"], impedance ? 0 : entries.size());
    EXPECT_EQ(count["/port/measured_cp"], entries.size());
    EXPECT_EQ(count["/handle/operating_state"], 2u);
  }
}

TEST(McapLog, CutOffAnywhereIsReadUpToItsLastWholeChunk) {
  const Removed file{temporary("whole.mcap")}, cut{temporary("cut.mcap")};
  Numbers number;
  const auto sink = mcap_log(file.path, head_of(device::Kind::impedance));
  for (std::uint64_t k = 0; k < 30; ++k) {
    sink->write(random_entry(number, k));
    if (k % 10 == 9) sink->flush();
  }
  sink->finish();
  const std::string bytes = bytes_of(file.path);
  const std::size_t all = McapFile(file.path).messages().size();
  std::size_t before = 0;
  for (std::size_t size = 8; size < bytes.size(); size += 997) {
    std::ofstream(cut.path, std::ios::binary) << bytes.substr(0, size);
    const McapFile read(cut.path);
    EXPECT_GE(read.messages().size(), before);
    before = read.messages().size();
  }
  EXPECT_EQ(before, all);
  EXPECT_EQ(all % 3, 2u);  // three chunks of ten ticks, and two changes of state
}

TEST(McapLog, SaysWhereBytesHaveChanged) {
  const Removed file{temporary("bits.mcap")};
  Numbers number;
  const auto sink = mcap_log(file.path, head_of(device::Kind::impedance));
  for (std::uint64_t k = 0; k < 10; ++k) sink->write(random_entry(number, k));
  sink->finish();
  std::string bytes = bytes_of(file.path);
  const std::size_t at = bytes.find("into_port");
  ASSERT_NE(at, std::string::npos);
  bytes[at] ^= 1;
  std::ofstream(file.path, std::ios::binary) << bytes;
  EXPECT_THROW(McapFile{file.path}, InputError);
  std::ofstream(file.path, std::ios::binary) << "t,x\n0,0\n";
  EXPECT_THROW(McapFile{file.path}, InputError);
  EXPECT_THROW(McapFile{file.path + ".none"}, InputError);
  // Whatever the bytes are: an answer or a message.
  std::mt19937_64 random(3);
  for (int trial = 0; trial < 300; ++trial) {
    std::string broken = bytes;
    for (int i = 0; i < 3; ++i) broken[random() % broken.size()] = static_cast<char>(random());
    std::ofstream(file.path, std::ios::binary) << broken;
    try {
      McapFile{file.path};
    } catch (const InputError&) {
    }
  }
}

/// A sink that takes its time, fails when told, and remembers.
struct Slow final : LogSink {
  std::vector<std::uint64_t>& numbers;
  std::chrono::microseconds nap;
  std::uint64_t fails_at;
  Slow(std::vector<std::uint64_t>& to, std::chrono::microseconds wait, std::uint64_t fail = ~0ull)
      : numbers(to), nap(wait), fails_at(fail) {}
  void write(const LogEntry& entry) override {
    std::this_thread::sleep_for(nap);
    if (entry.sample.number == fails_at) throw OutputError("the disk is full");
    numbers.push_back(entry.sample.number);
  }
  void flush() override {}
  void finish() override { numbers.push_back(~0ull); }
  std::string keep() noexcept override { return "its.part"; }
  std::string path() const override { return "its"; }
};

std::vector<std::unique_ptr<LogSink>> one(std::unique_ptr<LogSink> sink) {
  std::vector<std::unique_ptr<LogSink>> list;
  list.push_back(std::move(sink));
  return list;
}

TEST(TickLog, WritesAllThatWasPutInOrder) {
  std::vector<std::uint64_t> numbers;
  {
    TickLog log(one(std::make_unique<Slow>(numbers, std::chrono::microseconds(1))), 16);
    LogEntry entry;
    for (entry.sample.number = 0; entry.sample.number < 2000; ++entry.sample.number) log.put(entry);
    log.finish();
    EXPECT_EQ(log.lost(), 0);
  }
  ASSERT_EQ(numbers.size(), 2001u);
  for (std::uint64_t k = 0; k < 2000; ++k) ASSERT_EQ(numbers[k], k);
  EXPECT_EQ(numbers.back(), ~0ull);
}

TEST(TickLog, NeverWaitsInTheLoopAndCountsWhatIsLost) {
  std::vector<std::uint64_t> numbers;
  TickLog log(one(std::make_unique<Slow>(numbers, std::chrono::milliseconds(20))), 16);
  LogEntry entry;
  const long before = allocation_count(), locks = tactus::test::lock_count_of_this_thread();
  long taken = 0;
  for (int k = 0; k < 1000; ++k) taken += log.offer(entry);
  EXPECT_EQ(allocation_count(), before);
  EXPECT_EQ(tactus::test::lock_count_of_this_thread(), locks);
  EXPECT_EQ(taken + log.lost(), 1000);
  EXPECT_GT(log.lost(), 0);
  log.finish();
  EXPECT_EQ(static_cast<long>(numbers.size()), taken + 1);
}

TEST(TickLog, AFullDiskEndsTheWritingNotTheLoopAndIsSaid) {
  std::vector<std::uint64_t> numbers;
  TickLog log(one(std::make_unique<Slow>(numbers, std::chrono::microseconds(0), 5)), 16);
  LogEntry entry;
  for (entry.sample.number = 0; entry.sample.number < 100; ++entry.sample.number) log.put(entry);
  EXPECT_THROW(log.finish(), OutputError);
  EXPECT_TRUE(log.failed());
  EXPECT_EQ(numbers.size(), 5u);
}

// Each file by itself: the others are written to their end.
TEST(TickLog, AFileThatCannotBeWrittenCostsNoOther) {
  for (const bool first : {true, false}) {
    std::vector<std::uint64_t> sound, broken;
    std::vector<std::unique_ptr<LogSink>> sinks;
    sinks.push_back(std::make_unique<Slow>(sound, std::chrono::microseconds(0)));
    sinks.push_back(std::make_unique<Slow>(broken, std::chrono::microseconds(0), 5));
    if (first) std::swap(sinks[0], sinks[1]);
    TickLog log(std::move(sinks), 16);
    LogEntry entry;
    for (entry.sample.number = 0; entry.sample.number < 100; ++entry.sample.number) log.put(entry);
    try {
      log.finish();
      ADD_FAILURE() << "nothing was said";
    } catch (const OutputError& error) {
      EXPECT_NE(std::string(error.what()).find("the disk is full"), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("its.part"), std::string::npos) << error.what();
    }
    ASSERT_EQ(sound.size(), 101u);
    EXPECT_EQ(sound.back(), ~0ull);  // finished
    EXPECT_EQ(broken.size(), 5u);
    EXPECT_EQ(log.not_whole(), std::vector<std::string>{"its"});
  }
}

// A file that may not grow further, as on a full disk: what is in it stays, by whole rows and chunks.
TEST(TickLog, WhatWasWrittenOfAFileThatGrewTooLargeStaysReadable) {
  const Removed csv{temporary("big.csv")}, mcap{temporary("big.mcap")};
  std::string said;
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  {
    rlimit small = before;
    small.rlim_cur = 300'000;
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
    std::vector<std::unique_ptr<LogSink>> sinks;
    sinks.push_back(csv_log(csv.path));
    sinks.push_back(mcap_log(mcap.path, head_of(device::Kind::impedance)));
    TickLog log(std::move(sinks));
    Numbers number;
    for (std::uint64_t k = 0; k < 3000; ++k) {
      log.put(random_entry(number, k));
      if (k == 30) std::this_thread::sleep_for(std::chrono::milliseconds(600));  // a chunk goes out
    }
    try {
      log.finish();
    } catch (const OutputError& error) {
      said = error.what();
    }
  }
  EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_FALSE(std::filesystem::exists(csv.path));
  EXPECT_FALSE(std::filesystem::exists(mcap.path));
  const auto part_of = [&](const std::string& path) {
    const std::size_t from = said.find(path + "."), to = said.find(".part", from);
    EXPECT_NE(to, std::string::npos) << said;
    return to == std::string::npos ? "" : said.substr(from, to + 5 - from);
  };
  // The error names the path first, and the part after it.
  const Removed csv_part{part_of(csv.path)}, mcap_part{part_of(mcap.path)};
  const std::string table = bytes_of(csv_part.path);
  EXPECT_GT(std::count(table.begin(), table.end(), '\n'), 100);
  EXPECT_EQ(table.back(), '\n');  // no half of a row
  const McapFile read(mcap_part.path);
  EXPECT_FALSE(read.whole());
  EXPECT_GE(read.messages().size(), 31u);
}

/// The words of a column.
std::vector<std::string> column_of(const std::string& table, const std::string& name) {
  std::vector<std::string> words;
  std::istringstream lines(table);
  std::ptrdiff_t at = -1;
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string> cells;
    std::istringstream rest(line);
    for (std::string cell; std::getline(rest, cell, ',');) cells.push_back(cell);
    if (at >= 0)
      words.push_back(cells.at(static_cast<std::size_t>(at)));
    else
      at = std::find(cells.begin(), cells.end(), name) - cells.begin();
  }
  return words;
}

// A device that is lost between two ticks, a watchdog: the last row says it, and where no tick was made, a
// row of its own.
TEST(TickLog, TheTablesLastRowSaysWhatEndedTheRunAfterItsTick) {
  for (const std::uint64_t ticks : {0u, 3u}) {
    const Removed csv{temporary("lost.csv")};
    const auto table = csv_log(csv.path);
    Numbers number;
    LogEntry entry;
    for (std::uint64_t k = 0; k < ticks; ++k) table->write(entry = random_entry(number, k));
    entry.is_tick = false;
    entry.record.fault = control::Fault::no_sample;
    entry.record.stage = control::Stage::faulted;
    table->write(entry);
    table->finish();
    std::vector<std::string> faults = column_of(bytes_of(csv.path), "fault");
    ASSERT_EQ(faults.size(), std::max<std::size_t>(ticks, 1));
    EXPECT_EQ(faults.back(), "no_sample");
    faults.pop_back();
    for (const std::string& fault : faults) EXPECT_EQ(fault, "none");
  }
}

// What tripped a limit is in the log, and the reason of each row in the table.
TEST(TickLog, SaysWhichLimitAFaultIsAbout) {
  const Removed csv{temporary("fault.csv")}, mcap{temporary("fault.mcap")};
  const auto table = csv_log(csv.path);
  const auto log = mcap_log(mcap.path, head_of(device::Kind::impedance));
  Numbers number;
  LogEntry entry = random_entry(number, 1);
  for (LogSink* sink : {table.get(), log.get()}) sink->write(entry);
  entry = random_entry(number, 2);
  entry.record.stage = control::Stage::faulted;
  entry.record.fault = control::Fault::too_fast;
  entry.found = {0.21, 0.05, "m/s"};
  for (LogSink* sink : {table.get(), log.get()}) sink->write(entry);
  // Between two ticks: a state, and no row; the first reason stays in the last one.
  entry.is_tick = false;
  entry.record.fault = control::Fault::watchdog;
  entry.found = {};
  for (LogSink* sink : {table.get(), log.get()}) {
    sink->write(entry);
    sink->finish();
  }
  const std::string rows = bytes_of(csv.path);
  EXPECT_EQ(std::count(rows.begin(), rows.end(), '\n'), 3);
  EXPECT_NE(rows.find(",fault,"), std::string::npos);
  EXPECT_NE(rows.find(",none,"), std::string::npos);
  EXPECT_NE(rows.rfind(",too_fast,"), std::string::npos);
  EXPECT_GT(rows.rfind(",too_fast,"), rows.find(",none,"));
  EXPECT_EQ(rows.find("watchdog"), std::string::npos);
  std::vector<nlohmann::json> states;
  int ticks = 0;
  const McapFile read(mcap.path);
  for (const McapMessage& message : read.messages()) {
    if (message.topic == "/handle/operating_state") states.push_back(nlohmann::json::parse(message.data));
    ticks += message.topic == "/loop/tick";
  }
  EXPECT_EQ(ticks, 2);
  ASSERT_EQ(states.size(), 3u);
  EXPECT_FALSE(states[0].contains("value"));
  EXPECT_EQ(states[1].at("fault"), "too_fast");
  EXPECT_EQ(states[1].at("value"), 0.21);
  EXPECT_EQ(states[1].at("limit"), 0.05);
  EXPECT_EQ(states[1].at("unit"), "m/s");
  EXPECT_EQ(states[2].at("fault"), "watchdog");
  EXPECT_FALSE(states[2].contains("value"));
}

TEST(TickLog, NoticesTheFullDiskOfTheSystem) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "/dev/full is not there";
  TickLog log(one(mcap_log("/dev/full", head_of(device::Kind::impedance))));
  Numbers number;
  for (std::uint64_t k = 0; k < 3000; ++k) log.put(random_entry(number, k));
  EXPECT_THROW(log.finish(), OutputError);
}

}  // namespace
}  // namespace tactus::display
