// From bodies and joints in any order to a tree on the ground, parents first.
#include <algorithm>
#include <functional>
#include <queue>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <tactus/base/error.h>
#include <tactus/describe/read/sections.h>

namespace tactus::describe {

namespace {

using Index = std::unordered_map<std::string, std::size_t>;

/// Bodies by name; the ground is 0, body i of the draft i + 1.
Index index_bodies(const Draft& draft) {
  Index index{{"world", 0}};
  for (std::size_t i = 0; i < draft.bodies.size(); ++i) {
    const Body& body = draft.bodies[i];
    if (!index.emplace(body.name, i + 1).second) {
      throw InputError(body.where, fmt::format("there are two bodies named `{}`", body.name),
                       "give each body a name of its own");
    }
  }
  return index;
}

void require_distinct_joints(const Draft& draft) {
  Index seen;
  for (std::size_t j = 0; j < draft.joints.size(); ++j) {
    const Joint& joint = draft.joints[j].joint;
    if (!seen.emplace(joint.name, j).second) {
      throw InputError(joint.where, fmt::format("there are two joints named `{}`", joint.name),
                       "give each joint a name of its own");
    }
  }
}

std::size_t find_body(const Reader& reader, const Index& index, const Value& where, const std::string& name,
                      const DraftJoint& joint, std::string_view role) {
  const auto found = index.find(name);
  if (found != index.end()) return found->second;
  std::vector<std::string> all;
  for (const auto& [known, at] : index) all.push_back(known);
  std::sort(all.begin(), all.end());
  reader.fail(
      where,
      fmt::format("the {} of joint `{}` is `{}`, but there is no such body", role, joint.joint.name, name),
      suggestion(name, std::span<const std::string>(all)));
}

/// Starting from a body that hangs on no path to the ground, its ancestors must run into a circle.
[[noreturn]] void report_cycle(const Reader& reader, const Draft& draft,
                               const std::vector<std::size_t>& parent_of,
                               const std::vector<std::size_t>& joint_of, std::size_t start) {
  std::vector<bool> seen(parent_of.size(), false);
  std::size_t at = start;
  while (!seen[at]) {
    seen[at] = true;
    at = parent_of[at];
  }
  std::string path = draft.bodies[at - 1].name;
  for (std::size_t up = parent_of[at];; up = parent_of[up]) {
    path = draft.bodies[up - 1].name + " -> " + path;
    if (up == at) break;
  }
  reader.fail(draft.joints[joint_of[at]].parent_at, "the joints form a circle: " + path,
              "a tree of joints must start at `world`; close loops with a constraint");
}

}  // namespace

void float_root(const Reader& reader, const Value& document, Draft& draft) {
  DraftJoint* root = nullptr;
  for (DraftJoint& joint : draft.joints) {
    if (joint.parent != "world") continue;
    if (root != nullptr)
      throw InputError(
          joint.joint.where,
          fmt::format("it cannot float: `{}` hangs on the ground as well as `{}`", joint.child, root->child),
          "one body alone can be the floating base");
    root = &joint;
  }
  if (root == nullptr)
    reader.fail(document, "it cannot float: nothing hangs on the ground", "give it a root");
  if (root->joint.type == JointType::free) return;
  if (root->joint.type != JointType::weld)
    throw InputError(root->joint.where,
                     fmt::format("it cannot float: the joint `{}` lets `{}` move on the ground already",
                                 root->joint.name, root->child),
                     "leave --floating out, or weld it to the ground");
  root->joint.type = JointType::free;
  for (const JointFreedom& freedom : joint_traits(JointType::free).freedoms()) {
    JointAxis axis;
    axis.name = root->joint.name + "." + std::string(freedom.name);
    axis.direction = Vec3::unit(static_cast<std::size_t>(freedom.axis));
    axis.is_rotation = freedom.is_rotation;
    root->joint.axes.push_back(axis);
  }
}

void assemble_tree(Reader& reader, const Value& document, Draft draft) {
  if (draft.bodies.empty())
    reader.fail(document, "the model has no bodies", "write a `bodies` section, or a `dh` table");
  const Index index = index_bodies(draft);
  require_distinct_joints(draft);

  constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  const std::size_t count = draft.bodies.size() + 1;
  std::vector<std::size_t> parent_of(count, kNone), joint_of(count, kNone);
  std::vector<std::vector<std::size_t>> joints_on(count);  // joints by parent body
  for (std::size_t j = 0; j < draft.joints.size(); ++j) {
    const DraftJoint& joint = draft.joints[j];
    const std::size_t parent = find_body(reader, index, joint.parent_at, joint.parent, joint, "parent");
    const std::size_t child = find_body(reader, index, joint.child_at, joint.child, joint, "child");
    if (child == 0) reader.fail(joint.child_at, "the world cannot be a child", "swap `parent` and `child`");
    if (child == parent) {
      reader.fail(joint.child_at,
                  fmt::format("the joint `{}` connects `{}` with itself", joint.joint.name, joint.child),
                  "name two different bodies");
    }
    if (joint_of[child] != kNone) {
      reader.fail(joint.child_at,
                  fmt::format("the body `{}` is already carried by joint `{}`", joint.child,
                              draft.joints[joint_of[child]].joint.name),
                  "a body hangs on one joint; close loops with a constraint");
    }
    joint_of[child] = j;
    parent_of[child] = parent;
    joints_on[parent].push_back(j);
  }
  for (std::size_t b = 1; b < count; ++b) {
    if (joint_of[b] != kNone) continue;
    const std::string& name = draft.bodies[b - 1].name;
    // Misspelt, where a model adds to the bodies of a file that it includes.
    std::vector<std::string> carried;
    for (std::size_t k = 1; k < count; ++k)
      if (joint_of[k] != kNone) carried.push_back(draft.bodies[k - 1].name);
    const std::string meant = nearest(name, std::span<const std::string>(carried));
    throw InputError(
        draft.bodies[b - 1].where,
        fmt::format("the body `{}` is not connected: no joint has it as its child", name),
        fmt::format("{}add a joint; a body that floats has a joint of type `free` with parent `world`",
                    meant.empty() ? "" : fmt::format("did you mean `{}`? Otherwise ", meant)));
  }

  // Of all joints whose parent is placed, the one listed first: an order that is right already stays as it
  // is.
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
  for (const std::size_t j : joints_on[0]) ready.push(j);
  Model& model = reader.model;
  std::vector<int> new_index(count, -1);
  new_index[0] = 0;
  draft.ground.name = "world";
  model.bodies.push_back(std::move(draft.ground));
  while (!ready.empty()) {
    const std::size_t j = ready.top();
    ready.pop();
    DraftJoint& next = draft.joints[j];
    const std::size_t child = index.at(next.child);
    new_index[child] = static_cast<int>(model.bodies.size());
    next.joint.parent = new_index[parent_of[child]];
    next.joint.child = new_index[child];
    Body body = draft.bodies[child - 1];
    body.joint = static_cast<int>(model.joints.size());
    model.bodies.push_back(std::move(body));
    model.joints.push_back(next.joint);
    for (const std::size_t on_child : joints_on[child]) ready.push(on_child);
  }
  for (std::size_t b = 1; b < count; ++b) {
    if (new_index[b] < 0) report_cycle(reader, draft, parent_of, joint_of, b);
  }
}

}  // namespace tactus::describe
