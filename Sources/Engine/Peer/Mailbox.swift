import Realtime
import Synchronization

/// Commands on their way from other threads to the control thread.
public final class Mailbox: Sendable {
  let bell = Doorbell()
  private let waiting = Mutex<[PlayerCommand]>([])

  public init() {}

  /// Real-time: not safe.
  public func post(_ command: PlayerCommand) {
    waiting.withLock { $0.append(command) }
    bell.ring()
  }

  func takeAll() -> [PlayerCommand] {
    waiting.withLock { commands in
      defer { commands.removeAll() }
      return commands
    }
  }
}
