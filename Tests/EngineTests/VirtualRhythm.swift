import Ensemble
import MusicalTime
import PeerProtocol
import Playback
import Realtime
import Rhythm
import Transports

@testable import Engine

/// The rhythm of the clock loop tests. A tick takes 20 ms, and a step 120 ms. A bar has 16 steps. A kick sounds on each quarter note.
enum VirtualRhythm {
  /// When the first tick is due.
  static let origin = Instant(nanoseconds: 5_000_000_000)
  static let tempo = Tempo(nanosecondsPerQuarter: 480_000_000)!

  /// A schedule of the ticks `start..<end`. Tick `start` is due at `origin`. If `sends` is true, the local peer is the master and
  /// sends the ticks. Otherwise the local peer is a follower.
  static func schedule(
    run: UInt32 = 1, sends: Bool = true, start: Int64 = 0, end: Int64 = .max, at origin: Instant = origin,
    change: TempoChange? = nil
  ) -> PlaybackSchedule {
    PlaybackSchedule(
      run: run, sends: sends, start: Tick(start), end: Tick(end),
      tempo: TempoMap(Timeline(tempo: tempo, tick: Tick(start), at: origin), changes: [change].compactMap { $0 }))
  }

  /// A clock loop without its thread. Time-stamp receivers get ticks 90 ms ahead, and the sound gets hits 50 ms ahead. If `records` is
  /// true, a second audio thread, which records, also gets the hits.
  static func loop(
    _ rings: ClockRings, on socket: UDPSocket, sequencer: Sequencer? = nil, records: Bool = false,
    offsets: [Nanoseconds] = []
  ) throws -> ClockLoop {
    let text = """
      name: two
      description: A kick on each quarter.
      tempo: 120
      play: { always: { kick: x... x... x... x... } }
      """
    rings.publish(StepTable(try PatchLoader.patch(from: text, file: "two.yaml")))
    var settings = ClockSettings(socket: socket, tickLead: .milliseconds(90), soundLead: .milliseconds(50))
    settings.sequencer = sequencer
    settings.hasSecondAudioThread = records
    settings.offsets = offsets
    return ClockLoop(shared: rings, settings: settings)
  }
}

extension ClockRings {
  /// Gives the clock loop a rhythm: that of ``VirtualRhythm/schedule(run:sends:start:end:at:change:)``, which has no digest, or another one.
  func publish(_ table: StepTable, digest: DocumentDigest? = nil) {
    (digest == nil ? tables.0 : tables.1).publish(RhythmTable(digest: digest, table: table))
  }
}

extension ClockLoop {
  /// Executes all waiting commands and does all work that may be done at `now`. Returns the next deadline.
  @_noLocks @_noAllocation
  @discardableResult
  mutating func advance(to now: Instant) -> Instant {
    while true {
      _ = execute()
      if let next = step(at: now), !hasCommands { return next }
    }
  }

  /// Advances the loop from `start` to `end`, half a millisecond at a time. Both are relative to the origin of the rhythm.
  mutating func play(from start: Nanoseconds, to end: Nanoseconds) {
    var now = VirtualRhythm.origin + start
    while now <= VirtualRhythm.origin + end {
      advance(to: now)
      now = now + .microseconds(500)
    }
  }
}
