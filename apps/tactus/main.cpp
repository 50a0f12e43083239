#include <cstdio>

int main() {
  std::puts("tactus");
  return 0;
}
