import Cryptography
import Foundation
public import PeerProtocol

/// The passkey of a group: a text that all members know.
///
/// Real-time: not safe.
public struct Passkey: Sendable {
  /// The recommended minimum number of characters of a passkey. A shorter passkey can be guessed, because an attacker who has recorded one
  /// handshake can test any number of guesses offline.
  public static let recommendedLength = 16
  /// The characters of a random passkey: base32 (RFC 4648, section 6) in lower case.
  private static let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567")

  /// The characters, without white space at both ends.
  public let text: String

  /// Removes white space at both ends of `text`. Returns nil if no characters remain.
  public init?(_ text: String) {
    self.text = text.trimmingCharacters(in: .whitespacesAndNewlines)
    if self.text.isEmpty { return nil }
  }

  /// Returns a random passkey of 20 characters: 100 bits.
  public static func random() -> String {
    var generator = SystemRandomNumberGenerator()
    return String((0..<20).map { _ in alphabet.randomElement(using: &generator)! })
  }

  /// Whether the passkey is shorter than ``recommendedLength``.
  public var isShort: Bool { text.count < Self.recommendedLength }

  /// Computes the key of the group: scrypt with N = 2^15, r = 8, p = 1 (RFC 7914), a fixed salt, and the passkey in UTF-8 with
  /// composed characters (Unicode NFC). Takes about 0.1 s and 32 MiB, so that guessing is expensive.
  ///
  /// - Throws: ``EngineError`` if there is not enough memory, or if libsodium cannot be initialized.
  public func groupKey() throws(EngineError) -> GroupKey {
    let octets = Array(text.precomposedStringWithCanonicalMapping.utf8)
    let salt = Array("Tutti group key 1".utf8)
    guard let key = Scrypt.key(from: octets, salt: salt, cost: 1 << 15, blockSize: 8, parallelism: 1) else {
      let remedy = "close other programs, because 32 MiB of free memory are needed"
      throw EngineError("passkey: the key cannot be computed; \(remedy)")
    }
    return GroupKey(key)
  }
}
