import MIDI
import MusicalTime
import PeerProtocol
import RTPMIDI
import Testing

@testable import Ensemble

/// Two drum machines send clock to one peer at the same time.
@Suite struct ClockArbiterTests {
  /// A drum machine.
  private struct Machine {
    /// The time between two ticks.
    let interval: Nanoseconds
    let start: Instant
    /// The machine sends no tick from this instant on.
    var end = Instant.distantFuture
    /// The number of ticks that the machine has sent.
    var ticks = 0
  }

  /// What the peer reports about a machine.
  private struct Report: Equatable {
    let name: String
    let event: ClockArbiter.Event
  }

  private static let origin = Instant(nanoseconds: 5_000_000_000)

  /// `--clock-from rtp:HOST`: a device that invites from a port that changes is the input for its host. A Tutti peer on the same host is not.
  @Test func deviceWithAnotherPortIsTheInputOfItsHost() {
    var ensemble = EnsembleState(identity: Identity(1))
    var arbiter = ClockArbiter()
    func address(_ host: Int, _ port: UInt16) -> SocketAddress {
      SocketAddress(host: UInt32(host), port: port)
    }
    arbiter.add("rtp:host", at: address(7, 5004))
    let sessions = (1...4).map { SessionID(number: UInt64($0)) }
    arbiter.established(sessions[0], at: address(7, 40_000), name: "peer")
    arbiter.recognised(sessions[0], in: &ensemble, at: Self.origin)
    #expect(!arbiter.contains(.session(sessions[0])) && arbiter.takeEvents().isEmpty)
    arbiter.established(sessions[1], at: address(8, 5004), name: "other host")
    #expect(!arbiter.contains(.session(sessions[1])))
    arbiter.established(sessions[2], at: address(7, 50_000), name: "gateway")
    #expect(arbiter.contains(.session(sessions[2])) && arbiter.inputs[0].name == "gateway")
    // The device has restarted with another port. The exact address has precedence over the host.
    arbiter.disconnect { $0 == .session(sessions[2]) }
    arbiter.established(sessions[3], at: address(7, 50_002), name: "gateway")
    #expect(arbiter.contains(.session(sessions[3])))
  }

  /// Lets the machines send clock to one peer for `length`.
  ///
  /// - Parameters:
  ///   - machines: at most two machines, named A and B.
  ///   - unplugged: the index of a machine and the instant from which it is disconnected; nil if none is.
  /// - Returns: the reports, the tempo and the name of the machine by which the peer plays, and the state of the peer at the end.
  private func play(
    _ machines: inout [Machine], for length: Nanoseconds, unplugged: (Int, Instant)? = nil
  ) -> (reports: [Report], tempo: Double, leader: String?, ensemble: EnsembleState) {
    var ensemble = EnsembleState(identity: Identity(1))
    var arbiter = ClockArbiter()
    for n in machines.indices { arbiter.connect(n == 0 ? "A" : "B", .port(client: UInt8(n), port: 0)) }
    var reports: [Report] = []
    var now = Self.origin
    while now < Self.origin + length {
      now = now + .milliseconds(1)
      for n in machines.indices {
        let source = ClockInput.Source.port(client: UInt8(n), port: 0)
        if let (index, instant) = unplugged, n == index, now >= instant { arbiter.disconnect { $0 == source } }
        let due = machines[n].start + Nanoseconds(machines[n].interval.count * Int64(machines[n].ticks))
        guard due <= now, due < machines[n].end else { continue }
        let messages: [Message] = machines[n].ticks == 0 ? [.start, .clock] : [.clock]
        for message in messages { arbiter.received(message, from: source, at: due, for: &ensemble, now: now) }
        machines[n].ticks += 1
      }
      arbiter.advance(to: now, for: &ensemble)
      reports += arbiter.takeEvents().map { Report(name: $0.name, event: $0.event) }
      ensemble.advance(to: now)
      _ = ensemble.takeOutputs()
    }
    return (reports, ensemble.schedule.tempo(at: now).bpm, arbiter.leader(of: ensemble)?.name, ensemble)
  }

  /// Returns a machine that starts `milliseconds` after the origin.
  private func machine(bpm: Double, at milliseconds: Int64) -> Machine {
    Machine(interval: Nanoseconds(Int64(60e9 / bpm / 24)), start: Self.origin + .milliseconds(milliseconds))
  }

  /// - Parameters:
  ///   - startOfA: when machine A starts, in milliseconds.
  ///   - startOfB: when machine B starts, in milliseconds.
  @Test(arguments: [(0, 1000), (1000, 0), (0, 3)]) func firstClockLeadsAndTheOtherIsReportedOnce(
    _ startOfA: Int64, _ startOfB: Int64
  ) {
    var machines = [machine(bpm: 120, at: startOfA), machine(bpm: 90, at: startOfB)]
    let (reports, tempo, leader, ensemble) = play(&machines, for: .seconds(12))
    let (leading, unused, bpm) = startOfA <= startOfB ? ("A", "B", 120.0) : ("B", "A", 90)
    // The rhythm is steered by small tempo changes, so the tempo is not exact.
    #expect(abs(tempo - bpm) < 0.5, "tempo \(tempo) instead of \(bpm) BPM")
    #expect(reports == [Report(name: unused, event: .unused(beside: leading))])
    #expect(leader == leading)
    #expect(ensemble.role == .master)
  }

  /// `--no-transport`: a device sends ticks without Start. The rhythm begins with them, ignores Stop and Song Position, and ends soon after the
  /// last tick. It begins again from tick 0 when ticks arrive again.
  @Test func rhythmPlaysWhileTicksArrive() {
    var ensemble = EnsembleState(identity: Identity(1))
    var arbiter = ClockArbiter()
    arbiter.followsTransport = false
    let source = ClockInput.Source.port(client: 0, port: 0)
    arbiter.connect("A", source)
    var roles: [Role] = []
    var starts: [Tick] = []
    for millisecond in 0..<10_000 {
      let now = Self.origin + .milliseconds(Int64(millisecond))
      // 120.19 BPM: a tick every 20.8 ms. From 4 s to 6 s, no tick arrives.
      var messages: [Message] = millisecond % 104 == 0 || [21, 42, 62, 83].contains(millisecond % 104) ? [.clock] : []
      if (4000..<6000).contains(millisecond) { messages = [] }
      if millisecond == 2000 { messages += [.stop, .songPosition(8), .start] }
      for message in messages { arbiter.received(message, from: source, at: now, for: &ensemble, now: now) }
      arbiter.advance(to: now, for: &ensemble)
      ensemble.advance(to: now)
      _ = ensemble.takeOutputs()
      if roles.last != ensemble.role {
        roles.append(ensemble.role)
        if ensemble.role == .master { starts.append(ensemble.schedule.start) }
        if ensemble.role == .idle, millisecond > 0 { #expect((4500..<5000).contains(millisecond)) }
      }
    }
    #expect(roles == [.idle, .master, .idle, .master])
    #expect(starts.count == 2 && starts.allSatisfy { $0.index <= 24 && $0.index % Tick.perStep == 0 })
  }

  @Test(arguments: [false, true]) func otherClockLeadsWhenTheFirstFallsSilent(isUnplugged: Bool) {
    var machines = [machine(bpm: 120, at: 0), machine(bpm: 90, at: 1000)]
    machines[0].end = Self.origin + .seconds(6)
    let (reports, tempo, leader, ensemble) = play(
      &machines, for: .seconds(14), unplugged: isUnplugged ? (0, Self.origin + .seconds(6)) : nil)
    // A clock that is disconnected is replaced before it counts as silent.
    let replacement = Report(name: "A", event: .replaced(by: "B"))
    let silence = Report(name: "A", event: .silent)
    let unused = Report(name: "B", event: .unused(beside: "A"))
    #expect(reports == (isUnplugged ? [unused, replacement, silence] : [unused, silence, replacement]))
    #expect(abs(tempo - 90) < 0.5 && ensemble.role == .master)
    #expect(leader == "B")
  }
}
