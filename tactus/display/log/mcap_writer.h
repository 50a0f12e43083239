// Files of time-stamped messages in the MCAP format (mcap.dev, version 0), which Foxglove's tools and many others read.
//
//   magic, header, attachments and metadata, chunks of messages each with its index, data end, summary, footer, magic
//
// Messages are gathered in chunks; a chunk goes out whole, with the check of its bytes. Schemas and channels stand in the first
// chunk, so that a file that ends in the middle can be read up to its last whole chunk.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tactus/base/output_file.h>

namespace tactus::display {

using McapFields = std::vector<std::pair<std::string, std::string>>;

class McapWriter {
 public:
  /// Throws InputError where the path cannot be written, as everything below throws OutputError.
  McapWriter(const std::string& path, std::string_view profile);

  /// Before the first message.
  void add_metadata(std::string_view name, const McapFields& fields);
  void add_attachment(std::string_view name, std::string_view media_type, std::string_view bytes);
  /// A schema of its own (JSON Schema), messages in JSON. The channel's number.
  std::uint16_t add_channel(std::string_view topic, std::string_view schema_name, std::string_view schema);

  void add_message(std::uint16_t channel, std::uint64_t nanoseconds, std::string_view data);
  /// [bytes] of messages that flush() would put into the file.
  std::size_t waiting() const { return chunk_.size(); }
  /// Puts the messages so far into the file: what comes after does not touch them.
  void flush();
  /// The rest, the summary, and the file in its place.
  void finish();
  /// What was flushed stays (base/output_file.h).
  std::string keep() noexcept { return file_.keep(); }

 private:
  struct Channel {
    std::string topic, schema_name, schema;
    std::uint32_t messages = 0;
    std::string index;  // of the chunk: times and places
  };
  struct Chunk {
    std::uint64_t first = 0, last = 0, at = 0, length = 0, index_length = 0, size = 0;
    std::vector<std::pair<std::uint16_t, std::uint64_t>> indices;
  };
  void put(std::string_view bytes);
  void describe_channels(std::string& to) const;

  OutputFile file_;
  std::uint64_t written_ = 0;
  std::vector<Channel> channels_;
  std::vector<Chunk> chunks_;
  std::string chunk_;  // records of the one that is being filled
  std::uint64_t first_ = 0, last_ = 0, messages_ = 0, start_ = 0, end_ = 0;
  bool empty_ = true, described_ = false;
  std::uint32_t attachments_ = 0, metadata_ = 0;
  std::string summary_;  // indices of attachments and metadata
};

}  // namespace tactus::display
