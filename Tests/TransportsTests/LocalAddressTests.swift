import BasicContainers
import MusicalTime
import RTPMIDI
import Testing

@testable import Transports

/// The local address of a datagram on a host with several addresses. Each address in 127.0.0.0/8 belongs to the loopback interface. If
/// a program sends a datagram without giving a local address, the kernel chooses 127.0.0.1.
@Suite struct LocalAddressTests {
  /// 127.0.0.1.
  private let first: UInt32 = 0x7F00_0001
  /// 127.0.0.2.
  private let second: UInt32 = 0x7F00_0002

  /// The answerer has a dual-stack socket, or an IPv4 socket as on a kernel without IPv6.
  @Test(arguments: [true, false]) func replyLeavesFromTheAddressOfTheRequest(isDualStack: Bool) throws {
    let answerer = try #require(UDPSocket.open(0, isDualStack: isDualStack).socket)
    let initiator = try UDPSocket(port: 0)
    defer { answerer.close() }
    defer { initiator.close() }
    var room = [UInt8](repeating: 0, count: 16)
    func arrival(at socket: UDPSocket) throws -> UDPSocket.Arrival {
      try #require(room.withUnsafeMutableBytes { socket.receive(into: $0.baseAddress!, room: 16) })
    }
    for host in [second, first] {
      #expect(initiator.send([1], to: SocketAddress(host: host, port: answerer.port)))
      let request = try arrival(at: answerer)
      #expect(request.to == SocketAddress(host: host, port: answerer.port))
      #expect(request.from == SocketAddress(host: first, port: initiator.port))
      #expect(answerer.send([2], to: request.from, from: request.to))
      #expect(try arrival(at: initiator).from == request.to)
    }
  }

  /// No host has an address in 192.0.2.0/24, which is reserved for documentation (RFC 5737).
  @Test(arguments: [true, false]) func nothingLeavesFromAnAddressOfAnotherHost(isDualStack: Bool) throws {
    let socket = try #require(UDPSocket.open(0, isDualStack: isDualStack).socket)
    defer { socket.close() }
    let loopback = SocketAddress(host: first, port: socket.port)
    #expect(!socket.send([1], to: loopback, from: SocketAddress(host: 0xC000_0201, port: 0)))
    #expect(socket.send([1], to: loopback, from: loopback))
  }

  /// Packets of at most 256 octets and longer packets are copied by different parts of the code. Each packet is sent twice: unchanged,
  /// and with the send instant written at octet 8.
  @Test(arguments: [44, 1472]) func packetsLeaveFromTheGivenAddress(length: Int) throws {
    let pair = try PortPair(port: 0)
    defer { pair.close() }
    let packet = RigidArray<UInt8>(repeating: 7, count: length)
    let (source, receiver) = (
      SocketAddress(host: second, port: 0), SocketAddress(host: first, port: pair.data.port)
    )
    let isSent = pair.control.send(packet, to: receiver, from: source)
    let sent = pair.control.send(packet, stampedAt: 8, to: receiver, from: source)
    #expect(isSent && sent != nil)
    var datagram = Datagram()
    for _ in 0..<2 {
      #expect(pair.receive(on: .data, into: &datagram))
      #expect(datagram.from == SocketAddress(host: second, port: pair.control.port) && datagram.to == receiver)
    }
  }
}
