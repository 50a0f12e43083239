// A URDF file read and computed a second time, by other means: the numbers as tinyxml2 and strtod give them, Newton's and Euler's
// laws body by body in the world's axes. It knows nothing of Tactus, and of URDF only what the robots of the tests have.
#pragma once

#include <cmath>
#include <cstdlib>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <tinyxml2.h>
#include <Eigen/Dense>
#include <Eigen/Geometry>

namespace tactus::test {

class PlainRobot {
 public:
  using Vector = Eigen::Vector3d;
  using Matrix = Eigen::Matrix3d;

  struct Link {
    double m = 0.0;
    Vector c = Vector::Zero();
    Matrix I = Matrix::Zero();  // about c, in the link's axes
  };
  struct Joint {
    std::string type, parent, child;
    int line = 0;  // in the file, by which others know it
    Vector p = Vector::Zero(), axis = Vector::UnitX();
    Matrix R = Matrix::Identity();
    std::vector<double> q, u, udot;  // spherical: quaternion w x y z and angular velocity in the child's axes
    std::vector<double> tau;         // the result
  };

  explicit PlainRobot(const std::string& path) {
    tinyxml2::XMLDocument document;
    document.LoadFile(path.c_str());
    const auto* robot = document.FirstChildElement("robot");
    for (const auto* e = robot->FirstChildElement("link"); e != nullptr; e = e->NextSiblingElement("link"))
      links_[e->Attribute("name")] = link_of(e);
    for (const auto* e = robot->FirstChildElement("joint"); e != nullptr; e = e->NextSiblingElement("joint"))
      joints.push_back(joint_of(e));
  }

  std::vector<Joint> joints;  // in the order of the file; parents first in the robots of the tests

  struct Place {
    Matrix R;
    Vector p;
  };
  std::map<std::string, Place> places;  // of the links, after solve()

  /// The joints' forces for their q, u and udot; `fall` along the world's z.
  void solve(double fall) {
    struct Motion {
      Matrix R = Matrix::Identity();
      Vector p = Vector::Zero(), w = Vector::Zero(), wd = Vector::Zero(), a = Vector::Zero();
      Vector force = Vector::Zero(),
             moment = Vector::Zero();  // that the link's joint transmits, moment about p
    };
    std::map<std::string, Motion> motions;
    for (const auto& [name, link] : links_)
      motions[name].a = {0.0, 0.0, -fall};  // of a root; others are set below
    std::vector<Vector> along;
    for (const Joint& joint : joints) {
      const Motion P = motions.at(joint.parent);
      Motion& L = motions.at(joint.child);
      const Matrix J = P.R * joint.R;
      const Vector z = J * joint.axis;
      along.push_back(z);
      L.R = J;
      L.w = P.w;
      L.wd = P.wd;
      Vector r = P.R * joint.p, relative = Vector::Zero();
      if (joint.type == "revolute" || joint.type == "continuous") {
        L.R = J * Eigen::AngleAxisd(joint.q[0], joint.axis).toRotationMatrix();
        L.w += joint.u[0] * z;
        L.wd += joint.udot[0] * z + joint.u[0] * P.w.cross(z);
      } else if (joint.type == "prismatic") {
        r += joint.q[0] * z;
        relative = joint.udot[0] * z + 2.0 * joint.u[0] * P.w.cross(z);
      } else if (joint.type == "spherical") {
        L.R = J * Eigen::Quaterniond(joint.q[0], joint.q[1], joint.q[2], joint.q[3]).toRotationMatrix();
        const Vector spin = L.R * Vector(joint.u[0], joint.u[1], joint.u[2]);
        L.w += spin;
        L.wd += L.R * Vector(joint.udot[0], joint.udot[1], joint.udot[2]) + P.w.cross(spin);
      }
      L.p = P.p + r;
      L.a = P.a + P.wd.cross(r) + P.w.cross(P.w.cross(r)) + relative;
    }
    for (auto& [name, L] : motions) {
      const Link& link = links_.at(name);
      const Vector c = L.R * link.c;
      const Matrix I = L.R * link.I * L.R.transpose();
      L.force = link.m * (L.a + L.wd.cross(c) + L.w.cross(L.w.cross(c)));
      L.moment = I * L.wd + L.w.cross(I * L.w) + c.cross(L.force);
      places[name] = {L.R, L.p};
    }
    for (std::size_t i = joints.size(); i-- > 0;) {
      Joint& joint = joints[i];
      const Motion& L = motions.at(joint.child);
      Motion& P = motions.at(joint.parent);
      joint.tau.clear();
      if (joint.type == "prismatic") joint.tau = {along[i].dot(L.force)};
      if (joint.type == "revolute" || joint.type == "continuous") joint.tau = {along[i].dot(L.moment)};
      if (joint.type == "spherical") {
        const Vector own = L.R.transpose() * L.moment;
        joint.tau = {own.x(), own.y(), own.z()};
      }
      P.force += L.force;
      P.moment += L.moment + (L.p - P.p).cross(L.force);
    }
  }

 private:
  using Element = tinyxml2::XMLElement;

  static Vector vector(const Element* e, const char* name) {
    Vector v = Vector::Zero();
    if (e == nullptr || e->Attribute(name) == nullptr) return v;
    std::istringstream text(e->Attribute(name));
    text >> v.x() >> v.y() >> v.z();
    return v;
  }
  static double number(const Element* e, const char* name) {
    return e == nullptr || e->Attribute(name) == nullptr ? 0.0 : std::strtod(e->Attribute(name), nullptr);
  }
  static Matrix turn(const Element* origin) {
    const Vector rpy = vector(origin, "rpy");
    return (Eigen::AngleAxisd(rpy.z(), Vector::UnitZ()) * Eigen::AngleAxisd(rpy.y(), Vector::UnitY()) *
            Eigen::AngleAxisd(rpy.x(), Vector::UnitX()))
        .toRotationMatrix();
  }

  static Link link_of(const Element* e) {
    Link link;
    const Element* inertial = e->FirstChildElement("inertial");
    const Element* mass = inertial == nullptr ? nullptr : inertial->FirstChildElement("mass");
    if (mass == nullptr) return link;
    link.m = number(mass, "value");
    const Element* origin = inertial->FirstChildElement("origin");
    link.c = vector(origin, "xyz");
    const Element* I = inertial->FirstChildElement("inertia");
    Matrix given;
    given << number(I, "ixx"), number(I, "ixy"), number(I, "ixz"), number(I, "ixy"), number(I, "iyy"),
        number(I, "iyz"), number(I, "ixz"), number(I, "iyz"), number(I, "izz");
    const Matrix R = turn(origin);
    link.I = R * given * R.transpose();
    return link;
  }

  static Joint joint_of(const Element* e) {
    Joint joint;
    joint.type = e->Attribute("type");
    joint.parent = e->FirstChildElement("parent")->Attribute("link");
    joint.child = e->FirstChildElement("child")->Attribute("link");
    joint.line = e->GetLineNum();
    const Element* origin = e->FirstChildElement("origin");
    joint.p = vector(origin, "xyz");
    joint.R = turn(origin);
    const Element* axis = e->FirstChildElement("axis");
    if (axis != nullptr && axis->Attribute("xyz") != nullptr) joint.axis = vector(axis, "xyz").normalized();
    return joint;
  }

  std::map<std::string, Link> links_;
};

}  // namespace tactus::test
