import Ensemble
import MIDI
import MusicalTime
import PeerProtocol
import RTPMIDI

// The random commands of players and the random failures of processes and network.
extension RandomScenario {
  /// Executes one random command. While no rhythm plays, every second command on average starts one. The lengths of the
  /// ranges below are the weights of the commands.
  func executeRandomCommand(in world: VirtualWorld) {
    let isPlaying = world.hosts.contains { $0.peer.map { $0.core.ensemble.role != .idle } ?? false }
    if !isPlaying, chance(2) { return startRhythm(in: world) }
    if !world.pieces.isEmpty, chance(3) { return executeScoreCommand(in: world) }
    switch random.integer(in: 0...83) {
    case 0..<5: startRhythm(in: world)
    case 5..<7: stop(in: world)
    case 7..<13: changeTempo(in: world)
    case 13..<19: handOver(in: world)
    case 19..<34: setActivity(in: world)
    case 34..<49: playNote(in: world)
    case 49..<53: playController(in: world)
    case 53..<59: setGate(in: world)
    case 59..<63: crash(in: world)
    case 63..<67: leave(in: world)
    case 67..<74: rejoin(in: world)
    case 74..<77: partition(in: world)
    case 77..<79: changeMix(in: world)
    case 79..<83: chooseRhythm(in: world)
    default: playFill(in: world)
    }
  }

  /// One peer starts a rhythm, or several peers start one at the same instant.
  private func startRhythm(in world: VirtualWorld) {
    let count = chance(4) ? random.integer(in: 2...4) : 1
    for _ in 0..<count {
      guard let host = randomHost(in: world), let tempo = tempo() else { return }
      // Some starts have a count-in of one bar.
      let countIn = chance(4) ? CountIn(bars: 1, of: .common) ?? .none : .none
      try? world.command(host) { core, now throws(CommandError) in
        try core.ensemble.start(tempo: tempo, countIn: countIn, at: now)
      }
    }
  }

  /// A random tempo.
  private func tempo() -> Tempo? { try? Tempo(bpm: Double(random.integer(in: 60...200))) }

  private func stop(in world: VirtualWorld) {
    guard let host = world.master else { return }
    try? world.command(host) { core, now throws(CommandError) in try core.ensemble.stop(now: now) }
  }

  private func changeTempo(in world: VirtualWorld) {
    guard let host = world.master, let tempo = tempo() else { return }
    try? world.command(host) { core, now throws(CommandError) in try core.ensemble.change(tempo: tempo, at: now) }
  }

  /// The master changes the level of the drums, starts or stops the drums, and makes all players quiet or lets them sound again.
  private func changeMix(in world: VirtualWorld) {
    guard let host = world.master else { return }
    let (level, isQuiet) = (Int(random.integer(in: 0...100)), chance(4))
    let plays = !chance(4)
    try? world.command(host) { core, now throws(CommandError) in
      // Part 0 is the drums.
      var mix = core.ensemble.latestMix
      mix.setLevel(level, ofPart: 0)
      mix.setPlays(plays, part: 0)
      mix.isQuiet = isQuiet
      // The players become quiet as soon as the lead time permits. Any other change applies at the next bar.
      try core.ensemble.change(mix: mix, isImmediate: isQuiet, at: now)
    }
  }

  /// The master plays a fill in the next bar.
  private func playFill(in world: VirtualWorld) {
    guard let host = world.master else { return }
    try? world.command(host) { core, now throws(CommandError) in try core.ensemble.playFill(at: now) }
  }

  /// The master, or any peer while no rhythm plays, chooses one of the rhythms of the world.
  private func chooseRhythm(in world: VirtualWorld) {
    guard let host = world.master ?? randomHost(in: world) else { return }
    world.choose(Int(random.integer(in: 0...2)), at: host)
  }

  /// The master offers the rhythm to one peer or to all peers. Up to two peers accept.
  private func handOver(in world: VirtualWorld) {
    guard let master = world.master, let other = randomHost(in: world, except: master) else { return }
    let peer = chance(3) ? nil : world.hosts[other].identity
    try? world.command(master) { core, now throws(CommandError) in try core.ensemble.offer(to: peer, at: now) }
    for host in [other, randomHost(in: world, except: master)].compactMap({ $0 }) where !chance(4) {
      schedule(
        .take(host, life: world.hosts[host].lives), in: .milliseconds(random.integer(in: 50...2000)), of: world)
    }
  }

  private func setActivity(in world: VirtualWorld) {
    guard let host = randomHost(in: world) else { return }
    let level = UInt8(random.integer(in: 0...127))
    world.command(host) { core, now in core.ensemble.setActivity(level, at: now) }
  }

  /// A player plays a note to one peer or to all peers, and holds the note for up to three seconds.
  private func playNote(in world: VirtualWorld) {
    guard let host = randomHost(in: world) else { return }
    let key = UInt7(masking: UInt8(random.integer(in: 36...84)))
    guard !world.hosts[host].keys.contains(key) else { return }
    let recipient = chance(3) ? randomHost(in: world, except: host).map { world.hosts[$0].identity } : nil
    world.hosts[host].keys.append(key)
    // If the key is a multiple of four, another player begins or stops hearing this player. The key determines the other player, because
    // a further random number would change the scenarios of all known seeds.
    if key.value % 4 == 0 {
      let listener = Int(key.value / 4) % world.hosts.count
      if listener != host { world.toggleHearing(listener, of: host) }
    }
    world.command(host) { core, now in
      core.recipient = recipient
      core.play(.noteOn(.one, key: key, velocity: 100))
    }
    schedule(
      .releaseKey(host, life: world.hosts[host].lives, key: key), in: .milliseconds(random.integer(in: 20...3000)),
      of: world
    )
  }

  private func playController(in world: VirtualWorld) {
    guard let host = randomHost(in: world) else { return }
    let value = UInt7(masking: UInt8(random.integer(in: 0...127)))
    world.command(host) { core, now in core.play(.controlChange(.one, controller: 1, value: value)) }
  }

  /// A player closes one gate for all peers or for one peer, or opens all gates. Sometimes one peer leads the session for a while,
  /// perhaps with a deputy: only this peer may then control the rhythm.
  private func setGate(in world: VirtualWorld) {
    guard let host = randomHost(in: world), let other = randomHost(in: world, except: host) else { return }
    if chance(3) { return world.setGates(host) { $0 = Gates() } }
    if chance(8) {
      // Sometimes the leader has a deputy.
      let leaders = (chance(2) ? [host, other] : [host]).map { world.hosts[$0].identity.description }
      for peer in world.hosts.indices {
        let own = world.hosts[peer].identity.description
        world.setGates(peer) { $0.setLeaders(leaders, local: leaders.first { $0 == own }) }
      }
      return schedule(.openGates, in: .seconds(random.integer(in: 5...20)), of: world)
    }
    let gate: Gate = [.notes, .modification, .activity].randomElement(using: &random)!
    let peer = chance(2) ? world.hosts[other].identity.description : nil
    world.setGates(host) { $0.set(gate, open: false, for: peer) }
  }

  /// The process of a peer, often that of the master, ends without a goodbye (BY), and starts again within twenty seconds.
  private func crash(in world: VirtualWorld) {
    guard let host = chance(2) ? world.master ?? randomHost(in: world) : randomHost(in: world) else { return }
    world.crash(host)
    schedule(.enter(host), in: .milliseconds(random.integer(in: 300...20_000)), of: world)
  }

  /// A peer, often the master, leaves with a goodbye (BY), and returns within twenty seconds. A master first offers the rhythm to
  /// another peer, and stays until this peer has accepted, but at most for a second.
  private func leave(in world: VirtualWorld) {
    guard let host = chance(2) ? world.master ?? randomHost(in: world) : randomHost(in: world) else { return }
    var stays = false
    world.command(host) { core, now in stays = core.ensemble.prepareDeparture(at: now) }
    let length = stays ? Nanoseconds.seconds(1) : .zero
    schedule(.leave(host, life: world.hosts[host].lives, by: world.now + length), in: .zero, of: world)
    schedule(.enter(host), in: .milliseconds(random.integer(in: 2000...20_000)), of: world)
  }

  /// A random absent peer starts.
  private func rejoin(in world: VirtualWorld) {
    let absent = world.hosts.indices.filter { world.hosts[$0].peer == nil }
    if let host = absent.randomElement(using: &random) { enter(host, in: world) }
  }

  /// The network is partitioned into two or three parts for up to forty seconds.
  private func partition(in world: VirtualWorld) {
    guard !isPartitioned else { return }
    isPartitioned = true
    let count = random.integer(in: 2...3)
    let parts = world.hosts.map { _ in UInt8(random.integer(in: 1...count)) }
    world.partition(into: parts)
    schedule(.heal, in: .milliseconds(random.integer(in: 500...40_000)), of: world)
  }
}
