// Draws everything that moves, in one loop. The loop runs only while something moves.

/** The share of a new frame in the estimate of the length of a frame. */
const SMOOTHING = 0.1

/** The functions that draw. */
const drawings = []
let isRunning = false
/** The estimated length of a frame, and the beginning of the previous frame, in milliseconds; undefined if the loop has just begun. */
let length = 1000 / 60
let previous

/**
 * Calls `draw` for each frame with a moment of performance.now(). `draw` shows the position of the rhythm at this moment, and returns
 * whether it needs a further frame.
 */
export function onEachFrame(draw) {
  drawings.push(draw)
  wakeFrames()
}

/** Draws from the next frame on, until nothing moves any more. Called after each change of what is drawn. */
export function wakeFrames() {
  if (isRunning) return
  isRunning = true
  previous = undefined
  requestAnimationFrame(frame)
}

/**
 * The time stamp of requestAnimationFrame is the beginning of a frame. The display can show this frame from the beginning of the next frame
 * until the beginning of the one after that. The moment is the middle of this time, so a step is at most half a frame early or late. A page
 * cannot know further delays of the browser and the display.
 */
function frame(begin) {
  // While the page is hidden, there are no frames. Such a gap counts as at most two frames.
  if (previous !== undefined) length += (Math.min(begin - previous, 2 * length) - length) * SMOOTHING
  previous = begin
  // If the page was busy and this call is late by more than a frame, the display shows the frame later.
  const moment = Math.max(begin, performance.now() - length) + 1.5 * length
  let moves = false
  for (const draw of drawings) if (draw(moment)) moves = true
  isRunning = moves
  if (moves) requestAnimationFrame(frame)
}

/** Whether the player has asked the system for less motion. */
export const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)")
