import Engine

extension PhraseCommand {
  /// The number of bars of `phrase record` without BARS.
  private static let standardBars = 2

  /// Parses the words after `phrase`. Returns nil if they are not a valid command.
  init?(words: [Substring]) {
    switch (words.first, words.count) {
    case ("record", 1): self = .record(bars: Self.standardBars)
    case ("record", 2):
      // A phrase has at most 128 steps (`Phrase.maximumSteps`), and a bar has at least one step.
      guard let bars = Int(words[1]), (1...128).contains(bars) else { return nil }
      self = .record(bars: bars)
    case ("send", 2...): self = .send(to: words.dropFirst().joined(separator: " "))
    case ("play", 1): self = .play
    case ("stop", 1): self = .stop
    case ("vary", 1): self = .vary
    default: return nil
    }
  }
}
