// SPDX-License-Identifier: LGPL-2.1-or-later
// Filters a file, and moves a property while it plays: cargo build && target/debug/smooth FILE
use gstreamer as gst;
use gst::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    gst::init()?;
    let file = std::env::args().nth(1).ok_or("usage: smooth FILE")?;
    let pipeline = gst::parse::launch(
        "filesrc name=file ! decodebin ! clbilateral name=smooth ! videoconvert ! autovideosink",
    )?
    .downcast::<gst::Pipeline>()
    .map_err(|_| "not a pipeline")?;
    pipeline
        .by_name("file")
        .ok_or("no file source")?
        .set_property("location", &file);
    let smooth = pipeline.by_name("smooth").ok_or("no filter")?;

    pipeline.set_state(gst::State::Playing)?;
    let bus = pipeline.bus().ok_or("no bus")?;
    let mut range = 0.0;
    let outcome = loop {
        // every half second a little smoother, up to a quarter of full scale
        match bus.timed_pop(gst::ClockTime::from_mseconds(500)) {
            Some(message) => match message.view() {
                gst::MessageView::Eos(..) => break Ok(()),
                gst::MessageView::Error(error) => break Err(error.error().into()),
                _ => (),
            },
            None => {
                range = f64::min(range + 0.02, 0.25);
                smooth.set_property("sigma-range", range);
            }
        }
    };
    pipeline.set_state(gst::State::Null)?;
    outcome
}
