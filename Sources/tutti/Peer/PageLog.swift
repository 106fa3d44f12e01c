import Logging

/// Passes the messages of the peer to the web page.
struct PageLog: LogHandler {
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.notice
  private let pages: PageConnection

  init(_ pages: PageConnection) { self.pages = pages }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) { pages.show("\(event.message)", level: "\(event.level)") }
}
