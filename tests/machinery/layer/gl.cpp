/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gl.hpp"

#include <EGL/eglext.h>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>
#include <thread>

namespace layer {

namespace {

constexpr std::chrono::seconds patience{5};

/* The config of the application's context, because some drivers only share between equal configs. */
bool
find_config (EGLDisplay display, EGLContext context, EGLConfig *config)
{
  EGLint id = 0;
  if (!eglQueryContext (display, context, EGL_CONFIG_ID, &id))
    return false;
  *config = EGL_NO_CONFIG_KHR;
  if (id == 0)
    return true;
  const EGLint attributes[] = {EGL_CONFIG_ID, id, EGL_NONE};
  EGLint n = 0;
  return eglChooseConfig (display, attributes, config, 1, &n) && n == 1;
}

class EglContext : public OwnContext {
public:
  EglContext (EGLDisplay display_, EGLContext context_) : display (display_), context (context_) {}

  bool make_current () override
  {
    return context != EGL_NO_CONTEXT && eglMakeCurrent (display, EGL_NO_SURFACE, EGL_NO_SURFACE, context);
  }

  void destroy () override
  {
    eglMakeCurrent (display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    if (context != EGL_NO_CONTEXT)
      eglDestroyContext (display, context);
    eglReleaseThread ();
  }

private:
  EGLDisplay display;
  EGLContext context;
};

const EGLint desktop[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 3, EGL_CONTEXT_OPENGL_PROFILE_MASK,
    EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE};
const EGLint embedded[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_NONE};

std::unique_ptr<OwnContext>
make_shared_context (const Binding &binding)
{
  if (binding.platform == Binding::Platform::glx)
    return make_glx_context (binding.display, binding.context);
  EGLConfig config;
  EGLint api = 0;
  EGLContext context = EGL_NO_CONTEXT;
  if (find_config (binding.display, binding.context, &config)
      && eglQueryContext (binding.display, binding.context, EGL_CONTEXT_CLIENT_TYPE, &api) && eglBindAPI (api))
    context = eglCreateContext (binding.display, config, binding.context, api == EGL_OPENGL_API ? desktop : embedded);
  return std::make_unique<EglContext> (binding.display, context);
}

}  // namespace

const Gl *
Gl::get ()
{
  static const Gl &instance = *new Gl;
  static const bool is_complete =
      !std::ranges::count (std::bit_cast<std::array<void *, sizeof instance / sizeof (void *)>> (instance), nullptr);
  return is_complete ? &instance : nullptr;
}

bool
Binding::is_valid () const
{
  EGLint id;
  switch (platform) {
    case Platform::egl:
      return eglQueryContext (display, context, EGL_CONFIG_ID, &id);
    case Platform::glx:
      return is_glx_context (display, context);
    case Platform::none:
      break;
  }
  return false;
}

bool
Binding::is_current () const
{
  switch (platform) {
    case Platform::egl:
      return eglGetCurrentContext () == context;
    case Platform::glx:
      return current_glx_context () == context;
    case Platform::none:
      break;
  }
  return false;
}

bool
has_current_context ()
{
  return eglGetCurrentContext () != EGL_NO_CONTEXT || current_glx_context ();
}

/* Shared with the thread, which may outlive the GlThread if it releases the last reference itself. */
struct GlThread::Work {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::function<void (const Gl &)>> jobs;
  unsigned announced = 0;
  bool stop = false;
  std::thread thread;

  void serve (const Gl &gl)
  {
    std::unique_lock lock (mutex);
    for (;;) {
      changed.wait (lock, [this] { return stop || !jobs.empty (); });
      if (jobs.empty ())
        return;
      {
        const auto job = std::move (jobs.front ());
        jobs.pop_front ();
        lock.unlock ();
        job (gl);
      }
      lock.lock ();
    }
  }
};

GlThread::GlThread (std::shared_ptr<Work> work) : work_ (std::move (work)) {}

std::shared_ptr<GlThread>
GlThread::start (const std::function<std::unique_ptr<OwnContext> ()> &make_context)
{
  const Gl *gl = Gl::get ();
  if (!gl)
    return nullptr;
  auto work = std::make_shared<Work> ();
  std::promise<bool> started;
  std::future<bool> result = started.get_future ();
  work->thread = std::thread ([work, make_context, gl, started = std::move (started)] () mutable {
    const std::unique_ptr<OwnContext> context = make_context ();
    const bool current = context->make_current ();
    started.set_value (current);
    if (current)
      work->serve (*gl);
    context->destroy ();
  });
  if (!result.get ()) {
    work->thread.join ();
    return nullptr;
  }
  return std::shared_ptr<GlThread> (new GlThread (std::move (work)));
}

std::shared_ptr<GlThread>
GlThread::create (const Binding &binding)
{
  return binding.is_valid () ? start ([binding] { return make_shared_context (binding); }) : nullptr;
}

std::shared_ptr<GlThread>
GlThread::create_unshared ()
{
  return start (/* Uses its own display, so that an application may terminate its display. */
      [] () -> std::unique_ptr<OwnContext> {
        const EGLDisplay display = eglGetPlatformDisplay (EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
        const EGLint attributes[] = {EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_NONE};
        EGLConfig config;
        EGLint n = 0;
        EGLContext context = EGL_NO_CONTEXT;
        if (display != EGL_NO_DISPLAY && eglInitialize (display, nullptr, nullptr) && eglBindAPI (EGL_OPENGL_API)
            && eglChooseConfig (display, attributes, &config, 1, &n) && n == 1)
          context = eglCreateContext (display, config, EGL_NO_CONTEXT, desktop);
        return std::make_unique<EglContext> (display, context);
      });
}

GlThread::~GlThread ()
{
  stop ();
}

bool
GlThread::post (std::function<void (const Gl &)> job)
{
  {
    const std::lock_guard lock (work_->mutex);
    if (work_->stop)
      return false;
    work_->jobs.push_back (std::move (job));
  }
  work_->changed.notify_all ();
  return true;
}

bool
GlThread::run (const std::function<void (const Gl &)> &job)
{
  std::promise<void> done;
  const bool posted = post ([&] (const Gl &gl) {
    job (gl);
    done.set_value ();
  });
  if (posted)
    done.get_future ().wait ();
  return posted;
}

void
GlThread::announce ()
{
  const std::lock_guard lock (work_->mutex);
  work_->announced++;
}

void
GlThread::conclude ()
{
  {
    const std::lock_guard lock (work_->mutex);
    work_->announced--;
  }
  work_->changed.notify_all ();
}

void
GlThread::stop ()
{
  {
    std::unique_lock lock (work_->mutex);
    if (work_->stop)
      return;
    const bool own = work_->thread.get_id () == std::this_thread::get_id ();
    /* Only for a limited time, because announced work may wait for an event of the application. */
    if (!own)
      work_->changed.wait_for (lock, patience, [this] { return work_->announced == 0; });
    work_->stop = true;
    if (own)
      work_->thread.detach ();
  }
  work_->changed.notify_all ();
  if (work_->thread.joinable ())
    work_->thread.join ();
}

}  // namespace layer
