import Measurement
import MusicalTime
import RTPMIDI
import Testing
import Transports
import _TestSupport

@testable import Engine

extension TimingTests {
  /// Whole peers of this process on loopback, in real time: sockets, threads and clocks are the real ones.
  @Suite struct PeerTests {
    private func wait(_ seconds: Double) async throws { try await Task.sleep(for: .seconds(seconds)) }

    @Test func aTempoChangeFrom60To180KeepsEveryTickEverywhere() async throws {
      let folder = try TemporaryFolder()
      let ben = try Player("ben", folder: folder)
      let eve = try Player("eve", folder: folder, connect: [ben.port])
      let ada = try Player("ada", folder: folder, connect: [ben.port, eve.port], start: true, bpm: 60)
      try await wait(3)
      ada.mailbox.post(.tempo(by: 120))
      try await wait(2)
      ada.mailbox.post(.startOrStop)
      try await wait(0.5)
      let traces = try [ada.leave(), ben.leave(), eve.leave()]
      for trace in traces {
        expectEveryTick(trace)
        #expect(trace.ticks.count == traces[0].ticks.count, "\(trace.header.name)")
        // 60 BPM are 41.67 ms a tick, 180 are 13.89.
        let spacings = zip(trace.ticks, trace.ticks.dropFirst()).map { ($1.due - $0.due).microseconds }
        #expect(spacings.allSatisfy { abs($0 - 41_667) < 250 || abs($0 - 13_889) < 250 }, "\(trace.header.name)")
        #expect(spacings.filter { abs($0 - 13_889) < 250 }.count > 100, "\(trace.header.name)")
      }
      #expect(traces.map(\.summary?.role) == ["master", "follower", "follower"])
      for trace in traces { #expect(trace.summary?.ticksReceived == trace.summary?.ticksExpected) }
      let report = try SyncReport(traces: traces)
      for comparison in report.comparisons {
        #expect(comparison.missing == 0 && comparison.extra == 0)
        #expect(comparison.magnitude.p99 < .milliseconds(1))
      }
    }

    /// Both clocks are one here, so all that a follower is off is what it was told of its route.
    @Test func aRouteKnownToBeLongerOneWayIsAllowedFor() async throws {
      let folder = try TemporaryFolder()
      let ada = try Player("ada", folder: folder)
      let ben = try Player("ben", folder: folder, connect: [ada.port]) {
        $0.peerOptions["127.0.0.1"].asymmetry = .microseconds(-8000)
      }
      try await wait(0.5)
      ada.mailbox.post(.startOrStop)
      try await wait(1.5)
      ada.mailbox.post(.startOrStop)
      try await wait(0.5)
      let traces = try [ada.leave(), ben.leave()]
      let comparison = try SyncReport(traces: traces).comparisons[0]
      // The way out is said to be 8 ms shorter: the master's clock is taken to be 4 ms further ahead, so all is played
      // sooner.
      #expect((comparison.offset.p50 + .milliseconds(4)).magnitude < .milliseconds(1))
    }

    @Test func anyoneMayStartButOnlyTheMasterStops() async throws {
      let folder = try TemporaryFolder()
      let ada = try Player("ada", folder: folder)
      let ben = try Player("ben", folder: folder, connect: [ada.port])
      try await wait(0.6)
      ben.mailbox.post(.startOrStop)
      try await wait(0.6)
      ada.mailbox.post(.startOrStop)
      ada.mailbox.post(.tempo(by: 50))
      try await wait(1)
      ben.mailbox.post(.startOrStop)
      try await wait(0.4)
      // The rhythm is free again: ada goes on where it stopped.
      ada.mailbox.post(.continue)
      try await wait(0.8)
      ada.mailbox.post(.startOrStop)
      try await wait(0.4)
      let (first, second) = (try ada.leave(), try ben.leave())
      #expect(first.runs.count == 2 && second.runs.count == 2)
      #expect(first.summary?.role == "master" && second.summary?.role == "follower")
      #expect(first.ticks.count == second.ticks.count)
      // 120 BPM throughout.
      for run in first.runs {
        for (a, b) in zip(first.ticks[run], first.ticks[run].dropFirst()) {
          #expect(abs((b.due - a.due).microseconds - 20_833) < 250)
        }
      }
      let again = try #require(first.runs.last.map { first.ticks[$0.lowerBound].tick })
      #expect(again.index % 6 == 0 && again > Tick(0))
    }

    @Test func aLateJoinerIsInPhaseAtItsFirstStep() async throws {
      let folder = try TemporaryFolder()
      let ada = try Player("ada", folder: folder, start: true)
      try await wait(1.5)
      let ben = try Player("ben", folder: folder, connect: [ada.port])
      try await wait(1.5)
      ada.mailbox.post(.startOrStop)
      try await wait(0.4)
      let (first, second) = (try ada.leave(), try ben.leave())
      let joined = try #require(second.ticks.first?.tick)
      // In phase, on a step, soon after it came.
      #expect(joined.index % 6 == 0 && joined > Tick(24))
      expectEveryTick(second, from: joined.index)
      #expect(second.ticks.last?.tick == first.ticks.last?.tick)
      let comparison = try SyncReport(traces: [first, second]).comparisons[0]
      #expect(comparison.magnitude.p99 < .milliseconds(1) && comparison.skipped == 0)
    }

    /// Random, truncated, oversized and forged datagrams at both ports of a playing follower: counted, dropped, and not a
    /// tick the worse.
    @Test func hostileDatagramsDisturbNothing() async throws {
      let folder = try TemporaryFolder()
      let ben = try Player("ben", folder: folder)
      let ada = try Player("ada", folder: folder, connect: [ben.port], start: true)
      try await wait(1.5)
      let stranger = try UDPSocket(port: 0)
      defer { stranger.close() }
      var random = SplitMix(seed: 1)
      var thrown = 0
      for round in 0..<200 {
        for _ in 0..<20 {
          var bytes = (0..<Int(random.integer(in: 0...100))).map { _ in UInt8(truncatingIfNeeded: random.next()) }
          switch round % 4 {
          case 0: bytes = [0x80, 0x61] + bytes  // RTP from nobody
          case 1:
            bytes =
              [0xFF, 0xFF] + Array(["IN", "OK", "NO", "BY", "CK", "RS", "TU"].randomElement(using: &random)!.utf8)
              + bytes
          case 2: bytes += [UInt8](repeating: 0xF8, count: 1500)
          default: break
          }
          let port = ben.port + UInt16(random.next() & 1)
          if stranger.send(bytes, to: SocketAddress(host: 0x7F00_0001, port: port)) { thrown += 1 }
        }
        try await wait(0.005)
      }
      ada.mailbox.post(.startOrStop)
      try await wait(0.4)
      let traces = try [ada.leave(), ben.leave()]
      expectEveryTick(traces[1])
      #expect(traces[0].ticks.count == traces[1].ticks.count)
      let summary = try #require(traces[1].summary)
      #expect(summary.ticksReceived == summary.ticksExpected && summary.others["timeline_messages_rejected"] == 0)
      // Invitations that happen to be whole are let in half-way; the kernel may lose some of a burst.
      #expect(summary.others["datagrams_dropped"]! > Int64(thrown / 2), "\(thrown) thrown")
      #expect(try SyncReport(traces: traces).comparisons[0].magnitude.p99 < .milliseconds(1))
    }
  }
}
