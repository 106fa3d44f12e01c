import BasicContainers
import MIDI
import MusicalTime
import RTPMIDI
import Realtime
import Testing
import Transports

@testable import Engine

/// Journals and guard packets as the clock thread sends them, by a virtual clock.
@Suite struct GuardTests {
  private let session: SessionID

  init() throws {
    let endpoint = Endpoint(name: "", random: SystemRandomNumberGenerator())
    let address = SocketAddress(host: 1, port: 5004)
    session = try endpoint.connect(to: address, data: address, at: VirtualRhythm.origin)
  }

  private func withStream(_ body: (inout StreamTable, PairOfSockets) throws -> Void) throws {
    let pair = try PairOfSockets()
    defer { pair.close() }
    var table = StreamTable(socket: pair.sender)
    table.open(
      session, to: SocketAddress(host: 0x7F00_0001, port: pair.receiver.port), ssrc: 1, sequence: 100,
      takesClock: true)
    try body(&table, pair)
  }

  private struct PairOfSockets {
    let sender: UDPSocket
    let receiver: UDPSocket

    init() throws { (sender, receiver) = (try UDPSocket(port: 0), try UDPSocket(port: 0)) }

    func close() {
      sender.close()
      receiver.close()
    }

    /// The packets that have come: sequence number, octets of commands, whether there is a journal.
    func packets() throws -> [Packet] {
      var packets: [Packet] = []
      var room = [UInt8](repeating: 0, count: 1500)
      while let arrival = room.withUnsafeMutableBytes({ receiver.receive(into: $0.baseAddress!, room: 1500) }) {
        let packet = Array(room.prefix(arrival.length))
        let (header, payload) = try RTPHeader.decode(packet.span)
        let cursor = try CommandCursor(packet.span, payload: payload)
        packets.append(
          Packet(
            sequence: header.sequence, commands: try cursor.count(in: packet.span), hasJournal: cursor.journal != nil))
      }
      return packets
    }
  }

  private struct Packet: Equatable {
    var sequence: UInt16
    var commands: Int
    var hasJournal: Bool
  }

  private let start = VirtualRhythm.origin
  private let note = Message.noteOn(Channel(2)!, key: 60, velocity: 100)

  /// Lets `seconds` pass; gives the milliseconds at which something was sent.
  private func rest(_ table: inout StreamTable, _ pair: PairOfSockets, seconds: Int64) throws -> [Int64] {
    var times: [Int64] = []
    for millisecond in 1...seconds * 1000 {
      table.sendGuards(at: start + .milliseconds(millisecond), before: .distantFuture)
      for packet in try pair.packets() {
        #expect(packet.commands == 0 && packet.hasJournal)
        times.append(millisecond)
      }
    }
    return times
  }

  @Test func afterTheLastNoteGuardsFollowAndEnd() throws {
    try withStream { table, pair in
      table.journal(session, true)
      table.send(note, at: start, on: 0, now: start)
      #expect(try pair.packets() == [Packet(sequence: 100, commands: 1, hasJournal: true)])
      let times = try rest(&table, pair, seconds: 40)
      // 25 ms after one another, then four every second.
      let expected = (1...20).map { 25 * $0 } + (1...4).map { 500 + 1000 * $0 } as [Int64]
      #expect(times == expected)
      #expect(table.guardsDue == .distantFuture)
    }
  }

  @Test func whoHasEverythingGetsNoGuard() throws {
    try withStream { table, pair in
      table.journal(session, true)
      table.send(note, at: start, on: 0, now: start)
      table.sendGuards(at: start + .milliseconds(50), before: .distantFuture)
      #expect(try pair.packets().count == 2)
      table.acknowledge(session, 101)
      let times = try rest(&table, pair, seconds: 5)
      #expect(times == [])
    }
  }

  /// The next tick tells where a running sequencer is; after Stop none comes.
  @Test func aRunningSequencerWantsNoGuard() throws {
    try withStream { table, pair in
      table.journal(session, true)
      for message in [.start, .clock] as [Message] { table.send(message, at: start, on: 0, now: start) }
      #expect(try pair.packets().count == 2)
      let running = try rest(&table, pair, seconds: 2)
      #expect(running == [])
      table.send(.stop, at: start, on: 0, now: start)
      #expect(try pair.packets().count == 1)
      let stopped = try rest(&table, pair, seconds: 2)
      #expect(stopped.count == 21)
    }
  }

  @Test func withoutAJournalThereIsNothingToGuard() throws {
    try withStream { table, pair in
      table.send(note, at: start, on: 0, now: start)
      #expect(try pair.packets() == [Packet(sequence: 100, commands: 1, hasJournal: false)])
      let times = try rest(&table, pair, seconds: 5)
      #expect(times == [])
    }
  }

  @Test func whatOneSessionHasSaidNoOtherHears() throws {
    try withStream { table, pair in
      table.journal(session, true)
      for key in 0..<100 as Range<UInt8> {
        table.send(.noteOn(Channel(1)!, key: UInt7(masking: key), velocity: 1), at: start, on: 0, now: start)
      }
      _ = try pair.packets()
      table.close(session)
      table.open(
        session, to: SocketAddress(host: 0x7F00_0001, port: pair.receiver.port), ssrc: 1, sequence: 7,
        takesClock: true)
      table.send(note, at: start, on: 0, now: start)
      #expect(try pair.packets() == [Packet(sequence: 7, commands: 1, hasJournal: false)])
      table.journal(session, true)
      table.send(note, at: start, on: 0, now: start)
      var room = [UInt8](repeating: 0, count: 1500)
      let length = room.withUnsafeMutableBytes { pair.receiver.receive(into: $0.baseAddress!, room: 1500)?.length }
      // Header, one command, an empty journal.
      #expect(length == RTPHeader.length + 1 + 3 + 3)
    }
  }
}
