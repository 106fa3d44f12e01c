import Dispatch
import Ensemble
import MusicalTime
import PeerProtocol
import Synchronization
import Testing

@testable import Engine

/// Tests of ``StateWriter``, which writes the state of a peer in the background. The disk is simulated. The write of a term ends only when
/// the test permits it.
@Suite struct StateWriterTests {
  /// A simulated disk. It records the terms, and the activities of the sessions, in the order in which they are written. Each write of a
  /// term waits for ``proceed``.
  private final class SlowDisk: Sendable {
    let proceed = DispatchSemaphore(value: 0)
    let hasBegun = DispatchSemaphore(value: 0)
    let terms = Mutex<[UInt64]>([])
    let activities = Mutex<[UInt8]>([])
    let failures = Atomic(0)

    /// - Parameter failing: the number of writes of terms that fail, from the first one on.
    func writer(failing: Int = 0) -> StateWriter {
      StateWriter(
        writeTerm: { term in
          self.hasBegun.signal()
          self.proceed.wait()
          return self.terms.withLock {
            $0.append(term)
            return $0.count > failing
          }
        },
        writeSession: { session in
          self.activities.withLock { $0.append(session.activity ?? 0) }
          return true
        }, onFailure: { self.failures.wrappingAdd(1, ordering: .relaxed) })
    }
  }

  private func session(_ activity: UInt8, rhythm: TimelineMessage? = nil) -> SavedSession {
    SavedSession(
      patch: "street", tempo: .standard, activity: activity, gates: Gates(), peers: [], position: Step(0),
      rhythm: rhythm, boot: "")
  }

  @Test func onlyTheNewestStateIsWrittenWhenTheDiskIsSlow() {
    let disk = SlowDisk()
    let writer = disk.writer()
    writer.write(term: 1)
    disk.hasBegun.wait()
    // The write of term 1 has begun, so the other terms and the sessions wait. The newest of each kind replaces the earlier ones.
    for term in UInt64(2)...5 { writer.write(term: term) }
    // For example, the player moves the controller of the activity.
    for activity in UInt8(10)...20 { writer.write(session(activity)) }
    #expect(!writer.finish(within: .milliseconds(1)))
    for _ in 0..<2 { disk.proceed.signal() }
    #expect(writer.finish(within: .seconds(300)))
    #expect(disk.terms.withLock { $0 } == [1, 5])
    #expect(disk.activities.withLock { $0 } == [20])
    #expect(disk.failures.load(ordering: .relaxed) == 0)
  }

  @Test func failedWriteIsReported() {
    let disk = SlowDisk()
    let writer = disk.writer(failing: 1)
    disk.proceed.signal()
    writer.write(term: 1)
    #expect(writer.finish(within: .seconds(300)))
    #expect(disk.failures.load(ordering: .relaxed) == 1)
  }

  /// The bound is the highest reserved term (``TermReservation``), and must not be lost. If its write fails, it is written again
  /// together with the next session. A session with a rhythm is written only after the bound, because its claim could have a term above
  /// the bound on the disk. A session without a rhythm has no claim.
  @Test(arguments: [true, false]) func failedBoundIsWrittenAgainWithTheNextSession(hasRhythm: Bool) {
    let disk = SlowDisk()
    let writer = disk.writer(failing: 2)
    for _ in 0..<3 { disk.proceed.signal() }  // The three writes of terms below.
    writer.write(term: 7)
    #expect(writer.finish(within: .seconds(300)))
    let rhythm = TimelineMessage(
      claim: Claim(term: 7, identity: Identity(1)), revision: 0, start: Tick(0), end: Tick(.max),
      tempo: TempoMap(Timeline(tempo: .standard, tick: Tick(0), at: Instant(nanoseconds: 0))))
    writer.write(session(64, rhythm: hasRhythm ? rhythm : nil))
    #expect(writer.finish(within: .seconds(300)))
    #expect(disk.terms.withLock { $0 } == [7, 7] && disk.activities.withLock { $0 } == (hasRhythm ? [] : [64]))
    // The session that was held is written after the next bound.
    writer.write(term: 39)
    #expect(writer.finish(within: .seconds(300)))
    #expect(disk.terms.withLock { $0 } == [7, 7, 39] && disk.activities.withLock { $0 } == [64])
  }
}
