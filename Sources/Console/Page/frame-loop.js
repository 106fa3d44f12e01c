// Draws a view at each frame of the display.

/** The share of a new frame in the estimate of the length of a frame. */
const SMOOTHING = 0.1

/**
 * Calls `draw` for each frame with a moment of performance.now(). The view draws the position of the rhythm at this moment.
 *
 * The time stamp of requestAnimationFrame is the beginning of a frame. The display shows what is drawn in this frame at the beginning of
 * the next one, and until the frame after it. The moment is the middle of this time, so the display is at most half a frame early or late.
 */
export function onEachFrame(draw) {
  let length = 1000 / 60
  let previous
  const frame = (begin) => {
    // A frame is longer than two others if the page was hidden.
    if (previous !== undefined) length += (Math.min(begin - previous, 2 * length) - length) * SMOOTHING
    previous = begin
    draw(begin + 1.5 * length)
    requestAnimationFrame(frame)
  }
  requestAnimationFrame(frame)
}
