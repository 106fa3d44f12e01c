import MIDI
import MusicalTime
import NIOCore
import PeerProtocol
import Rhythm
import Testing
import _TestSupport

@testable import Console

/// Tests of what the pages need to know about the played messages: the keys that remote players hold (``HeldKeys``), and the controllers of
/// the local player that shape the instrument. An instrument on a page can take its pitches from the held keys, as the instrument of the
/// peer does (``Rhythm/BorrowedPitches``).
@Suite struct PlayedMessagesTests {
  private let channel = Channel(3)!
  private let ada = Identity("00000000000000ad")!

  private let instant = Instant(nanoseconds: 5)

  private func press(_ key: UInt8) -> Message { .noteOn(channel, key: UInt7(masking: key), velocity: 90) }
  private func release(_ key: UInt8) -> Message { .noteOff(channel, key: UInt7(masking: key), velocity: 64) }
  private func control(_ number: UInt8, _ value: UInt8) -> Message {
    .controlChange(channel, controller: UInt7(masking: number), value: UInt7(masking: value))
  }

  /// After random presses, releases and All Notes Off, `HeldKeys` contains exactly the keys that `BorrowedPitches` plays. Each action plays
  /// one key, so as many actions as there are keys play all of them.
  @Test(arguments: 1...20) func heldKeysAreThoseOfBorrowedPitches(seed: UInt64) {
    var random = SplitMix(seed: seed)
    var (keys, pitches) = (HeldKeys(), BorrowedPitches())
    for _ in 0..<500 {
      let key = UInt8.random(in: 40...64, using: &random)
      let message =
        switch UInt8.random(in: 0..<40, using: &random) {
        // All Notes Off.
        case 0: control(123, 0)
        case 1...18: release(key)
        default: press(key)
        }
      let presses = keys.presses
      _ = keys.receive(message)
      pitches.receive(message)
      #expect(keys.keys.count <= HeldKeys.capacity)
      // The next action plays a key that was just pressed.
      if keys.presses > presses { #expect(pitches.current == keys.keys.last) }
      var played: Set<UInt8> = []
      var copy = pitches
      for _ in 0..<keys.keys.count {
        if let current = copy.current { played.insert(current) }
        copy.advance()
      }
      #expect(played == Set(keys.keys))
      // The peer may play a note before the next message, so the next key is not always the newest one.
      if UInt8.random(in: 0..<2, using: &random) == 0 { pitches.advance() }
    }
  }

  /// The local instrument needs a key for its next note even if the remote player holds none. Therefore one key remains until the next
  /// key is pressed.
  @Test func allNotesOffKeepsTheLastKey() {
    var keys = HeldKeys()
    for key: UInt8 in [60, 64, 67] { _ = keys.receive(press(key)) }
    let hasChanged = keys.receive(control(123, 0))
    #expect(hasChanged && keys.keys == [67] && keys.presses == 3)
    let hasChangedAgain = keys.receive(release(67))
    #expect(!hasChangedAgain)
    _ = keys.receive(press(50))
    #expect(keys.keys == [50] && keys.presses == 4)
  }

  /// `add` returns whether the event loop must be woken, because the state has changed since the event loop took it.
  @Test func eventLoopIsWokenOncePerChange() {
    let played = PlayedMessages()
    #expect(played.add(press(60), from: ada, on: nil, at: instant))
    #expect(!played.add(press(64), from: ada, on: nil, at: instant), "the state was not taken yet")
    #expect(played.take().state.held["\(ada)"]?.keys == [60, 64])
    #expect(!played.add(release(30), from: ada, on: nil, at: instant), "the key was not held")
    #expect(played.add(release(60), from: ada, on: nil, at: instant))
    #expect(played.take().state.held["\(ada)"]?.keys == [64])
  }

  /// Only the controllers 1 and 74 on the channel of a player of the local peer change the shape of its instrument. Other controllers, notes,
  /// and controllers on other channels do not.
  @Test func controllersOnTheChannelOfAPlayerShapeItsInstrument() {
    let played = PlayedMessages()
    let page = Identity(5)
    #expect(!played.add(control(1, 90), from: ada, on: nil, at: instant))
    #expect(!played.add(control(7, 90), from: page, on: page, at: instant))
    #expect(played.add(control(1, 90), from: ada, on: page, at: instant))
    // The event loop need not be woken again, because it has not taken the change of controller 1 yet.
    #expect(!played.add(control(74, 20), from: page, on: page, at: instant))
    #expect(played.take().state.shape == ["\(page)": ["1": 90, "74": 20]])
    #expect(played.take().state.held.isEmpty)
  }

  /// Each press and each end of a held key is passed on once, at most ``PlayedMessages/maximumNotes`` at once.
  @Test func notesArePassedOnOnce() throws {
    let played = PlayedMessages()
    for message in [press(60), release(60), release(61), control(7, 3)] {
      _ = played.add(message, from: ada, on: nil, at: instant)
    }
    let notes = played.take().notes
    #expect(notes.map(\.key) == [60, 60] && notes.map(\.velocity) == [90, 0])
    #expect(notes.allSatisfy { $0.player == ada && $0.at == instant })
    #expect(played.take().notes.isEmpty)
    for count in 0..<200 { _ = played.add(press(UInt8(count % 128)), from: ada, on: nil, at: instant) }
    #expect(played.take().notes.map(\.key) == Array(0..<64))
    var octets = ByteBuffer()
    try #require(notes.first).write(to: &octets)
    #expect(octets.readableBytes == PlayedNote.length)
    #expect(Array(octets.readableBytesView) == [0, 0, 0, 0, 0, 0, 0, 0xAD, 60, 90, 0, 0, 0, 0, 0, 0, 0, 5])
  }

  @Test func playersWhoHaveLeftAreForgotten() {
    let played = PlayedMessages()
    _ = played.add(press(60), from: ada, on: nil, at: instant)
    _ = played.add(control(1, 1), from: ada, on: ada, at: instant)
    played.keep([])
    #expect(played.take().state == PlayedMessages.State())
  }
}
