import Audio
import Measurement
import MusicalTime
import Realtime

// The end of a peer.
extension Peer {
  /// Closes everything, and completes the recording and the trace.
  ///
  /// - Throws: ``AudioFileError`` or ``TraceError`` if the recording or the trace is not complete.
  func leave() throws {
    let now = MonotonicClock.now
    // The announcement is withdrawn in the background. The wait for the daemon comes last, because the daemon may hang.
    discovery?.withdraw()
    // Stop and the ends of all notes are sent before the sessions are closed.
    core.releaseNotes()
    execute(core.takeOutputs(at: now))
    network.stop()
    discardedDatagrams = Int64(ports.dropped)
    // The ends of the notes of remote peers go to the notes port.
    while networkRings.events.count > 0 { receiveFromNetwork() }
    execute(core.takeOutputs(at: now))
    clock.stop()
    core.leave(at: now)
    execute(core.takeOutputs(at: now))
    if !sound.stop(after: now) {
      log.warning("sound card: the card or its sound server does not respond; restart the sound server")
    }
    recordTicks(at: now)
    // The last run counts too.
    core.account.settle()
    defer {
      midi?.sequencer.close()
      ports.close()
      storage.finish()
      patchChecker.finish()
      discovery?.stop()
      discovery = nil
    }
    trace.finish(summary)
    try sound.finish()
    if let failure = trace.failure { throw failure }
  }
}
