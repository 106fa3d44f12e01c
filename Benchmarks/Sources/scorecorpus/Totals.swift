import Foundation
import ScoreFiles
import Scores

/// The results of all files.
struct Totals {
  private var read = 0
  private var refused: [(file: String, reason: String)] = []
  private var roundTripFailures: [String] = []
  private var unsupported: [String: Int] = [:]
  private var findings = 0
  private var notes = 0
  private var octets = (score: 0, file: 0)
  private var comparison = Comparison()
  private var unreadable: [String] = []
  /// The notes of files that are refused; they count as different.
  private var refusedNotes = 0

  /// Adds a file. Returns its score, nil if it is refused.
  mutating func add(_ file: String, octets: [UInt8], notes path: String?, _ differences: Int) throws -> Score? {
    self.octets.file += octets.count
    let reference = try path.map { try ReferenceNotes(path: $0) }
    if let reference, let error = reference.error { unreadable.append("\(file): \(error)") }
    do throws(ScoreFault) {
      let result = try ScoreImport(octets: octets, file: file)
      read += 1
      notes += result.score.noteCount
      findings += result.findingCount
      for (name, count) in result.unsupported { unsupported[name, default: 0] += count }
      let compact = result.score.octets
      self.octets.score += compact.count
      if try Score(octets: compact) != result.score { roundTripFailures.append("\(file): compact form") }
      try checkRoundTrip(result.score, compact, file)
      let route = try Route(result.score)
      _ = EventTable(result.score, along: route)
      _ = TempoPath(result.score, along: route)
      if let reference, reference.error == nil { comparison.add(result.score, reference, file, differences) }
      return result.score
    } catch {
      refused.append((file, error.description))
      refusedNotes += reference?.count ?? 0
      return nil
    }
  }

  private mutating func checkRoundTrip(_ score: Score, _ compact: [UInt8], _ file: String) throws(ScoreFault) {
    let again = try ScoreImport(octets: MusicXMLWriter.octets(score), file: file)
    guard again.score.octets != compact else { return }
    roundTripFailures.append("\(file): MusicXML, \(difference(score, again.score))")
  }

  /// Names the first field that differs.
  private func difference(_ a: Score, _ b: Score) -> String {
    if a.bars != b.bars {
      let index = zip(a.bars, b.bars).enumerated().first { $0.element.0 != $0.element.1 }?.offset ?? -1
      return "bar \(index + 1): \(a.bars[max(index, 0)]) and \(b.bars[max(index, 0)])"
    }
    if a.tempoMarks != b.tempoMarks { return "tempo marks: \(a.tempoMarks.prefix(3)) and \(b.tempoMarks.prefix(3))" }
    for (x, y) in zip(a.parts, b.parts) {
      for (index, (p, q)) in zip(x.bars, y.bars).enumerated() where p != q {
        for (v, w) in zip(p.voices, q.voices) {
          for (c, d) in zip(v.chords, w.chords) where c != d {
            return "part \(x.name), bar \(index + 1): \(c) and \(d)"
          }
        }
        return "part \(x.name), bar \(index + 1): \(p.marks) \(p.changes) and \(q.marks) \(q.changes)"
      }
      if x != y { return "part \(x.name): \(x.instruments) \(x.level) and \(y.instruments) \(y.level)" }
    }
    return "titles"
  }

  var failsLimits: Bool {
    !roundTripFailures.isEmpty || refused.count > 5 || (comparison.total > 0 && share < 0.999)
  }

  private var share: Double { Double(comparison.equal) / Double(max(comparison.total + refusedNotes, 1)) }

  func report() {
    print("files: \(read) imported, \(refused.count) refused")
    for (file, reason) in refused { print("  refused \(file): \(reason)") }
    print("notes: \(notes); compact form \(octets.score) octets, files \(octets.file)")
    print("findings: \(findings)")
    print("round trips that differ: \(roundTripFailures.count)")
    for failure in roundTripFailures.prefix(20) { print("  \(failure)") }
    if comparison.total > 0 {
      print(
        String(
          format: "equal to music21: %d of %d notes, %.4f %%", comparison.equal, comparison.total + refusedNotes,
          share * 100))
      for file in unreadable { print("  music21 cannot read \(file)") }
      comparison.report()
    }
    print("not supported, by count:")
    for (name, count) in unsupported.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
      print("  \(count) \(name)")
    }
  }
}
