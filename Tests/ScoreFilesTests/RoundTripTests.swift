import Foundation
import MIDI
import ScoreFiles
import Scores
import Testing
import _TestSupport

@Suite struct RoundTripTests {
  /// Every own score: reading what is written gives the same octets, as MusicXML and in the compact form.
  @Test(arguments: OwnScores.names) func ownScoresSurvive(name: String) throws {
    let result = try OwnScores.read(name)
    #expect(result.unsupported.isEmpty && result.findingCount == 0, "\(result.unsupported) \(result.findings)")
    let written = MusicXMLWriter.octets(result.score)
    let read = try ScoreImport(octets: written, file: name)
    #expect(read.score == result.score && read.findingCount == 0 && read.unsupported.isEmpty)
    #expect(read.score.octets == result.score.octets)
    #expect(try Score(octets: result.score.octets) == result.score)
  }

  /// Random scores with everything that the model has survive MusicXML. The reader numbers the notes in the same order.
  @Test(arguments: 1...200) func randomScoresSurvive(seed: Int) throws {
    let score = RandomScore(seed: UInt64(seed)).score
    let read = try ScoreImport(octets: MusicXMLWriter.octets(score), file: "x")
    #expect(read.unsupported.isEmpty && read.findingCount == 0, "\(read.unsupported) \(read.findings)")
    #expect(read.score.bars == score.bars)
    #expect(read.score.tempoMarks == score.tempoMarks)
    for (part, other) in zip(read.score.parts, score.parts) {
      #expect(part.instruments == other.instruments && part.level == other.level)
      for (index, (bar, original)) in zip(part.bars, other.bars).enumerated() where bar != original {
        Issue.record("seed \(seed), bar \(index + 1): \(bar) instead of \(original)")
      }
    }
    #expect(read.score == score)
  }

  /// As MIDI, the notes come back on their onsets, also those of tuplets.
  @Test(arguments: OwnScores.names) func midiKeepsTheOnsets(name: String) throws {
    let score = try OwnScores.read(name).score
    let route = try Route(score)
    let octets = try MIDIScoreWriter.octets(score, along: route, tempo: TempoPath(score, along: route))
    let read = try ScoreImport(octets: octets, file: name + ".mid").score
    let before = EventTable(score, along: route)
    let after = EventTable(read, along: try Route(read))
    // Grace notes sound beside the grid of printed values.
    let graces = Set(
      score.parts.flatMap(\.bars).flatMap(\.voices).flatMap(\.chords).filter { $0.grace != nil }.flatMap(\.notes).map(
        \.id))
    func onsets(_ table: EventTable) -> Set<String> {
      Set(
        table.events.filter { !graces.contains($0.note) }.map { "\($0.position.thousandths) \($0.key)" })
    }
    let lost = onsets(before).subtracting(onsets(after))
    #expect(graces.isEmpty ? lost.isEmpty : lost.count <= 2 * graces.count, "\(lost.sorted())")
    #expect(read.parts.count == score.parts.count)
  }

  @Test func damagedMIDIFilesAreRefused() throws {
    #expect(throws: ScoreFault.self) { try ScoreImport(octets: Array("MThd".utf8), file: "x.mid") }
    let score = try OwnScores.read("two-voices").score
    let route = try Route(score)
    let octets = try MIDIScoreWriter.octets(score, along: route, tempo: TempoPath(score, along: route))
    for end in stride(from: 14, to: octets.count, by: 37) {
      _ = try? ScoreImport(octets: Array(octets[..<end]), file: "x.mid")
    }
  }

  /// Long notes in short files: too many bars, or too many tied notes.
  @Test func shortMIDIFilesDoNotGrow() throws {
    func fault(_ notes: Int, ticks: Int64) throws -> String {
      let channel = Channel(1)!
      var events: [StandardMIDIFile.Event] = []
      for note in 0..<notes {
        let channel = note < 128 ? channel : Channel(note / 128 + 1)!
        events.append(.init(tick: 0, .message(.noteOn(channel, key: UInt7(masking: UInt8(note % 128)), velocity: 64))))
      }
      let file = StandardMIDIFile(
        format: .singleTrack, division: .ticksPerQuarter(1), tracks: [.init(events, end: ticks)])
      let octets = try file.bytes()
      #expect(octets.count < 10_000)
      do throws(ScoreFault) {
        _ = try ScoreImport(octets: octets, file: "x.mid")
        return ""
      } catch {
        return error.description
      }
    }
    #expect(try fault(1, ticks: 200_000_000).contains("more than 10000 bars"))
    #expect(try fault(500, ticks: 39_000).contains("more than"))
    #expect(try fault(1, ticks: 39_000) == "")
  }
}
