import Engine
import PeerProtocol
import Rhythm

/// Completes a command line that is being typed: its first word, or the name that follows it.
struct CommandCompletion {
  /// The names of the players of all peers, as the last status shows them.
  var players: [String] = []

  /// What Tab does.
  enum Outcome: Equatable {
    /// The line with the part that all candidates have in common.
    case line(String)
    /// The candidates, because nothing can be added to the line.
    case candidates([String])
    case nothing
  }

  func complete(_ line: String) -> Outcome {
    let words = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
    let verb = words.first.map(String.init) ?? ""
    let isFirst = words.count < 2
    let typed = isFirst ? verb : String(words[1])
    let candidates = (isFirst ? Command.words : names(after: verb)).filter { $0.hasPrefix(typed) }
    guard let first = candidates.first else { return .nothing }
    let common = candidates.dropFirst().reduce(first) { String(zip($0, $1).prefix { $0 == $1 }.map(\.0)) }
    let before = isFirst ? "" : verb + " "
    if candidates.count == 1 { return .line(before + common + (isFirst ? " " : "")) }
    return common.count > typed.count ? .line(before + common) : .candidates(candidates)
  }

  /// The words and names that can follow the first word of a command.
  private func names(after verb: String) -> [String] {
    switch verb {
    case "patch": PatchLibrary.names(of: .rhythm)
    case "instrument": PatchLibrary.names(of: .instrument) + ["none"]
    case "score": ScoreLibrary.names + ["off"]
    case "part": Part.allCases.map(\.name)
    case "mute", "unmute", "offer", "shape": players
    case "hear": players + ["all", "none"]
    case "send-to": players + ["all"]
    case "led-by": players + ["anyone"]
    case "pitches": (players + ["none"]).map { "from " + $0 }
    case "gate": Gate.allCases.flatMap { ["\($0)=open", "\($0)=closed"] }
    case "total-activity": ["sum", "mean", "maximum"]
    case "phrase": ["record", "send", "play", "stop", "vary"]
    case "quiet", "ask", "vamp", "loop", "with-rhythm": ["off"]
    case "help": Command.words
    default: []
    }
  }
}
