import PeerProtocol
import Testing
import _TestSupport

/// Tests of the encoding of ``PhraseMessage``, in which a player sends a phrase to another player.
@Suite struct PhraseMessageTests {
  private func note(_ step: UInt8, _ key: UInt8) -> PhraseMessage.Note {
    PhraseMessage.Note(step: step, key: key, velocity: 127, length: 32)
  }

  /// A phrase from player 0102030485060708 to player 11.
  private func message(_ stepCount: UInt8, _ notes: [PhraseMessage.Note]) -> PhraseMessage {
    PhraseMessage(from: Identity(0x0102_0304_8506_0708), to: Identity(0x11), stepCount: stepCount, notes: notes)
  }

  @Test func layoutIsAsDocumented() {
    let message = message(
      16, [PhraseMessage.Note(step: 1, key: 60, velocity: 99, length: 2), note(15, 127)])
    // A note has 24 bits: step, key, velocity / 4, and length - 1. The first note is 0000001 0111100 11000 00001, the second one
    // 0001111 1111111 11111 11111. The receiver sets the two lower bits of a velocity, which are not sent. The velocities 99 and 127
    // have these bits set, so they are received unchanged. The first byte of each row contains the top bits of the octets
    // after it. The comments give these octets.
    let expected: [UInt8] = [
      0x7D, 0x54, 0x03, 0x08,  // non-commercial use; 'T'; version 3; kind 8, phrase
      0x04, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07,  // sender: 01 02 03 04 85 06 07
      0x00, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,  // 08; receiver: zeros
      0x04, 0x00, 0x11, 0x10, 0x02, 0x73, 0x01, 0x1F,  // 00 11; number of steps: 10; 02 F3 01; 1F
      0x60, 0x7F, 0x7F,  // FF FF
    ]
    #expect(message.systemExclusive == expected && PhraseMessage(systemExclusive: expected) == message)
  }

  /// The longest phrase has 26 notes. Its 95 octets take 109 bytes, after four bytes at the beginning. A phrase with 27 notes is refused.
  @Test func longestPhraseFits() {
    let message = message(128, (0..<26).map { note($0 * 4, $0) })
    #expect(message.systemExclusive.count == 113)
    #expect(PhraseMessage(systemExclusive: message.systemExclusive) == message)
    var long = message
    long.notes.append(note(127, 127))
    #expect(PhraseMessage(systemExclusive: long.systemExclusive) == nil)
  }

  @Test func invalidMessageIsRefused() {
    let bytes = message(16, [note(15, 60), note(3, 60)]).systemExclusive
    for n in bytes.indices {
      var other = bytes
      other[n] = 0x80
      #expect(PhraseMessage(systemExclusive: other) == nil)
      // The first 27 bytes are a complete message with the first note only.
      #expect(PhraseMessage(systemExclusive: Array(bytes[..<n])) == nil || n == 27)
    }
    // A phrase has 1 to 128 steps. In a phrase of 15 steps, the last step has the number 14.
    for stepCount in [0, 15, 129] as [UInt8] {
      let message = message(stepCount, [note(15, 60)])
      #expect(PhraseMessage(systemExclusive: message.systemExclusive) == nil, "\(stepCount)")
    }
    #expect(PhraseMessage(systemExclusive: message(16, []).systemExclusive) == nil)
  }

  /// Random octets are a phrase within the limits, or nothing.
  @Test func randomOctetsAreBounded() {
    var random = SplitMix(seed: 1)
    var count = 0
    for _ in 0..<20_000 {
      let length = Int.random(in: 0...120, using: &random)
      let bytes: [UInt8] = [0x7D, 0x54, 3, 8] + (0..<length).map { _ in .random(in: 0...127, using: &random) }
      guard let message = PhraseMessage(systemExclusive: bytes) else { continue }
      count += 1
      #expect((1...128).contains(message.stepCount) && (1...26).contains(message.notes.count))
      #expect(message.notes.allSatisfy { $0.step < message.stepCount && $0.key < 128 && (1...32).contains($0.length) })
    }
    #expect(count > 0)
  }
}
