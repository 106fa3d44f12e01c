import MIDI
import MusicalTime

/// The claim of a remote peer to a MIDI channel.
struct ChannelClaim: Sendable {
  /// The time in which a claim may change ``maximumChanges`` times. A claim that changes more often is ignored until it has remained
  /// the same for this time.
  private static var period: Nanoseconds { .seconds(10) }
  /// The largest number of changes that a claim may have within ``period`` without being ignored.
  private static var maximumChanges: Int { 8 }

  /// The claimed channel; nil if the peer claims none.
  private(set) var channel: Channel?
  /// The instants at which the peer changed its claim, the oldest first; at most one more than ``maximumChanges``.
  private var changes: [Instant] = []
  /// Whether the peer changes its channel too often, so that its claim is ignored.
  private(set) var isIgnored = false

  init(_ channel: Channel?) { self.channel = channel }

  /// Records that the peer claims `channel`.
  ///
  /// - Returns: whether the claims of the ensemble have changed, and whether this peer is ignored from now on.
  mutating func update(_ channel: Channel?, at now: Instant) -> (hasChanged: Bool, changesTooOften: Bool) {
    var hasChanged = false
    // A claim that is no longer ignored changes the claims of the ensemble, even if the channel is the same.
    if isIgnored, now - (changes.last ?? now) >= Self.period { (isIgnored, hasChanged) = (false, true) }
    guard channel != self.channel else { return (hasChanged, false) }
    self.channel = channel
    changes.removeAll { now - $0 >= Self.period }
    if changes.count > Self.maximumChanges { changes.removeFirst() }
    changes.append(now)
    guard changes.count > Self.maximumChanges, !isIgnored else { return (true, false) }
    isIgnored = true
    return (true, true)
  }
}

extension RemotePeer.Membership {
  /// Records that the peer claims `channel`: see ``ChannelClaim/update(_:at:)``.
  mutating func claim(_ channel: Channel?, at now: Instant) -> (hasChanged: Bool, changesTooOften: Bool) {
    guard channelClaim != nil else {
      channelClaim = ChannelClaim(channel)
      return (true, false)
    }
    return channelClaim!.update(channel, at: now)
  }
}
