import Measurement
import MusicalTime
import Processes
import Testing

/// What a listener by other hands, pymidi 0.5.0, gets from a peer within a minute, and what Wireshark makes of it. Both
/// tests look at one performance. Where Python, PyPI, `tshark` or the right to capture is missing they are cancelled,
/// with the reason.
@Suite struct PymidiTests {
  private static let performance = Task { try await Performance() }

  private static func performed() async throws -> Performance {
    do {
      return try await performance.value
    } catch let error as Unavailable {
      try Test.cancel("\(error)")
    }
  }

  @Test(.timeLimit(.minutes(10))) func aListenerGetsStartEveryTickAndStop() async throws {
    let performance = try await Self.performed()
    // In session from before the first packet until after the last. Nothing surprises pymidi but three clock probes.
    var (packets, log, sessions): ([(at: Instant, commands: [[UInt8]]?)], [String], [String]) = ([], [], [])
    for event in performance.events {
      switch event {
      case .packet(let at, let commands): packets.append((at, commands))
      case .log(let text): log.append(text)
      case .connected(let name): sessions.append("\(name), before packet \(packets.count)")
      case .disconnected: sessions.append("end, before packet \(packets.count)")
      case .ready: sessions.append("listening again")
      }
    }
    #expect(sessions == ["\(Performance.name), before packet 0", "end, before packet \(packets.count)"])
    #expect(log == Array(repeating: "WARNING: Ignoring unrecognized command: b'TU'", count: 3))

    // Start, the ticks due in [0, 60 s), Stop: one a packet.
    let start = try #require(performance.trace.ticks.first).due
    let end = start + .seconds(Performance.seconds)
    let timeline = Timeline(tempo: try Tempo(bpm: Performance.bpm), tick: Tick(0), at: start)
    let count = Int(timeline.ticks(in: start..<end))
    #expect(count == 3296)
    try #require(packets.count == count + 2)
    #expect(packets[0].commands == [[0xFA]])
    #expect(packets[1...count].allSatisfy { $0.commands == [[0xF8]] })
    #expect(packets[count + 1].commands == [[0xFC]])

    // Who plays on arrival gets nothing before its time.
    let dues = (0..<count).map { timeline.deadline(Tick(Int64($0))) }
    #expect(performance.trace.ticks.map(\.due) == dues)
    #expect(zip(packets[1...count], dues).allSatisfy { $0.at >= $1 })
    #expect(packets[count + 1].at >= end)
  }

  // Wireshark 4.0 takes all packets of a session for AppleMIDI, and those of its RTP stream for RTP-MIDI within. The
  // clock probe is "AppleMIDI, unknown command: 0x5455".
  @Test(.timeLimit(.minutes(10))) func tsharkDecodesEveryPacket() async throws {
    let performance = try await Self.performed()
    let packets: [CapturedPacket]
    switch performance.packets {
    case .success(let captured): packets = captured
    case .failure(let error): try Test.cancel("\(error)")
    }
    #expect(packets.filter(\.isMalformed).map(\.number) == [])
    #expect(packets.filter { !$0.protocols.contains("applemidi") }.map(\.number) == [])

    let stream = packets.filter { $0.protocols.last == "rtpmidi" }
    let heard = performance.events.count { if case .packet = $0 { true } else { false } }
    #expect(stream.count == heard)
    #expect(stream.first?.status == [0xFA] && stream.last?.status == [0xFC])
    #expect(stream.dropFirst().dropLast().allSatisfy { $0.status == [0xF8] })
    let sequence = stream.compactMap(\.sequence)
    #expect(sequence.count == stream.count)
    #expect(zip(sequence, sequence.dropFirst()).allSatisfy { $1 == $0 &+ 1 })

    let session = packets.filter { $0.protocols.last == "applemidi" }
    #expect(session.count + stream.count == packets.count)
    let commands = Dictionary(grouping: session.compactMap(\.command)) { $0 }.mapValues(\.count)
    #expect(Set(commands.keys) == ["IN", "OK", "CK", "TU", "BY"])
    #expect(commands["TU"] == 3 && commands["BY"] == 2)
  }
}
