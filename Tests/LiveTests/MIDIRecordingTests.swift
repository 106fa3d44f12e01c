import Foundation
import MIDI
import Measurement
import MusicalTime
import Realtime
import Rhythm
import Testing
import _TestSupport

@testable import Engine

extension TimingTests {
  /// Tests of the MIDI recording of a complete peer in this process, in real time.
  @Suite struct MIDIRecordingTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func file(_ name: String) throws -> StandardMIDIFile {
      try StandardMIDIFile(bytes: [UInt8](Data(contentsOf: folder.url.appendingPathComponent(name))))
    }

    /// The beginnings and ends of notes.
    private func notes(of track: StandardMIDIFile.Track) -> [(tick: Int64, message: Message)] {
      track.events.compactMap { event in
        if case .message(let message) = event.content, message.key != nil { (event.tick, message) } else { nil }
      }
    }

    private func begins(of track: StandardMIDIFile.Track) -> [(tick: Int64, message: Message)] {
      notes(of: track).filter { !$0.message.silencesNote }
    }

    private func velocity(of message: Message) -> UInt8? {
      if case .noteOn(_, _, let velocity) = message { velocity.value } else { nil }
    }

    /// Ben is a follower and records. The players of ada and ben both play notes.
    @Test func notesOfARemotePlayerAreOnTheTimelineOfTheRhythm() async throws {
      let ben = try LivePeer("ben", folder: folder) { $0.midiRecording = folder.path("take.mid") }
      let ada = try LivePeer("ada", folder: folder, connect: [ben.port], start: true)
      try await ben.waitForLog("this peer follows")
      try await ben.waitForLog("plays on MIDI channel")
      try await ada.waitForLog("plays on MIDI channel")
      /// The instant at which each note was played. The note sounds a little later.
      var played: [Instant] = []
      for key in UInt8(60)..<65 {
        try await pause(for: .milliseconds(230))
        played.append(MonotonicClock.now)
        ada.mailbox.post(.note(key, velocity: 90))
        ada.mailbox.post(.note(key, velocity: 0))
        ben.mailbox.post(.note(key + 20, velocity: 80))
      }
      ada.mailbox.post(.tempo(by: 60))
      try await pause(for: .milliseconds(1000))
      ada.mailbox.post(.startOrStop)
      try await ben.waitForLog("the rhythm stopped")
      try await pause(for: .milliseconds(300))
      _ = try ada.leave()
      let trace = try ben.leave()
      #expect(trace.summary?.others["midi_recording_lost"] == 0)
      let file = try file("take.mid")
      // The first track contains the tempos and has the name of the peer. The last two tracks contain the notes of the players.
      #expect(file.tracks.map(\.name) == ["ben", "rhythm", "ben", "ada"])
      // The stick sounds on each step. At both tempos, it is exactly on the grid of the file. A tick has 160 units of the file, and a
      // bar has 96 ticks.
      let hits = begins(of: file.tracks[1])
      let steps = trace.ticks.filter { $0.tick.index % 6 == 0 }
      let origin = try #require(hits.first).tick - #require(steps.first).tick.index * 160
      #expect(origin % (96 * 160) == 0)
      #expect(hits.map(\.tick) == steps.map { origin + $0.tick.index * 160 })
      #expect(hits.allSatisfy { $0.message.channel == Channel(10) })
      /// The position of an instant according to the trace, in units.
      func position(of instant: Instant) throws -> Int64 {
        let index = try #require(trace.ticks.lastIndex { $0.due <= instant })
        return origin + trace.ticks[index].tick.index * 160
      }
      let (remote, local) = (begins(of: file.tracks[3]), begins(of: file.tracks[2]))
      #expect(remote.map(\.message.key?.value) == [60, 61, 62, 63, 64])
      #expect(local.map(\.message.key?.value) == [80, 81, 82, 83, 84])
      for track in [remote, local] {
        // A note sounds within 200 ms after it was played. A position is that of the tick before the instant, so one tick is added.
        for (note, instant) in zip(track, played) {
          let latest = try position(of: instant + .milliseconds(200))
          #expect(try note.tick >= position(of: instant) && note.tick <= latest + 160, "\(note.message)")
        }
      }
      // The player of ben held the notes until ben left. In the file, each note has a beginning and an end.
      #expect(notes(of: file.tracks[2]).count == 10 && notes(of: file.tracks[3]).count == 10)
      let tempos = file.tracks[0].events.compactMap { event -> Int? in
        if case .meta(let meta) = event.content { meta.microsecondsPerQuarter } else { nil }
      }
      #expect(tempos == [500_000, 333_333])
    }

    /// The notes of an instrument sound on the grid of the rhythm: the notes of a figure, and notes that were played between two lines
    /// of the grid. A position is rounded to thousandths of a tick, and then to units of the file, so it can be one unit beside the
    /// grid. A tick has 160 units.
    @Test func notesOfAnInstrumentAreOnTheGrid() async throws {
      let ada = try LivePeer("ada", folder: folder, start: true) { configuration in
        configuration.midiRecording = folder.path("take.mid")
        configuration.instrument = try? Self.instrument("figure: x... x... x... x...")
      }
      try await ada.waitForLog("master")
      try await pause(for: .milliseconds(2100))
      let free = try Self.instrument("length: 1/16")
      ada.mailbox.post(.instrument(free, named: "free"))
      // The figure has ended. At 120 BPM, a line of the grid follows every 125 ms.
      for _ in 0..<5 {
        try await pause(for: .milliseconds(175))
        ada.mailbox.post(.note(60, velocity: 90))
      }
      try await pause(for: .milliseconds(500))
      ada.mailbox.post(.startOrStop)
      try await ada.waitForLog("the rhythm stopped")
      let trace = try ada.leave()
      #expect(trace.summary?.others["midi_recording_lost"] == 0)
      let file = try file("take.mid")
      let all = notes(of: file.tracks[2])
      // If the peer had not ended a note, the recording would end it at the end of the file, after the rhythm.
      let end = try #require(begins(of: file.tracks[1]).last).tick
      #expect(all.allSatisfy { $0.tick <= end }, "\(all.map(\.tick).max() ?? 0), \(end)")
      // The figure plays with the velocity of a normal stroke, 88, because the player has not played a note before. The later notes have
      // the velocity of the player, 90.
      let figure = begins(of: file.tracks[2]).filter { velocity(of: $0.message) == 88 }
      #expect(figure.count >= 4)
      let origin = try #require(begins(of: file.tracks[1]).first).tick
      // The figure has a note on each beat. A beat has 24 * 160 = 3840 units. Each note is at most one unit beside its beat.
      for note in figure { #expect(((note.tick - origin) % 3840 + 1) % 3840 <= 2, "\(note.tick)") }
      // By the grid of the instrument, a note that is late by at most 40 % of a sixteenth note (50 ms) sounds at once. Any other note
      // sounds on the next line of the grid. A sixteenth note has 960 units, of which 40 % are 384 units. The limit adds 96 units.
      let played = begins(of: file.tracks[2]).filter { velocity(of: $0.message) == 90 }
      #expect(played.count == 5)
      let lateness = played.map { ($0.tick - origin + 1) % 960 - 1 }
      #expect(lateness.allSatisfy { $0 <= 384 + 96 } && lateness.contains { $0 <= 1 }, "\(lateness)")
    }

    private static func instrument(_ rest: String) throws -> Rhythm.Instrument {
      try InstrumentLoader.instrument(
        from: """
          name: test
          description: A test.
          sound: harp
          scale: C major, C4..C6
          loudness: force
          grid: 1/16, late 40%
          \(rest)
          """, file: "test.yaml")
    }

    /// The rhythm plays twice, and a note is played in the pause. Each run begins on a bar line of the file.
    @Test func rhythmsAreOnTheBarsOfTheFile() async throws {
      let ada = try LivePeer("ada", folder: folder, start: true) { $0.midiRecording = folder.path("take.mid") }
      try await ada.waitForLog("master")
      try await pause(for: .milliseconds(700))
      ada.mailbox.post(.startOrStop)
      try await ada.waitForLog("the rhythm stopped")
      let noteTime = MonotonicClock.now
      ada.mailbox.post(.note(60, velocity: 90))
      try await pause(for: .milliseconds(1500))
      ada.mailbox.post(.startOrStop)
      try await ada.waitForLog("master", times: 2)
      try await pause(for: .milliseconds(500))
      ada.mailbox.post(.startOrStop)
      try await ada.waitForLog("the rhythm stopped", times: 2)
      let trace = try ada.leave()
      let file = try file("take.mid")
      let runs = trace.runs.map { trace.ticks[$0] }
      try #require(runs.count == 2)
      let hits = begins(of: file.tracks[1]).map(\.tick)
      let steps = runs.map { run in run.map(\.tick.index).filter { $0 % 6 == 0 }.map { $0 * 160 } }
      let origin = try #require(hits.first)
      #expect(origin % 15_360 == 0 && steps[0].first == 0)
      // Tick 0 of the second run is on the first bar line after the pause. A bar has 15360 units of 130208 ns.
      let last = try #require(runs[0].last)
      let elapsed = (try #require(runs[1].first).due - last.due).count / 130_208
      let line = ((origin + last.tick.index * 160 + elapsed) / 15_360 + 1) * 15_360
      #expect(hits == steps[0].map { origin + $0 } + steps[1].map { line + $0 })
      let note = try #require(notes(of: file.tracks[2]).first)
      let expected = origin + last.tick.index * 160 + (noteTime - last.due).count / 130_208
      // The note sounds within 200 ms, or 1536 units, after it was posted.
      #expect((expected - 1...expected + 1536).contains(note.tick), "\(note.tick), \(expected)")
    }
  }
}
