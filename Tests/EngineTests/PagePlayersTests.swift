import MIDI
import PeerProtocol
import Rhythm
import Testing

@testable import Engine

/// The held notes and the phrases of pages.
@Suite struct PagePlayersTests {
  private let anna = Identity(1)
  private let emil = Identity(2)

  private func pages() -> PagePlayers {
    var pages = PagePlayers()
    pages.join(anna)
    pages.join(emil)
    return pages
  }

  /// The channel of a page can change while it holds a note. The note ends on the channel on which it began.
  @Test func noteEndsOnItsChannel() {
    var pages = pages()
    let (first, second) = (Channel(4)!, Channel(16)!)
    #expect(pages.play(60, isStruck: true, on: first, by: anna) == first)
    #expect(pages.play(60, isStruck: true, on: second, by: anna) == first)
    #expect(pages.play(62, isStruck: true, on: second, by: anna) == second)
    #expect(pages.play(60, isStruck: false, on: second, by: anna) == first)
    #expect(pages.play(60, isStruck: false, on: second, by: anna) == nil, "the key is not held")
    #expect(pages.play(60, isStruck: true, on: first, by: Identity(9)) == nil, "not a player")
    let held = pages.leave(anna)
    #expect(held.map(\.key) == [62] && held.map(\.channel) == [second])
    #expect(pages.leave(anna).isEmpty && pages.phrases(of: anna) == nil && pages.phrases(of: emil) != nil)
  }

  @Test func eightPagesRepeatPhrases() throws {
    let phrase = try #require(Phrase(stepCount: 4, notes: [Phrase.Note(step: 0, key: 60, velocity: 99, length: 1)]))
    var pages = PagePlayers()
    for number in 0..<9 {
      let page = Identity(UInt64(number + 1))
      pages.join(page)
      _ = pages.changePhrases(of: page) { $0.receive(phrase, from: "Ada") }
      pages.repeatPhrase(isVaried: false, of: page, on: Channel(5)!)
      #expect((pages.phrases(of: page)?.variation == 0) == (number < 8), "\(number)")
    }
    #expect(pages.repeating.allSatisfy { $0.table != nil && $0.channel == 4 })
    let former = pages.repeating[2].number
    _ = pages.leave(Identity(3))
    #expect(pages.repeating[2].table == nil && pages.repeating[2].number != former)
    pages.repeatPhrase(isVaried: true, of: Identity(9), on: Channel(5)!)
    #expect(pages.phrases(of: Identity(9))?.variation == 1)
    pages.stopPhrase(of: Identity(9))
    #expect(pages.phrases(of: Identity(9))?.variation == nil && pages.repeating[2].table == nil)
  }
}
