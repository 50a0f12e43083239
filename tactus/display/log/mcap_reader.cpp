#include <tactus/display/log/mcap_reader.h>

#include <fstream>
#include <iterator>

#include <tactus/base/error.h>
#include <tactus/display/log/crc32.h>
#include <tactus/display/log/mcap_format.h>

namespace tactus::display {

namespace {

using namespace mcap;

}  // namespace

McapFile::McapFile(const std::string& path) : path_(path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InputError({path}, "cannot be read", "give a log that `tactus haptic --log` wrote");
  bytes_.assign(std::istreambuf_iterator<char>(file), {});
  const std::string_view all = bytes_;
  if (all.substr(0, kMagic.size()) != kMagic)
    throw InputError({path}, "is no MCAP file", "give a log that `tactus haptic --log` wrote");
  read_records(all.substr(kMagic.size()), false);
}

void McapFile::read_records(std::string_view records, bool in_chunk) {
  const auto broken = [&](const std::string& what) {
    throw InputError({path_}, what, "take another copy of the file");
  };
  Cursor cursor{records};
  while (!cursor.rest.empty()) {
    const auto kind = cursor.take<std::uint8_t>();
    Cursor content{cursor.take_bytes(cursor.take<std::uint64_t>())};
    if (!cursor.ok) {
      if (in_chunk) broken("a chunk ends in the middle of a record");
      return;  // cut off: the last record is not whole
    }
    switch (kind) {
      case kFooter:
        if (!in_chunk) check_end(content.rest, cursor.rest);
        return;
      case kDataEnd:
        summary_at_ = bytes_.size() - cursor.rest.size();
        break;
      case kStatistics: {
        content.take<std::uint64_t>();  // messages: by channel below
        content.take<std::uint16_t>();
        content.take<std::uint32_t>();
        attachments_said_ = content.take<std::uint32_t>();
        metadata_said_ = content.take<std::uint32_t>();
        content.take<std::uint32_t>();
        content.take<std::uint64_t>();
        content.take<std::uint64_t>();
        Cursor counts{content.take_text()};
        while (counts.ok && !counts.rest.empty()) {
          const auto channel = counts.take<std::uint16_t>();
          counts_[channel] = counts.take<std::uint64_t>();
        }
        if (!content.ok || !counts.ok) broken("the file's statistics end too early");
        counted_ = true;
        break;
      }
      case kChannel: {
        const auto number = content.take<std::uint16_t>();
        content.take<std::uint16_t>();
        topics_[number] = content.take_text();
        break;
      }
      case kMessage: {
        const auto channel = content.take<std::uint16_t>();
        content.take<std::uint32_t>();
        const auto time = content.take<std::uint64_t>();
        content.take<std::uint64_t>();
        const auto topic = topics_.find(channel);
        if (!content.ok || topic == topics_.end()) broken("a message belongs to no channel");
        messages_.push_back({topic->second, content.rest, time});
        break;
      }
      case kChunk: {
        content.take<std::uint64_t>();
        content.take<std::uint64_t>();
        content.take<std::uint64_t>();
        const auto crc = content.take<std::uint32_t>();
        if (!content.take_text().empty()) broken("a chunk is compressed, which cannot be read here");
        const std::string_view chunk = content.take_bytes(content.take<std::uint64_t>());
        if (!content.ok) broken("a chunk is shorter than it says");
        if (crc != 0 && crc32(chunk) != crc) broken("the check of a chunk fails: its bytes have changed");
        read_records(chunk, true);
        break;
      }
      case kMetadata: {
        std::map<std::string, std::string>& fields = metadata_[std::string(content.take_text())];
        Cursor map{content.take_text()};
        while (map.ok && !map.rest.empty()) {
          const std::string key(map.take_text());
          fields[key] = map.take_text();
        }
        if (!content.ok || !map.ok) broken("metadata ends too early");
        ++metadata_records_;
        break;
      }
      case kAttachment: {
        const std::string_view checked = content.rest;
        content.take<std::uint64_t>();
        content.take<std::uint64_t>();
        const std::string name(content.take_text());
        content.take_text();
        const std::string_view data = content.take_bytes(content.take<std::uint64_t>());
        const std::string_view before = checked.substr(0, checked.size() - content.rest.size());
        if (const auto crc = content.take<std::uint32_t>(); !content.ok || (crc != 0 && crc32(before) != crc))
          broken("the check of attachment `" + name + "` fails");
        attachments_[name] = data;
        ++attachment_records_;
        break;
      }
      default:
        break;  // indices, schemas: nothing here needs them
    }
    if (!content.ok) broken("a record ends too early");
  }
}

// The footer: where the summary begins, where its offsets do, and the check of all from the summary up to
// itself.
void McapFile::check_end(std::string_view footer, std::string_view after) {
  const auto broken = [&](const std::string& what) {
    throw InputError({path_}, what, "take another copy of the file");
  };
  Cursor cursor{footer};
  const auto summary = cursor.take<std::uint64_t>();
  cursor.take<std::uint64_t>();
  const auto crc = cursor.take<std::uint32_t>();
  if (!cursor.ok) broken("the file's footer is none");
  if (summary != 0 && summary_at_ == 0) broken("the file has a summary, and its data no end");
  const std::size_t end = bytes_.size() - after.size() - sizeof crc;
  if (crc != 0 && crc32(std::string_view(bytes_).substr(summary_at_, end - summary_at_)) != crc)
    broken("the check of the file's summary fails: its bytes have changed");
  if (counted_ && (attachment_records_ < attachments_said_ || metadata_records_ < metadata_said_))
    broken("the file has lost some of its attachments or metadata");
  whole_ = after == kMagic;
}

std::optional<std::size_t> McapFile::messages_written(std::string_view topic) const {
  if (!counted_) return std::nullopt;
  std::uint64_t count = 0;
  for (const auto& [channel, name] : topics_)
    if (const auto found = counts_.find(channel); name == topic && found != counts_.end())
      count += found->second;
  return count;
}

}  // namespace tactus::display
