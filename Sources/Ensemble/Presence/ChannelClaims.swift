import MIDI
import MusicalTime
import PeerProtocol

/// Which MIDI channel each peer plays on: the lowest free of 2...9 and 11...16, without anybody who gives them out.
///
/// Each says what it claims. Of several that claim one channel the lowest identity keeps it. The others move, and with them
/// those who have none: each to the free channel of its rank among all who move, by identity, so that with the same
/// knowledge all choose differently, and one exchange settles it. The lowest identity never moves, the second lowest only
/// for that one, and so on: whatever is lost on the way, it comes to rest. Who is new listens for a second before it
/// claims, so that it takes no channel that is played on.
///
/// Whoever changes its claim more than eight times in ten seconds is left out of this until it has been still for ten.
struct ChannelClaims: Sendable {
  private struct Claimant: Sendable {
    var channel: Channel?
    /// When it changed its claim, oldest first, nine at most.
    var changes: [Instant] = []
    var isRestless = false
  }

  private static var listening: Nanoseconds { .seconds(1) }
  /// So long others are waited for that say something new at the same time, as when two groups meet.
  private static var gathering: Nanoseconds { .milliseconds(50) }
  private static var memory: Nanoseconds { .seconds(10) }
  private static var mostChanges: Int { 8 }
  /// So long a channel is left to those in front who do not take it.
  private static var patience: Nanoseconds { .seconds(1) }
  /// What this peer claims.
  private(set) var own: Channel?
  private var others: [Identity: Claimant] = [:]
  /// When ``settle(for:at:)`` has something to do next; the distant future while everything is at rest.
  private(set) var nextDeadline = Instant(nanoseconds: .min)
  /// When it may claim a first channel.
  private var opens: Instant?
  /// Since when there has been a free channel while this peer had none.
  private var freeSince: Instant?

  /// The peer of this identity claims `channel`, nil for none.
  ///
  /// - Returns: whether it has become restless by that.
  mutating func told(_ channel: Channel?, by peer: Identity, at now: Instant) -> Bool {
    guard var claimant = others[peer] else {
      others[peer] = Claimant(channel: channel)
      nextDeadline = min(nextDeadline, now + Self.gathering)
      return false
    }
    defer { others[peer] = claimant }
    if claimant.isRestless, now - (claimant.changes.last ?? now) >= Self.memory {
      claimant.isRestless = false
      nextDeadline = min(nextDeadline, now + Self.gathering)
    }
    guard channel != claimant.channel else { return false }
    nextDeadline = min(nextDeadline, now + Self.gathering)
    claimant.channel = channel
    claimant.changes.removeAll { now - $0 >= Self.memory }
    if claimant.changes.count > Self.mostChanges { claimant.changes.removeFirst() }
    claimant.changes.append(now)
    guard claimant.changes.count > Self.mostChanges, !claimant.isRestless else { return false }
    claimant.isRestless = true
    return true
  }

  /// The peer has left.
  mutating func forget(_ peer: Identity, at now: Instant) {
    others[peer] = nil
    nextDeadline = min(nextDeadline, now + Self.gathering)
  }

  /// Keeps or changes the own claim by what is known.
  ///
  /// - Returns: whether it has changed.
  mutating func settle(for identity: Identity, at now: Instant) -> Bool {
    let opens = self.opens ?? now + Self.listening
    self.opens = opens
    nextDeadline = now < opens ? opens : .distantFuture
    let holders = holders
    if let own {
      guard let holder = holders[Int(own.wire)], holder < identity else { return false }
    } else if now < opens {
      return false
    }
    let free = (0..<16).filter { Channel.claimable >> $0 & 1 != 0 && holders[$0] == nil }
    let rank = others.count { peer, claimant in
      !claimant.isRestless && peer < identity && claimant.channel.map { holders[Int($0.wire)] != peer } ?? true
    }
    if own == nil, !free.isEmpty { freeSince = freeSince ?? now } else { freeSince = nil }
    let isTired = freeSince.map { now - $0 >= Self.patience } ?? false
    let place = isTired ? free.first : rank < free.count ? free[rank] : nil
    let claim = place.map { Channel(wire: UInt8($0)) }
    defer { own = claim }
    return claim != own
  }

  /// Who of the others keeps `channel`.
  func holder(of channel: Channel) -> Identity? { holders[Int(channel.wire)] }

  /// The lowest identity among those that claim each channel.
  private var holders: [Identity?] {
    var holders: [Identity?] = Array(repeating: nil, count: 16)
    for (peer, claimant) in others where !claimant.isRestless {
      guard let channel = claimant.channel else { continue }
      if let holder = holders[Int(channel.wire)], holder < peer { continue }
      holders[Int(channel.wire)] = peer
    }
    return holders
  }
}
