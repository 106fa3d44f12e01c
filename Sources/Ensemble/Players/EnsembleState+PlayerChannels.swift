import MIDI
import MusicalTime
import PeerProtocol

// The channels of pages and devices.
//
// The claim of a local player has precedence (``ChannelClaims``). Pages and devices take channels that nobody claims, and yield to local
// players. If two of them claim one channel, the one with the lower identity keeps it. Those without a channel share channel 16, and their
// notes are attributed to their peer. The lists of players contain the channels.
extension EnsembleState {
  /// How long a new page or device listens for the claims of others before it takes a channel.
  private static var listening: Nanoseconds { .seconds(1) }
  /// The channels that pages and devices may take: all claimable ones except channel 16, which is shared.
  private static var channelsForPages: [Channel] {
    (0..<15).map { Channel(wire: $0) }.filter { $0.isClaimable }
  }

  /// The channels of the pages and devices of all peers.
  var channelsOfPages: Set<Channel> {
    var channels = Set(players.entries.dropFirst().compactMap { $0?.player.channel })
    for member in roster.members {
      for (_, player) in roster[member.slot].membership!.players.present {
        if let channel = player.channel { channels.insert(channel) }
      }
    }
    return channels
  }

  /// Assigns, keeps or withdraws the channels of the pages and devices of the local peer.
  mutating func settlePlayerChannels(at now: Instant) {
    guard players.count > 1 else { return }
    var taken = Set(channelOwners.enumerated().compactMap { $1 == nil ? nil : Channel(wire: UInt8($0)) })
    if let channel { taken.insert(channel) }
    // The lowest identity that claims a channel at other peers.
    var claims: [Channel: Identity] = [:]
    for member in roster.members {
      for (_, player) in roster[member.slot].membership!.players.present {
        guard let channel = player.channel, player.kind != .local else { continue }
        claims[channel] = min(claims[channel] ?? player.identity, player.identity)
      }
    }
    var hasChanged = false
    for case let entry? in players.entries.dropFirst() {
      guard let channel = entry.player.channel else { continue }
      if taken.contains(channel) || claims[channel].map({ $0 < entry.player.identity }) == true {
        hasChanged = players.change(entry.player.identity) { $0.channel = nil } || hasChanged
      } else {
        taken.insert(channel)
      }
    }
    taken.formUnion(claims.keys)
    var free = Self.channelsForPages.filter { !taken.contains($0) }[...]
    let waiting = players.entries.dropFirst().compactMap { $0 }.filter { $0.player.channel == nil }
    for entry in waiting.sorted(by: { $0.player.identity < $1.player.identity }) {
      guard let channel = free.first else { break }
      guard now >= entry.since + Self.listening else {
        channels.wait(until: entry.since + Self.listening)
        continue
      }
      free.removeFirst()
      hasChanged = players.change(entry.player.identity) { $0.channel = channel } || hasChanged
    }
    if hasChanged { channels.countChange() }
  }
}
