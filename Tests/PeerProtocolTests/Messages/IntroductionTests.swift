import MusicalTime
import RTPMIDI
import Testing

@testable import PeerProtocol

/// Tests of ``Introduction``: its size, and the addresses that have no meaning for another machine.
@Suite struct IntroductionTests {
  private func entry(_ host: SocketAddress?, name: String = "Kim", number: UInt64 = 1) -> Introduction.Entry {
    Introduction.Entry(
      identity: Identity(number), name: name, host: host, controlPort: 5004, dataPort: 5005, hops: 1)
  }

  @Test func longNamesAreDistributedToSeveralMessages() throws {
    let entries = (1...15).map {
      entry(SocketAddress(host: 0x0A00_0001, port: 5004), name: String(repeating: "ä", count: 40), number: $0)
    }
    let messages = Introduction.messages(entries)
    #expect(messages.flatMap(\.entries) == entries && messages.count == 8)
    for message in messages {
      // `SystemExclusiveData` has room for 236 octets.
      #expect(message.systemExclusive.count <= 236)
      #expect(Introduction(systemExclusive: message.systemExclusive) == message)
    }
    // A name has at most 48 octets, and ends with a whole character.
    #expect(entries.allSatisfy { $0.name == String(repeating: "ä", count: 24) })
  }

  @Test(arguments: [
    SocketAddress(host: 0x7F00_0001, port: 1), SocketAddress(host: 0xA9FE_0001, port: 1),
    SocketAddress(host: 0xE000_0001, port: 1), SocketAddress(host: 0xFFFF_FFFF, port: 1),
    SocketAddress(host: 0x0000_0001, port: 1), SocketAddress(high: 0, low: 1, port: 1),
    SocketAddress(high: 0xFE80 << 48, low: 1, port: 1), SocketAddress(high: 0xFF02 << 48, low: 1, port: 1),
  ])
  func addressesWithoutAMeaningAreUnreadable(address: SocketAddress) {
    #expect(Introduction(systemExclusive: Introduction.messages([entry(address)])[0].systemExclusive) == nil)
  }

  @Test func addressesOfOtherMachinesAreRead() {
    for address in [
      SocketAddress(host: 0xC0A8_0001, port: 1), SocketAddress(high: 0xFD00 << 48, low: 1, port: 1),
      SocketAddress(high: 0x2001 << 48, low: 1, port: 1),
    ] {
      let message = Introduction.messages([entry(address)])[0]
      #expect(Introduction(systemExclusive: message.systemExclusive)?.entries[0].host?.isSameHost(as: address) == true)
    }
  }

  /// A port without an address, an address without a port, and a name with a control character.
  @Test func impossibleEntriesAreUnreadable() {
    let octets: (Int, UInt8) -> Introduction? = { index, value in
      var writer = OctetWriter(capacity: 40)
      var raw = [UInt8](repeating: 0, count: 30) + Array("Kim".utf8)
      (raw[7], raw[8], raw[29]) = (1, 1, 3)
      (raw[25], raw[26], raw[27], raw[28]) = (0x13, 0x8C, 0x13, 0x8D)
      if index >= 0 { raw[index] = value }
      for octet in raw { writer.put(octet) }
      return Introduction(systemExclusive: MessageKind.introduction.wrap(writer))
    }
    #expect(octets(-1, 0)?.entries.first?.name == "Kim")
    for (index, value) in [(8, UInt8(0)), (8, 16), (29, 4), (29, 49), (31, 7)] { #expect(octets(index, value) == nil) }
  }
}
