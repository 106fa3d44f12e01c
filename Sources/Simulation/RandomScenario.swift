import Ensemble
import MIDI
import MusicalTime
import RTPMIDI

/// A scenario of random events: peers join, leave, crash, start and stop the rhythm, hand it over, play notes and close
/// gates (the permissions of remote peers, ``Gates``), and the network is partitioned. The seed and the state of the world
/// determine the events and their instants.
///
/// With every fourth seed, a hostile device sends forged datagrams (``HostileDevice``).
///
/// In the last ten seconds (``finalCalm``), the network is whole, and there are no new commands or forged datagrams. All absent
/// peers start at the beginning of these ten seconds. Actions that were scheduled before are still performed.
final class RandomScenario: Scenario {
  /// A scheduled action.
  ///
  /// The first value, if any, is the number of a host. `life` (``VirtualPeer/life``) counts the starts of the peer at this host. If the
  /// peer has been restarted since the action was scheduled, `life` differs, and the action is omitted.
  enum Action {
    /// A peer starts.
    case enter(Int)
    /// The peer leaves as soon as it is no longer the master, but at the instant `by` at the latest.
    case leave(Int, life: Int, by: Instant)
    /// The player releases a key.
    case releaseKey(Int, life: Int, key: UInt7)
    /// The peer accepts an offer of the rhythm.
    case take(Int, life: Int)
    /// The partition of the network ends.
    case heal
    /// All gates of all peers are opened.
    case openGates
  }

  /// The length of the last part, without commands.
  static let finalCalm = Nanoseconds.seconds(10)

  var random: SplitMix
  private let end: Instant
  /// The scheduled actions, in no particular order.
  private var agenda: [(at: Instant, action: Action)] = []
  /// The instant of the next random command. The first one follows after four seconds.
  private var nextCommand = Instant(nanoseconds: 4_000_000_000)
  /// Whether ``finalCalm`` has begun.
  private var isCalm = false
  /// The hostile device; nil if the scenario has none.
  private(set) var hostile: HostileDevice?
  /// The instant of the next attack. The first one precedes the first session.
  private var nextAttack = Instant(nanoseconds: 0)
  /// Whether the network is partitioned.
  var isPartitioned = false

  init(seed: UInt64, length: Nanoseconds) {
    // The random numbers of the scenario must differ from those of the world, which has the same seed. The constant is arbitrary: the
    // ASCII text "EVENING!".
    random = SplitMix(seed: seed ^ 0x4556_454E_494E_4721)
    end = Instant(nanoseconds: 0) + length
    if Self.isHostile(seed) { hostile = HostileDevice(seed: random.next()) }
  }

  /// Whether the scenario with this seed has a hostile device: every fourth one.
  static func isHostile(_ seed: UInt64) -> Bool { seed % 4 == 3 }

  func advance(_ world: VirtualWorld) -> Instant {
    if world.now == Instant(nanoseconds: 0) { scheduleArrivals(in: world) }
    while let index = agenda.indices.min(by: { agenda[$0].at < agenda[$1].at }), agenda[index].at <= world.now {
      let action = agenda.remove(at: index).action
      perform(action, in: world)
    }
    if !isCalm, world.now >= end - Self.finalCalm { calmDown(in: world) }
    if !isCalm, world.now >= nextCommand {
      executeRandomCommand(in: world)
      nextCommand = world.now + .milliseconds(random.integer(in: 50...1500))
    }
    if !isCalm, hostile != nil, world.now >= nextAttack { nextAttack = world.now + hostile!.attack(world) }
    let next = min(
      agenda.map(\.at).min() ?? .distantFuture, isCalm ? .distantFuture : min(nextCommand, end - Self.finalCalm),
      isCalm || hostile == nil ? .distantFuture : nextAttack)
    // The next call is always later than this one, so that the simulated time advances.
    return max(next, world.now + Nanoseconds(1))
  }

  /// Schedules an action after `delay`.
  func schedule(_ action: Action, in delay: Nanoseconds, of world: VirtualWorld) {
    agenda.append((world.now + delay, action))
  }

  /// Returns true with probability 1 / `count`.
  func chance(_ count: Int64) -> Bool { random.integer(in: 1...count) == 1 }

  /// Returns the host of a random peer that is present, except `other`.
  func randomHost(in world: VirtualWorld, except other: Int? = nil) -> Int? {
    world.hosts.indices.filter { world.hosts[$0].peer != nil && $0 != other }.randomElement(using: &random)
  }

  /// Starts a peer with a random activity.
  func enter(_ host: Int, in world: VirtualWorld) { world.enter(host, activity: UInt8(random.integer(in: 0...60))) }

  /// The first two peers and most of the others join within the first two seconds.
  private func scheduleArrivals(in world: VirtualWorld) {
    for host in world.hosts.indices where host < 2 || !chance(4) {
      schedule(.enter(host), in: .milliseconds(random.integer(in: 0...2000)), of: world)
    }
  }

  /// Begins the last part: ends the partition, opens the gates and starts all absent peers.
  private func calmDown(in world: VirtualWorld) {
    isCalm = true
    perform(.heal, in: world)
    perform(.openGates, in: world)
    for host in world.hosts.indices where world.hosts[host].peer == nil { enter(host, in: world) }
  }

  private func perform(_ action: Action, in world: VirtualWorld) {
    switch action {
    case .enter(let host): enter(host, in: world)
    case .leave(let host, let life, let limit):
      guard let peer = world.hosts[host].peer, peer.life == life else { break }
      if peer.core.ensemble.role == .master, world.now < limit {
        schedule(.leave(host, life: life, by: limit), in: .milliseconds(20), of: world)
      } else {
        world.leave(host)
      }
    case .releaseKey(let host, let life, let key):
      guard world.hosts[host].peer?.life == life else { break }
      world.hosts[host].keys.removeAll { $0 == key }
      world.command(host) { core, now in core.play(.noteOff(.one, key: key, velocity: 64)) }
    case .take(let host, let life):
      guard world.hosts[host].peer?.life == life else { break }
      try? world.command(host) { core, now throws(CommandError) in try core.ensemble.take(at: now) }
    case .heal:
      guard isPartitioned else { break }
      isPartitioned = false
      world.partition(into: world.hosts.map { _ in 0 })
    case .openGates: for host in world.hosts.indices { world.setGates(host) { $0 = Gates() } }
    }
  }
}

extension Channel {
  /// The default channel of keyboards.
  static var one: Channel { Channel(wire: 0) }
}
