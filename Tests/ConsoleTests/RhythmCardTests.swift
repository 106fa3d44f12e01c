import Foundation
import Rhythm
import Testing

@testable import Console

/// What a page shows of a rhythm of the library.
@Suite struct RhythmCardTests {
  private func card(_ text: String) throws -> RhythmCard {
    RhythmCard("file", try PatchLoader.patch(from: text, file: "file.yaml"))
  }

  @Test func printHasTheFirstBarAtActivity90() throws {
    let rows = try card(
      """
      name: test
      description: A test.
      tempo: 100
      swell: 0%
      play:
        always:
          kick: X... o... | x... x...
          snare: .... x...
        from 91:
          hat: xxxx xxxx
      meter: 2/4
      """
    ).rows
    #expect(rows.map { $0.map(\.step) } == [[0, 4], [4]])
    #expect(rows.map { $0.map(\.strength) } == [[3, 1], [2]])
  }

  @Test func printHasAtMostSixRows() throws {
    let lines = (35..<45).map { "    d\($0): x...\n" }.joined()
    let kit = (35..<45).map { "  d\($0): \($0)\n" }.joined()
    let text =
      "name: test\ndescription: A test.\ntempo: 100\nmeter: 1/4\nkit:\n\(kit)play:\n  always:\n\(lines)"
    #expect(try card(text).rows.count == 6)
  }

  @Test func cardHasTheMembersOfTheProtocol() throws {
    let text =
      "name: test\ndescription: A test.\ntempo: 190\nmeter: 7/8\nplay: { always: { kick: x... .... .... .. } }\n"
    let json = try JSONSerialization.jsonObject(with: JSONEncoder().encode(try card(text))) as? [String: Any]
    #expect(json?["name"] as? String == "file" && json?["bpm"] as? Double == 190)
    #expect(json?["beats"] as? Int == 7 && json?["unit"] as? Int == 8 && json?["groups"] as? [Int] == [2, 2, 3])
    let first = (json?["print"] as? [[[String: Int]]])?.first?.first
    #expect(first == ["step": 0, "strength": 2])
  }
}
