import Foundation
import Measurement
import MusicalTime
import Testing
import _TestSupport

/// Tests of ``CalibrationAnalysis``, which measures the delay of a phone in a recording. The recording contains the clicks of the peer
/// (the reference) and of the phone (the device).
@Suite struct CalibrationTests {
  /// The seeds of a test: 1...`count`, and fewer in a debug build, because the onset detector is slow there.
  static func seeds(_ count: UInt64) -> ClosedRange<UInt64> {
    #if DEBUG
      1...max(count / 40, 2)
    #else
      1...count
    #endif
  }

  /// A random room with a phone, noise and echoes. The phone misses up to three clicks.
  private func room(_ random: inout SplitMix) -> CalibrationRoom {
    var room = CalibrationRoom()
    room.rate = [44_100, 48_000][Int(random.next() % 2)]
    room.delay = Double.random(in: -50...400, using: &random)
    room.latency = Double.random(in: 0...150, using: &random)
    room.drift = Double.random(in: -200...200, using: &random)
    room.isPink = random.next() % 2 == 0
    room.levels = (0.3, 0.3 * pow(10, Double.random(in: -12...6, using: &random) / 20))
    if random.next() % 2 == 0 { room.sounds.phone = .bright }
    room.echoes = (0..<random.next() % 6).map { _ in
      let delay = Double.random(in: 2...120, using: &random)
      return (delay, Double.random(in: 0.1...0.9, using: &random) * exp(-delay / 150))
    }
    while room.missed.count < Int(random.next() % 4) { room.missed.insert(Int(random.next() % 12)) }
    return room
  }

  /// Measures the delay of the phone in a recording of `room`.
  ///
  /// - Parameters:
  ///   - seed: the seed of the noise.
  ///   - usesReference: whether the delay is measured against the clicks of the peer. Otherwise it is measured against the clock of
  ///     the recording, which must be exact.
  private func delay(_ room: CalibrationRoom, seed: UInt64, usesReference: Bool = true) throws(CalibrationError)
    -> DeviceDelay
  {
    try CalibrationAnalysis(room.recording(seed: seed)).delay(
      from: CalibrationRoom.beginning, usesReference: usesReference)
  }

  /// The pattern of the phone has 12 clicks. A measurement needs two thirds of them, 8. Clicks that the measurement does not use
  /// count as rejected. These include the missed clicks.
  @Test func delaysAreExactToAMillisecond() {
    var (errors, within, refused): ([Double], Int, Int) = ([], 0, 0)
    for seed in Self.seeds(400) {
      var random = SplitMix(seed: seed)
      let room = room(&random)
      do throws(CalibrationError) {
        let delay = try delay(room, seed: seed)
        let error = abs(delay.milliseconds - room.delay)
        #expect(error < 1, "seed \(seed): \(delay), not \(room.delay)")
        #expect(delay.used >= 8 && delay.used + delay.rejected == 12, "seed \(seed)")
        #expect(delay.rejected >= room.missed.count, "seed \(seed)")
        errors.append(error)
        if error <= delay.uncertainty { within += 1 }
      } catch { refused += 1 }
    }
    // At most 3 % of the rooms are refused: an echo that is nearly as loud as the direct sound can hide too many clicks.
    #expect(refused * 100 <= 3 * (errors.count + refused), "\(refused) refused, \(errors.count) accepted")
    #expect(within * 100 >= 95 * errors.count, "\(within) of \(errors.count) within the uncertainty")
  }

  /// Rooms with eight echoes of up to 250 ms. The echoes hide many onsets of the direct sound, so most recordings are refused. A delay that
  /// is reported has at most its stated uncertainty in 95 % of the cases, and is never that of an echo.
  @Test(arguments: [300.0, 1000]) func echoesAreNotTakenForTheDirectSound(decay: Double) {
    var (within, accepted) = (0, 0)
    for seed in Self.seeds(100) {
      var random = SplitMix(seed: seed)
      var room = room(&random)
      room.missed = []
      room.echoes = (0..<8).map { _ in
        let delay = Double.random(in: 2...250, using: &random)
        return (delay, Double.random(in: 0.1...0.9, using: &random) * exp(-delay / decay))
      }
      guard let delay = try? delay(room, seed: seed) else { continue }
      accepted += 1
      let error = abs(delay.milliseconds - room.delay)
      #expect(error < 1, "seed \(seed): \(delay), not \(room.delay)")
      if error <= delay.uncertainty { within += 1 }
    }
    #expect(within * 100 >= 95 * accepted, "\(within) of \(accepted)")
    #if !DEBUG
      #expect(accepted >= 10, "\(accepted) of 100")
    #endif
  }

  @Test func delayInAQuietRoomIsExactToATenthOfAMillisecond() throws {
    for seed in Self.seeds(20) {
      var random = SplitMix(seed: seed)
      var room = CalibrationRoom()
      (room.delay, room.signalToNoise) = (Double.random(in: -50...400, using: &random), 60)
      let delay = try delay(room, seed: seed)
      #expect(abs(delay.milliseconds - room.delay) < 0.1, "seed \(seed): \(delay), not \(room.delay)")
      #expect(delay.used == 12 && delay.rejected == 0)
    }
  }

  @Test func delayWithoutReferenceIsRelativeToTheClockOfTheRecording() throws {
    for seed in Self.seeds(40) {
      var random = SplitMix(seed: seed)
      var room = room(&random)
      (room.levels.peer, room.latency, room.drift, room.echoes) = (0, 0, 0, [])
      let delay = try delay(room, seed: seed, usesReference: false)
      #expect(abs(delay.milliseconds - room.delay) < 1, "seed \(seed): \(delay), not \(room.delay)")
    }
  }

  /// The phone is silent, so the analysis must report an error and no delay.
  @Test func otherSoundsAreNotTakenForClicks() {
    for seed in Self.seeds(200) {
      var random = SplitMix(seed: seed)
      var room = room(&random)
      room.levels.phone = 0
      switch seed % 3 {
      case 1:
        // A drummer: up to 139 hits in 6.5 s at random.
        room.others = (0..<Int(random.next() % 140)).map { _ in Double.random(in: 0...6.5, using: &random) }
      case 2:
        // A metronome of 60 to 1000 BPM.
        let period = Double.random(in: 0.06...1, using: &random)
        room.others = (0..<Int(6.5 / period)).map { Double($0) * period }
      default: break
      }
      #expect(throws: CalibrationError.self, "seed \(seed)") { () throws(CalibrationError) in
        try delay(room, seed: seed)
      }
    }
  }

  @Test func tooFewClicksAreAnError() {
    var room = CalibrationRoom()
    room.missed = [0, 2, 4, 6, 8]
    #expect(throws: CalibrationError.tooFewClicks(found: 7, of: 12)) { () throws(CalibrationError) in
      try delay(room, seed: 1)
    }
    room.levels.peer = 0
    let error = #expect(throws: CalibrationError.self) { () throws(CalibrationError) in try delay(room, seed: 1) }
    guard case .noReference = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func faintDirectSoundBeforeAnEchoIsAmbiguous() {
    // The direct sound of only seven of the twelve clicks is heard, 40 ms late. An echo of all clicks is heard 130 ms late. The sounds in
    // `others` simulate the echo.
    var room = CalibrationRoom()
    room.missed = [1, 4, 6, 8, 10]
    room.delay = 40
    let clicks = ClickPattern.device.instants(from: Instant(nanoseconds: 0))
    let beginning = CalibrationRoom.lead + room.latency / 1e3
    room.others = clicks.map { beginning + ($0 - Instant(nanoseconds: 0)).seconds + 0.130 }
    let error = #expect(throws: CalibrationError.self) { () throws(CalibrationError) in try delay(room, seed: 3) }
    guard case .ambiguous(let first, let second, ofReference: false) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(abs(first - 40) < 1 && abs(second - 130) < 2, "\(first), \(second)")
  }

  @Test func silenceIsReported() {
    let silence = Recording(
      name: "x", samples: [Float](repeating: 0, count: 48_000 * 7), rate: 48_000,
      firstInstant: CalibrationRoom.beginning)
    #expect(throws: CalibrationError.silent) { () throws(CalibrationError) in
      try CalibrationAnalysis(silence).delay(from: CalibrationRoom.beginning, usesReference: true)
    }
    #expect(throws: ReportError.self) { () throws(ReportError) in try CalibrationAnalysis(silence).parts() }
    let empty = Recording(name: "x", samples: [], rate: 48_000, firstInstant: CalibrationRoom.beginning)
    #expect(throws: CalibrationError.silent) { () throws(CalibrationError) in
      try CalibrationAnalysis(empty).delay(from: CalibrationRoom.beginning, usesReference: true)
    }
  }

  /// A recording of three calibrations. Each calibration is a part.
  @Test func partsOfARecordingAreFoundWithoutItsClock() throws {
    var room = CalibrationRoom()
    (room.delay, room.drift, room.echoes) = (212.5, 150, [(25, 0.5), (60, 0.4)])
    let parts = try CalibrationAnalysis(room.recording(seed: 5, count: 3)).parts()
    #expect(parts.count == 3)
    for (index, part) in parts.enumerated() {
      let expected = CalibrationRoom.lead + room.latency / 1e3 + Double(index) * CalibrationRoom.length
      #expect(abs(part.beginning - expected) < 0.01)
      let delay = try part.delay.get()
      #expect(abs(delay.milliseconds - 212.5) < 1, "\(delay)")
    }
  }

  /// The clicks of a pattern are at least 90 ms apart. If a pattern is shifted against itself or against the other pattern, at most two
  /// clicks coincide. All instants are multiples of 10 ms, so equal shifts are equal numbers.
  @Test func patternsAreIrregular() {
    let origin = Instant(nanoseconds: 0)
    let patterns = [ClickPattern.reference, .device].map {
      $0.instants(from: origin).map { ($0 - origin).milliseconds }
    }
    for a in patterns {
      #expect(zip(a, a.dropFirst()).allSatisfy { $1 - $0 >= 90 })
      for b in patterns {
        var counts: [Double: Int] = [:]
        for x in a { for y in b where a != b || x != y { counts[y - x, default: 0] += 1 } }
        #expect((counts.values.max() ?? 0) <= 2)
      }
    }
  }
}
