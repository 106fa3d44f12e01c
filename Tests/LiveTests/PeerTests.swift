import Measurement
import MusicalTime
import RTPMIDI
import Testing
import Transports
import _TestSupport

@testable import Engine

extension TimingTests {
  /// Tests of complete peers in this process, with real sockets, threads and clocks, on loopback in real time.
  @Suite struct PeerTests {
    private func wait(_ seconds: Double) async throws { try await pause(for: .seconds(seconds)) }

    /// Two groups of peers run at the same time.
    @Test func followersKeepTheTicksOfTheMaster() async throws {
      async let tempoChange: Void = expectEveryTickDuringATempoChange()
      async let asymmetry: Void = expectConfiguredAsymmetryShiftsTheClockOffsetByHalf()
      _ = try await (tempoChange, asymmetry)
    }

    /// Two groups of peers run at the same time.
    @Test func peersStartAndJoinAtAnyTime() async throws {
      async let commands: Void = expectAnyPeerCanStartButOnlyTheMasterCanStop()
      async let lateJoiner: Void = expectLateJoinerInPhaseFromItsFirstStep()
      _ = try await (commands, lateJoiner)
    }

    private func expectEveryTickDuringATempoChange() async throws {
      let folder = try TemporaryFolder()
      let ben = try LivePeer("ben", folder: folder)
      let eve = try LivePeer("eve", folder: folder, connect: [ben.port])
      let ada = try LivePeer("ada", folder: folder, connect: [ben.port, eve.port], start: true, bpm: 60)
      try await wait(3)
      // From 60 to 180 BPM.
      ada.mailbox.post(.tempo(by: 120))
      try await wait(2)
      ada.mailbox.post(.startOrStop)
      try await wait(0.5)
      let traces = try [ada.leave(), ben.leave(), eve.leave()]
      for trace in traces {
        expectConsecutiveTicks(trace)
        #expect(trace.ticks.count == traces[0].ticks.count, "\(trace.header.name)")
        // A tick takes 41.67 ms at 60 BPM and 13.89 ms at 180 BPM.
        let spacings = zip(trace.ticks, trace.ticks.dropFirst()).map { ($1.due - $0.due).microseconds }
        #expect(spacings.allSatisfy { abs($0 - 41_667) < 250 || abs($0 - 13_889) < 250 }, "\(trace.header.name)")
        // The faster tempo applies for about two seconds. Two seconds at 180 BPM have 144 ticks.
        #expect(spacings.filter { abs($0 - 13_889) < 250 }.count > 100, "\(trace.header.name)")
      }
      #expect(traces.map(\.summary?.role) == ["master", "follower", "follower"])
      for trace in traces { #expect(trace.summary?.ticksReceived == trace.summary?.ticksExpected) }
      // The figures of a comparison are in nanoseconds.
      let report = try SyncReport(traces: traces)
      for comparison in report.comparisons {
        #expect(comparison.missing == 0 && comparison.extra == 0)
        #expect(try #require(comparison.magnitude).p99 < 1e6)
      }
    }

    /// Both peers use the same clock, and the delays in both directions are equal on loopback. The configured asymmetry is therefore
    /// wrong, and the follower deviates from the master by half of this asymmetry.
    private func expectConfiguredAsymmetryShiftsTheClockOffsetByHalf() async throws {
      let folder = try TemporaryFolder()
      let ada = try LivePeer("ada", folder: folder)
      let ben = try LivePeer("ben", folder: folder, connect: [ada.port]) {
        $0.peerOptions["127.0.0.1"].asymmetry = .microseconds(-8000)
      }
      try await wait(0.5)
      ada.mailbox.post(.startOrStop)
      try await wait(1.5)
      ada.mailbox.post(.startOrStop)
      try await wait(0.5)
      let traces = try [ada.leave(), ben.leave()]
      let comparison = try SyncReport(traces: traces).comparisons[0]
      // The configuration states that the delay to the master is 8 ms shorter than the delay back. The estimate of the master's clock
      // is therefore 4 ms too far ahead, and the follower plays everything 4 ms earlier.
      #expect(abs(try #require(comparison.offset).p50 + 4e6) < 1e6)
    }

    private func expectAnyPeerCanStartButOnlyTheMasterCanStop() async throws {
      let folder = try TemporaryFolder()
      let ada = try LivePeer("ada", folder: folder)
      let ben = try LivePeer("ben", folder: folder, connect: [ada.port])
      try await wait(0.6)
      ben.mailbox.post(.startOrStop)
      try await wait(0.6)
      ada.mailbox.post(.startOrStop)
      ada.mailbox.post(.tempo(by: 50))
      try await wait(1)
      ben.mailbox.post(.startOrStop)
      try await wait(0.4)
      // No peer is the master now. Ada continues the rhythm at the position where it stopped.
      ada.mailbox.post(.continue)
      try await wait(0.8)
      ada.mailbox.post(.startOrStop)
      try await wait(0.4)
      let (first, second) = (try ada.leave(), try ben.leave())
      #expect(first.runs.count == 2 && second.runs.count == 2)
      #expect(first.summary?.role == "master" && second.summary?.role == "follower")
      #expect(first.ticks.count == second.ticks.count)
      // The tempo was 120 BPM all the time: ada requested another tempo while it was a follower, which had no effect.
      for run in first.runs {
        for (a, b) in zip(first.ticks[run], first.ticks[run].dropFirst()) {
          #expect(abs((b.due - a.due).microseconds - 20_833) < 250)
        }
      }
      let continuation = try #require(first.runs.last.map { first.ticks[$0.lowerBound].tick })
      #expect(continuation.index % 6 == 0 && continuation > Tick(0))
    }

    private func expectLateJoinerInPhaseFromItsFirstStep() async throws {
      let folder = try TemporaryFolder()
      let ada = try LivePeer("ada", folder: folder, start: true)
      try await wait(1.5)
      let ben = try LivePeer("ben", folder: folder, connect: [ada.port])
      try await wait(1.5)
      ada.mailbox.post(.startOrStop)
      try await wait(0.4)
      let (first, second) = (try ada.leave(), try ben.leave())
      let entry = try #require(second.ticks.first?.tick)
      // The late joiner enters at the beginning of a step, more than a beat (24 ticks) after the start of the rhythm.
      #expect(entry.index % 6 == 0 && entry > Tick(24))
      expectConsecutiveTicks(second, from: entry.index)
      #expect(second.ticks.last?.tick == first.ticks.last?.tick)
      let comparison = try SyncReport(traces: [first, second]).comparisons[0]
      #expect(try #require(comparison.magnitude).p99 < 1e6 && comparison.skipped == 0)
    }

    /// Random, truncated, oversized and forged datagrams at both ports of a playing follower are counted and dropped. The
    /// follower plays every tick.
    @Test func hostileDatagramsDoNotDisturbTheRhythm() async throws {
      let folder = try TemporaryFolder()
      let ben = try LivePeer("ben", folder: folder)
      let ada = try LivePeer("ada", folder: folder, connect: [ben.port], start: true)
      try await wait(1.5)
      let stranger = try UDPSocket(port: 0)
      defer { stranger.close() }
      var random = SplitMix(seed: 1)
      var sentCount = 0
      for round in 0..<200 {
        for _ in 0..<20 {
          var bytes = (0..<Int(random.integer(in: 0...100))).map { _ in UInt8(truncatingIfNeeded: random.next()) }
          switch round % 4 {
          case 0: bytes = [0x80, 0x61] + bytes  // an RTP packet of an unknown source
          case 1:  // a command or probe with random content
            bytes =
              [0xFF, 0xFF] + Array(["IN", "OK", "NO", "BY", "CK", "RS", "TU"].randomElement(using: &random)!.utf8)
              + bytes
          case 2: bytes += [UInt8](repeating: 0xF8, count: 1500)  // an oversized datagram
          default: break  // random octets only
          }
          let port = ben.port + UInt16(random.next() & 1)
          if stranger.send(bytes, to: SocketAddress(host: 0x7F00_0001, port: port)) { sentCount += 1 }
        }
        try await wait(0.005)
      }
      ada.mailbox.post(.startOrStop)
      try await wait(0.4)
      let traces = try [ada.leave(), ben.leave()]
      expectConsecutiveTicks(traces[1])
      #expect(traces[0].ticks.count == traces[1].ticks.count)
      let summary = try #require(traces[1].summary)
      #expect(summary.ticksReceived == summary.ticksExpected && summary.others["timeline_messages_rejected"] == 0)
      // The socket filter in the kernel drops datagrams that are not RTP-MIDI (`discarded`). The peer drops most of the others
      // (`dropped`). An invitation that happens to be valid is not dropped. Two of the four kinds above are not RTP-MIDI.
      let (discarded, dropped) = (summary.others["datagrams_discarded"]!, summary.others["datagrams_dropped"]!)
      #expect(discarded > Int64(sentCount / 4) && dropped > Int64(sentCount / 4), "\(sentCount) sent")
      #expect(discarded + dropped > Int64(sentCount * 9 / 10), "\(sentCount) sent, \(discarded) and \(dropped)")
      #expect(try #require(SyncReport(traces: traces).comparisons[0].magnitude).p99 < 1e6)
    }
  }
}
