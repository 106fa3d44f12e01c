import Ensemble
import MusicalTime

/// Which peers know the addresses of others, and which hosts reach each other.
struct BandShape: Sendable {
  /// For each host, the hosts to which its peer connects (`--connect`).
  var configured: [[Int]]
  /// For each pair of hosts a and b, at index a * hosts + b: whether packets pass from a to b. Symmetric.
  var links: [Bool]

  /// A random shape. The links connect all hosts, directly or through others. So do those of the links that are configured. Some addresses
  /// are configured that cannot be reached.
  static func random(peers: Int, _ random: inout SplitMix) -> BandShape {
    var shape = BandShape(
      configured: Array(repeating: [], count: peers), links: [Bool](repeating: false, count: peers * peers))
    func link(_ a: Int, _ b: Int) { (shape.links[a * peers + b], shape.links[b * peers + a]) = (true, true) }
    // A random tree: each host is linked to an earlier one. A chain and a star are the extreme cases.
    let kind = random.integer(in: 0...3)
    for host in 1..<peers {
      let other = kind == 0 ? host - 1 : kind == 1 ? 0 : Int(random.integer(in: 0...Int64(host - 1)))
      link(host, other)
      if random.integer(in: 0...1) == 0 {
        shape.configured[host].append(other)
      } else {
        shape.configured[other].append(host)
      }
    }
    // 0: only the tree; 3: all hosts reach each other.
    let density = random.integer(in: 0...3)
    for a in 0..<peers {
      for b in 0..<a {
        if random.integer(in: 1...3) <= density { link(a, b) }
        if random.integer(in: 0...9) == 0 { shape.configured[a].append(b) }
      }
    }
    return shape
  }
}

/// A scenario of a band of any shape: peers start and stop the rhythm, crash and return, and the network is partitioned. The actions are so far
/// apart that the band can settle after each of them.
final class BandScenario: Scenario {
  private var random: SplitMix
  private let end: Instant
  private var nextAction = Instant(nanoseconds: 12_000_000_000)
  private var isPartitioned = false

  init(seed: UInt64, length: Nanoseconds) {
    // "BAND!"
    random = SplitMix(seed: seed ^ 0x42_414E_4421)
    end = Instant(nanoseconds: 0) + length
  }

  func advance(_ world: VirtualWorld) -> Instant {
    if world.now == Instant(nanoseconds: 0) {
      for host in world.hosts.indices { world.enter(host, activity: UInt8(random.integer(in: 0...30))) }
    }
    if world.now >= nextAction, world.now < end - .seconds(10) {
      act(in: world)
      nextAction = world.now + .milliseconds(random.integer(in: 7000...14_000))
    }
    return world.now < nextAction ? nextAction : end + .seconds(1)
  }

  private func act(in world: VirtualWorld) {
    let present = world.hosts.indices.filter { world.hosts[$0].peer != nil }
    let absent = world.hosts.indices.filter { world.hosts[$0].peer == nil }
    let isPlaying = present.contains { world.hosts[$0].peer!.core.ensemble.role != .idle }
    guard let host = present.randomElement(using: &random) else { return world.enter(absent[0]) }
    if !isPlaying { return start(host, in: world) }
    switch random.integer(in: 0...9) {
    case 0: start(host, in: world)
    case 1: stop(in: world)
    case 2, 3: crashMaster(in: world)
    case 4: world.crash(host)
    case 5: world.leave(host)
    case 6, 7: if let absent = absent.randomElement(using: &random) { world.enter(absent) } else { world.crash(host) }
    default:
      isPartitioned.toggle()
      world.partition(into: world.hosts.map { _ in isPartitioned ? UInt8(random.integer(in: 0...1)) : 0 })
    }
  }

  private func start(_ host: Int, in world: VirtualWorld) {
    world.checker.bandChangedAt = world.now
    try? world.command(host) { core, now throws(CommandError) in
      try core.ensemble.start(tempo: .standard, countIn: .none, at: now)
    }
  }

  private func stop(in world: VirtualWorld) {
    world.checker.bandChangedAt = world.now
    guard let host = world.master else { return }
    try? world.command(host) { core, now throws(CommandError) in try core.ensemble.stop(now: now) }
  }

  private func crashMaster(in world: VirtualWorld) { if let host = world.master { world.crash(host) } }
}
