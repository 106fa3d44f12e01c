import Ensemble
import Foundation
import Glibc
public import PeerProtocol

/// Keeps a peer's identity, and the highest term it has seen, in the state folder (XDG Base Directory Specification), a
/// file for each name. Two peers of one name at once are two: the second takes the next file, since a running peer
/// holds a lock on its own.
public final class IdentityStore {
  public let identity: Identity
  /// The highest term kept; 0 when none is.
  public private(set) var term: UInt32
  /// Where the session is kept: see ``restoreSession(_:)``.
  let sessionPath: String
  private let descriptor: Int32

  /// Takes the identity of the peer called `name`, or makes one.
  ///
  /// - Throws: ``EngineError`` when the state folder cannot be written.
  public init(name: String) throws(EngineError) {
    let environment = ProcessInfo.processInfo.environment
    let state = environment["XDG_STATE_HOME"].flatMap { $0.isEmpty ? nil : $0 }
    let folder = (state ?? (environment["HOME"] ?? "/tmp") + "/.local/state") + "/tutti"
    let remedy = "set XDG_STATE_HOME to a folder that can be written"
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    } catch {
      throw EngineError("state folder \(folder): cannot be made; \(remedy)")
    }
    let safe = String(
      name.unicodeScalars.map { CharacterSet.alphanumerics.contains($0) ? Character($0) : "-" }.prefix(40))
    for slot in 1...64 {
      let stem = "\(folder)/\(safe.isEmpty ? "peer" : safe)\(slot == 1 ? "" : ".\(slot)")"
      let path = stem + ".identity"
      let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else {
        throw EngineError("\(path): \(String(cString: strerror(errno))); \(remedy)")
      }
      guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
        close(descriptor)
        continue
      }
      self.descriptor = descriptor
      sessionPath = stem + ".session"
      identity = Self.read(descriptor) ?? Self.make(descriptor)
      term = Self.readTerm(descriptor) ?? 0
      return
    }
    throw EngineError("peer name \(name): 64 peers of that name run here; choose another with --name")
  }

  deinit { close(descriptor) }

  /// Keeps `term`. Where the disk does not take it, it is forgotten with the peer's end, no more.
  public func keep(term: UInt32) {
    guard term != self.term else { return }
    self.term = term
    let digits = String(term)
    let text = Array((String(repeating: "0", count: 10 - digits.count) + digits + "\n").utf8)
    pwrite(descriptor, text, text.count, 17)
  }

  private static func read(_ descriptor: Int32) -> Identity? {
    var text = [UInt8](repeating: 0, count: 16)
    guard pread(descriptor, &text, 16, 0) == 16 else { return nil }
    return Identity(String(decoding: text, as: UTF8.self))
  }

  /// Ten decimal digits in the line after the identity's.
  private static func readTerm(_ descriptor: Int32) -> UInt32? {
    var text = [UInt8](repeating: 0, count: 10)
    guard pread(descriptor, &text, 10, 17) == 10 else { return nil }
    return UInt32(String(decoding: text, as: UTF8.self))
  }

  private static func make(_ descriptor: Int32) -> Identity {
    let identity = Identity(UInt64.random(in: 1 ... .max))
    let text = Array("\(identity)\n".utf8)
    if pwrite(descriptor, text, text.count, 0) != text.count { ftruncate(descriptor, 0) }
    return identity
  }
}
