import Ensemble
import MIDI
import MusicalTime
import PeerProtocol
import RTPMIDI

/// Watches a room: gathers figures, and finds what must not be. It looks from outside, at what is heard and done; it knows
/// true time, what the network does, and what players have asked for.
final class Inspector {
  unowned var room: Room!
  var watched: [Watched]
  var pairs: [Pair]
  var record: Outcome
  var looks = 0
  var rhythms = 0

  init(_ settings: Room.Settings, length: Nanoseconds) {
    watched = Array(repeating: Watched(), count: settings.peers)
    pairs = settings.peers <= 16 ? Array(repeating: Pair(), count: settings.peers * settings.peers) : []
    record = Outcome(seed: settings.seed, peers: settings.peers, network: settings.network.name, length: length)
  }

  var now: Instant { room.now }

  func outcome(packets: Int64, lost: Int64) -> Outcome {
    var outcome = record
    (outcome.packets, outcome.lost) = (packets, lost)
    return outcome
  }

  /// Notes that a check was made, and what it found when that is not what it should.
  func expect(
    _ check: Check, _ holds: Bool, of host: Int, _ expected: @autoclosure () -> String,
    _ seen: @autoclosure () -> String
  ) {
    record.looks[check, default: 0] += 1
    guard !holds else { return }
    record.note(
      Violation(
        check: check, peer: room.hosts[host].name, seconds: Double(now.nanoseconds) / 1e9, expected: expected(),
        seen: seen()))
  }

  // MARK: What a script does

  func entered(_ host: Int) {
    let (gates, behind) = (watched[host].gatesChanged, watched[host].behind)
    watched[host] = Watched()
    (watched[host].calm, watched[host].roleSince, watched[host].gatesChanged) = (now, now, gates)
    watched[host].behind = behind
    forgetPairs(of: host)
    record.note(UInt32(host))
  }

  func gone(_ host: Int) {
    watched[host].held = [:]
    watched[host].last = nil
    leftBehind(by: host)
    forgetPairs(of: host)
  }

  func divided() {
    for host in watched.indices {
      (watched[host].calm, watched[host].parted) = (now, now)
      leftBehind(by: host)
    }
    for index in pairs.indices { pairs[index].apart = nil }
  }

  /// Notes the highest level that others may count a peer with which vanishes now. It may have told one since the last look,
  /// and have vanished before not long ago.
  private func leftBehind(by host: Int) {
    let before = watched[host].behind
    let counts = now - before.at <= EnsembleState.activityPatience + .milliseconds(500)
    let level = max(highest(host), room.hosts[host].peer?.core.ensemble.activity ?? 0)
    watched[host].behind = (max(level, counts ? before.level : 0), now)
  }

  func changedGates(_ host: Int) { watched[host].gatesChanged = now }

  private func forgetPairs(of host: Int) {
    guard !pairs.isEmpty else { return }
    for other in watched.indices {
      pairs[host * watched.count + other] = Pair()
      pairs[other * watched.count + host] = Pair()
    }
  }

  // MARK: What a peer does

  /// Notes the level that its player has come to: what falls and rises again between two looks, its master may hear of.
  func noteLevel(of peer: VirtualPeer) {
    guard !pairs.isEmpty else { return }
    let (level, known) = (peer.core.ensemble.activity, watched[peer.host].levels[looks % 12])
    watched[peer.host].levels[looks % 12] = min(level, known.lowerBound)...max(level, known.upperBound)
  }

  func notice(_ news: [VirtualPeer.Happening], of peer: VirtualPeer) {
    for event in news {
      switch event {
      case .heard(let step): heard(step, by: peer)
      case .sounds(let message, let session): sounds(message, from: session, at: peer)
      case .tells(let what): told(what, by: peer)
      }
    }
  }

  private func told(_ news: Event, by peer: VirtualPeer) {
    switch news {
    case .role(let role):
      record.note(UInt64(bitPattern: now.nanoseconds) ^ UInt64(peer.host))
      if role == .master, watched[peer.host].role == .idle { record.starts += 1 }
      noteRhythm(of: peer.host, as: role)
      watched[peer.host].hadPlayed = watched[peer.host].last.map { $0.at > watched[peer.host].roleSince } ?? false
      (watched[peer.host].role, watched[peer.host].roleSince) = (role, now)
      if role != .idle { watched[peer.host].hasEnded = false }
      for other in watched.indices where watched[other].role == .follower(of: peer.identity) {
        if role == .master { watched[other].hasEnded = false }
        if role == .idle, room.wire.reaches(peer.host, other) { watched[other].hasEnded = true }
      }
    case .outranked: record.outranked += 1
    case .tookOver: record.takeovers += 1
    case .masterLost(let identity):
      // Where another leads the session nobody else may control the rhythm, so none goes on with it. Nobody can go on with
      // what it has not begun to play, nor has to with what its master has come to the end of.
      let isLed = room.hosts[peer.host].gates.areLed
      let hasEnded = room.host(of: identity).map { master in
        room.wire.reaches(master, peer.host) && watched[master].role == .idle
      }
      let mayEnd = isLed || !watched[peer.host].hadPlayed || watched[peer.host].hasEnded || hasEnded == true
      expect(
        .failover, mayEnd, of: peer.host, "the rhythm to go on",
        "that it ended with \(name(of: identity))")
    default: break
    }
  }

  func name(of identity: Identity) -> String { room.host(of: identity).map { room.hosts[$0].name } ?? "\(identity)" }

  // MARK: Looks

  func look() {
    looks += 1
    // All levels first: a master may have heard by now to what another's has fallen since the last look.
    for host in room.hosts.indices {
      guard let level = room.hosts[host].peer?.core.ensemble.activity else { continue }
      watched[host].levels[looks % 12] = level...level
    }
    for host in room.hosts.indices { look(at: host) }
    guard !pairs.isEmpty else { return }
    for a in room.hosts.indices {
      for b in room.hosts.indices where a < b {
        guard let first = room.hosts[a].peer, let second = room.hosts[b].peer else { continue }
        look(at: first, and: second)
      }
    }
  }

  private func look(at host: Int) {
    guard let peer = room.hosts[host].peer else { return }
    expect(.rest, peer.spins < 1000, of: host, "a deadline to come", "\(peer.spins) wakings for one that has passed")
    lookAtSteps(of: peer)
    lookAtMaster(of: peer)
    lookAtNotes(at: peer)
    lookAtTotal(of: peer)
    lookAtChannel(of: peer)
  }

  private func look(at a: VirtualPeer, and b: VirtualPeer) {
    let isMet = a.core.roster.session(of: b.identity) != nil && b.core.roster.session(of: a.identity) != nil
    let reaches = room.wire.reaches(a.host, b.host)
    var pair = pairs[a.host * watched.count + b.host]
    // A session that a new one takes the place of is missed for a moment, however long the two have known each other.
    pair.apart = reaches && !isMet ? pair.apart ?? now : nil
    pair.met = isMet && reaches ? pair.met ?? now : nil
    let (isMaster, isOtherMaster) = (a.core.ensemble.role == .master, b.core.ensemble.role == .master)
    if reaches {
      let isLate = pair.apart.map { now - $0 > .seconds(15) } ?? false
      expect(.meeting, !isLate || pair.isTold, of: a.host, "a session with \(room.hosts[b.host].name)", "none")
      if isLate { pair.isTold = true }
    }
    let isRival =
      pair.met != nil && isMaster && isOtherMaster && a.core.ensemble.admits(.rhythm, from: b.identity)
      && b.core.ensemble.admits(.rhythm, from: a.identity)
    pair.rivals = isRival ? pair.rivals ?? now : nil
    if isMaster || isOtherMaster {
      expect(
        .oneMaster, pair.rivals.map { now - $0 <= .seconds(1) } ?? true, of: a.host, "one master",
        "two, the other being \(room.hosts[b.host].name)")
    }
    if pair.met == nil { pair.sharesChannel = nil }
    if let met = pair.met {
      let channel = a.core.ensemble.channel
      let shares = channel != nil && channel == b.core.ensemble.channel
      pair.sharesChannel = shares ? pair.sharesChannel ?? max(met, now) : nil
      expect(
        .channels, pair.sharesChannel.map { now - $0 <= .seconds(2) } ?? true, of: a.host, "a channel of its own",
        "that of \(room.hosts[b.host].name), \(channel.map { "\($0.number)" } ?? "-")")
    }
    pairs[a.host * watched.count + b.host] = pair
    pairs[b.host * watched.count + a.host] = pair
  }

  /// For how long two have been in session with each other; nil when they are not.
  func acquaintance(_ a: Int, _ b: Int) -> Nanoseconds? {
    if !pairs.isEmpty { return pairs[a * watched.count + b].met.map { now - $0 } }
    guard let first = room.hosts[a].peer, let second = room.hosts[b].peer,
      first.core.roster.session(of: second.identity) != nil, second.core.roster.session(of: first.identity) != nil
    else { return nil }
    return now - max(watched[a].calm, watched[b].calm)
  }
}
