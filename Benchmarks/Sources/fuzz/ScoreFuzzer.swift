import ScoreFiles
import Scores
import _TestSupport

/// A fuzzer of the readers of scores. The inputs are damaged MusicXML files, MIDI files and compact forms of random scores.
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
  /// The forms of the current score: MusicXML, MIDI, compact.
  private var forms: [[UInt8]] = []

  init(seed: UInt64) {
    self.seed = seed
    (random, mutator) = (SplitMix(seed: seed), Mutator(seed: seed))
  }

  var account: String { "accepted \(accepted), refused \(inputs - accepted)" }

  func run(inputs count: Int) throws(FuzzFailure) {
    for _ in 0..<count {
      if inputs % Self.inputsPerScore == 0 { draw() }
      let form = Int.random(in: 0..<forms.count, using: &random)
      var octets = forms[form]
      for _ in 0..<Int.random(in: 0...3, using: &random) { change(&octets) }
      let result = Result { () throws(ScoreFault) in
        // The third form is that of the transfer between peers.
        form == 2 ? try Score(octets: octets) : try ScoreImport(octets: octets, file: "x").score
      }
      switch result {
      case .success(let score):
        accepted += 1
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
    let score = RandomScore(seed: random.next()).score
    forms = [MusicXMLWriter.octets(score), [], score.octets]
    if let route = try? Route(score),
      let file = try? MIDIScoreWriter.octets(score, along: route, tempo: TempoPath(score, along: route))
    {
      forms[1] = file
    }
  }

  /// Damages octets, replaces a digit by a long number, or moves a part of a file to another place.
  private func change(_ octets: inout [UInt8]) {
    guard !octets.isEmpty else { return }
    let place = Int.random(in: 0..<octets.count, using: &random)
    switch Int.random(in: 0..<4, using: &random) {
    case 0 where (0x30...0x39).contains(octets[place]):
      let long = [UInt8](repeating: 0x39, count: Int.random(in: 1...12, using: &random))
      octets.replaceSubrange(place...place, with: Bool.random(using: &random) ? long : Array("-1".utf8))
    case 1:
      let other = Int.random(in: 0..<octets.count, using: &random)
      let piece = Array(octets[other..<min(other + 200, octets.count)])
      octets.insert(contentsOf: piece, at: place)
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
    guard TempoPath(score, along: route).changes.first?.tick.index == 0, table.events.count % 2 == 0 else {
      throw FuzzFailure("the tempo path or the events are incomplete", seed: seed, input: inputs)
    }
    // Every tenth score, because writing takes longer than reading.
    guard inputs % 10 == 0 else { return }
    let again = try? ScoreImport(octets: MusicXMLWriter.octets(score), file: "x").score
    guard again?.noteCount == score.noteCount else {
      throw FuzzFailure("written and read again, the score has other notes", seed: seed, input: inputs)
    }
  }
}
