import Foundation
import Measurement
import MusicalTime
import PeerProtocol
import Playback
import Testing
import _TestSupport

@testable import Engine
@testable import Ensemble
@testable import Rhythm

/// Tests of the activity in the trace of a peer.
@Suite struct PeerTraceTests {
  private let folder = try! TemporaryFolder()

  /// The status of a page with this identity.
  private func status(_ bits: UInt64, _ name: String, _ energy: UInt8?) -> PlayerStatus {
    PlayerStatus(
      player: Player(identity: Identity(bits), kind: .page, name: name, sign: Sign(0)),
      peer: Identity(1), channel: nil, energy: energy, isMuted: false)
  }

  private func header() -> TraceHeader {
    TraceHeader(
      name: "ada", identity: "0000000000000001", role: "idle", version: "1", kernel: "k", processor: "p",
      scheduler: "s",
      memoryLocked: false, command: "c", patch: nil, activity: 0, audio: nil)
  }

  /// Returns the lines of the trace after the header.
  private func lines(_ trace: PeerTrace) throws -> [String] {
    try trace.writer!.flush()
    let text = try String(contentsOfFile: folder.path("a.trace"), encoding: .utf8)
    return text.split(separator: "\n").dropFirst().map(String.init)
  }

  /// A line is written only for a change, at most every 50 ms, and the numbers of the players stay the same.
  @Test func energiesAndMovementsAreWritten() throws {
    var trace = PeerTrace(try TraceWriter(path: folder.path("a.trace"), header: header()))
    func at(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }
    try trace.append(motion: 9, of: Identity(3), at: at(0))
    try trace.append([status(2, "ben", 5), status(3, "cleo", nil)], at: at(0))
    try trace.append([status(2, "ben", 6), status(3, "cleo", 7)], at: at(49))
    try trace.append([status(2, "ben", 5), status(3, "cleo", 8)], at: at(50))
    try trace.append(motion: 200, of: Identity(3), at: at(60))
    try trace.append([status(3, "clea", 8)], at: at(100))
    try trace.append([status(3, "clea", 8), status(2, "ben", 4)], at: at(150))
    func player(_ digit: Int, _ name: String) -> String {
      "{\"peer\":\"0000000000000001\",\"player\":{\"identity\":\"000000000000000\(digit)\",\"name\":\"\(name)\"},\"who\":\(digit - 2)}"
    }
    #expect(
      try lines(trace) == [
        player(2, "ben"), "{\"energy\":5,\"who\":0,\"at\":0}", player(3, "cleo"),
        "{\"energy\":8,\"who\":1,\"at\":50000000}", "{\"motion\":127,\"who\":1,\"at\":60000000}", player(3, "clea"),
        "{\"energy\":null,\"who\":0,\"at\":100000000}", "{\"energy\":4,\"who\":0,\"at\":150000000}",
      ])
  }

  /// The layers are written at the tick at which they change. A rhythm that plays from a later tick on has no effect before.
  @Test func changesOfLayersAreWritten() throws {
    var trace = PeerTrace(try TraceWriter(path: folder.path("a.trace"), header: header()))
    let (always, high) = (Layer(activity: 0...127), Layer(activity: 40...127))
    for (index, activity) in [39, 39, 40, 127, 0].enumerated() {
      let due = Instant(nanoseconds: Int64(index))
      let record = TickRecord(
        tick: Tick(Int64(index)), due: due, woken: due, acted: due, activity: UInt8(activity), tempo: .standard,
        grid: BarGrid(.common), series: 0)
      let isEarly = index == 3
      try trace.append(
        record, layers: (all: isEarly ? [always] : [always, high], from: isEarly ? Tick(4) : Tick(0)))
    }
    #expect(
      try lines(trace).filter { $0.contains("layers") } == [
        "{\"at\":0,\"layers\":[\"always\"]}", "{\"at\":2,\"layers\":[\"always\",\"from 40\"]}",
        "{\"at\":4,\"layers\":[\"always\"]}",
      ])
  }

  @Test func peerWithoutATraceWritesNothing() throws {
    var trace = PeerTrace(nil)
    try trace.append([status(2, "ben", 5)], at: Instant(nanoseconds: 0))
    try trace.append(motion: 1, of: Identity(2), at: Instant(nanoseconds: 0))
    #expect(trace.writer == nil)
  }
}
