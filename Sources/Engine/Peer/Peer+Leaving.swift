import Audio
import Measurement
import MusicalTime
import Realtime

// How a peer goes.
extension Peer {
  /// Takes everything down and keeps what was recorded.
  ///
  /// - Throws: ``AudioFileError`` or ``TraceError`` when recording or trace are not complete.
  func leave() throws {
    let now = MonotonicClock.now
    // Its Stop, and the ends of its notes, go out before the sessions are closed.
    for message in midi?.releaseAll() ?? [] { core.play(message, at: now) }
    discovery?.stop()
    discovery = nil
    core.releaseNotes()
    perform(core.drain(at: now))
    clock.stop()
    core.leave(at: now)
    perform(core.drain(at: now))
    network.stop()
    if !sound.stop(after: now) { log.warning("the sound card, or its server, does not answer and was given up") }
    recordTicks(at: now)
    core.account.settle()
    defer {
      midi?.sequencer.close()
      ports.close()
    }
    do { try trace?.finish(summary) } catch { traceFailure = error }
    try sound.finish()
    if let traceFailure { throw traceFailure }
  }
}
