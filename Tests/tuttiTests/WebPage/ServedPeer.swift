import Foundation
import _TestSupport

/// A `tutti peer` process with a web page.
final class ServedPeer {
  let process: PeerProcess
  /// The TCP port of the web page.
  let port: Int
  /// The token of the address of the page that plays and controls the rhythm.
  let leadToken: String
  /// The token of the address of the page that only plays.
  let playToken: String

  init(_ name: String, _ arguments: [String] = [], in folder: TemporaryFolder) async throws {
    process = try await PeerProcess(name, ["--http", "0", "--audio", "none"] + arguments, in: folder)
    var (lead, play): (String?, String?)
    try await process.wait(for: "to serve its page") { events in
      let page = events.first { $0.event == "page" }
      (lead, play) = (page?.lead, page?.play)
      return page != nil
    }
    func parts(_ url: String?) throws -> (port: Int, token: String) {
      guard let components = url.flatMap({ URLComponents(string: $0) }), let port = components.port else {
        throw RawConnection.Failure(description: "\(url ?? "no address"): not an address of a page")
      }
      return (port, String((components.fragment ?? "").dropFirst("token=".count)))
    }
    (port, leadToken) = try parts(lead)
    playToken = try parts(play).token
  }

  /// Sends a request. Returns the status code, and the complete response as text.
  func get(_ path: String, method: String = "GET", host: String? = nil, headers: [String] = []) throws -> (
    status: Int, text: String
  ) {
    let connection = try RawConnection(port: port)
    let lines = ["\(method) \(path) HTTP/1.1", "Host: \(host ?? "127.0.0.1:\(port)")", "Connection: close"] + headers
    connection.send(lines.joined(separator: "\r\n") + "\r\n\r\n")
    let text = String(decoding: connection.receiveAll(), as: UTF8.self)
    return (Int(text.split(separator: " ").dropFirst().first ?? "") ?? 0, text)
  }
}
