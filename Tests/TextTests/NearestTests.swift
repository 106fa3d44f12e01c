import Testing
import Text

/// The names that a misspelt word probably means.
@Suite struct NearestTests {
  private let drums = ["kick", "snare", "tight snare", "hat", "open hat", "cowbell", "clap", "crash"]

  @Test(arguments: [
    ("cow bell", ["cowbell"]), ("Cowbel", ["cowbell"]), ("sanre", ["snare"]), ("kik", ["kick"]), ("hatt", ["hat"]),
    ("open-hat", ["open hat"]), ("kick", ["kick"]),
  ])
  func nearestNameIsFound(word: String, names: [String]) { #expect(drums.nearest(to: word) == names) }

  @Test(arguments: ["", "k", "gong", "triangle", String(repeating: "kick", count: 1_000)])
  func farWordHasNoName(word: String) {
    #expect(drums.nearest(to: word) == [] && drums.suggestion(for: word) == nil)
  }

  @Test func equallyNearNamesAreAllSuggested() {
    #expect(drums.suggestion(for: "cow bell") == "did you mean cowbell?")
    #expect(["bar", "bat", "cat", "far", "car"].suggestion(for: "har") == "did you mean bar, far or car?")
  }
}
