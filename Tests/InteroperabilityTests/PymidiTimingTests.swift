import Measurement
import MusicalTime
import Testing
import _TestSupport

/// Tests in which a third-party listener, pymidi 0.5.0, receives the clock of a peer for a minute, and Wireshark decodes the
/// packets.
///
/// Both tests examine the same run. If Python, PyPI, `tshark` or the permission to capture is missing, they are cancelled with the
/// reason. The run takes longer than all tests without live peers. It therefore takes place at the same time as the other suites
/// whose names end with `TimingTests`.
@Suite struct PymidiTimingTests {
  /// Returns the common run. Cancels the test with the reason if the run is not possible on this machine.
  private static func observedRun() async throws -> ObservedRun {
    do {
      return try await ObservedRun.shared.value
    } catch let error as Unavailable {
      try Test.cancel("\(error)")
    }
  }

  @Test(.timeLimit(.minutes(10))) func pymidiReceivesStartEveryTickAndStop() async throws {
    let run = try await Self.observedRun()
    // The session begins before the first packet and ends after the last packet. The peer sends BY on both ports, because some
    // implementations end a session only if both ports have received BY. pymidi may log a warning for the second BY. It logs no other
    // warnings: it receives no command that it does not know.
    var (packets, log, sessions): ([(at: Instant, commands: [[UInt8]]?)], [String], [String]) = ([], [], [])
    for event in run.events {
      switch event {
      case .packet(let at, let commands): packets.append((at, commands))
      case .log(let text): log.append(text)
      case .connected(let name): sessions.append("\(name), before packet \(packets.count)")
      case .disconnected: sessions.append("end, before packet \(packets.count)")
      case .ready: sessions.append("listening again")
      }
    }
    #expect(sessions == ["\(ObservedRun.name), before packet 0", "end, before packet \(packets.count)"])
    let isSecondBye = { (line: String) in line.hasPrefix("WARNING: Ignoring exit from unknown ssrc") }
    #expect(log.filter { !isSecondBye($0) } == [])
    // If pymidi handles the BY on the data port first, it logs no warning for the BY on the control port.
    #expect(log.count(where: isSecondBye) <= 1)

    // The stream consists of Start, the ticks that are due in [0, 60 s), and Stop. Each has a packet of its own.
    let start = try #require(run.trace.ticks.first).due
    let end = start + .seconds(ObservedRun.seconds)
    let timeline = Timeline(tempo: try Tempo(bpm: ObservedRun.bpm), tick: Tick(0), at: start)
    let count = Int(timeline.ticks(in: start..<end))
    // A minute at 137.3 BPM has 3295.2 ticks, so 3296 ticks begin in it.
    #expect(count == 3296)
    try #require(packets.count == count + 2)
    #expect(packets[0].commands == [[0xFA]])
    #expect(packets[1...count].allSatisfy { $0.commands == [[0xF8]] })
    #expect(packets[count + 1].commands == [[0xFC]])

    // pymidi is a play-on-arrival receiver, so no tick arrives before it is due.
    let dues = (0..<count).map { timeline.deadline(Tick(Int64($0))) }
    #expect(run.trace.ticks.map(\.due) == dues)
    #expect(zip(packets[1...count], dues).allSatisfy { $0.at >= $1 })
    #expect(packets[count + 1].at >= end)
  }

  /// Wireshark 4.0 decodes all packets of a session as AppleMIDI, and the packets of the stream as RTP-MIDI inside AppleMIDI. None of them
  /// is a clock probe, which Wireshark shows as "AppleMIDI, unknown command: 0x5455".
  @Test(.timeLimit(.minutes(10))) func tsharkDecodesEveryPacket() async throws {
    let run = try await Self.observedRun()
    let packets: [CapturedPacket]
    switch run.packets {
    case .success(let captured): packets = captured
    case .failure(let error): try Test.cancel("\(error)")
    }
    #expect(packets.filter(\.isMalformed).map(\.number) == [])
    #expect(packets.filter { !$0.protocols.contains("applemidi") }.map(\.number) == [])

    let stream = packets.filter { $0.protocols.last == "rtpmidi" }
    let received = run.events.count { if case .packet = $0 { true } else { false } }
    #expect(stream.count == received)
    #expect(stream.first?.status == [0xFA] && stream.last?.status == [0xFC])
    #expect(stream.dropFirst().dropLast().allSatisfy { $0.status == [0xF8] })
    let sequence = stream.compactMap(\.sequence)
    #expect(sequence.count == stream.count)
    #expect(zip(sequence, sequence.dropFirst()).allSatisfy { $1 == $0 &+ 1 })

    let session = packets.filter { $0.protocols.last == "applemidi" }
    #expect(session.count + stream.count == packets.count)
    let commands = Dictionary(grouping: session.compactMap(\.command)) { $0 }.mapValues(\.count)
    #expect(Set(commands.keys) == ["IN", "OK", "CK", "BY"])
    // A standard device gets BY on both ports.
    #expect(commands["BY"] == 2)
  }
}
