// What comes from elsewhere, or leads elsewhere, is not answered.
#include <tactus/serve/net/guard.h>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include <tactus/serve/net/files.h>

namespace {

using namespace tactus::serve;
namespace fs = std::filesystem;

RequestHead from_the_page(std::string_view target = "/") {
  RequestHead head;
  head.method = "GET";
  head.target = target;
  head.host = "127.0.0.1:8710";
  return head;
}

RequestHead socket_of_the_page() {
  RequestHead head = from_the_page("/ws");
  head.origin = "http://127.0.0.1:8710";
  head.upgrade = true;
  head.protocols = "tactus.1";
  return head;
}

unsigned status_of(const Guard& guard, const RequestHead& head) {
  const auto denial = guard.refuse(head);
  return denial ? denial->status : 200;
}

const Guard& local() {
  static const Guard guard("127.0.0.1", 8710, "");
  return guard;
}

TEST(Guard, AnswersThePageItself) {
  EXPECT_EQ(status_of(local(), from_the_page()), 200u);
  EXPECT_EQ(status_of(local(), socket_of_the_page()), 200u);
  RequestHead head = from_the_page("/assets/index-1a2b.js");
  head.host = "LocalHost:8710";
  head.origin = "http://localhost:8710";
  head.site = "same-origin";
  EXPECT_EQ(status_of(local(), head), 200u);
}

TEST(Guard, RefusesOtherHosts) {
  for (const char* host : {"evil.example:8710", "127.0.0.1", "127.0.0.1:80", "",
                           "127.0.0.1.evil.example:8710", "10.0.0.1:8710", "localhost:8710.evil.example"}) {
    RequestHead head = from_the_page();
    head.host = host;
    EXPECT_EQ(status_of(local(), head), 421u) << host;
  }
}

TEST(Guard, RefusesOtherOriginsAndSites) {
  for (const char* origin : {"http://evil.example", "https://127.0.0.1:8710", "http://127.0.0.1:8711", "null",
                             "http://127.0.0.1:8710.evil.example", "http://localhost:8710"}) {
    RequestHead head = socket_of_the_page();
    head.origin = origin;
    EXPECT_EQ(status_of(local(), head), 403u) << origin;
  }
  for (const char* site : {"cross-site", "same-site"}) {
    RequestHead head = from_the_page();
    head.site = site;
    EXPECT_EQ(status_of(local(), head), 403u) << site;
  }
}

TEST(Guard, AsksWebSocketsForOriginPathAndProtocol) {
  RequestHead head = socket_of_the_page();
  head.origin = "";
  EXPECT_EQ(status_of(local(), head), 403u);
  head = socket_of_the_page();
  head.target = "/";
  EXPECT_EQ(status_of(local(), head), 404u);
  for (const char* protocols : {"", "tactus.2", "xtactus.1", "tactus.11, other"}) {
    head = socket_of_the_page();
    head.protocols = protocols;
    EXPECT_EQ(status_of(local(), head), 400u) << protocols;
  }
  head.protocols = "tactus.2, tactus.1";
  EXPECT_EQ(status_of(local(), head), 200u);
}

TEST(Guard, RefusesOtherMethodsAndBodies) {
  for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "CONNECT", "TRACE", "get"}) {
    RequestHead head = from_the_page();
    head.method = method;
    EXPECT_EQ(status_of(local(), head), 405u) << method;
  }
  RequestHead head = from_the_page();
  head.has_body = true;
  EXPECT_EQ(status_of(local(), head), 413u);
}

TEST(Guard, BeyondTheMachineEveryRequestNeedsTheToken) {
  const Guard guard("bench.example", 8710, "0123456789abcdef");
  RequestHead head = from_the_page();
  head.host = "bench.example:8710";
  EXPECT_EQ(status_of(guard, head), 403u);
  head.target = "/?token=0123456789abcdee";
  EXPECT_EQ(status_of(guard, head), 403u);
  head.target = "/?token=";
  EXPECT_EQ(status_of(guard, head), 403u);
  head.target = "/?x=1&token=0123456789abcdef";
  EXPECT_EQ(status_of(guard, head), 200u);
  EXPECT_TRUE(guard.came_with_token(head.target));
  head.target = "/";
  head.cookie = "other=1; tactus_token=0123456789abcdef";
  EXPECT_EQ(status_of(guard, head), 200u);
  head.cookie = "tactus_token=0123456789abcde";
  EXPECT_EQ(status_of(guard, head), 403u);
  // By an address it may be asked for, by a stranger's name not: that is how names are rebound.
  head.cookie = "tactus_token=0123456789abcdef";
  head.host = "192.168.1.7:8710";
  EXPECT_EQ(status_of(guard, head), 200u);
  head.host = "rebound.example:8710";
  EXPECT_EQ(status_of(guard, head), 421u);
}

TEST(Guard, TokensAreLongAndNeverTheSame) {
  const std::string one = new_token(), two = new_token();
  EXPECT_EQ(one.size(), 32u);
  EXPECT_NE(one, two);
  EXPECT_TRUE(same_secret(one, std::string(one)));
  EXPECT_FALSE(same_secret(one, two));
  EXPECT_FALSE(same_secret("", ""));
}

TEST(Guard, PathsThatLeaveTheFolderAreNone) {
  for (const char* target :
       {"/../etc/passwd", "/%2e%2e/etc/passwd", "/assets/../../x", "/assets/%2e%2e%2fx", "/.git/config",
        "//etc/passwd", "/a//b", "/a%00.html", "/a%", "/a%zz", "/a\\..\\b", "/%c0%ae%c0%ae/", "http://other/",
        "", "*", "/a b", "/..", "/a/.", "/ä"})
    EXPECT_FALSE(path_of(target)) << target;
  EXPECT_EQ(path_of("/"), "/");
  EXPECT_EQ(path_of("/assets/a-1_2.js?v=../x"), "/assets/a-1_2.js");
  EXPECT_EQ(path_of("/%61"), "/a");
  EXPECT_FALSE(path_of("/" + std::string(2000, 'a')));
}

class Folder : public testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::path(testing::TempDir()) / ("page_files_" + std::to_string(::getpid()));
    fs::create_directories(root_ / "dist" / "assets");
    write("secret.txt", "no");
    write("dist/index.html", "page");
    write("dist/assets/a.js", "code");
    write("dist/assets/a.js.gz", "packed");
    fs::create_symlink(root_ / "secret.txt", root_ / "dist" / "link.txt");
    fs::create_directory_symlink(root_, root_ / "dist" / "up");
  }
  void TearDown() override { fs::remove_all(root_); }
  void write(const char* name, const char* text) { std::ofstream(root_ / name) << text; }
  fs::path root_;
};

TEST_F(Folder, OnlyFilesWithinItAreServed) {
  const PageFiles files((root_ / "dist").string());
  ASSERT_TRUE(files.exist());
  ASSERT_TRUE(files.find("/", false));
  EXPECT_EQ(files.find("/", false)->type, "text/html; charset=utf-8");
  ASSERT_TRUE(files.find("/assets/a.js", false));
  EXPECT_TRUE(files.find("/assets/a.js", false)->forever);
  EXPECT_TRUE(files.find("/assets/a.js", true)->packed);
  EXPECT_EQ(files.find("/assets/a.js", true)->type, "text/javascript; charset=utf-8");
  for (const char* path : {"/link.txt", "/up/secret.txt", "/assets", "/none", "/../secret.txt"})
    EXPECT_FALSE(files.find(path, false)) << path;
  EXPECT_FALSE(PageFiles("").exist());
  EXPECT_FALSE(PageFiles((root_ / "none").string()).find("/", false));
}

}  // namespace
