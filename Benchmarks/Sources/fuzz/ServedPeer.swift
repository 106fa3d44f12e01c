import Foundation
import _TestSupport

/// A process `tutti peer` with a web page.
final class ServedPeer {
  /// The time in which a peer must print its address.
  private static let patience = 30.0

  let port: Int
  let requests: RequestGenerator
  private let child: Child
  private var memory: Int?

  /// Starts `program` and waits until it serves its page. The peer plays with TimGM6mb: while it renders the sounds of the page, a larger
  /// SoundFont would appear as a growth of its memory.
  init(_ program: String, _ arguments: [String], name: String, in folder: TemporaryFolder) throws {
    child = try Child(
      program,
      [
        "peer", "--name", name, "--port", "0", "--discovery", "off", "--audio", "none", "--http", "0", "--soundfont",
        InstalledSoundFont.timGM6mb.path,
      ] + arguments,
      name: name, in: folder)
    let pattern = /http:\/\/127\.0\.0\.1:([0-9]+)\/(?:#token=([a-z2-7]+))?/
    let end = Date() + Self.patience
    while !child.errors.contains(pattern) {
      guard child.isRunning, Date() < end else {
        throw Client.Failure(description: "\(program): serves no page; its standard error: \(child.errors)")
      }
      usleep(20_000)
    }
    // A peer with tokens prints two addresses. Each is printed before the peer answers the first request.
    usleep(200_000)
    let addresses = child.errors.matches(of: pattern).map(\.output)
    port = addresses.first.flatMap { Int($0.1) } ?? 0
    requests = RequestGenerator(port: port, tokens: addresses.compactMap { $0.2.map(String.init) })
  }

  /// Whether the process has ended, with its message; nil if it runs. Waits a moment for the end, because the connections of a
  /// process close before it has ended.
  func death() -> String? {
    let end = Date() + 1
    while child.isRunning, Date() < end { usleep(10_000) }
    guard !child.isRunning else { return nil }
    // A trap prints its reason before a backtrace.
    let reason = child.errors.split(separator: "\n").first { $0.contains("Fatal error") }
    return "the peer has died: \(reason.map(String.init) ?? child.lastError)"
  }

  /// The resident memory of the process in octets.
  var residentMemory: Int {
    let fields = (try? String(contentsOfFile: "/proc/\(child.identifier)/statm", encoding: .utf8))?.split(
      separator: " ")
    return (fields.flatMap { $0.count > 1 ? Int($0[1]) : nil } ?? 0) * sysconf(Int32(_SC_PAGESIZE))
  }

  func rememberMemory() { memory = residentMemory }

  /// - Throws: `Client.Failure` if the memory has grown by more than `maximumGrowth` octets, or if a connection has stayed open.
  func verify(maximumGrowth: Int) throws {
    let growth = residentMemory - (memory ?? residentMemory)
    guard growth <= maximumGrowth else {
      throw Client.Failure(description: "the memory has grown by \(growth >> 10) KiB")
    }
    // The server closes a connection at the latest a second after its last response.
    let end = Date() + 3
    while establishedConnections > 0 {
      guard Date() < end else { throw Client.Failure(description: "\(establishedConnections) connections stay open") }
      usleep(20_000)
    }
  }

  /// The number of TCP connections to ``port`` that the peer has not closed.
  private var establishedConnections: Int {
    let text = (try? String(contentsOfFile: "/proc/net/tcp", encoding: .utf8)) ?? ""
    let local = ":" + String(format: "%04X", port)
    // The second field is the local address, and the fourth is the state: 01 (established) or 08 (waiting for the close).
    let open = text.split(separator: "\n").filter { line in
      let fields = line.split(separator: " ")
      guard fields.count > 3, fields[1].hasSuffix(local) else { return false }
      return fields[3] == "01" || fields[3] == "08"
    }
    return open.count
  }
}
