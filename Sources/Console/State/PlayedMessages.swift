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
  private static let shapes: Set<UInt8> = [1, 74]

  private struct Content {
    var state = State()
    /// Whether the state has changed since the event loop last took it.
    var isDue = false
  }

  private let content = Mutex(Content())

  /// Adds a message of a player: `player` is the identity of a remote player's peer, or nil for the local player. Returns whether the
  /// event loop must be woken to take the state. Called by the control thread.
  func add(_ message: Message, from player: Identity?) -> Bool {
    content.withLock { content in
      guard content.state.receive(message, from: player.map { "\($0)" }, shapes: Self.shapes), !content.isDue else {
        return false
      }
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
  /// Updates the state with a message: with the notes of a remote player, and with the controllers in `shapes` of the local player. For
  /// the local player, `player` is nil. Returns whether the state has changed.
  fileprivate mutating func receive(_ message: Message, from player: String?, shapes: Set<UInt8>) -> Bool {
    if let player {
      var keys = held[player] ?? HeldKeys()
      guard keys.receive(message) else { return false }
      held[player] = keys
      return true
    }
    guard case .controlChange(_, let controller, let value) = message, shapes.contains(controller.value),
      shape["\(controller.value)"] != value.value
    else { return false }
    shape["\(controller.value)"] = value.value
    return true
  }
}
