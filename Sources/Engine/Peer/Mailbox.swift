import Realtime
import Synchronization

/// The queue through which other threads send the commands of the player to the control thread.
public final class Mailbox: Sendable {
  /// Wakes the control thread.
  let bell = Doorbell()
  private let waiting = Mutex<[PlayerCommand]>([])

  public init() {}

  /// Adds a command and wakes the control thread.
  ///
  /// Real-time: not safe.
  public func post(_ command: PlayerCommand) {
    waiting.withLock { $0.append(command) }
    bell.ring()
  }

  /// Removes and returns the oldest commands, at most `limit`. Called by the control thread.
  func take(_ limit: Int) -> [PlayerCommand] {
    waiting.withLock { commands in
      defer { commands.removeFirst(min(limit, commands.count)) }
      return Array(commands.prefix(limit))
    }
  }

  /// Whether no command waits.
  var isEmpty: Bool { waiting.withLock { $0.isEmpty } }
}
