/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* For builds with ThreadSanitizer. GLib makes locks from futexes, and GStreamer is not instrumented, so the sanitizer sees
 * neither the order that a GMutex establishes, nor that the last unref follows all others. These functions replace GLib's,
 * inform the sanitizer, and call the originals. */
#include <dlfcn.h>

#include <gst/gst.h>

extern "C" {
void __tsan_acquire (void *address);
void __tsan_release (void *address);
}

namespace {

template <typename Function>
Function *
real (Function *, const char *name)
{
  return (Function *) dlsym (RTLD_NEXT, name);
}

void
pass_on (void *address)
{
  __tsan_release (address);
  __tsan_acquire (address);
}

}  // namespace

#define REAL(name) static const auto name##_of_glib = real (name, #name)

#define LOCK(name, type)                                                                                                       \
  extern "C" void name (type *lock)                                                                                            \
  {                                                                                                                            \
    REAL (name);                                                                                                               \
    name##_of_glib (lock);                                                                                                     \
    __tsan_acquire (lock);                                                                                                     \
  }

#define TRYLOCK(name, type)                                                                                                    \
  extern "C" gboolean name (type *lock)                                                                                        \
  {                                                                                                                            \
    REAL (name);                                                                                                               \
    const gboolean locked = name##_of_glib (lock);                                                                             \
    if (locked)                                                                                                                \
      __tsan_acquire (lock);                                                                                                   \
    return locked;                                                                                                             \
  }

#define UNLOCK(name, type)                                                                                                     \
  extern "C" void name (type *lock)                                                                                            \
  {                                                                                                                            \
    REAL (name);                                                                                                               \
    __tsan_release (lock);                                                                                                     \
    name##_of_glib (lock);                                                                                                     \
  }

LOCK (g_mutex_lock, GMutex)
TRYLOCK (g_mutex_trylock, GMutex)
UNLOCK (g_mutex_unlock, GMutex)
LOCK (g_rec_mutex_lock, GRecMutex)
TRYLOCK (g_rec_mutex_trylock, GRecMutex)
UNLOCK (g_rec_mutex_unlock, GRecMutex)
LOCK (g_rw_lock_writer_lock, GRWLock)
TRYLOCK (g_rw_lock_writer_trylock, GRWLock)
UNLOCK (g_rw_lock_writer_unlock, GRWLock)
LOCK (g_rw_lock_reader_lock, GRWLock)
TRYLOCK (g_rw_lock_reader_trylock, GRWLock)
UNLOCK (g_rw_lock_reader_unlock, GRWLock)

extern "C" void
g_cond_wait (GCond *cond, GMutex *mutex)
{
  REAL (g_cond_wait);
  __tsan_release (mutex);
  g_cond_wait_of_glib (cond, mutex);
  __tsan_acquire (mutex);
}

extern "C" gboolean
g_cond_wait_until (GCond *cond, GMutex *mutex, gint64 end_time)
{
  REAL (g_cond_wait_until);
  __tsan_release (mutex);
  const gboolean signalled = g_cond_wait_until_of_glib (cond, mutex, end_time);
  __tsan_acquire (mutex);
  return signalled;
}

/* Both are macros around functions of the same names. */
#undef g_once_init_enter
#undef g_once_init_leave

extern "C" gboolean
g_once_init_enter (volatile void *location)
{
  REAL (g_once_init_enter);
  const gboolean first = g_once_init_enter_of_glib (location);
  __tsan_acquire ((void *) location);
  return first;
}

extern "C" void
g_once_init_leave (volatile void *location, gsize result)
{
  REAL (g_once_init_leave);
  __tsan_release ((void *) location);
  g_once_init_leave_of_glib (location, result);
}

extern "C" void
g_object_unref (gpointer object)
{
  REAL (g_object_unref);
  pass_on (object);
  g_object_unref_of_glib (object);
}

extern "C" void
gst_object_unref (gpointer object)
{
  REAL (gst_object_unref);
  pass_on (object);
  gst_object_unref_of_glib (object);
}

extern "C" void
gst_mini_object_unref (GstMiniObject *object)
{
  REAL (gst_mini_object_unref);
  pass_on (object);
  gst_mini_object_unref_of_glib (object);
}

extern "C" void
gst_atomic_queue_push (GstAtomicQueue *queue, gpointer data)
{
  REAL (gst_atomic_queue_push);
  __tsan_release (queue);
  gst_atomic_queue_push_of_glib (queue, data);
}

extern "C" gpointer
gst_atomic_queue_pop (GstAtomicQueue *queue)
{
  REAL (gst_atomic_queue_pop);
  const gpointer data = gst_atomic_queue_pop_of_glib (queue);
  __tsan_acquire (queue);
  return data;
}

/* What is pushed to a pool happens before the thread that takes it. */
namespace {

struct PoolFunction {
  GFunc function;
  gpointer user_data;
};

void
run_pool_function (gpointer data, gpointer kept)
{
  __tsan_acquire (data);
  const auto *pool = static_cast<const PoolFunction *> (kept);
  pool->function (data, pool->user_data);
}

}  // namespace

extern "C" GThreadPool *
g_thread_pool_new (GFunc function, gpointer user_data, gint most_threads, gboolean exclusive, GError **error)
{
  REAL (g_thread_pool_new);
  /* leaks, because a pool may outlive its creator */
  return g_thread_pool_new_of_glib (run_pool_function, new PoolFunction{function, user_data}, most_threads, exclusive, error);
}

extern "C" gboolean
g_thread_pool_push (GThreadPool *pool, gpointer data, GError **error)
{
  REAL (g_thread_pool_push);
  __tsan_release (data);
  return g_thread_pool_push_of_glib (pool, data, error);
}
