import Foundation
import MIDI
import Measurement
import MusicalTime
import Testing
import _TestSupport

/// Tests of ``ClockStamps`` from recordings of clock pulses and from MIDI files. The true stamps are known.
@Suite struct ClockSourceTests {
  /// A recording of pulses at `positions`, in frames at 48 kHz. A pulse is a decaying sine of 4 kHz, like the click of a drum
  /// machine, or a square pulse of 5 ms, as an audio input with a coupling capacitor records it. `noise` is the standard deviation of
  /// the noise, and `scale` is the amplitude of the pulses.
  private func recording(
    _ positions: [Double], isSquare: Bool, noise: Double = 0, seed: UInt64 = 1, scale: Float = 0.8
  ) -> Recording {
    var samples = Clocks.gaussian(Int(positions.last! + 4_800), seed: seed).map { Float($0 * noise) }
    for position in positions {
      let first = Int(position.rounded(.up))
      for frame in first..<min(first + 960, samples.count) {
        let time = (Double(frame) - position) / 48e3
        let value: Double
        if isSquare {
          // The time constants are 20 us for the rise and 20 ms for the capacitor. At the end of the pulse, the same step goes
          // downwards.
          func step(_ time: Double) -> Double { time < 0 ? 0 : (1 - exp(-time / 20e-6)) * exp(-time / 20e-3) }
          value = step(time) - step(time - 5e-3)
        } else {
          value = sin(2 * .pi * 4_000 * time) * exp(-time / 1e-3) * min(1, time / 50e-6)
        }
        samples[frame] += Float(value) * scale
      }
    }
    return Recording(name: "clicks.wav", samples: samples, rate: 48_000, firstInstant: Instant(nanoseconds: 0))
  }

  /// The clock has 24 ticks per quarter at 120 BPM and a jitter of 100 us. The standard deviation of the jitter is recovered to
  /// 1 %, and each tick to a fifth of a frame. The recording has no noise, or noise 40 dB below the pulses.
  @Test(arguments: [(true, 0.0), (true, 0.008), (false, 0.0), (false, 0.008)], UInt64(1)...5)
  func jitterIsRecovered(pulse: (isSquare: Bool, noise: Double), seed: UInt64) throws {
    let errors = Clocks.gaussian(500, seed: seed).map { $0 * 100_000 }
    let period = 500e6 / 24
    let positions = errors.enumerated().map { 4_800 + (Double($0) * period + $1) * 48e-6 }
    let stamps = try ClockStamps(recording(positions, isSquare: pulse.isSquare, noise: pulse.noise, seed: seed))
    #expect(stamps.stamps.count == 500 && stamps.warnings.isEmpty, "\(stamps.warnings)")
    let deviations = zip(stamps.stamps, positions).map { Double($0) * 48e-6 - $1 }
    let mean = deviations.reduce(0, +) / 500
    #expect(try #require(deviations.map { abs($0 - mean) }.max()) < 0.2)
    let report = try ClockAnalysis(stamps, provenance: Clocks.provenance).report
    let expectedReport = try Clocks.report(Clocks.stamps(period: period, errors: errors))
    let (sd, expected) = (
      try #require(report.phase.standardDeviation), try #require(expectedReport.phase.standardDeviation)
    )
    #expect(sd.isClose(to: expected, 0.01), "\(sd), \(expected)")
    #expect(report.tempo.value.isClose(to: expectedReport.tempo.value, 1e-7) && report.lost == 0 && report.doubled == 0)
  }

  /// DIN sync: square pulses of half a tick, 1440 of them, through an input that blocks direct current with a corner frequency in hertz.
  @Test(arguments: [(0.2, 0.0), (1, 0), (1, 0.002), (100, 0.002)], [1, -1] as [Float])
  func squaresThroughACouplingCapacitorAreFound(input: (corner: Double, noise: Double), polarity: Float) throws {
    let (rate, period) = (48_000.0, 1_000.37)
    var samples = Clocks.gaussian(Int(1440 * period + 9_600), seed: 8).map { Float($0 * input.noise) }
    // A first-order high-pass filter: y[n] = a (y[n - 1] + x[n] - x[n - 1]).
    let factor = 1 / (1 + 2 * .pi * input.corner / rate)
    var (output, previous) = (0.0, 0.0)
    for frame in samples.indices {
      // An edge takes one frame, so that it falls on all positions between two frames.
      let time = Double(frame) - 4_800.25
      let phase = time.truncatingRemainder(dividingBy: period)
      let isClock = time > 0 && time < 1440 * period
      let level =
        !isClock ? 0 : phase < 1 ? phase : phase < period / 2 ? 1 : phase < period / 2 + 1 ? 1 + period / 2 - phase : 0
      output = factor * (output + level - previous)
      previous = level
      samples[frame] += polarity * Float(output) * 0.4
    }
    let recording = Recording(name: "sync.wav", samples: samples, rate: 48_000, firstInstant: Instant(nanoseconds: 0))
    let report = try ClockAnalysis(
      ClockStamps(recording), nominalBPM: 60 * 48_000 / (24 * period), provenance: Clocks.provenance
    ).report
    #expect(
      report.ticks == 1440 && report.lost == 0 && report.doubled == 0 && report.runs == 1,
      "\(report.ticks), \(report.lost)")
    #expect(abs(try #require(report.drift).value) < 0.01)
    #expect(report.phaseMagnitude.maximum < 0.25 / 48e3 * 1e9, "\(report.phaseMagnitude.maximum) ns")
  }

  /// Clicks with an attack of 2 ms, and noise 40 dB below them. The first half wave that reaches the threshold is sometimes positive and
  /// sometimes negative.
  @Test(arguments: [(1_000.0, 0.9), (2_000, 0.25), (4_000, 0.08)], UInt64(1)...2)
  func clicksWithASoftAttackAreFound(click: (tone: Double, error: Double), seed: UInt64) throws {
    let period = 1_000.37
    var samples = Clocks.gaussian(Int(1440 * period + 9_600), seed: seed).map { Float($0 * 0.008) }
    for pulse in 0..<1440 {
      let position = 4_800 + Double(pulse) * period
      for frame in Int(position.rounded(.up))..<Int(position) + 480 {
        let time = (Double(frame) - position) / 48e3
        let envelope = min(time / 2e-3, 1) * exp(-max(time - 2e-3, 0) / 1.5e-3)
        samples[frame] += Float(0.8 * sin(2 * .pi * click.tone * time) * envelope)
      }
    }
    let recording = Recording(name: "soft.wav", samples: samples, rate: 48_000, firstInstant: Instant(nanoseconds: 0))
    let stamps = try ClockStamps(recording)
    let report = try ClockAnalysis(stamps, provenance: Clocks.provenance).report
    #expect(
      report.ticks == 1440 && report.lost == 0 && report.doubled == 0 && stamps.warnings.isEmpty, "\(report.lost)")
    // The error in frames.
    #expect(report.phaseMagnitude.maximum < click.error / 48e3 * 1e9, "\(report.phaseMagnitude.maximum) ns")
  }

  @Test func recordingWithoutPulsesIsRejected() {
    let silent = Recording(
      name: "s.wav", samples: [Float](repeating: 0, count: 48_000), rate: 48_000, firstInstant: Instant(nanoseconds: 0))
    for (recording, reason) in [
      (silent, "s.wav: silent"), (self.recording([5_000, 9_000], isSquare: false), "fewer than 3"),
    ] {
      let error = #expect(throws: ReportError.self) { try ClockStamps(recording) }
      #expect(error?.description.contains(reason) == true)
    }
  }

  /// One loud pulse does not hide the others, and one soft pulse is not lost.
  @Test func pulsesOfDifferentLevelsAreFound() throws {
    var recording = recording((0..<50).map { 4_800 + Double($0) * 1_000 }, isSquare: false, scale: 0.25)
    // Pulse 10 becomes 3.5 times as loud, and pulse 20 becomes softer.
    for frame in 14_800..<15_200 { recording.samples[frame] *= 3.5 }
    for frame in 24_800..<25_200 { recording.samples[frame] *= 0.7 }
    #expect(try ClockStamps(recording).stamps.count == 50)
  }

  /// Before the 50 pulses, plugging in a cable causes a click more than ten times as loud as a pulse. The click counts as one more pulse.
  @Test func loudClickDoesNotHideThePulses() throws {
    var recording = recording((0..<50).map { 4_800 + Double($0) * 1_000 }, isSquare: false, noise: 0.001, scale: 0.08)
    recording.samples[2_000] = 0.9
    #expect(try ClockStamps(recording).stamps.count == 51)
  }

  // MARK: MIDI files

  private func file(_ events: [StandardMIDIFile.Event]) -> StandardMIDIFile {
    StandardMIDIFile(format: .singleTrack, division: .ticksPerQuarter(960), tracks: [StandardMIDIFile.Track(events)])
  }

  @Test func clockBytesOfAMIDIFileAreMeasured() throws {
    // A quarter note of 480 ms has 960 ticks of the file, so such a tick takes 500 us. A clock byte follows every 40 ticks, or 20 ms.
    let tempo = StandardMIDIFile.Event(tick: 0, .meta(StandardMIDIFile.MetaEvent(microsecondsPerQuarter: 480_000)!))
    let file = file([tempo] + (0..<100).map { StandardMIDIFile.Event(tick: $0 * 40, .message(.clock)) })
    let stamps = try ClockStamps(name: "a.mid", midiFile: file.bytes(), usesNotes: false)
    let report = try ClockAnalysis(stamps, provenance: Clocks.provenance).report
    #expect(report.ticks == 100 && report.tempo.value.isClose(to: 125, 1e-12))
    #expect(report.warnings.contains { $0.contains("resolution of 500.000 us") })
  }

  /// A file with one track, in which `event` (a delta time and the bytes of an event) is repeated `count` times.
  private func bytes(_ count: Int, of event: [UInt8]) -> [UInt8] {
    let content = Array(repeating: event, count: count).joined() + [0, 0xFF, 0x2F, 0]
    let length = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: content.count >> $0) }
    return Array("MThd".utf8) + [0, 0, 0, 6, 0, 0, 0, 1, 0, 96] + Array("MTrk".utf8) + length + content
  }

  @Test func numberOfClockBytesIsNotLimited() throws {
    let count = StandardMIDIFile.maximumEvents + 1
    let stamps = try ClockStamps(name: "a.mid", midiFile: bytes(count, of: [4, 0xF7, 1, 0xF8]), usesNotes: false)
    #expect(stamps.stamps.count == count)
  }

  @Test func numberOfTempoEventsIsLimited() {
    let file = bytes(StandardMIDIFile.maximumEvents + 1, of: [0, 0xFF, 0x51, 3, 7, 0xA1, 0x20])
    let error = #expect(throws: ReportError.self) { try ClockStamps(name: "a.mid", midiFile: file, usesNotes: true) }
    #expect(error?.reason == "more than 1048576 tempo events")
  }

  @Test func independentTracksAreRefused() {
    var file = bytes(3, of: [4, 0xF7, 1, 0xF8])
    // The low byte of the format.
    file[9] = 2
    let error = #expect(throws: ReportError.self) { try ClockStamps(name: "a.mid", midiFile: file, usesNotes: false) }
    #expect(error?.reason == "contains independent tracks (format 2)")
  }

  /// The tempo changes in the middle. Two notes begin on each beat and give one stamp.
  @Test func notesOfAMIDIFileAreMeasured() throws {
    let channel = Channel(10)!
    let note = Message.noteOn(channel, key: 36, velocity: 100)
    var events = [StandardMIDIFile.Event(tick: 0, .meta(StandardMIDIFile.MetaEvent(microsecondsPerQuarter: 500_000)!))]
    for beat in Int64(0)..<20 {
      if beat == 10 {
        events.append(
          StandardMIDIFile.Event(tick: 9_600, .meta(StandardMIDIFile.MetaEvent(microsecondsPerQuarter: 400_000)!)))
      }
      events += [
        StandardMIDIFile.Event(tick: beat * 960, .message(note)),
        StandardMIDIFile.Event(tick: beat * 960, .message(note)),
      ]
    }
    let stamps = try ClockStamps(name: "a.mid", midiFile: file(events).bytes(), usesNotes: true)
    // Beat 10 is 10 * 0.5 s after the first beat, and beat 19 is another 9 * 0.4 s later.
    #expect(stamps.stamps.count == 20 && stamps.stamps[10] == 5_000_000_000 && stamps.stamps[19] == 8_600_000_000)
    let error = #expect(throws: ReportError.self) {
      try ClockStamps(name: "a.mid", midiFile: file(events).bytes(), usesNotes: false)
    }
    #expect(
      error?.description.contains(
        "contains no MIDI clock bytes (F8); if it contains a click track, add --notes") == true)
  }
}
