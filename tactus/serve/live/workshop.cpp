#include <tactus/serve/live/workshop.h>

#include <pthread.h>

namespace tactus::serve {

Workshop::Workshop(std::string name)
    : thread_([this, name = std::move(name)] {
        pthread_setname_np(pthread_self(), name.c_str());
        run();
      }) {}

Workshop::~Workshop() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    jobs_.clear();
  }
  something_.notify_all();
  thread_.join();
}

bool Workshop::give(std::function<void()> job) {
  {
    const std::lock_guard lock(mutex_);
    if (ending_ || jobs_.size() >= kMostWaiting) return false;
    jobs_.push_back(std::move(job));
  }
  something_.notify_one();
  return true;
}

void Workshop::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    something_.wait(lock, [this] { return ending_ || !jobs_.empty(); });
    if (ending_) return;
    const std::function<void()> job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    job();
    lock.lock();
  }
}

}  // namespace tactus::serve
