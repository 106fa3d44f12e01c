import Engine
import MIDI
import PeerProtocol
import Synchronization

/// What the players have played, as far as the pages need it. The control thread of the peer adds messages, and the event loop takes
/// the resulting state. The messages themselves are not stored.
final class PlayedMessages: Sendable {
  /// The payload of a frame ``FrameKind/partners``.
  struct State: Encodable, Equatable {
    /// The keys that remote players hold, by the identity of the player's peer.
    var held: [String: HeldKeys] = [:]
    /// The newest values, 0...127, of the controllers that change the sound of the local player's instrument. The key is the number of
    /// the controller.
    var shape: [String: UInt8] = [:]
  }

  /// The controllers of the controls `tilt forward` (Modulation, 1) and `tilt sideways` (Brightness, 74) of an instrument. A remote
  /// player can set them, too.
  fileprivate static let shapes: Set<UInt8> = [1, 74]

  /// The state, and whether it has changed since the event loop last took it.
  private let content = Mutex((state: State(), isDue: false))

  /// Adds a message of a player: `player` is the identity of a remote player's peer, or nil for the local player. Returns whether the
  /// event loop must be woken to take the state. Called by the control thread.
  func add(_ message: Message, from player: Identity?) -> Bool {
    content.withLock { content in
      guard content.state.receive(message, from: player.map { "\($0)" }), !content.isDue else { return false }
      content.isDue = true
      return true
    }
  }

  /// Returns the newest state. Called by the event loop.
  func take() -> State {
    content.withLock { content in
      content.isDue = false
      return content.state
    }
  }

  /// Removes the keys of players that are no longer in session, if more players have keys than there are peers in session. This
  /// condition is enough to limit the memory. `members` are the peers in session. Called by the control thread.
  func keep(_ members: [PeerSnapshot.Member]) {
    content.withLock { content in
      guard content.state.held.count > members.count else { return }
      let identities = Set(members.map { "\($0.status.identity)" })
      content.state.held = content.state.held.filter { identities.contains($0.key) }
    }
  }
}

extension PlayedMessages.State {
  /// Updates the state with a message: with the notes of a remote player, and with the controllers ``PlayedMessages/shapes`` of the local
  /// player. For the local player, `player` is nil. Returns whether the state has changed.
  fileprivate mutating func receive(_ message: Message, from player: String?) -> Bool {
    if let player {
      var keys = held[player] ?? HeldKeys()
      guard keys.receive(message) else { return false }
      held[player] = keys
      return true
    }
    guard case .controlChange(_, let controller, let value) = message,
      PlayedMessages.shapes.contains(controller.value),
      shape["\(controller.value)"] != value.value
    else { return false }
    shape["\(controller.value)"] = value.value
    return true
  }
}

/// The keys that a remote player holds, in the order in which they were pressed. This player can set the pitches of an instrument on a
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
