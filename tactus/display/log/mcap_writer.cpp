#include <tactus/display/log/mcap_writer.h>

#include <algorithm>

#include <tactus/base/check.h>
#include <tactus/display/log/crc32.h>
#include <tactus/display/log/mcap_format.h>

namespace tactus::display {

namespace {

using namespace mcap;

std::string map_of(const McapFields& fields) {
  std::string content;
  for (const auto& [key, value] : fields) {
    put_text(content, key);
    put_text(content, value);
  }
  std::string map;
  mcap::put(map, static_cast<std::uint32_t>(content.size()));
  return map + content;
}

}  // namespace

McapWriter::McapWriter(const std::string& path, std::string_view profile) : file_(path) {
  std::string text(kMagic), header;
  put_text(header, profile);
  put_text(header, "tactus");
  put_record(text, kHeader, header);
  put(text);
}

void McapWriter::put(std::string_view bytes) {
  file_.write(bytes);
  written_ += bytes.size();
}

void McapWriter::add_metadata(std::string_view name, const McapFields& fields) {
  std::string content, record;
  put_text(content, name);
  content += map_of(fields);
  put_record(record, kMetadata, content);
  std::string index;
  mcap::put(index, written_);
  mcap::put(index, static_cast<std::uint64_t>(record.size()));
  put_text(index, name);
  put_record(summary_, kMetadataIndex, index);
  put(record);
  ++metadata_;
}

void McapWriter::add_attachment(std::string_view name, std::string_view media_type, std::string_view bytes) {
  std::string content, record;
  mcap::put(content, std::uint64_t{0});  // log time
  mcap::put(content, std::uint64_t{0});  // creation
  put_text(content, name);
  put_text(content, media_type);
  mcap::put(content, static_cast<std::uint64_t>(bytes.size()));
  content.append(bytes);
  mcap::put(content, crc32(content));
  put_record(record, kAttachment, content);
  std::string index;
  mcap::put(index, written_);
  mcap::put(index, static_cast<std::uint64_t>(record.size()));
  mcap::put(index, std::uint64_t{0});
  mcap::put(index, std::uint64_t{0});
  mcap::put(index, static_cast<std::uint64_t>(bytes.size()));
  put_text(index, name);
  put_text(index, media_type);
  put_record(summary_, kAttachmentIndex, index);
  put(record);
  ++attachments_;
}

std::uint16_t McapWriter::add_channel(std::string_view topic, std::string_view schema_name,
                                      std::string_view schema) {
  TACTUS_CHECK(!described_);
  channels_.push_back({std::string(topic), std::string(schema_name), std::string(schema), 0, {}});
  return static_cast<std::uint16_t>(channels_.size() - 1);
}

/// Schemas and channels have the same numbers, but that no schema has the number 0, which means none.
void McapWriter::describe_channels(std::string& to) const {
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    std::string content;
    mcap::put(content, static_cast<std::uint16_t>(i + 1));
    put_text(content, channels_[i].schema_name);
    put_text(content, "jsonschema");
    put_text(content, channels_[i].schema);
    put_record(to, kSchema, content);
  }
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    std::string content;
    mcap::put(content, static_cast<std::uint16_t>(i));
    mcap::put(content, static_cast<std::uint16_t>(i + 1));
    put_text(content, channels_[i].topic);
    put_text(content, "json");
    content += map_of({});
    put_record(to, kChannel, content);
  }
}

void McapWriter::add_message(std::uint16_t channel, std::uint64_t nanoseconds, std::string_view data) {
  if (!described_) describe_channels(chunk_);
  described_ = true;
  Channel& to = channels_[channel];
  mcap::put(to.index, nanoseconds);
  mcap::put(to.index, static_cast<std::uint64_t>(chunk_.size()));
  mcap::put(chunk_, static_cast<std::uint8_t>(kMessage));
  mcap::put(chunk_, static_cast<std::uint64_t>(2 + 4 + 8 + 8 + data.size()));
  mcap::put(chunk_, channel);
  mcap::put(chunk_, to.messages++);
  mcap::put(chunk_, nanoseconds);
  mcap::put(chunk_, nanoseconds);
  chunk_.append(data);
  first_ = empty_ ? nanoseconds : std::min(first_, nanoseconds);
  last_ = empty_ ? nanoseconds : std::max(last_, nanoseconds);
  start_ = messages_ == 0 ? nanoseconds : std::min(start_, nanoseconds);
  end_ = messages_ == 0 ? nanoseconds : std::max(end_, nanoseconds);
  empty_ = false;
  ++messages_;
}

void McapWriter::flush() {
  if (empty_) return file_.flush();
  std::string content;
  mcap::put(content, first_);
  mcap::put(content, last_);
  mcap::put(content, static_cast<std::uint64_t>(chunk_.size()));
  mcap::put(content, crc32(chunk_));
  put_text(content, "");  // not compressed
  mcap::put(content, static_cast<std::uint64_t>(chunk_.size()));
  content += chunk_;
  Chunk chunk{first_, last_, written_, 0, 0, chunk_.size(), {}};
  std::string record;
  put_record(record, kChunk, content);
  chunk.length = record.size();
  const std::uint64_t indices = written_ + record.size();
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    if (channels_[i].index.empty()) continue;
    chunk.indices.emplace_back(static_cast<std::uint16_t>(i), written_ + record.size());
    std::string index;
    mcap::put(index, static_cast<std::uint16_t>(i));
    put_text(index, channels_[i].index);
    put_record(record, kMessageIndex, index);
    channels_[i].index.clear();
  }
  chunk.index_length = written_ + record.size() - indices;
  put(record);
  file_.flush();
  chunks_.push_back(std::move(chunk));
  chunk_.clear();
  empty_ = true;
}

void McapWriter::finish() {
  flush();
  std::string end, content;
  mcap::put(content, std::uint32_t{0});  // no check over all data: each chunk has its own
  put_record(end, kDataEnd, content);
  put(end);

  const std::uint64_t summary_at = written_;
  std::string summary;
  std::string offsets;
  const auto group = [&](Kind kind, const std::string& records) {
    if (records.empty()) return;
    std::string offset;
    mcap::put(offset, static_cast<std::uint8_t>(kind));
    mcap::put(offset, summary_at + summary.size());
    mcap::put(offset, static_cast<std::uint64_t>(records.size()));
    put_record(offsets, kSummaryOffset, offset);
    summary += records;
  };
  std::string described;
  describe_channels(described);
  summary += described;
  std::string statistics;
  mcap::put(statistics, messages_);
  mcap::put(statistics, static_cast<std::uint16_t>(channels_.size()));
  mcap::put(statistics, static_cast<std::uint32_t>(channels_.size()));
  mcap::put(statistics, attachments_);
  mcap::put(statistics, metadata_);
  mcap::put(statistics, static_cast<std::uint32_t>(chunks_.size()));
  mcap::put(statistics, start_);
  mcap::put(statistics, end_);
  std::string counts;
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    mcap::put(counts, static_cast<std::uint16_t>(i));
    mcap::put(counts, static_cast<std::uint64_t>(channels_[i].messages));
  }
  put_text(statistics, counts);
  std::string record;
  put_record(record, kStatistics, statistics);
  group(kStatistics, record);
  record.clear();
  for (const Chunk& chunk : chunks_) {
    std::string index, places;
    mcap::put(index, chunk.first);
    mcap::put(index, chunk.last);
    mcap::put(index, chunk.at);
    mcap::put(index, chunk.length);
    for (const auto& [channel, place] : chunk.indices) {
      mcap::put(places, channel);
      mcap::put(places, place);
    }
    put_text(index, places);
    mcap::put(index, chunk.index_length);
    put_text(index, "");
    mcap::put(index, chunk.size);
    mcap::put(index, chunk.size);
    put_record(record, kChunkIndex, index);
  }
  group(kChunkIndex, record);
  summary += summary_;  // few; found without an offset

  const std::uint64_t offsets_at = summary_at + summary.size();
  std::string footer;
  mcap::put(footer, summary_at);
  mcap::put(footer, offsets.empty() ? std::uint64_t{0} : offsets_at);
  // The check covers the summary and the footer up to here.
  std::string checked = summary + offsets;
  mcap::put(checked, static_cast<std::uint8_t>(kFooter));
  mcap::put(checked, static_cast<std::uint64_t>(footer.size() + 4));
  checked += footer;
  mcap::put(footer, crc32(checked));
  std::string tail = summary + offsets;
  put_record(tail, kFooter, footer);
  tail += kMagic;
  put(tail);
  file_.finish();
}

}  // namespace tactus::display
