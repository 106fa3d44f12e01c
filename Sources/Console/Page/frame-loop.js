// Draws a view at each frame of the display.

/** The share of a new frame in the estimate of the length of a frame. */
const SMOOTHING = 0.1

/**
 * Calls `draw` for each frame with a moment of performance.now(). The view draws the position of the rhythm at this moment.
 *
 * The time stamp of requestAnimationFrame is the beginning of a frame. The display can show this frame from the beginning of the next frame
 * until the beginning of the one after that. The moment is the middle of this time, so a step is at most half a frame early or late. A page
 * cannot know further delays of the browser and the display.
 */
export function onEachFrame(draw) {
  let length = 1000 / 60
  let previous
  const frame = (begin) => {
    // While the page is hidden, there are no frames. Such a gap counts as at most two frames.
    if (previous !== undefined) length += (Math.min(begin - previous, 2 * length) - length) * SMOOTHING
    previous = begin
    // If the page was busy and this call is late by more than a frame, the display shows the frame later.
    draw(Math.max(begin, performance.now() - length) + 1.5 * length)
    requestAnimationFrame(frame)
  }
  requestAnimationFrame(frame)
}
