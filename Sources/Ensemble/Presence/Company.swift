import MIDI
import MusicalTime
import PeerProtocol

/// Who is in session with this peer, what they call themselves, and what they have been told of this one.
struct Company: Sendable {
  private struct Companion: Sendable {
    var name: String?
    /// When this peer last presented itself.
    var told: Instant?
  }

  /// The least time between two presences to one peer.
  static var pause: Nanoseconds { .milliseconds(50) }

  /// In the order of their identities.
  private(set) var members: [Identity] = []
  private var companions: [Identity: Companion] = [:]
  /// Who calls itself so, in the order in which they came.
  private var bearers: [String: [Identity]] = [:]

  /// What this peer said of itself last, but for what is for one receiver alone, and when.
  var said: Said?
  var saidAt = Instant(nanoseconds: .min)

  struct Said: Hashable, Sendable {
    var claim: Claim?
    var channel: Channel?
    var gates: Gates
    var takesOver: Bool
  }

  func contains(_ peer: Identity) -> Bool { companions[peer] != nil }

  mutating func add(_ peer: Identity, named name: String?) {
    if let known = companions[peer] {
      guard let name, name != known.name else { return }
      release(known.name, of: peer)
    } else {
      members.insert(peer, at: members.firstIndex { peer < $0 } ?? members.count)
    }
    companions[peer] = Companion(name: name)
    if let name { bearers[name, default: []].append(peer) }
  }

  mutating func remove(_ peer: Identity) {
    guard let known = companions.removeValue(forKey: peer) else { return }
    members.removeAll { $0 == peer }
    release(known.name, of: peer)
  }

  /// The peer's name if it is the first of that name.
  func name(of peer: Identity) -> String? {
    guard let name = companions[peer]?.name, bearers[name]?.first == peer else { return nil }
    return name
  }

  /// Whether a Tutti peer in session calls itself so.
  func bears(_ name: String) -> Bool { bearers[name] != nil }

  /// Whether the peer may be told now; it counts as told then.
  mutating func mayTell(_ peer: Identity, at now: Instant) -> Bool {
    guard let companion = companions[peer] else { return false }
    if let told = companion.told, now - told < Self.pause { return false }
    companions[peer]?.told = now
    return true
  }

  /// How often this peer presents itself without a reason.
  var interval: Nanoseconds { members.count > 16 ? .seconds(1) : .milliseconds(250) }

  private mutating func release(_ name: String?, of peer: Identity) {
    guard let name else { return }
    bearers[name]?.removeAll { $0 == peer }
    if bearers[name]?.isEmpty == true { bearers[name] = nil }
  }
}
