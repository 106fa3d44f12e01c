import Engine
import Ensemble
import MIDI
import MusicalTime
import NIOCore
import PeerProtocol
import Synchronization

/// What the players have played, as far as the pages need it. The control thread of the peer adds messages, and the event loop takes
/// the resulting state. The messages themselves are not stored.
final class PlayedMessages: Sendable {
  /// The payload of a frame ``FrameKind/partners``.
  struct State: Encodable, Equatable {
    /// The keys that players hold, by the identity of the player.
    var held: [String: HeldKeys] = [:]
    /// The newest values, 0...127, of the controllers that change the sound of the instruments of the local peer's players, by the identity of
    /// the player and the number of the controller.
    var shape: [String: [String: UInt8]] = [:]
  }

  /// The controllers of the controls `tilt forward` (Modulation, 1) and `tilt sideways` (Brightness, 74) of an instrument. A remote
  /// player can set them, too.
  fileprivate static let shapes: Set<UInt8> = [1, 74]

  /// The largest number of notes that wait until the event loop takes them. Further notes are left out.
  static let maximumNotes = 64

  /// The state, the notes since the event loop last took them, and whether there is anything to take.
  private let content = Mutex((state: State(), notes: [PlayedNote](), isDue: false))

  /// Adds a message. Returns whether the event loop must be woken to take the state and the notes. Called by the control thread.
  ///
  /// - Parameters:
  ///   - player: who has played the message.
  ///   - shaped: the player of the local peer on whose channel the message sounds; nil: none.
  ///   - instant: when the message sounds.
  func add(_ message: Message, from player: Identity, on shaped: Identity?, at instant: Instant) -> Bool {
    content.withLock { content in
      let changes = content.state.receive(message, from: "\(player)", on: shaped.map { "\($0)" })
      if changes, content.notes.count < Self.maximumNotes, let note = PlayedNote(message, from: player, at: instant) {
        content.notes.append(note)
      }
      guard changes, !content.isDue else { return false }
      content.isDue = true
      return true
    }
  }

  /// Returns the newest state, and removes and returns the notes. Called by the event loop.
  func take() -> (state: State, notes: [PlayedNote]) {
    content.withLock { content in
      content.isDue = false
      defer { content.notes = [] }
      return (content.state, content.notes)
    }
  }

  /// Removes the keys and the shapes of players that have left, if there are more than there are players. This condition is enough to limit
  /// the memory. Called by the control thread.
  func keep(_ players: [PlayerStatus]) {
    content.withLock { content in
      guard content.state.held.count > players.count || content.state.shape.count > players.count else { return }
      let identities = Set(players.map { "\($0.player.identity)" })
      content.state.held = content.state.held.filter { identities.contains($0.key) }
      content.state.shape = content.state.shape.filter { identities.contains($0.key) }
    }
  }
}

extension PlayedMessages.State {
  /// Updates the state with a message: the notes of its player, and the controllers ``PlayedMessages/shapes`` on the channel of a player of
  /// the local peer. Returns whether the state has changed.
  fileprivate mutating func receive(_ message: Message, from player: String, on shaped: String?) -> Bool {
    if let shaped, case .controlChange(_, let controller, let value) = message,
      PlayedMessages.shapes.contains(controller.value)
    {
      let number = "\(controller.value)"
      guard shape[shaped]?[number] != value.value else { return false }
      shape[shaped, default: [:]][number] = value.value
      return true
    }
    var keys = held[player] ?? HeldKeys()
    guard keys.receive(message) else { return false }
    held[player] = keys
    return true
  }
}

/// A note that a player has played or ended, for the frame ``FrameKind/notes``.
struct PlayedNote: Equatable {
  /// The number of octets in the frame.
  static let length = 18

  var player: Identity
  /// The key, 0...127.
  var key: UInt8
  /// The velocity, 1...127; 0: the note ends.
  var velocity: UInt8
  /// When the note sounds at the peer, in CLOCK_MONOTONIC.
  var at: Instant

  /// Nil for a message that is neither a Note On nor a Note Off.
  init?(_ message: Message, from player: Identity, at instant: Instant) {
    guard let key = message.key?.value else { return nil }
    (self.player, self.key, at) = (player, key, instant)
    if case .noteOn(_, _, let velocity) = message { self.velocity = velocity.value } else { velocity = 0 }
  }

  func write(to octets: inout ByteBuffer) {
    octets.writeMultipleIntegers(player.bits, key, velocity, at.nanoseconds)
  }
}

/// The keys that a player holds, in the order in which they were pressed. This player can set the pitches of an instrument on a
/// page: each note of the instrument then takes its pitch from one of these keys, in turn, as with ``Rhythm/BorrowedPitches``.
///
/// When no key is held any longer, the key that was released last remains, until the next key is pressed. After All Notes Off, the key
/// that was pressed last remains.
struct HeldKeys: Encodable, Equatable {
  /// The maximum number of keys. If more keys are held, the oldest ones are forgotten.
  static let capacity = 16

  /// At most ``capacity`` keys.
  private(set) var keys: [UInt8] = []
  /// How many times a key was pressed so far. A change tells a page that the last of ``keys`` is a new key, which the next note plays.
  private(set) var presses = 0
  /// Whether no key is held. ``keys`` then contains only the key that remains.
  private var isReleased = false

  private enum CodingKeys: String, CodingKey { case keys, presses }

  /// Presses or releases the key of a message, or releases all keys. Returns whether anything has changed.
  mutating func receive(_ message: Message) -> Bool {
    if message.endsAllNotes {
      guard !isReleased, let last = keys.last else { return false }
      (keys, isReleased) = ([last], true)
      return true
    }
    guard let key = message.key?.value else { return false }
    return message.silencesNote ? release(key) : press(key)
  }

  private mutating func press(_ key: UInt8) -> Bool {
    if isReleased { (keys, isReleased) = ([], false) }
    keys.removeAll { $0 == key }
    if keys.count == Self.capacity { keys.removeFirst() }
    keys.append(key)
    presses += 1
    return true
  }

  private mutating func release(_ key: UInt8) -> Bool {
    guard let index = keys.firstIndex(of: key), !isReleased else { return false }
    if keys.count > 1 { keys.remove(at: index) } else { isReleased = true }
    return true
  }
}
