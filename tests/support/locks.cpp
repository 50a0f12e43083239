#include "locks.h"

#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>

namespace {

thread_local long count_of_this_thread = 0;

}  // namespace

namespace tactus::test {

long lock_count_of_this_thread() { return count_of_this_thread; }

}  // namespace tactus::test

#if !defined(__SANITIZE_THREAD__)

namespace {

/// The system's own function of that name, looked up once: a second thread that looks at the same time finds the same.
template <typename Function>
Function* behind(Function*& known, const char* name) {
  Function* found = __atomic_load_n(&known, __ATOMIC_RELAXED);
  if (found == nullptr) {
    found = reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
    __atomic_store_n(&known, found, __ATOMIC_RELAXED);
  }
  return found;
}

}  // namespace

// The program's own definitions stand before the system's, for every library in the process.
extern "C" {

int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  static int (*system)(pthread_mutex_t*) = nullptr;
  ++count_of_this_thread;
  return behind(system, "pthread_mutex_lock")(mutex);
}
int pthread_mutex_trylock(pthread_mutex_t* mutex) noexcept {
  static int (*system)(pthread_mutex_t*) = nullptr;
  ++count_of_this_thread;
  return behind(system, "pthread_mutex_trylock")(mutex);
}
int pthread_rwlock_rdlock(pthread_rwlock_t* lock) noexcept {
  static int (*system)(pthread_rwlock_t*) = nullptr;
  ++count_of_this_thread;
  return behind(system, "pthread_rwlock_rdlock")(lock);
}
int pthread_rwlock_wrlock(pthread_rwlock_t* lock) noexcept {
  static int (*system)(pthread_rwlock_t*) = nullptr;
  ++count_of_this_thread;
  return behind(system, "pthread_rwlock_wrlock")(lock);
}
int sem_wait(sem_t* semaphore) {
  static int (*system)(sem_t*) = nullptr;
  ++count_of_this_thread;
  return behind(system, "sem_wait")(semaphore);
}
}

#endif
