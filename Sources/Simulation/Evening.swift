import Ensemble
import MIDI
import MusicalTime
import RTPMIDI

/// An evening with people who do as they like: they come and go, start and stop, hand over, play, close gates; cables are
/// pulled, processes killed. What they do, and when, follows from the seed and from what plays at the time.
///
/// In the last ten seconds everybody is there, the network is whole and nobody does anything but listen.
final class Evening: Script {
  /// What will be done later.
  enum Later {
    case enter(Int)
    case leave(Int, life: Int, by: Instant)
    case letGo(Int, life: Int, key: UInt7)
    case take(Int, life: Int)
    case heal
    case openGates
  }

  static let calm = Nanoseconds.seconds(10)

  var random: SplitMix
  private let end: Instant
  private var agenda: [(at: Instant, what: Later)] = []
  private var nextWish = Instant(nanoseconds: 4_000_000_000)
  private var isCalm = false
  var isDivided = false

  init(seed: UInt64, length: Nanoseconds) {
    random = SplitMix(seed: seed ^ 0x4556_454E_494E_4721)
    end = Instant(nanoseconds: 0) + length
  }

  func act(in room: Room) -> Instant {
    if room.now == Instant(nanoseconds: 0) { arrive(in: room) }
    while let index = agenda.indices.min(by: { agenda[$0].at < agenda[$1].at }), agenda[index].at <= room.now {
      let what = agenda.remove(at: index).what
      perform(what, in: room)
    }
    if !isCalm, room.now >= end - Self.calm { calmDown(in: room) }
    if !isCalm, room.now >= nextWish {
      wish(in: room)
      nextWish = room.now + .milliseconds(random.integer(in: 50...1500))
    }
    let next = min(agenda.map(\.at).min() ?? .distantFuture, isCalm ? .distantFuture : min(nextWish, end - Self.calm))
    return max(next, room.now + Nanoseconds(1))
  }

  func schedule(_ what: Later, in length: Nanoseconds, of room: Room) { agenda.append((room.now + length, what)) }

  /// One in `count`.
  func chance(_ count: Int64) -> Bool { random.integer(in: 1...count) == 1 }

  /// A peer that is there.
  func somebody(in room: Room, but other: Int? = nil) -> Int? {
    room.hosts.indices.filter { room.hosts[$0].peer != nil && $0 != other }.randomElement(using: &random)
  }

  func enter(_ host: Int, in room: Room) { room.enter(host, activity: UInt8(random.integer(in: 0...60))) }

  /// Most are there from the beginning.
  private func arrive(in room: Room) {
    for host in room.hosts.indices where host < 2 || !chance(4) {
      schedule(.enter(host), in: .milliseconds(random.integer(in: 0...2000)), of: room)
    }
  }

  private func calmDown(in room: Room) {
    isCalm = true
    perform(.heal, in: room)
    perform(.openGates, in: room)
    for host in room.hosts.indices where room.hosts[host].peer == nil { enter(host, in: room) }
  }

  private func perform(_ what: Later, in room: Room) {
    switch what {
    case .enter(let host): enter(host, in: room)
    case .leave(let host, let life, let limit):
      guard let peer = room.hosts[host].peer, peer.life == life else { break }
      if peer.core.ensemble.role == .master, room.now < limit {
        schedule(.leave(host, life: life, by: limit), in: .milliseconds(20), of: room)
      } else {
        room.leave(host)
      }
    case .letGo(let host, let life, let key):
      guard room.hosts[host].peer?.life == life else { break }
      room.hosts[host].keys.removeAll { $0 == key }
      room.command(host) { core, now in core.play(.noteOff(.one, key: key, velocity: 64), at: now) }
    case .take(let host, let life):
      guard room.hosts[host].peer?.life == life else { break }
      try? room.command(host) { core, now throws(CommandError) in try core.ensemble.take(at: now) }
    case .heal:
      guard isDivided else { break }
      isDivided = false
      room.divide(into: room.hosts.map { _ in 0 })
    case .openGates: for host in room.hosts.indices { room.setGates(host) { $0 = Gates() } }
    }
  }
}

extension Channel {
  /// The channel that keyboards play on as they come from the shop.
  static var one: Channel { Channel(wire: 0) }
}
