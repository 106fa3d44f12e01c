import Ensemble
import MusicalTime
import PeerProtocol
import Testing

/// Two drum machines at once.
@Suite struct ClockArbiterTests {
  private struct Machine {
    let interval: Nanoseconds
    let begins: Instant
    var ends = Instant.distantFuture
    var clock = ExternalClock()
    var ticks = 0
  }

  private static let origin = Instant(nanoseconds: 5_000_000_000)

  /// Lets `machines` play into one peer for `length`; what the player hears, and the tempo in the last second.
  private func play(
    _ machines: inout [Machine], for length: Nanoseconds, unplugged: (Int, Instant)? = nil
  ) -> (news: [ClockArbiter.Notification], tempo: Double, ensemble: EnsembleState) {
    var ensemble = EnsembleState(identity: Identity(1))
    var arbiter = ClockArbiter()
    var news: [ClockArbiter.Notification] = []
    var now = Self.origin
    while now < Self.origin + length {
      now = now + .milliseconds(1)
      for n in machines.indices {
        let due = machines[n].begins + Nanoseconds(machines[n].interval.count * Int64(machines[n].ticks))
        guard due <= now, due < machines[n].ends else { continue }
        if machines[n].ticks == 0 { _ = machines[n].clock.received(.start, at: due, for: &ensemble, now: now) }
        _ = machines[n].clock.received(.clock, at: due, for: &ensemble, now: now)
        machines[n].ticks += 1
      }
      for n in machines.indices { _ = machines[n].clock.advance(to: now) }
      let candidates = machines.enumerated().map { n, machine in
        ClockArbiter.Candidate(
          n == 0 ? "A" : "B", machine.clock, isConnected: unplugged.map { $0.0 != n || now < $0.1 } ?? true)
      }
      let (yields, told) = arbiter.select(among: candidates, for: ensemble, now: now)
      if let yields { machines[yields].clock.yield(&ensemble, now: now) }
      news += told
      ensemble.advance(to: now)
      _ = ensemble.takeOutputs()
    }
    return (news, ensemble.schedule.tempo(at: now).bpm, ensemble)
  }

  private func machine(bpm: Double, at milliseconds: Int64) -> Machine {
    Machine(interval: Nanoseconds(Int64(60e9 / bpm / 24)), begins: Self.origin + .milliseconds(milliseconds))
  }

  @Test(arguments: [(0, 1000), (1000, 0), (0, 3)]) func theFirstIsKeptAndTheOtherNamedOnce(_ a: Int64, _ b: Int64) {
    var machines = [machine(bpm: 120, at: a), machine(bpm: 90, at: b)]
    let (news, tempo, ensemble) = play(&machines, for: .seconds(12))
    let (kept, other, bpm) = a <= b ? ("A", "B", 120.0) : ("B", "A", 90)
    // A hundredth of a beat is what steering towards arrivals of whole milliseconds takes.
    #expect(abs(tempo - bpm) < 0.5, "not added up: \(tempo)")
    #expect(news == [.unused(other, beside: kept)])
    #expect(ensemble.role == .master)
  }

  @Test(arguments: [false, true]) func whenTheFirstFallsSilentTheOtherIsTaken(isUnplugged: Bool) {
    var machines = [machine(bpm: 120, at: 0), machine(bpm: 90, at: 1000)]
    machines[0].ends = Self.origin + .seconds(6)
    let (news, tempo, ensemble) = play(
      &machines, for: .seconds(14), unplugged: isUnplugged ? (0, Self.origin + .seconds(6)) : nil)
    #expect(news == [.unused("B", beside: "A"), .replaced(by: "B", silent: "A")])
    #expect(abs(tempo - 90) < 0.5 && ensemble.role == .master)
    #expect(machines[1].clock.leads(ensemble))
  }
}
