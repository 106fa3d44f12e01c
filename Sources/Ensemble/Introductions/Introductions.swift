import ClockSync
import MusicalTime
import PeerProtocol
import RTPMIDI

/// The members that other members hear, as they report them (``PeerProtocol/Introduction``), and the choice of the members that forward the
/// messages of those that cannot be reached.
struct Introductions: Sendable {
  /// The time between two reports if there are at most sixteen peers, and between two requests to forward messages.
  static var interval: Nanoseconds { .seconds(2) }
  /// The time between two reports if there are more peers.
  static var longInterval: Nanoseconds { .seconds(10) }
  /// A change of the members is reported after this time, so that several changes are reported together, and again after ``repetition``,
  /// because a new member may not have recognised the local peer yet.
  static var gathering: Nanoseconds { .milliseconds(50) }
  static var repetition: Nanoseconds { .milliseconds(500) }
  /// The time after which a report or a request that was not repeated is forgotten.
  static var lifetime: Nanoseconds { .seconds(6) }
  /// The time without a session after which a peer counts as unreachable.
  static var patience: Nanoseconds { .seconds(3) }
  /// The time after which a relay that has forwarded nothing is replaced.
  static var relayPatience: Nanoseconds { .seconds(1) }
  /// The largest number of peers that a member reports, and of all members with those that are reached through others.
  static var limit: Int { 15 }

  /// What is reported about a peer.
  struct Candidate: Sendable {
    var name: String
    /// The addresses of the peer; nil if the member that reports it knows none.
    var place: InvitationList.Place?
    /// The members that report the peer, with the number of hops and the instant of the last report.
    var reporters: [Identity: (hops: UInt8, at: Instant)] = [:]
    /// The number of the newest presence that has arrived, directly or through a relay.
    var number: UInt64 = 0
    /// The beginning of the reports, or the last check at which the local peer was in session with the peer.
    var since: Instant
    /// The member that is asked to forward the messages of the peer, and since when.
    var relay: (member: Identity, since: Instant)?
    /// The members that were asked and have forwarded nothing, with the instant at which this was found.
    var failures: [Identity: Instant] = [:]
  }

  /// By the identity of the peer.
  var candidates: [Identity: Candidate] = [:]
  /// The peers whose messages each relay is asked to forward, and when it was asked last.
  var requests: [Identity: (peers: [Identity], at: Instant)] = [:]

  /// The messages that the local peer forwards to one member.
  struct Forwarding: Sendable {
    /// The newest presence, or the newest timeline message.
    enum Kind: Sendable { case presence, timeline }

    /// The time between two messages. Packets that leave at the same time overtake each other, and a packet that is late is not used.
    static var pause: Nanoseconds { .milliseconds(10) }
    /// The first message waits for a part of this time that differs each time. Presences have the same interval everywhere. Without the wait, two
    /// of them could meet at this peer again and again, and one of them would overtake the other each time.
    static var spread: Nanoseconds { .milliseconds(40) }

    /// The messages, in the order in which they leave.
    private var messages: [(kind: Kind, peer: Identity)] = []
    /// When the next message may leave.
    private(set) var next = Instant(nanoseconds: .min)

    mutating func add(_ kind: Kind, of peer: Identity, at now: Instant) {
      if messages.isEmpty {
        next = max(next, now + Nanoseconds(Int64(now.mixed() % UInt64(Self.spread.count))))
      }
      if !messages.contains(where: { $0 == (kind, peer) }) { messages.append((kind, peer)) }
    }

    /// Removes the next message; nil if there is none.
    mutating func take(at now: Instant) -> (kind: Kind, peer: Identity)? {
      next = now + Self.pause
      return messages.isEmpty ? nil : messages.removeFirst()
    }
  }

  /// The members that have asked for the messages of others. Some of them may have left, or want nothing any more.
  var subscriptions = Subscriptions()
  /// Until when a member wants to get the messages of others, at most.
  var forwardsUntil = Instant(nanoseconds: .min)
  /// By the identity of the receiver.
  var forwarding: [Identity: Forwarding] = [:]
  /// Whether the members have changed since the last report.
  var hasChanged = false
  /// When the members are reported next, and when the requests are repeated next.
  var nextReport = Instant.distantFuture
  var nextRequest = Instant.distantFuture

  /// Whether the members and those that are reached through others are so few that all of them connect to each other.
  static func isSmall(_ roster: Roster) -> Bool { roster.members.count <= limit }

  /// Records a report of `reporter`. At most ``limit`` peers of one member are kept.
  mutating func add(
    _ entry: Introduction.Entry, at place: InvitationList.Place?, by reporter: Identity, now: Instant
  ) {
    if candidates[entry.identity]?.reporters[reporter] == nil {
      guard candidates.values.count(where: { $0.reporters[reporter] != nil }) < Self.limit else { return }
    }
    var candidate = candidates[entry.identity] ?? Candidate(name: entry.name, since: now)
    candidate.reporters[reporter] = (entry.hops, now)
    if !entry.name.isEmpty { candidate.name = entry.name }
    if let place { candidate.place = place }
    candidates[entry.identity] = candidate
  }

  /// Forgets reports that were not repeated, and those of members that have left.
  mutating func removeExpired(in roster: Roster, at now: Instant) {
    for (identity, candidate) in candidates {
      var kept = candidate
      kept.reporters = candidate.reporters.filter {
        now - $0.value.at <= Self.lifetime && roster.isDirect($0.key)
      }
      kept.failures = candidate.failures.filter { now - $0.value <= Self.lifetime }
      candidates[identity] = kept.reporters.isEmpty ? nil : kept
    }
  }

  /// Chooses the member that forwards the messages of a peer: the one with the fewest hops, then the one with the lowest identity. It keeps the
  /// present one while this one forwards.
  ///
  /// - Parameter heard: when a message of the peer was last forwarded; nil if never.
  mutating func chooseRelay(of identity: Identity, heard: Instant?, at now: Instant) {
    guard var candidate = candidates[identity] else { return }
    defer { candidates[identity] = candidate }
    if let relay = candidate.relay {
      let isSilent = now - max(relay.since, heard ?? relay.since) >= Self.relayPatience
      if !isSilent, candidate.reporters[relay.member] != nil { return }
      if isSilent { candidate.failures[relay.member] = now }
    }
    // A member that has forwarded nothing is asked again if there is no other one.
    let next = candidate.reporters.min { a, b in
      let (failed, otherFailed) = (candidate.failures[a.key], candidate.failures[b.key])
      if failed != otherFailed {
        return (failed ?? .init(nanoseconds: .min)) < (otherFailed ?? .init(nanoseconds: .min))
      }
      return (a.value.hops, a.key) < (b.value.hops, b.key)
    }?.key
    if let next, next == candidate.relay?.member { return }
    candidate.relay = next.map { ($0, now) }
  }
}

/// How the local peer reaches a member without a session: a third peer forwards the messages of the member.
struct Relay: Sendable {
  /// The peer that forwards.
  var member: Identity
  /// The number of peers between the local peer and the member.
  var hops: UInt8
  /// The clock of the member, as the forwarding peer knows it.
  var clock: RelayedPresence.Clock?

  /// The estimate of the member's clock, from the estimate of the clock of the forwarding peer; nil if one of both is not known.
  func estimate(_ forwarding: ClockEstimate?, at now: Instant) -> ClockEstimate? {
    // 2^60 nanoseconds are 36 years. Within these limits, no sum below overflows, whatever a peer has reported.
    let limit = Nanoseconds(1 << 60)
    guard let clock, let forwarding, forwarding.offset.magnitude <= limit, clock.offset.magnitude <= limit,
      clock.instant.nanoseconds.magnitude <= 1 << 61
    else { return nil }
    // The present instant by the clock of the forwarding peer, and by that of the member.
    let instant = now + forwarding.offset
    let skew = Double(clock.skew) / 1e6
    let drift = Nanoseconds(Int64(Double((instant - clock.instant).count) * skew * 1e-6))
    return ClockEstimate(
      offset: forwarding.offset + clock.offset + drift, skew: forwarding.skew + skew,
      uncertainty: forwarding.uncertainty + clock.uncertainty, deviation: forwarding.deviation)
  }
}
