import Audio
import Measurement
import MusicalTime
import Realtime

// The end of a peer.
extension Peer {
  /// Closes everything, and completes the recordings and the trace.
  ///
  /// - Throws: ``AudioFileError``, ``EngineError`` or ``TraceError`` if a recording or the trace is not complete.
  func leave() throws {
    let now = MonotonicClock.now
    // The Avahi daemon withdraws the announcement in the background. This function waits for the daemon last, because the daemon
    // may hang.
    surroundings.withdraw()
    // Stop and the ends of all notes are sent before the sessions are closed.
    core.releaseNotes()
    execute(core.takeOutputs(at: now))
    network.stop()
    // The remaining events of the network thread can contain the ends of notes of remote peers. The ALSA port `notes` gets these ends, too.
    while network.rings.events.count > 0 { receiveFromNetwork() }
    execute(core.takeOutputs(at: now))
    clock.stop()
    // Without ticks, the thread has not learned anything.
    if clock.counters.ticks > 0 { WakeLeadFile.write(clock.counters.wakeLead) }
    records.addTicks(
      clock.rings, in: core, on: sound, layers: (patches.patch.layers, from: patches.tick), at: now)
    // `addSound` needs the names of the remote peers, which are known only until the sessions end.
    records.addSound(in: core, on: sound, at: now, isLast: true)
    lifecycle.hasEnded = true
    core.leave(at: now)
    execute(core.takeOutputs(at: now))
    if !sound.stop(after: now) {
      log.warning("sound card: the card or its sound server does not respond; restart the sound server")
    }
    remoteLog.finish()
    // The summary also counts the ticks of the run that is in progress.
    core.account.settle()
    defer {
      midi?.sequencer.close()
      ports.close()
      storage.finish()
      patches.checker.finish()
      surroundings.stopDiscovery()
    }
    try? records.trace.writer?.finish(summary)
    if let lost = records.recording?.lost, lost > 0, let path = configuration.midiRecording {
      log.warning(
        "\(path): notes and hits are missing (\(lost)), because the machine or its disk was too slow; close other programs"
      )
    }
    // Each file is completed even if another one cannot be.
    let recordings = Result { try sound.finish() }
    let midiDuration = try records.recording?.finish(at: now)
    reportLength(try recordings.get(), of: configuration.recording)
    reportLength(midiDuration, of: configuration.midiRecording)
    if let failure = records.trace.writer?.failure { throw failure }
  }

  /// Informs the player how long a recording is. Has no effect without a recording.
  private func reportLength(_ duration: Nanoseconds?, of path: String?) {
    guard let duration, let path else { return }
    let seconds = Int(duration.seconds.rounded())
    let minutes = seconds < 60 ? "" : "\(seconds / 60) min "
    log.info("\(path): \(minutes)\(seconds % 60) s")
  }
}
