import Engine
import Ensemble
import MusicalTime

/// A command that cannot be understood: which, and what may be said instead.
struct WordsFault: Error, CustomStringConvertible {
  let description: String
}

extension PlayerCommand {
  /// What may be said, for help.
  static let vocabulary = """
    start, stop, continue, tempo B, activity A, total sum|mean|maximum, offer [PEER], take, gate RULE, led-by PEER|nobody, \
    to PEER|all, note KEY [VELOCITY], release KEY, control N VALUE, who, leave
    """

  /// Reads a command as it is typed behind a colon, or comes on standard input.
  ///
  /// - Throws: ``WordsFault``.
  init(words line: String) throws(WordsFault) {
    let words = line.split(whereSeparator: \.isWhitespace)
    let verb = words.first.map(String.init) ?? ""
    let rest = words.dropFirst().joined(separator: " ")
    func fault(_ reason: String) -> WordsFault { WordsFault(description: "\(line): \(reason)") }
    func numbers(_ count: ClosedRange<Int>) throws(WordsFault) -> [UInt8] {
      let values = words.dropFirst().compactMap { UInt8($0) }.filter { $0 <= 127 }
      guard values.count == words.count - 1, count.contains(values.count) else {
        throw fault(
          "needs \(count.lowerBound == count.upperBound ? "" : "up to ")\(count.upperBound) numbers from 0 to 127")
      }
      return values
    }
    switch verb {
    case "start" where rest.isEmpty: self = .start
    case "stop" where rest.isEmpty: self = .stop
    case "continue" where rest.isEmpty: self = .continue
    case "take" where rest.isEmpty: self = .take
    case "who" where rest.isEmpty: self = .showCompany
    case "leave" where rest.isEmpty: self = .leave
    case "tempo":
      guard let bpm = Double(rest), let tempo = try? Tempo(bpm: bpm) else {
        throw fault("needs beats a minute from 20 to 999")
      }
      self = .setTempo(tempo)
    case "activity": self = .activity(try numbers(1...1)[0])
    case "total":
      guard let rule = ActivityRule(rawValue: rest) else { throw fault("say total sum, total mean or total maximum") }
      self = .total(rule)
    case "offer": self = .offer(to: rest.isEmpty ? nil : rest)
    case "gate":
      do {
        var gates = Gates()
        try gates.apply(rest)
      } catch { throw WordsFault(description: "\(error)") }
      self = .gate(rest)
    case "led-by" where !rest.isEmpty: self = .ledBy(rest == "nobody" ? nil : rest)
    case "to" where !rest.isEmpty: self = .play(to: rest == "all" ? nil : rest)
    case "note":
      let values = try numbers(1...2)
      self = .note(values[0], velocity: values.count > 1 ? values[1] : 100)
    case "release": self = .note(try numbers(1...1)[0], velocity: 0)
    case "control":
      let values = try numbers(2...2)
      self = .control(values[0], value: values[1])
    default: throw fault("not a command; say one of: \(Self.vocabulary)")
    }
  }
}
