// Reads MCAP files as mcap_writer.h writes them, from the front: also such as end in the middle, up to the last whole chunk.
#pragma once

#include <cstdint>
#include <map>
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
  /// its bytes are not what was written.
  explicit McapFile(const std::string& path);

  const std::vector<McapMessage>& messages() const { return messages_; }
  const std::map<std::string, std::map<std::string, std::string>>& metadata() const { return metadata_; }
  const std::map<std::string, std::string>& attachments() const { return attachments_; }
  /// It has its end. Otherwise the writing was cut off.
  bool whole() const { return whole_; }

 private:
  void read_records(std::string_view records, bool in_chunk);

  std::string path_, bytes_;
  std::map<std::uint16_t, std::string> topics_;
  std::vector<McapMessage> messages_;
  std::map<std::string, std::map<std::string, std::string>> metadata_;
  std::map<std::string, std::string> attachments_;
  bool whole_ = false;
};

}  // namespace tactus::display
