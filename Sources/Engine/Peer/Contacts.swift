import Foundation
public import RTPMIDI
import Transports

/// Those whom a peer lets in when it does not let in anyone: a text file, a contact a line.
///
///     # The quartet
///     name Ada
///     host 192.168.1.20
///     host studio.local
///
/// A name is what a peer calls itself, so it keeps out mistakes, not ill will; a host is where its packets come from,
/// at whichever of its addresses.
public struct Contacts: Sendable {
  /// Why a file of contacts cannot be used: file, line, reason and remedy.
  public struct Fault: Error, CustomStringConvertible {
    public let description: String
    /// Whether the file is there and says something that cannot be understood.
    public let isMalformed: Bool
  }

  /// The longest file read.
  static let largest = 1 << 20

  private var names: Set<String> = []
  private var hosts: [SocketAddress] = []
  /// Hosts that could not be found, with the reason, a line for people each.
  public private(set) var missing: [String] = []

  /// Where the contacts are when no file is named: `tutti/contacts` in the configuration folder (XDG Base Directory
  /// Specification).
  public static var standardPath: String {
    let environment = ProcessInfo.processInfo.environment
    let folder = environment["XDG_CONFIG_HOME"].flatMap { $0.isEmpty ? nil : $0 }
    return (folder ?? (environment["HOME"] ?? "") + "/.config") + "/tutti/contacts"
  }

  /// Reads the file at `path` and looks its hosts up, which may take seconds. A host that is not found is left out and
  /// told in ``missing``.
  ///
  /// - Throws: ``Fault``.
  public init(path: String) throws(Fault) {
    guard let file = FileHandle(forReadingAtPath: path), let data = try? file.read(upToCount: Self.largest + 1) else {
      throw Fault(
        description:
          "contacts \(path): cannot be read; write a file of lines `name NAME` and `host HOST`, or name another "
          + "with --contacts", isMalformed: false)
    }
    guard data.count <= Self.largest else {
      throw Fault(description: "contacts \(path): larger than a megabyte; is it the right file?", isMalformed: true)
    }
    let text = String(decoding: data, as: UTF8.self)
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (index, line) in lines.enumerated() {
      let line = line.trimmingCharacters(in: .whitespaces)
      if line.isEmpty || line.hasPrefix("#") { continue }
      let (kind, value) = Self.parts(of: line)
      switch kind {
      case "name" where !value.isEmpty: names.insert(value)
      case "host" where !value.isEmpty:
        do { hosts += try SocketAddress.all(resolving: value) } catch { missing.append(error.description) }
      default:
        throw Fault(
          description:
            "contacts \(path), line \(index + 1): not `name NAME` or `host HOST`; write one of them, or # before "
            + "a remark", isMalformed: true)
      }
    }
  }

  private static func parts(of line: String) -> (kind: String, value: String) {
    let kind = line.prefix { !$0.isWhitespace }
    return (String(kind), line[kind.endIndex...].trimmingCharacters(in: .whitespaces))
  }

  /// Whether the peer that calls itself `name` and sends from `address` is one of them.
  public func include(_ name: String?, at address: SocketAddress) -> Bool {
    if let name, names.contains(name) { return true }
    return hosts.contains { $0.isSameHost(as: address) }
  }
}
