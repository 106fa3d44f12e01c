import MIDI
import MusicalTime
import Realtime
import Testing
import Transports
import _TestSupport

extension LabTests {
  /// The sequencer together with common ALSA programs.
  @Suite struct StudioTests {
    @Test func aconnectListsOnlyThePublicPortsOfTheClient() async throws {
      let sequencer = try Sequencer(name: "Tutti test", takingClock: true)
      defer { sequencer.close() }
      let all = try await aconnect(["-l"])
      #expect(all.contains("client \(sequencer.client): 'Tutti test' [type=user"))
      // aconnect pads the names to 16 characters.
      for port in ["0 'clock           '", "1 'notes           '", "2 'in              '", "3 'clock in        '"] {
        #expect(all.contains("    \(port)\n"), "\(all)")
      }
      // The port for announcements is not exported. The client `Tutti test control` has no ports.
      #expect(!all.contains("announcements") && !all.contains("control"))
      let (senders, receivers) = (try await aconnect(["-i"]), try await aconnect(["-o"]))
      #expect(senders.contains("'clock ") && senders.contains("'notes ") && !senders.contains("'in "))
      #expect(receivers.contains("'in ") && receivers.contains("'clock in") && !receivers.contains("'notes "))
    }

    @Test func portsAreListedWithNamesAndDirections() throws {
      let sequencer = try Sequencer(name: "Tutti test", takingClock: false)
      let hostile = try OtherClient("evil\u{1B}[2J\n", port: "p")
      defer { sequencer.close() }
      let ports = sequencer.ports()
      let local = ports.filter(\.isLocal)
      #expect(local.map(\.portName) == ["clock", "notes", "in"] && local.map(\.sends) == [true, true, false])
      #expect(local.map(\.receives) == [false, false, true] && local.allSatisfy { $0.clientName == "Tutti test" })
      #expect(ports.contains { $0.description == "14:0 Midi Through Port-0" && $0.sends && $0.receives && !$0.isLocal })
      // Client 0 is the system.
      #expect(!ports.contains { $0.address.client == 0 })
      #expect(ports.first { $0.address == hostile.address }?.clientName == "evil[2J")
      #expect(try Sequencer.ports().filter { $0.address.client != sequencer.client } == ports.filter { !$0.isLocal })
      #expect(try ports.find("through", sending: true).address == SequencerAddress(client: 14, port: 0))
    }

    @Test func aseqdumpReceivesEveryTick() async throws {
      let sequencer = try Sequencer(name: "Tutti test", takingClock: false)
      defer { sequencer.close() }
      let folder = try TemporaryFolder()
      let dump = try Child(
        Program.find("stdbuf", package: "coreutils"), ["-oL", "aseqdump", "-p", "\(sequencer.client):0"],
        name: "aseqdump", in: folder)
      try await dump.wait(for: "to connect itself") { sequencer.links().count == 1 }
      let channel = try #require(Channel(10))
      #expect(sequencer.send(.songPosition(0), from: .clock) && sequencer.send(.start, from: .clock))
      for _ in 0..<30 {
        for _ in 0..<20 { #expect(sequencer.send(.clock, from: .clock)) }
        try await pause(for: .milliseconds(10))
      }
      #expect(sequencer.send(.noteOn(channel, key: 36, velocity: 0), from: .clock))
      #expect(sequencer.send(.stop, from: .clock))
      try await dump.wait(for: "to see the stop") { dump.output.contains("Stop") }
      let lines = dump.output.split(separator: "\n").filter { $0.contains("\(sequencer.client):0 ") }
      #expect(lines.count { $0.contains("Clock") } == 600)
      #expect(
        lines.first?.contains("Song position pointer") == true && lines.dropFirst().first?.contains("Start") == true)
      #expect(lines.last?.contains("Stop") == true)
      // aseqdump prints a Note On with velocity 0 in this form; it prints a Note Off with its velocity.
      #expect(lines.contains { $0.contains("Note off") && $0.hasSuffix(" 9, note 36") }, "\(lines.suffix(3))")
    }

    /// A client is closed and opened again with another number. The connections of its port are restored, except the one that the user
    /// has removed.
    @Test func connectionsOfAReturningDeviceAreRestored() async throws {
      let sequencer = try Sequencer(name: "Tutti test", takingClock: false)
      defer { sequencer.close() }
      var reconnections = Reconnections()
      func changes() -> [Reconnections.Change] {
        sequencer.receiveAll().flatMap { reconnections.record($0.event, at: $0.at, ports: sequencer.ports()) }
      }
      var device: OtherClient? = try OtherClient("Keys", port: "MIDI 1")
      let old = try #require(device?.address)
      try sequencer.subscribe(SequencerLink(.input, old))
      _ = try await aconnect(["\(sequencer.client):0", "\(old)"])
      _ = try await aconnect(["\(sequencer.client):1", "\(old)"])
      _ = try await aconnect(["-d", "\(sequencer.client):1", "\(old)"])
      #expect(changes() == [])
      #expect(sequencer.links() == [SequencerLink(.input, old), SequencerLink(.clock, old)])

      device = nil
      #expect(changes() == [.gone("Keys MIDI 1")])
      #expect(sequencer.send(.clock, from: .clock), "the clock continues")
      // Another client takes the free number.
      let squatter = try OtherClient("Squatter", port: "MIDI 1")
      #expect(squatter.address == old)
      device = try OtherClient("Keys", port: "MIDI 1")
      let new = try #require(device?.address)
      #expect(new != old && changes() == [])
      #expect(reconnections.nextDue.map { $0 - MonotonicClock.now <= Reconnections.settling } == true)
      let due = MonotonicClock.now + Reconnections.settling
      for link in reconnections.due(at: due, ports: sequencer.ports()) { try sequencer.subscribe(link) }
      #expect(changes() == [.back("Keys MIDI 1")])
      #expect(sequencer.links() == [SequencerLink(.input, new), SequencerLink(.clock, new)])
      // This use keeps the squatter alive until here.
      _ = squatter
    }

    private func aconnect(_ arguments: [String]) async throws -> String {
      let program = try Program.find("aconnect", package: "alsa-utils")
      let child = try Child(program, arguments, name: "aconnect", in: TemporaryFolder())
      #expect(try await child.status() == 0, "\(child.errors)")
      return child.output
    }
  }
}
