public import PeerProtocol
import Realtime
import Synchronization

/// The queue through which other threads send the commands of the players to the control thread.
public final class Mailbox: Sendable {
  /// Wakes the control thread.
  let bell = Doorbell()
  private let waiting = Mutex<[(PlayerCommand, Identity?)]>([])

  public init() {}

  /// Adds a command and wakes the control thread.
  ///
  /// - Parameter player: the page that sends the command; nil: the local player.
  ///
  /// Real-time: not safe.
  public func post(_ command: PlayerCommand, by player: Identity? = nil) {
    waiting.withLock { $0.append((command, player)) }
    bell.ring()
  }

  /// Removes and returns the oldest commands, at most `limit`. Called by the control thread.
  func take(_ limit: Int) -> [(command: PlayerCommand, player: Identity?)] {
    waiting.withLock { commands in
      defer { commands.removeFirst(min(limit, commands.count)) }
      return commands.prefix(limit).map { (command: $0.0, player: $0.1) }
    }
  }

  /// Whether no command waits.
  var isEmpty: Bool { waiting.withLock { $0.isEmpty } }
}
