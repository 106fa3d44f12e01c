import Engine
import MIDI
import PeerProtocol
import Synchronization

/// What the players have played, as far as the pages need it. The control thread of the peer adds messages, and the event loop takes
/// the result. Messages do not accumulate.
final class PlayedMessages: Sendable {
  /// The payload of a frame ``FrameKind/partners``.
  struct State: Encodable, Equatable {
    /// The keys that remote players hold, by identity.
    var held: [String: HeldKeys] = [:]
    /// The controllers that change the sound of the local player's instrument, by number: the newest values, 0...127.
    var shape: [String: UInt8] = [:]
  }

  /// The controllers `tilt forward` and `tilt sideways`.
  private static let shapes: Set<UInt8> = [1, 74]

  private struct Content {
    var state = State()
    /// Whether the event loop has not taken the state since its last change.
    var isDue = false
  }

  private let content = Mutex(Content())

  /// Adds a message of a remote player, or of the local one (nil). Returns whether the event loop must be woken.
  func add(_ message: Message, from player: Identity?) -> Bool {
    content.withLock { content in
      guard content.state.receive(message, from: player.map { "\($0)" }, shapes: Self.shapes), !content.isDue else {
        return false
      }
      content.isDue = true
      return true
    }
  }

  /// Takes the newest state.
  func take() -> State {
    content.withLock { content in
      content.isDue = false
      return content.state
    }
  }

  /// Forgets the players that are not in session any longer. Called by the control thread.
  func keep(_ members: [PeerSnapshot.Member]) {
    content.withLock { content in
      guard content.state.held.count > members.count else { return }
      let identities = Set(members.map { "\($0.status.identity)" })
      content.state.held = content.state.held.filter { identities.contains($0.key) }
    }
  }
}

extension PlayedMessages.State {
  /// Returns whether the message has changed the state.
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
