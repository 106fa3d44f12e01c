import Ensemble
import Foundation
import Glibc
public import PeerProtocol

/// Stores the identity of a peer, and the highest term it has seen, in the state folder (XDG Base Directory Specification): one
/// file per name. A running peer locks its file. A second peer with the same name uses the next file.
///
/// The file has two lines: the identity as 16 hexadecimal digits, and the highest term as 10 decimal digits.
public final class StateStore {
  public let identity: Identity
  /// The stored highest term; 0 if none is stored.
  public private(set) var term: UInt32
  /// The path of the saved session: see ``restoreSession(_:)``.
  let sessionPath: String
  private let descriptor: Int32

  /// The number of octets of the identity, without the newline.
  private static let identityLength = 16
  /// The position of the highest term: after the identity and a newline.
  private static let termOffset: off_t = 17
  /// The number of octets of the highest term, without the newline.
  private static let termLength = 10

  /// Reads the identity of the peer with this name, or creates one.
  ///
  /// - Throws: ``EngineError`` if the state folder cannot be written.
  public init(name: String) throws(EngineError) {
    let environment = ProcessInfo.processInfo.environment
    let state = environment["XDG_STATE_HOME"].flatMap { $0.isEmpty ? nil : $0 }
    let folder = (state ?? (environment["HOME"] ?? "/tmp") + "/.local/state") + "/tutti"
    let remedy = "set XDG_STATE_HOME to a folder that can be written"
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    } catch {
      throw EngineError("state folder \(folder): cannot be created; \(remedy)")
    }
    // A peer name can contain any character; a file name gets letters, digits and "-".
    let fileName = String(
      name.unicodeScalars.map { CharacterSet.alphanumerics.contains($0) ? Character($0) : "-" }.prefix(40))
    for slot in 1...64 {
      let stem = "\(folder)/\(fileName.isEmpty ? "peer" : fileName)\(slot == 1 ? "" : ".\(slot)")"
      let path = stem + ".identity"
      let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else {
        throw EngineError("\(path): \(String(cString: strerror(errno))); \(remedy)")
      }
      guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
        // Another running peer uses this file.
        close(descriptor)
        continue
      }
      self.descriptor = descriptor
      sessionPath = stem + ".session"
      identity = Self.read(descriptor) ?? Self.make(descriptor)
      term = Self.readTerm(descriptor) ?? 0
      return
    }
    throw EngineError("peer name \(name): 64 peers with this name are running; choose another name with --name")
  }

  deinit { close(descriptor) }

  /// Stores the highest term. If the write fails, the term is lost when the peer ends.
  public func keep(term: UInt32) {
    guard term != self.term else { return }
    self.term = term
    let digits = String(term)
    let text = Array((String(repeating: "0", count: Self.termLength - digits.count) + digits + "\n").utf8)
    pwrite(descriptor, text, text.count, Self.termOffset)
  }

  /// Reads the first line of the file. Returns nil if it is not an identity.
  private static func read(_ descriptor: Int32) -> Identity? {
    var text = [UInt8](repeating: 0, count: identityLength)
    guard pread(descriptor, &text, identityLength, 0) == identityLength else { return nil }
    return Identity(String(decoding: text, as: UTF8.self))
  }

  /// Reads the second line of the file. Returns nil if it is not a term.
  private static func readTerm(_ descriptor: Int32) -> UInt32? {
    var text = [UInt8](repeating: 0, count: termLength)
    guard pread(descriptor, &text, termLength, termOffset) == termLength else { return nil }
    return UInt32(String(decoding: text, as: UTF8.self))
  }

  /// Creates a random identity and writes it into the file.
  private static func make(_ descriptor: Int32) -> Identity {
    let identity = Identity(UInt64.random(in: 1 ... .max))
    let text = Array("\(identity)\n".utf8)
    // After an incomplete write, the file becomes empty. This peer then uses its identity only until it ends.
    if pwrite(descriptor, text, text.count, 0) != text.count { ftruncate(descriptor, 0) }
    return identity
  }
}
