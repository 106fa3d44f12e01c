import Ensemble
import MIDI
import MusicalTime
import PeerProtocol
import RTPMIDI

// What somebody takes into his head.
extension Evening {
  func wish(in room: Room) {
    let isPlaying = room.hosts.contains { $0.peer.map { $0.core.ensemble.role != .idle } ?? false }
    if !isPlaying, chance(2) { return start(in: room) }
    switch random.integer(in: 0...79) {
    case 0..<5: start(in: room)
    case 5..<7: stop(in: room)
    case 7..<13: changeTempo(in: room)
    case 13..<19: handOver(in: room)
    case 19..<34: liven(in: room)
    case 34..<49: strike(in: room)
    case 49..<53: bend(in: room)
    case 53..<59: setGate(in: room)
    case 59..<63: crash(in: room)
    case 63..<67: leave(in: room)
    case 67..<74: enter(in: room)
    case 74..<77: divide(in: room)
    default: break
    }
  }

  /// One, or several at the same time.
  private func start(in room: Room) {
    let count = chance(4) ? random.integer(in: 2...4) : 1
    for _ in 0..<count {
      guard let host = somebody(in: room), let tempo = tempo() else { return }
      try? room.command(host) { core, now throws(CommandError) in try core.ensemble.start(tempo: tempo, at: now) }
    }
  }

  private func tempo() -> Tempo? { try? Tempo(bpm: Double(random.integer(in: 60...200))) }

  private func stop(in room: Room) {
    guard let host = room.master else { return }
    try? room.command(host) { core, now throws(CommandError) in try core.ensemble.stop(now: now) }
  }

  private func changeTempo(in room: Room) {
    guard let host = room.master, let tempo = tempo() else { return }
    try? room.command(host) { core, now throws(CommandError) in try core.ensemble.change(tempo: tempo, at: now) }
  }

  /// To one or to all; one or two take it, or nobody does.
  private func handOver(in room: Room) {
    guard let master = room.master, let other = somebody(in: room, but: master) else { return }
    let peer = chance(3) ? nil : room.hosts[other].identity
    try? room.command(master) { core, now throws(CommandError) in try core.ensemble.offer(to: peer, at: now) }
    for host in [other, somebody(in: room, but: master)].compactMap({ $0 }) where !chance(4) {
      schedule(
        .take(host, life: room.hosts[host].lives), in: .milliseconds(random.integer(in: 50...2000)), of: room)
    }
  }

  private func liven(in room: Room) {
    guard let host = somebody(in: room) else { return }
    let level = UInt8(random.integer(in: 0...127))
    room.command(host) { core, now in core.ensemble.setActivity(level, at: now) }
  }

  /// A note to one or to all, held for up to three seconds.
  private func strike(in room: Room) {
    guard let host = somebody(in: room) else { return }
    let key = UInt7(masking: UInt8(random.integer(in: 36...84)))
    guard !room.hosts[host].keys.contains(key) else { return }
    let addressee = chance(3) ? somebody(in: room, but: host).map { room.hosts[$0].identity } : nil
    room.hosts[host].keys.append(key)
    room.command(host) { core, now in
      core.addressee = addressee
      core.play(.noteOn(.one, key: key, velocity: 100), at: now)
    }
    schedule(
      .letGo(host, life: room.hosts[host].lives, key: key), in: .milliseconds(random.integer(in: 20...3000)), of: room)
  }

  private func bend(in room: Room) {
    guard let host = somebody(in: room) else { return }
    let value = UInt7(masking: UInt8(random.integer(in: 0...127)))
    room.command(host) { core, now in core.play(.controlChange(.one, controller: 1, value: value), at: now) }
  }

  /// One gate to everybody or to one, or all as they were; now and then a session that one leads.
  private func setGate(in room: Room) {
    guard let host = somebody(in: room), let other = somebody(in: room, but: host) else { return }
    if chance(3) { return room.setGates(host) { $0 = Gates() } }
    if chance(8) {
      for peer in room.hosts.indices {
        let leader = peer == host ? nil : room.hosts[host].identity.description
        room.setGates(peer) { $0.ledBy(leader) }
      }
      return schedule(.openGates, in: .seconds(random.integer(in: 5...20)), of: room)
    }
    let gate: Gate = [.notes, .modification, .activity].randomElement(using: &random)!
    let peer = chance(2) ? room.hosts[other].identity.description : nil
    room.setGates(host) { $0.set(gate, open: false, for: peer) }
  }

  private func crash(in room: Room) {
    guard let host = chance(2) ? room.master ?? somebody(in: room) : somebody(in: room) else { return }
    room.crash(host)
    schedule(.enter(host), in: .milliseconds(random.integer(in: 300...20_000)), of: room)
  }

  private func leave(in room: Room) {
    guard let host = chance(2) ? room.master ?? somebody(in: room) : somebody(in: room) else { return }
    var stays = false
    room.command(host) { core, now in stays = core.ensemble.part(at: now) }
    let length = stays ? Nanoseconds.seconds(1) : .zero
    schedule(.leave(host, life: room.hosts[host].lives, by: room.now + length), in: .zero, of: room)
    schedule(.enter(host), in: .milliseconds(random.integer(in: 2000...20_000)), of: room)
  }

  private func enter(in room: Room) {
    let absent = room.hosts.indices.filter { room.hosts[$0].peer == nil }
    if let host = absent.randomElement(using: &random) { enter(host, in: room) }
  }

  /// In two or three, for up to forty seconds.
  private func divide(in room: Room) {
    guard !isDivided else { return }
    isDivided = true
    let count = random.integer(in: 2...3)
    let parts = room.hosts.map { _ in UInt8(random.integer(in: 1...count)) }
    room.divide(into: parts)
    schedule(.heal, in: .milliseconds(random.integer(in: 500...40_000)), of: room)
  }
}
