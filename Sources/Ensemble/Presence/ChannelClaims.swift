import MIDI
import MusicalTime
import PeerProtocol

/// The allocation of MIDI channels without a coordinator: each peer plays on the lowest free channel of 2...9 and 11...16.
///
/// Each peer reports its claim. If several peers claim one channel, the peer with the lowest identity keeps it. The other peers,
/// and those without a channel, move. The moving peers are ranked by identity: the first takes the lowest free channel, the
/// second the next one, and so on. If all peers have the same knowledge, they choose different channels after one exchange. The
/// peer with the lowest identity never moves, the second lowest moves only because of the lowest, and so on. The allocation
/// therefore converges, whatever datagrams are lost. A new peer listens for a second before its first claim, so that it takes no
/// channel that is in use.
///
/// If a peer changes its claim more than eight times in ten seconds, its claim is ignored until the claim has remained the same for
/// ten seconds (``ChannelClaim``).
struct ChannelClaims: Sendable {
  /// How long a new peer listens before its first claim.
  private static var listening: Nanoseconds { .seconds(1) }
  /// The time between a change of the claims and the next ``settle(for:among:at:)``. If two groups of peers meet, their claims
  /// arrive one after another within this time.
  private static var gathering: Nanoseconds { .milliseconds(50) }
  /// The time after which the local peer takes the first free channel regardless of its rank, if a channel has been free all this time
  /// while the local peer had none.
  private static var patience: Nanoseconds { .seconds(1) }

  /// The claim of the local peer.
  private(set) var local: Channel? { didSet { changes += 1 } }
  /// The number of changes so far: of ``local``, and of the claims of remote peers.
  private(set) var changes = 0
  /// The instant at which ``settle(for:among:at:)`` must be called next; the distant future if nothing has changed.
  private(set) var nextDeadline = Instant(nanoseconds: .min)
  /// The end of the time ``listening``, from which the local peer may claim a channel; nil before the first ``settle(for:among:at:)``.
  private var opens: Instant?
  /// The instant since which a channel has been free while the local peer had none; nil if the local peer has
  /// a channel, or if no channel is free.
  private var freeSince: Instant?

  /// Schedules the next ``settle(for:among:at:)``, because a claim has changed, or a peer has left.
  mutating func rosterChanged(at now: Instant) {
    nextDeadline = min(nextDeadline, now + Self.gathering)
    changes += 1
  }

  /// Schedules a ``settle(for:among:avoiding:at:)`` at this instant.
  mutating func wait(until instant: Instant) { nextDeadline = min(nextDeadline, instant) }

  /// Counts a change of the channels of the local peer's pages and devices.
  mutating func countChange() { changes += 1 }

  /// Keeps or changes the claim of the local peer according to the claims in the roster.
  ///
  /// - Parameter pages: the channels of pages and devices, which the local peer takes only if no other channel is free. They yield.
  /// - Returns: whether the claim has changed.
  mutating func settle(
    for identity: Identity, among roster: Roster, avoiding pages: Set<Channel> = [], at now: Instant
  ) -> Bool {
    let opens = self.opens ?? now + Self.listening
    self.opens = opens
    nextDeadline = now < opens ? opens : .distantFuture
    let owners = Self.owners(in: roster)
    // The local peer keeps its channel unless a peer with a lower identity claims it. While the local peer listens, it claims no
    // channel.
    if let local {
      guard let owner = owners[Int(local.wire)], owner < identity else { return false }
    } else if now < opens {
      return false
    }
    var free = (0..<16).filter { Channel.claimable >> $0 & 1 != 0 && owners[$0] == nil }
    let isOfPage = { (wire: Int) in pages.contains(Channel(wire: UInt8(wire))) }
    free = free.filter { !isOfPage($0) } + free.filter(isOfPage)
    // The number of peers with a lower identity that must also move, because they claim no channel or do not own the channel that
    // they claim.
    let rank = roster.members.count { member in
      guard member.identity < identity, let claim = roster[member.slot].membership?.channelClaim, !claim.isIgnored
      else {
        return false
      }
      return claim.channel.map { owners[Int($0.wire)] != member.identity } ?? true
    }
    if local == nil, !free.isEmpty { freeSince = freeSince ?? now } else { freeSince = nil }
    let isPatienceOver = freeSince.map { now - $0 >= Self.patience } ?? false
    // The free channel of this rank, or the first free channel if the peers of a lower rank have not taken it for too long.
    let index = isPatienceOver ? free.first : rank < free.count ? free[rank] : nil
    let claim = index.map { Channel(wire: UInt8($0)) }
    defer { local = claim }
    return claim != local
  }

  /// For each of the sixteen channels, the lowest identity among the remote peers that claim it and are not ignored.
  static func owners(in roster: Roster) -> [Identity?] {
    var owners: [Identity?] = Array(repeating: nil, count: 16)
    // `members` is in ascending order of identity, so the first peer that claims a channel owns it.
    for member in roster.members {
      guard let claim = roster[member.slot].membership?.channelClaim, !claim.isIgnored, let channel = claim.channel,
        owners[Int(channel.wire)] == nil
      else { continue }
      owners[Int(channel.wire)] = member.identity
    }
    return owners
  }
}
