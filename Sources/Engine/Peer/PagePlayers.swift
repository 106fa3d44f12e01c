import Ensemble
import MIDI
import MusicalTime
import PeerProtocol
import Rhythm

/// The further players of this peer: pages, with the notes that they hold and their phrases, and adopted devices. The ensemble has their names,
/// energies and channels.
struct PagePlayers {
  private struct Page {
    /// The keys that the player holds, with the channel on which each was struck.
    var held: [UInt8: Channel] = [:]
    var phrases = PlayerPhrases()
    /// The place of the phrase that repeats in ``InstrumentSettings/pagePhrases``; nil if none repeats.
    var place: Int?
  }

  private var pages: [Identity: Page] = [:]
  /// The devices that play as players of this peer.
  var devices = DevicePlayers()
  /// The phrases that repeat, by place.
  private(set) var repeating = [PagePhrase](repeating: PagePhrase(), count: PagePhrase.maximumCount)

  mutating func join(_ player: Identity) { if pages[player] == nil { pages[player] = Page() } }

  /// Removes a page, and ends its phrase. Returns the keys that its player holds, with their channels.
  mutating func leave(_ player: Identity) -> [(key: UInt8, channel: Channel)] {
    guard let page = pages.removeValue(forKey: player) else { return [] }
    if let place = page.place { change(place, to: nil) }
    return page.held.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// Records that a page strikes or releases a key.
  ///
  /// - Parameter channel: the channel of a note that begins.
  /// - Returns: the channel of the note. Nil if the message has no effect.
  mutating func play(_ key: UInt8, isStruck: Bool, on channel: Channel, by player: Identity) -> Channel? {
    guard pages[player] != nil else { return nil }
    // A key that is struck again keeps the channel on which it must end.
    if isStruck {
      let held = pages[player]!.held[key] ?? channel
      pages[player]!.held[key] = held
      return held
    }
    return pages[player]!.held.removeValue(forKey: key)
  }

  // MARK: Phrases

  /// The phrases of a page for a display; nil if the page is no player.
  func phrases(of player: Identity) -> PhraseStatus? { pages[player]?.phrases.status }

  mutating func changePhrases<Result>(of player: Identity, _ body: (inout PlayerPhrases) -> Result) -> Result? {
    guard pages[player] != nil else { return nil }
    return body(&pages[player]!.phrases)
  }

  /// Repeats the phrase that a page has received or recorded, or its next variation, on `channel`. Does nothing if there is no phrase, or if
  /// ``PagePhrase/maximumCount`` pages repeat phrases already.
  mutating func repeatPhrase(isVaried: Bool, of player: Identity, on channel: Channel) {
    guard var page = pages[player], let place = page.place ?? repeating.firstIndex(where: { $0.table == nil }),
      let (phrase, _) = page.phrases.next(isVaried: isVaried, scale: [])
    else { return }
    page.place = place
    pages[player] = page
    repeating[place].channel = channel.wire
    change(place, to: PhraseTable(phrase))
  }

  /// Ends the repetition of the phrase of a page.
  mutating func stopPhrase(of player: Identity) {
    guard let place = pages[player]?.place else { return }
    pages[player]!.place = nil
    pages[player]!.phrases.isPlaying = false
    change(place, to: nil)
  }

  private mutating func change(_ place: Int, to table: PhraseTable?) {
    repeating[place].number &+= 1
    repeating[place].table = table
  }
}

/// The phrase of a page that the network thread repeats.
struct PagePhrase: Sendable, BitwiseCopyable {
  /// The number of pages that can repeat phrases at the same time.
  static var maximumCount: Int { @_noLocks @_noAllocation get { 8 } }

  /// Changes whenever another phrase begins, or the repetition ends.
  var number: UInt32 = 0
  /// The zero-based channel of the page.
  var channel: UInt8 = 15
  /// The phrase; nil if none repeats.
  var table: PhraseTable?
}
