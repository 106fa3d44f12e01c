import Engine
import Logging
import Synchronization

/// The log lines of a peer. The thread of the peer adds lines, and the thread of a test reads them.
final class LogCapture: Sendable {
  private let storage = Mutex<[String]>([])

  var lines: [String] { storage.withLock { $0 } }

  func add(_ line: String) { storage.withLock { $0.append(line) } }
}

/// A log handler that appends each log message to a ``LogCapture``.
struct LogCaptureHandler: LogHandler {
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.debug
  private let capture: LogCapture

  init(_ capture: LogCapture) { self.capture = capture }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) { capture.add("\(event.message)") }
}

/// The events of a peer. The thread of the peer adds events, and the thread of a test reads them.
final class EventCapture: Sendable {
  private let storage = Mutex<[PeerEvent]>([])

  var events: [PeerEvent] { storage.withLock { $0 } }

  func add(_ event: PeerEvent) { storage.withLock { $0.append(event) } }
}
