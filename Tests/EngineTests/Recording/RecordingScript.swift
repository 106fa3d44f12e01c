import Audio
import MIDI
import MusicalTime

@testable import Engine

/// A MIDI recording in virtual time, with functions that add events. Times are given in milliseconds. A tick of the rhythm takes
/// 20 ms (480 ms per quarter note) unless a test gives another tempo.
struct RecordingScript {
  static let tempo = Tempo(nanosecondsPerQuarter: 480_000_000)!
  /// The units (ticks of the file) per tick of the rhythm.
  static let unit: Int64 = 160

  var recording: MIDIRecording
  /// The meter of the ticks.
  private let meter: Meter

  /// Creates a recording with the players `names`.
  init(_ names: [String] = ["Ada", "Ben"], meter: Meter = .common, limit: Int = MIDIRecording.maximumEvents) {
    self.meter = meter
    recording = MIDIRecording(name: "Ada", tempo: Self.tempo, meter: meter, limit: limit)
    for (player, name) in names.enumerated() { recording.add(.name(name, player: player)) }
  }

  /// The instant of a time in milliseconds.
  static func instant(_ milliseconds: Double) -> Instant {
    Instant(nanoseconds: 7_000_000_000 + Int64((milliseconds * 1e6).rounded()))
  }

  /// Adds ticks at `tempo`. The first of them is due at `start`. Returns the due time of the tick after the last of them.
  /// Their bars are `bars`; nil: bars of the meter of the initializer, from tick 0. Ticks with another number `series` belong to another rhythm, which does not continue the previous one.
  @discardableResult
  mutating func play(
    _ ticks: Range<Int64>, from start: Double, tempo: Tempo = tempo, series: UInt32 = 1, bars: BarGrid? = nil
  ) -> Double {
    let timeline = Timeline(tempo: tempo, tick: Tick(ticks.lowerBound), at: Self.instant(start))
    for index in ticks {
      let due = timeline.deadline(Tick(index))
      recording.add(
        .tick(
          TickRecord(
            tick: Tick(index), due: due, woken: due, acted: due, activity: 64, tempo: tempo,
            grid: bars ?? BarGrid(meter), series: series)))
    }
    return Double((timeline.deadline(Tick(ticks.upperBound)) - Self.instant(0)).count) / 1e6
  }

  /// Adds a message of a player. Player 0 is the local player.
  mutating func add(_ message: Message, player: Int = 0, at milliseconds: Double) {
    recording.add(.message(message, player: player, instant: Self.instant(milliseconds)))
  }

  /// Adds a hit that sounds at `milliseconds`, `push` milliseconds before its step.
  mutating func hit(_ note: UInt8, velocity: UInt8 = 100, at milliseconds: Double, push: Double = 0) {
    recording.add(
      .hit(
        SoundEvent(
          instant: Self.instant(milliseconds), note: note, velocity: velocity, group: 0,
          step: Self.instant(milliseconds + push))))
  }

  /// Adds a note of a pitched part that sounds from `milliseconds` until `end`.
  mutating func note(
    _ key: UInt8, part: UInt8, program: UInt8, at milliseconds: Double, until end: Double
  ) {
    recording.add(
      .hit(
        SoundEvent(
          instant: Self.instant(milliseconds), until: Self.instant(end), key: key, velocity: 90, part: part,
          program: program, step: Self.instant(milliseconds))))
  }

  /// Ends the notes of the pitched parts.
  mutating func release(at milliseconds: Double) {
    recording.add(.hit(SoundEvent.release(of: 0, at: Self.instant(milliseconds))))
  }

  /// Recalls the hits from the step at `milliseconds` on. The recall is sent at `now`.
  mutating func recall(from milliseconds: Double, at now: Double) {
    var event = SoundEvent.recall(from: Self.instant(milliseconds))
    event.submitted = Self.instant(now)
    recording.add(.hit(event))
  }

  /// Ends the sound at `milliseconds`, and places all events in the recording.
  mutating func finish(at milliseconds: Double = 1e9) { recording.finish(at: Self.instant(milliseconds)) }
}

extension StandardMIDIFile {
  /// The ticks and messages of a track, without meta events.
  func messages(ofTrack index: Int) -> [(tick: Int64, message: Message)] {
    tracks[index].events.compactMap { event in
      if case .message(let message) = event.content { (event.tick, message) } else { nil }
    }
  }

  /// The ticks of the notes that begin in a track.
  func begins(ofTrack index: Int) -> [Int64] {
    messages(ofTrack: index).filter { !$0.message.silencesNote && $0.message.key != nil }.map(\.tick)
  }

  /// The tempo events of the first track: tick, and microseconds per quarter note.
  var tempos: [[Int64]] {
    tracks[0].events.compactMap { event in
      guard case .meta(let meta) = event.content else { return nil }
      return meta.microsecondsPerQuarter.map { [event.tick, Int64($0)] }
    }
  }

  /// The time signatures of the first track: tick, numerator, denominator.
  var meters: [[Int64]] {
    tracks[0].events.compactMap { event in
      guard case .meta(let meta) = event.content, let signature = meta.timeSignature else { return nil }
      return [event.tick, Int64(signature.numerator), Int64(signature.denominator)]
    }
  }
}
