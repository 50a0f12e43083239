// Reads MCAP files as mcap_writer.h writes them, from the front: also such as end in the middle, up to the last whole chunk.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tactus::display {

struct McapMessage {
  std::string_view topic, data;
  std::uint64_t nanoseconds = 0;
};

class McapFile {
 public:
  /// Throws InputError where the file cannot be read, is no MCAP file, is compressed, or where the check of a chunk says that
  /// its bytes are not what was written; also where its end says that it has lost attachments or metadata.
  explicit McapFile(const std::string& path);

  const std::vector<McapMessage>& messages() const { return messages_; }
  const std::map<std::string, std::map<std::string, std::string>>& metadata() const { return metadata_; }
  const std::map<std::string, std::string>& attachments() const { return attachments_; }
  /// It has its end. Otherwise the writing was cut off.
  bool whole() const { return whole_; }
  /// Of a topic, as the file's statistics say; nothing where it has none. More than there are: the file has
  /// lost some.
  std::optional<std::size_t> messages_written(std::string_view topic) const;

 private:
  void check_end(std::string_view footer, std::string_view after);
  void read_records(std::string_view records, bool in_chunk);

  std::string path_, bytes_;
  std::map<std::uint16_t, std::string> topics_;
  std::vector<McapMessage> messages_;
  std::map<std::string, std::map<std::string, std::string>> metadata_;
  std::map<std::string, std::string> attachments_;
  std::map<std::uint16_t, std::uint64_t> counts_;  // by channel, of the statistics
  bool counted_ = false, whole_ = false;
  std::size_t attachment_records_ = 0, metadata_records_ = 0, attachments_said_ = 0, metadata_said_ = 0;
  std::size_t summary_at_ = 0;  // where the data end
};

}  // namespace tactus::display
