import PeerProtocol
public import Receiving
import Text

/// The remote players that the local player has chosen to hear, and the percentage of the velocity with which their notes sound. By
/// default, the notes of other Tutti peers do not sound at the local peer: each device sounds the notes of its own player only.
///
/// A choice applies to all Tutti peers, or to the peer with a certain identity or name. The notes of standard devices always sound
/// as they were played, because such a device has no sound of its own.
///
/// Real-time: not safe.
public struct HearingChoices: Hashable, Sendable {
  /// The choice for all peers that ``byPeer`` does not contain.
  private var standard = Hearing.none
  /// The choices by identity, in lower case, or by name.
  private var byPeer: [String: Hearing] = [:]

  public init() {}

  /// Whether the choice is the same for all peers.
  var isUniform: Bool { byPeer.isEmpty }

  /// Applies a rule. A rule for all peers replaces all earlier rules.
  public mutating func apply(_ rule: HearingRule) {
    switch rule {
    case .none: self = HearingChoices()
    case .all(let hearing): (standard, byPeer) = (hearing, [:])
    case .peer(let peer, let hearing): byPeer[Self.key(peer)] = hearing
    }
  }

  /// Applies a rule in its text form.
  ///
  /// - Throws: ``HearingError``; the choices are unchanged then.
  public mutating func apply(_ rule: String) throws(HearingError) { apply(try HearingRule(rule)) }

  /// Returns the choice for a Tutti peer.
  ///
  /// - Parameter name: the reported name; nil if the peer is not the first one with this name, because a rule with a name applies
  ///   to the first one only.
  func hearing(of peer: Identity, named name: @autoclosure () -> String?) -> Hearing {
    guard !byPeer.isEmpty else { return standard }
    // A name that looks like an identity does not count. Otherwise a peer that uses the identity of another peer as its name would get
    // the choice for the other peer.
    let byName = name().flatMap { Identity($0) == nil ? byPeer[$0] : nil }
    return byPeer[peer.description] ?? byName ?? standard
  }

  /// Returns the key of a peer in ``byPeer``.
  private static func key(_ peer: String) -> String { Identity(peer)?.description ?? peer }
}

/// A rule of ``HearingChoices``. Its text form is `PEER`, `PEER=PERCENT`, `PEER PERCENT`, `all` with or without a percentage, or `none`.
///
/// Real-time: not safe.
public enum HearingRule: Hashable, Sendable {
  /// No notes of other Tutti peers sound.
  case none
  case all(Hearing)
  /// The choice for a peer, by identity or name.
  case peer(String, Hearing)

  /// The percentage of a rule that does not contain one. At 60 percent, the notes of other players are softer than those of the local
  /// player.
  private static var standardPercent: UInt8 { 60 }

  /// Parses the text form.
  ///
  /// - Throws: ``HearingError``.
  public init(_ rule: String) throws(HearingError) {
    let (peer, percent) = try Self.parts(of: rule)
    let hearing = Hearing(percent: percent ?? Self.standardPercent)
    switch peer {
    case "none" where percent == nil: self = .none
    case "all": self = .all(hearing)
    default: self = .peer(peer, hearing)
    }
  }

  /// Returns the peer and the percentage of a rule; the percentage is nil if the rule contains none.
  private static func parts(of rule: String) throws(HearingError) -> (peer: String, percent: UInt8?) {
    var peer = rule[...]
    var number: Substring?
    // Search from the end, because a name may contain "=" and spaces.
    if let equals = rule.lastIndex(of: "=") {
      (peer, number) = (rule[..<equals], rule[rule.index(after: equals)...])
    } else if let space = rule.lastIndex(where: \.isWhitespace), Int(rule[space...].dropFirst()) != nil {
      (peer, number) = (rule[..<space], rule[space...].dropFirst())
    }
    // Remote peers have clean names, so the rule must contain one too.
    guard let peer = peer.cleanName() else {
      throw HearingError(
        rule: rule, reason: "no peer",
        remedy: "give `PEER`, `PEER=PERCENT`, `all`, `all=PERCENT` or `none`, for example Ada=60")
    }
    guard let number else { return (peer, nil) }
    guard let percent = UInt8(number), percent <= 100 else {
      let reason = "\"\(number)\" is not a percentage"
      throw HearingError(rule: rule, reason: reason, remedy: "give 0 to 100, such as \(peer)=\(standardPercent)")
    }
    return (peer, percent)
  }
}
