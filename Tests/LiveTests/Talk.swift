import Logging
import Synchronization

/// What a peer says, kept.
final class Talk: Sendable {
  private let kept = Mutex<[String]>([])

  var lines: [String] { kept.withLock { $0 } }

  func add(_ line: String) { kept.withLock { $0.append(line) } }
}

/// Log messages into a ``Talk``.
struct TalkLog: LogHandler {
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.info
  private let talk: Talk

  init(_ talk: Talk) { self.talk = talk }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) { talk.add("\(event.message)") }
}
