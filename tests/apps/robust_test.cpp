// tactus robust, as a user calls it: the limits of stability at a point, random trials, pictures and tables, mistakes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "program.h"

namespace tactus::apps::test {
namespace {

using Json = nlohmann::json;

const char* const kPoint =
    " --q 2.44,4.901836,1.059789,1.604163,5.804762,4.49 --qd=-10,-10,-10,10,10,-10 "
    "--qdd=-100,-100,-100,-100,100,100";

TEST(Robust, PrintsTheLimitsOfTheThesisPoint) {
  const Outcome run = tactus("robust " + model("puma560.yaml") + kPoint +
                             " --poles=-45,45 --law sampled-pole-placement --rate 200 --json");
  ASSERT_EQ(run.code, 0) << run.err;
  const Json all = Json::parse(run.out);
  EXPECT_NEAR(all["sampled"]["limits"]["gamma"]["upper"].get<double>(), 4.522845, 1e-6);
  EXPECT_NEAR(all["sampled"]["limits"]["gamma"]["lower"].get<double>(), 0.000973, 1e-6);
  EXPECT_EQ(all["sampled"]["roots"].size(), 12u);
  EXPECT_EQ(all["open_loop"].size(), 12u);
  EXPECT_TRUE(all["continuous"]["stable"].get<bool>());
  EXPECT_TRUE(all["continuous"]["limits"]["gamma"]["upper"].is_null());
  const Outcome text = tactus("robust " + model("puma560.yaml") + kPoint + " --poles=-4.5,4.5");
  ASSERT_EQ(text.code, 0) << text.err;
  for (const char* words : {"-0.3082 to 2.57139", "below 4.79153", "above 0", "sampled at 500 Hz", "q6"})
    EXPECT_NE(text.out.find(words), std::string::npos) << words << "\n" << text.out;
}

TEST(Robust, TakesThePointFromAStateFileOrAPath) {
  const Folder folder;
  const std::string state = folder.file(
      "state.yaml",
      "q: [2.44, 4.901836, 1.059789, 1.604163, 5.804762, 4.49]\nqd: [-10, -10, -10, 10, 10, -10]\n"
      "qdd: [-100, -100, -100, -100, 100, 100]\n");
  const Outcome by_file = tactus("robust " + model("puma560.yaml") + " --json --at '" + state + "'"),
                by_list = tactus("robust " + model("puma560.yaml") + " --json" + kPoint);
  ASSERT_EQ(by_file.code, 0) << by_file.err;
  EXPECT_EQ(by_file.out, by_list.out);
  // Half way through a path of least jerk: no acceleration, 15/8 of the mean rate.
  const Outcome on_path = tactus("robust " + model("scara.yaml") +
                                 " --json --point 0,0,0,0 --point '30 deg,1,0.1,-1' --times 0,2 --time 1");
  ASSERT_EQ(on_path.code, 0) << on_path.err;
  const Json at = Json::parse(on_path.out)["at"];
  EXPECT_NEAR(at["q"][0].get<double>(), M_PI / 12.0, 1e-12);
  EXPECT_NEAR(at["qd"][1].get<double>(), 15.0 / 8.0 / 2.0, 1e-12);
  EXPECT_NEAR(at["qdd"][2].get<double>(), 0.0, 1e-12);
}

TEST(Robust, WritesLociAndTheirPicture) {
  const Folder folder;
  const Outcome run =
      tactus("robust " + model("scara.yaml") + " --q 0.3,0.5,0.05,0 --qd 3,-3,0.5,1 --poles=-10,10 --plot '" +
             folder.path("locus.svg") + "' --out '" + folder.path("locus.csv") + "'");
  ASSERT_EQ(run.code, 0) << run.err;
  const std::string svg = content_of(folder.path("locus.svg")), csv = content_of(folder.path("locus.csv"));
  for (const char* words :
       {"gamma, of M", "alpha, of K", "border of stability", "real part of z", "sampled at 500 Hz"})
    EXPECT_NE(svg.find(words), std::string::npos) << words;
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
  EXPECT_EQ(csv.substr(0, csv.find('\n')),
            "loop,error,value,re_1,im_1,re_2,im_2,re_3,im_3,re_4,im_4,re_5,im_5,re_6,im_6,"
            "re_7,im_7,re_8,im_8");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + 2 * 3 * 1001);
}

TEST(Robust, TrialsAreTheSameWhateverTheThreads) {
  const Folder folder;
  const std::string arguments =
      "robust " + model("puma560.yaml") +
      " --standard --duration 1 --hold 0.1 --trials 5 --seed 7 --payload 0:1 --json --out '";
  const Outcome one = tactus(arguments + folder.path("one.csv") + "' --threads 1"),
                two = tactus(arguments + folder.path("two.csv") + "' --threads 2 --plot '" +
                             folder.path("errors.svg") + "'");
  ASSERT_EQ(one.code, 0) << one.err;
  EXPECT_EQ(one.out, two.out);
  EXPECT_EQ(one.err, "");
  const std::string csv = content_of(folder.path("one.csv"));
  EXPECT_EQ(csv, content_of(folder.path("two.csv")));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 6);
  const Json all = Json::parse(one.out);
  EXPECT_EQ(all["trials"], 5);
  EXPECT_EQ(all["worst"]["values"]["friction"].size(), 6u);
  EXPECT_GT(all["largest"]["median"].get<double>(), 0.0);
  EXPECT_NE(content_of(folder.path("errors.svg")).find("5 trials of pole-placement"), std::string::npos);
}

TEST(Robust, RefusesWhatCannotBe) {
  const Folder folder;
  const auto refuses = [](const std::string& file, const std::string& arguments, const char* words) {
    const Outcome run = tactus("robust '" + file + "' " + arguments);
    EXPECT_EQ(run.code, 2) << arguments << "\n" << run.out;
    EXPECT_NE(run.err.find(words), std::string::npos) << arguments << ": " << run.err;
  };
  const std::string puma = model("puma560.yaml");
  refuses(puma, "--poles 12,45", "are not stable");
  refuses(puma, "--poles=-12", "1 numbers");
  refuses(puma, "--poles=-12,45,-10,3", "poles of 2 joints for 6");
  refuses(puma, "--trials 0", "is not a whole number from 1");
  refuses(puma, "--trials 2 --threads 0", "is not a whole number from 1");
  refuses(puma, "--rate 0", "is not a positive number");
  refuses(puma, "--payload 0:1", "is of trials");
  refuses(puma, "--trials 2 --payload 2:1", "exchanged");
  refuses(puma, "--trials 2 --payload heavy", "no range");
  refuses(puma, "--trials 2 --inertia 0:1", "inertias from 0 to 1");
  refuses(puma, "--trials 2 --time 1", "not where trials lead");
  refuses(puma, "--time 9", "the path ends");
  refuses(puma, "--q 1,2", "2 numbers");
  refuses(puma, "--time 1 --q 0,0,0,0,0,0", "give one of them");
  refuses(puma, "--trials 2 --point 0,0,0,0,0,0", "point");
  refuses(puma, "--trials 2 --point 0,0,0,0,0,0 --point 1,1,1,1,1,1 --rate-limit 1", "--acceleration-limit");
  refuses(puma, "--trials 2 --point 0,0,0,0,0,0 --point 1,1,1,1,1,1 --rate-limit 0 --acceleration-limit 1",
          "limit");
  refuses(puma, "--trials 2 --frame tol", "no frame `tol`");
  refuses(model("scara.yaml"), "--trials 2 --standard", "six joints");
  refuses(model("four_bar.yaml"), "", "has constraints");
  refuses(model("spherical_wrist_rates.yaml"), "", "speeds of its own");
  const std::string arm =
      "bodies:\n  a: {mass: 0}\n  b: {mass: 1, com: [0.2, 0, 0]}\njoints:\n"
      "  q1: {type: revolute, parent: world, child: a, axis: y%}\n"
      "  q2: {type: revolute, parent: a, child: b, axis: y}\n";
  std::string singular = arm, weak = arm;
  singular.replace(singular.find('%'), 1, "");
  weak.replace(weak.find('%'), 1, ", effort_limit: 0, armature: 1");
  refuses(folder.file("singular.yaml", "name: singular\n" + singular), "", "singular");
  refuses(folder.file("weak.yaml", "name: weak\n" + weak), "", "0 N m at most");
  refuses(folder.file("weak.yaml", "name: weak\n" + weak), "--trials 2", "0 N m at most");
}

}  // namespace
}  // namespace tactus::apps::test
