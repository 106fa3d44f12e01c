import Ensemble
import MusicalTime
import PeerProtocol
import Testing

/// Two drum machines send clock to one peer at the same time.
@Suite struct ClockArbiterTests {
  /// A drum machine and its clock, as the peer sees it.
  private struct Machine {
    /// The time between two ticks.
    let interval: Nanoseconds
    let start: Instant
    /// The machine sends no tick from this instant on.
    var end = Instant.distantFuture
    var clock = ExternalClock()
    /// The number of ticks that the machine has sent.
    var ticks = 0
  }

  private static let origin = Instant(nanoseconds: 5_000_000_000)

  /// Lets the machines send clock to one peer for `length`.
  ///
  /// - Parameters:
  ///   - machines: at most two machines, named A and B.
  ///   - unplugged: the index of a machine and the instant from which it is disconnected; nil if none is.
  /// - Returns: the notifications, and the tempo and the state of the peer at the end.
  private func play(
    _ machines: inout [Machine], for length: Nanoseconds, unplugged: (Int, Instant)? = nil
  ) -> (notifications: [ClockArbiter.Notification], tempo: Double, ensemble: EnsembleState) {
    var ensemble = EnsembleState(identity: Identity(1))
    var arbiter = ClockArbiter()
    var notifications: [ClockArbiter.Notification] = []
    var now = Self.origin
    while now < Self.origin + length {
      now = now + .milliseconds(1)
      for n in machines.indices {
        let due = machines[n].start + Nanoseconds(machines[n].interval.count * Int64(machines[n].ticks))
        guard due <= now, due < machines[n].end else { continue }
        if machines[n].ticks == 0 { _ = machines[n].clock.received(.start, at: due, for: &ensemble, now: now) }
        _ = machines[n].clock.received(.clock, at: due, for: &ensemble, now: now)
        machines[n].ticks += 1
      }
      for n in machines.indices { _ = machines[n].clock.advance(to: now) }
      let candidates = machines.enumerated().map { n, machine in
        var isConnected = true
        if let (unpluggedIndex, instant) = unplugged, n == unpluggedIndex { isConnected = now < instant }
        return ClockArbiter.Candidate(n == 0 ? "A" : "B", machine.clock, isConnected: isConnected)
      }
      let (yielding, added) = arbiter.select(among: candidates, for: ensemble, now: now)
      if let yielding { machines[yielding].clock.yield(&ensemble, now: now) }
      notifications += added
      ensemble.advance(to: now)
      _ = ensemble.takeOutputs()
    }
    return (notifications, ensemble.schedule.tempo(at: now).bpm, ensemble)
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
    let (notifications, tempo, ensemble) = play(&machines, for: .seconds(12))
    let (leading, unused, bpm) = startOfA <= startOfB ? ("A", "B", 120.0) : ("B", "A", 90)
    // The rhythm is steered by small tempo changes, so the tempo is not exact.
    #expect(abs(tempo - bpm) < 0.5, "tempo \(tempo) instead of \(bpm) BPM")
    #expect(notifications == [.unused(unused, beside: leading)])
    #expect(ensemble.role == .master)
  }

  @Test(arguments: [false, true]) func otherClockLeadsWhenTheFirstFallsSilent(isUnplugged: Bool) {
    var machines = [machine(bpm: 120, at: 0), machine(bpm: 90, at: 1000)]
    machines[0].end = Self.origin + .seconds(6)
    let (notifications, tempo, ensemble) = play(
      &machines, for: .seconds(14), unplugged: isUnplugged ? (0, Self.origin + .seconds(6)) : nil)
    #expect(notifications == [.unused("B", beside: "A"), .replaced(by: "B", silent: "A")])
    #expect(abs(tempo - 90) < 0.5 && ensemble.role == .master)
    #expect(machines[1].clock.leads(ensemble))
  }
}
