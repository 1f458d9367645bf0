/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A whole pipeline from a launch line, with its states and messages. */
#pragma once

#include "link.hpp"

namespace test {

class Pipeline {
public:
  explicit Pipeline (const std::string &launch);
  ~Pipeline ();
  Pipeline (const Pipeline &) = delete;
  Pipeline &operator= (const Pipeline &) = delete;

  GstElement *top () { return pipeline; }
  GstBus *bus () { return messages; }
  /* Finds an element by its name or its factory's; owned by the Pipeline. */
  GstElement *element (const char *name);

  /* Changes the state and waits until it is reached; returns false on failure, which leaves the errors on the bus. */
  bool reach (GstState state);
  /* Like reach(), but failure fails the test, with the errors. */
  void must_reach (GstState state);

  /* Plays until the end of the stream; an error fails the test. */
  void play_to_end ();

  /* Seeks, and waits until the pipeline is paused there. */
  void seek (GstClockTime time);
  /* The stream time of the frame that a paused sink of this name shows; fails the test if there is none. */
  GstClockTime shown_by (const char *sink);

  /* Plays until an error, waits for further ones, and returns the errors of one element, because a source adds its own when its
   * stream breaks. The end of the stream fails the test. */
  std::vector<Report> play_to_error (const std::string &element);

  /* The errors so far, after some time for more to come. */
  std::vector<Report> errors ();

private:
  std::string launch;
  GstElement *pipeline = nullptr;
  GstBus *messages = nullptr;
  std::vector<GstElement *> found;
};

/* A line around an element does not start, with one error that contains the property's name and every one of the words, for this value
 * of the property; then another value plays, if there is one. */
void expect_refusal (const std::string &element, const char *property, const std::string &value,
    const std::vector<std::string> &words, const char *instead = nullptr);

/* Fails the test unless there is one error of this domain and code that contains every one of the words. */
void expect_one_error (const std::vector<Report> &errors, GQuark domain, int code, const std::vector<std::string> &words);

}  // namespace test
