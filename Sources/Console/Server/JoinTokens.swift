public import Engine
public import PeerProtocol

/// The secrets in the addresses of the page, one for each ``Engine/Access``: 20 characters of base32 (RFC 4648, section 6), 100 bits.
///
/// With a passkey, the tokens are derived from the key of the group, so that one token is valid at all peers of the group and after
/// a restart. Without a passkey, the tokens are random.
///
/// Real-time: not safe.
public struct JoinTokens: Sendable {
  /// The alphabet of base32 in lower case: each character stands for five bits.
  private static let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567")
  /// The length of a token in characters.
  private static let length = 20

  private let tokens: [Access: String]

  /// - Parameter key: the key of the group; nil for random tokens.
  public init(key: GroupKey?) {
    tokens = Dictionary(
      uniqueKeysWithValues: Access.allCases.map { access in
        let octets = key?.derived(for: "Tutti page \(access.rawValue) 1") ?? Self.randomOctets()
        return (access, String(octets.prefix(Self.length).map { Self.alphabet[Int($0 & 31)] }))
      })
  }

  /// The token that gives this access.
  public subscript(access: Access) -> String { tokens[access] ?? "" }

  /// The access that `token` gives; nil for a wrong token. The comparison takes the same time for all wrong tokens of the same
  /// length.
  func access(of token: String) -> Access? {
    var found: Access?
    for (access, valid) in tokens where Self.areEqual(valid, token) { found = access }
    return found
  }

  /// Compares two tokens. The time depends only on their lengths, so that it tells an attacker nothing about a valid token.
  private static func areEqual(_ a: String, _ b: String) -> Bool {
    let (a, b) = (Array(a.utf8), Array(b.utf8))
    guard a.count == b.count else { return false }
    return zip(a, b).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }

  private static func randomOctets() -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<length).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
  }
}
