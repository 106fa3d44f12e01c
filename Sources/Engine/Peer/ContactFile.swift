import Foundation
import Measurement
public import RTPMIDI
import Text

/// The peers that may connect with `--policy contacts`: a text file with one contact per line.
///
///     # The quartet
///     name Ada
///     host 192.168.1.20
///     host studio.local
///
/// A `name` line admits each peer that reports this name. Any peer can report any name, so the line protects against mistakes, not against
/// attacks. A `host` line admits each peer whose packets come from an address of this host. ``HostResolver`` resolves the hosts, and
/// ``add(_:)`` adds their addresses.
///
/// Real-time: not safe.
public struct ContactFile: Sendable {
  /// The maximum size of the file in bytes.
  static let maximumSize = 1 << 20

  private var names: Set<String> = []
  /// The hosts as the user has written them, each once.
  private(set) var hosts: [String] = []
  /// The addresses of the hosts that were resolved.
  private var addresses: [SocketAddress] = []

  /// The default path: `tutti/contacts` in the configuration folder (XDG Base Directory Specification).
  public static var standardPath: String {
    let folder = environmentVariable("XDG_CONFIG_HOME").flatMap { $0.isEmpty ? nil : $0 }
    return (folder ?? (environmentVariable("HOME") ?? "") + "/.config") + "/tutti/contacts"
  }

  /// Reads the file at `path`. Does not resolve the hosts.
  ///
  /// - Throws: ``EngineError``.
  public init(path: String) throws(EngineError) {
    let data: Data
    do { data = try Data(contentsOf: path, limit: Self.maximumSize + 1) } catch {
      throw EngineError(
        "contacts \(path): cannot be read (\(error.reason)); write a file of lines `name NAME` and `host HOST`, or give "
          + "another file with --contacts")
    }
    guard data.count <= Self.maximumSize else {
      throw EngineError(
        "contacts \(path): larger than 1 MiB; give a text file of contacts with --contacts", isMalformed: true)
    }
    let text = String(decoding: data, as: UTF8.self)
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    var known: Set<String> = []
    for (index, line) in lines.enumerated() {
      let line = line.trimmingCharacters(in: .whitespaces)
      if line.isEmpty || line.hasPrefix("#") { continue }
      let (kind, value) = Self.parts(of: line)
      switch kind {
      case "name" where !value.isEmpty: names.insert(value.cleanName() ?? value)
      case "host" where !value.isEmpty:
        if known.insert(value).inserted { hosts.append(value) }
      default:
        throw EngineError(
          "contacts \(path), line \(index + 1): not `name NAME` or `host HOST`; write one of these, or begin "
            + "the line with # for a comment", isMalformed: true)
      }
    }
  }

  /// Splits `line` at the first white space.
  private static func parts(of line: String) -> (kind: String, value: String) {
    let kind = line.prefix { !$0.isWhitespace }
    return (String(kind), line[kind.endIndex...].trimmingCharacters(in: .whitespaces))
  }

  /// Adds the addresses of a host.
  mutating func add(_ host: HostResolver.Host) { addresses += host.addresses }

  /// Whether the peer with this name and address is a contact.
  public func include(_ name: String?, at address: SocketAddress) -> Bool {
    if let name, names.contains(name) { return true }
    return addresses.contains { $0.isSameHost(as: address) }
  }
}
