import ScoreFiles
import Scores
import _TestSupport

/// A fuzzer of the readers of scores. The inputs are damaged MusicXML files, compressed MusicXML files, MIDI files and compact forms of
/// random scores.
///
/// The invariants: a file is read or refused with a reason and a remedy in one line. A score that is read is valid, has a route, a tempo
/// path and a table of events within their limits, and its compact form and its MusicXML give the same score.
final class ScoreFuzzer: Fuzzer {
  /// A new random score is drawn after so many inputs.
  private static let inputsPerScore = 1000

  private let seed: UInt64
  private var mutator: Mutator
  private var random: SplitMix
  private var inputs = 0
  private var accepted = 0
  /// The forms of the current score: MusicXML, MIDI, compact, compressed MusicXML.
  private var forms: [[UInt8]] = []
  /// How many inputs of each form were accepted.
  private var acceptedForms = [0, 0, 0, 0]

  init(seed: UInt64) {
    self.seed = seed
    (random, mutator) = (SplitMix(seed: seed), Mutator(seed: seed))
  }

  var account: String {
    let names = ["MusicXML", "MIDI", "compact", "mxl"]
    let list = zip(names, acceptedForms).map { "\($0) \($1)" }.joined(separator: ", ")
    return "accepted \(accepted) (\(list)), refused \(inputs - accepted)"
  }

  func run(inputs count: Int) throws(FuzzFailure) {
    for _ in 0..<count {
      if inputs % Self.inputsPerScore == 0 { draw() }
      let form = Int.random(in: 0..<forms.count, using: &random)
      var octets = forms[form]
      // A damaged entry has a wrong checksum, so half of the archives get a damaged score with the right one.
      if form == 3, Bool.random(using: &random) {
        var score = forms[0]
        change(&score)
        octets = StoredArchive(musicXML: score).octets
      } else {
        for _ in 0..<Int.random(in: 0...3, using: &random) { change(&octets) }
      }
      let result = Result { () throws(ScoreFault) in
        // The third form is that of the transfer between peers.
        form == 2 ? try Score(octets: octets) : try ScoreImport(octets: octets, file: "x").score
      }
      switch result {
      case .success(let score):
        accepted += 1
        acceptedForms[form] += 1
        try check(score)
      case .failure(let fault):
        guard !fault.reason.isEmpty, !fault.remedy.isEmpty, !fault.description.utf8.contains(0x0A) else {
          throw FuzzFailure("the reason is not one line: \(fault)", seed: seed, input: inputs)
        }
      }
      inputs += 1
    }
  }

  private func draw() {
    // Most scores are short, because a damaged octet is as likely in them, and they are read faster.
    let score = RandomScore(seed: random.next(), bars: Int.random(in: 0..<5, using: &random) == 0 ? 1...12 : 1...3)
      .score
    let musicXML = MusicXMLWriter.octets(score)
    forms = [musicXML, [], score.octets, StoredArchive(musicXML: musicXML).octets]
    if let route = try? Route(score),
      let file = try? MIDIScoreWriter.octets(score, along: route, tempo: TempoPath(score, along: route))
    {
      forms[1] = file
    }
  }

  /// Damages octets, replaces a digit by a long number, moves a part of a file to another place, or moves a bar line into its bar.
  private func change(_ octets: inout [UInt8]) {
    guard !octets.isEmpty else { return }
    let place = Int.random(in: 0..<octets.count, using: &random)
    switch Int.random(in: 0..<5, using: &random) {
    case 0 where (0x30...0x39).contains(octets[place]):
      let long = [UInt8](repeating: 0x39, count: Int.random(in: 1...12, using: &random))
      octets.replaceSubrange(place...place, with: Bool.random(using: &random) ? long : Array("-1".utf8))
    case 1:
      let other = Int.random(in: 0..<octets.count, using: &random)
      let piece = Array(octets[other..<min(other + 200, octets.count)])
      octets.insert(contentsOf: piece, at: place)
    case 2:
      // The next bar line with a repeat or an ending stands inside its bar.
      let name = Array(#"location=""#.utf8)
      guard let start = octets[place...].firstRange(of: name)?.upperBound,
        let end = octets[start...].firstIndex(of: 0x22)
      else { return }
      octets.replaceSubrange(start..<end, with: Array("middle".utf8))
      guard let closing = octets[start...].firstRange(of: Array("</barline>".utf8))?.upperBound,
        let opening = octets[..<start].lastIndex(of: 0x3C),
        let note = octets[closing...].firstRange(of: Array("</note>".utf8))?.upperBound
      else { return }
      octets.insert(contentsOf: octets[opening..<closing], at: note)
    default: mutator.mutate(&octets, splicing: forms[0])
    }
  }

  private func check(_ score: Score) throws(FuzzFailure) {
    do throws(ScoreFault) {
      try score.validate()
      guard try Score(octets: score.octets) == score else { throw ScoreFault("the compact form", "differs", "-") }
    } catch {
      throw FuzzFailure("an accepted score is not valid: \(error)", seed: seed, input: inputs)
    }
    // A route may be too long; that is a fault of its own.
    guard let route = try? Route(score) else { return }
    let table = EventTable(score, along: route)
    guard TempoPath(score, along: route).changes.first?.tick.index == 0,
      table.events.allSatisfy({ $0.length >= 1 && $0.velocity >= 1 }), table.barIndex.last == table.events.count
    else {
      throw FuzzFailure("the tempo path or the events are incomplete", seed: seed, input: inputs)
    }
    try checkParts(of: score)
    // Every tenth score, because writing takes longer than reading.
    guard inputs % 10 == 0 else { return }
    let written = MusicXMLWriter.octets(score)
    // A MIDI file of a few octets can have thousands of bars of rests. In MusicXML, they may exceed the limit of a file.
    guard written.count <= ScoreImport.maximumFile else { return }
    let again = try? ScoreImport(octets: written, file: "x").score
    guard again?.noteCount == score.noteCount else {
      throw FuzzFailure("written and read again, the score has other notes", seed: seed, input: inputs)
    }
  }

  /// Checks a route from a random bar, and a loop from there.
  private func checkParts(of score: Score) throws(FuzzFailure) {
    let bar = Int.random(in: score.bars.indices, using: &random)
    let end = Int.random(in: bar + 1...min(bar + 8, score.bars.count), using: &random)
    _ = score.ending(Int.random(in: 1...3, using: &random), after: bar)
    let routes = [
      try? Route(score, from: bar, isAfterJump: Bool.random(using: &random)), try? Route(score, looping: bar..<end),
    ]
    for route in routes.compactMap(\.self) {
      let table = EventTable(score, along: route)
      guard route.bars.first?.bar == bar, TempoPath(score, along: route).changes.first?.tick.index == 0,
        table.events.first.map({ $0.tick >= 0 }) ?? true
      else { throw FuzzFailure("a route from bar \(bar + 1) is wrong", seed: seed, input: inputs) }
    }
  }
}
