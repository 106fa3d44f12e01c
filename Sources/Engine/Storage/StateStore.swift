import Foundation
import Glibc
public import Logging
public import PeerProtocol
import Synchronization

/// Stores the identity of a peer, the highest reserved term (the bound of ``TermReservation``), and the session of the peer in the
/// state folder (``StateFolder``).
///
/// One file per name contains the identity and the bound, in two lines: 16 hexadecimal digits, and 20 decimal digits. A running
/// peer locks its file. A second peer with the same name uses another file, whose name contains a number.
///
/// A peer whose file is damaged gets a new identity: the terms that it has used under the old one are not known.
///
/// If the state folder cannot be used, nothing is stored, and the peer gets a new identity at each start.
///
/// Real-time: not safe.
public final class StateStore: Sendable {
  public var identity: Identity { Identity(bits.load(ordering: .relaxed)) }
  private let bits: Atomic<UInt64>
  /// The stored bound, see ``TermReservation``; 0 if none is stored.
  public var term: UInt64 {
    if let file, case .stored(_, let term) = Self.contents(of: file) { return term }
    return 0
  }
  /// The path of the saved session: see ``restoreSession(_:)``. Nil if the state folder cannot be used.
  package let sessionPath: String?
  /// Nil if the state folder cannot be used.
  private let file: StateFile?

  /// The number of octets of the identity, without the newline.
  private static let identityLength = 16
  /// The offset of the bound in the file, in octets: after the identity and a newline.
  private static let termOffset: off_t = 17
  /// The number of octets of the bound, without the newline.
  private static let termLength = 20

  /// Reads the identity of the peer with this name, or creates one. `log` gets a warning if the state folder cannot be used.
  ///
  /// - Throws: ``EngineError`` if 64 peers with this name are running.
  public init(name: String, log: Logger) throws(EngineError) {
    switch Self.open(name) {
    case .opened(let file, let stem):
      (self.file, sessionPath) = (file, stem + ".session")
      switch Self.contents(of: file) {
      case .stored(let identity, _): bits = Atomic(identity.bits)
      case .nothing: bits = Atomic(Self.createIdentity(in: file).bits)
      case .damaged:
        let remedy = "change the gates of other peers that name the old identity"
        log.warning("\(stem).identity: is damaged, so this peer gets a new identity; \(remedy)")
        bits = Atomic(Self.createIdentity(in: file).bits)
      }
    case .refused(let fault):
      let remedy = "set the environment variable XDG_STATE_HOME to a folder that only you can write to"
      log.warning("state folder: \(fault.reason); this peer gets a new identity and cannot be restored; \(remedy)")
      (file, sessionPath) = (nil, nil)
      bits = Atomic(UInt64.random(in: 1 ... .max))
    case .inUse:
      throw EngineError("peer name \(name): 64 peers with this name are running; choose another name with --name")
    }
  }

  private enum Opening {
    case opened(StateFile, stem: String)
    case refused(Fault)
    case inUse
  }

  /// Opens and locks the first file of this peer name that no running peer uses. `stem` is the path of the file without extension.
  private static func open(_ name: String) -> Opening {
    do throws(Fault) {
      // A peer name can contain any character; a file name gets letters, digits and "-".
      let fileName = String(
        name.unicodeScalars.map { CharacterSet.alphanumerics.contains($0) ? Character($0) : "-" }.prefix(40))
      let stem = "\(try StateFolder.create())/\(fileName.isEmpty ? "peer" : fileName)"
      for number in 1...64 {
        let stem = stem + (number == 1 ? "" : ".\(number)")
        let file = try StateFile(stem + ".identity", O_RDWR | O_CREAT)
        if flock(file.descriptor, LOCK_EX | LOCK_NB) == 0 { return .opened(file, stem: stem) }
      }
      return .inUse
    } catch {
      return .refused(error)
    }
  }

  /// Replaces the identity with a new random one, in memory and in the file. Called if another machine uses the identity, for example
  /// because the disk was copied.
  ///
  /// - Returns: false if the file cannot be written. The identity is then unchanged.
  func renewIdentity() -> Bool {
    let identity = Identity(UInt64.random(in: 1 ... .max))
    if let file, !Self.write(identity, into: file) { return false }
    bits.store(identity.bits, ordering: .relaxed)
    return true
  }

  /// Writes the bound to the disk. The function can block for a long time.
  ///
  /// - Returns: false if the write failed. True if it succeeded, or if the state folder cannot be used.
  func write(term: UInt64) -> Bool {
    guard let file else { return true }
    let digits = String(term)
    let text = Array((String(repeating: "0", count: Self.termLength - digits.count) + digits + "\n").utf8)
    return pwrite(file.descriptor, text, text.count, Self.termOffset) == text.count && fdatasync(file.descriptor) == 0
  }

  private enum Contents {
    /// The identity and the bound; 0 if the peer ended before it stored a bound.
    case stored(Identity, term: UInt64)
    /// The file is empty, because the peer is new.
    case nothing
    case damaged
  }

  /// Reads the file.
  private static func contents(of file: StateFile) -> Contents {
    let length = Int(termOffset) + termLength + 1
    // One octet more shows whether the file is too long.
    var octets = [UInt8](repeating: 0, count: length + 1)
    let count = pread(file.descriptor, &octets, length + 1, 0)
    guard count != 0 else { return .nothing }
    guard count == Int(termOffset) || count == length, octets[identityLength] == UInt8(ascii: "\n"),
      let identity = Identity(String(decoding: octets[..<identityLength], as: UTF8.self)), identity.bits != 0
    else { return .damaged }
    guard count == length else { return .stored(identity, term: 0) }
    let digits = octets[Int(termOffset)..<length - 1]
    guard digits.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains), octets[length - 1] == UInt8(ascii: "\n"),
      let term = UInt64(String(decoding: digits, as: UTF8.self)), Claim.terms.contains(term)
    else { return .damaged }
    return .stored(identity, term: term)
  }

  /// Creates a random identity and writes it into `file`, which contains nothing else then.
  private static func createIdentity(in file: StateFile) -> Identity {
    let identity = Identity(UInt64.random(in: 1 ... .max))
    ftruncate(file.descriptor, 0)
    // After an incomplete write, the file is emptied, and the next start creates another identity.
    if !write(identity, into: file) { ftruncate(file.descriptor, 0) }
    return identity
  }

  /// Writes the identity into `file`, and returns whether this succeeded.
  private static func write(_ identity: Identity, into file: StateFile) -> Bool {
    let text = Array("\(identity)\n".utf8)
    return pwrite(file.descriptor, text, text.count, 0) == text.count
  }
}
