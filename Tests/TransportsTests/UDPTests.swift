import BasicContainers
import Glibc
import MusicalTime
import RTPMIDI
import Realtime
import Testing

@testable import Transports

/// UDP sockets on loopback.
@Suite struct UDPTests {
  /// The IPv4 loopback address, and the IPv6 loopback address if the kernel has it.
  static let loopbacks: [SocketAddress] = {
    let ipv6 = SocketAddress(high: 0, low: 1, port: 0)
    guard let socket = try? UDPSocket(port: 0) else { return [] }
    defer { socket.close() }
    var target = ipv6
    target.port = socket.port
    guard socket.send([0], to: target) else {
      print("IPv6: not tested because ::1 is missing; run `sysctl net.ipv6.conf.lo.disable_ipv6=0`")
      return [SocketAddress(host: 0x7F00_0001, port: 0)]
    }
    return [SocketAddress(host: 0x7F00_0001, port: 0), ipv6]
  }()

  /// The address `host` with another port.
  private func at(_ host: SocketAddress, _ port: UInt16) -> SocketAddress {
    var address = host
    address.port = port
    return address
  }

  /// After `dropForeignDatagrams`, the kernel passes control packets at both ports, and RTP packets at the data port only. It drops all
  /// other datagrams.
  @Test(arguments: loopbacks) func kernelDropsForeignDatagrams(loopback: SocketAddress) throws {
    let pair = try PortPair(port: 0)
    defer { pair.close() }
    pair.dropForeignDatagrams()
    let sender = try UDPSocket(port: 0)
    defer { sender.close() }
    // The first octets of an invitation (IN).
    let control: [UInt8] = [0xFF, 0xFF, 0x49, 0x4E]
    // Version 2 and payload type 97. Only the second packet has a marker, padding, an extension and a contributing source.
    let rtp: [[UInt8]] = [[0x80, 0x61, 0], [0xB1, 0xE1, 0]]
    // Another RTP version, two other payload types, a wrong AppleMIDI signature, and a datagram that is too short.
    let foreign: [[UInt8]] = [[0x40, 0x61, 0], [0x80, 0x60, 0], [0x80, 0x21, 0], [0xFF, 0xFE, 0], [0xFF]]
    var datagram = Datagram()
    for (socket, port, accepted) in [
      (pair.control, Datagram.Port.control, [control]), (pair.data, .data, [control] + rtp),
    ] {
      let before = pair.dropped
      let all = foreign + rtp + [control]
      for octets in all { _ = sender.send(octets, to: at(loopback, socket.port)) }
      var received: [[UInt8]] = []
      while pair.receive(on: port, into: &datagram) {
        received.append((0..<datagram.count).map { datagram.octets[$0] })
      }
      #expect(received == rtp.filter(accepted.contains) + [control])
      #expect(pair.dropped &- before == UInt32(all.count - accepted.count))
    }
  }

  @Test(arguments: loopbacks)
  func datagramsArriveWithSenderLengthAndKernelStamp(loopback: SocketAddress) throws {
    let pair = try PortPair(port: 0)
    defer { pair.close() }
    #expect(pair.data.port == pair.control.port + 1)
    let sender = try UDPSocket(port: 0)
    defer { sender.close() }
    let before = MonotonicClock.now
    #expect(sender.send([UInt8](repeating: 0xF8, count: 40), to: at(loopback, pair.data.port)))
    // Only the data port has data.
    #expect(pair.wait(milliseconds: 1000) == (false, true, false))
    // The buffer is smaller than the datagram. The content is truncated, but the complete length is reported.
    var room = [UInt8](repeating: 0, count: 16)
    let arrival = try #require(room.withUnsafeMutableBytes { pair.data.receive(into: $0.baseAddress!, room: 16) })
    #expect(arrival.length == 40 && room == [UInt8](repeating: 0xF8, count: 16))
    #expect(arrival.from == at(loopback, sender.port) && arrival.from.description == "\(at(loopback, sender.port))")
    // The tolerance is for the conversion of the kernel's stamp to CLOCK_MONOTONIC.
    #expect(arrival.at >= before - .microseconds(50) && arrival.at <= MonotonicClock.now)
    #expect(room.withUnsafeMutableBytes { pair.data.receive(into: $0.baseAddress!, room: 16) } == nil)
    // A reply reaches the sender.
    #expect(pair.data.send([1], to: arrival.from))
    #expect(room.withUnsafeMutableBytes { sender.receive(into: $0.baseAddress!, room: 16) }?.length == 1)
  }

  /// Packets of at most 256 octets and longer packets are copied by different parts of the code. The maximum is 1472 octets.
  @Test(arguments: [0, 1, 255, 256, 257, 1400, 1472])
  func packetsUpToTheMaximumLengthAreSentCompletely(length: Int) throws {
    let pair = try PortPair(port: 0)
    defer { pair.close() }
    var packet = RigidArray<UInt8>(capacity: 2000)
    for index in 0..<length { packet.append(UInt8(truncatingIfNeeded: index &* 7)) }
    let isSent = pair.control.send(packet, to: SocketAddress(host: 0x7F00_0001, port: pair.data.port))
    #expect(isSent)
    var datagram = Datagram()
    #expect(pair.receive(on: .data, into: &datagram) && datagram.count == length)
    #expect((0..<length).allSatisfy { datagram.octets[$0] == UInt8(truncatingIfNeeded: $0 &* 7) })
  }

  /// Lengths and offsets in octets. A clock probe has the length 44 and the offset 36.
  @Test(arguments: [(8, 0), (44, 36), (256, 100), (257, 249), (1472, 16)])
  func packetContainsItsSendInstant(length: Int, offset: Int) throws {
    let pair = try PortPair(port: 0)
    defer { pair.close() }
    let packet = RigidArray<UInt8>(repeating: 7, count: length)
    let before = MonotonicClock.now
    let sent = pair.control.send(
      packet, stampedAt: offset, to: SocketAddress(host: 0x7F00_0001, port: pair.data.port))
    let instant = try #require(sent)
    #expect(instant >= before && instant <= MonotonicClock.now)
    var datagram = Datagram()
    #expect(pair.receive(on: .data, into: &datagram) && datagram.count == length)
    let octets = (0..<length).map { datagram.octets[$0] }
    let stamp = octets[offset..<offset + 8].reduce(0) { $0 << 8 | Int64($1) }
    #expect(stamp == instant.nanoseconds)
    #expect(octets[..<offset].allSatisfy { $0 == 7 } && octets[(offset + 8)...].allSatisfy { $0 == 7 })
  }

  /// Lengths and offsets in octets. The send instant has eight octets, a packet at most 1472.
  @Test(arguments: [(7, 0), (44, 37), (44, -1), (44, .max), (1473, 0)])
  func packetWithoutSpaceForTheSendInstantIsNotSent(length: Int, offset: Int) throws {
    let socket = try UDPSocket(port: 0)
    defer { socket.close() }
    let packet = RigidArray<UInt8>(repeating: 7, count: length)
    let sent = socket.send(packet, stampedAt: offset, to: SocketAddress(host: 0x7F00_0001, port: socket.port))
    #expect(sent == nil)
    var room = [UInt8](repeating: 0, count: 16)
    #expect(room.withUnsafeMutableBytes { socket.receive(into: $0.baseAddress!, room: 16) } == nil)
  }

  @Test func packetAboveTheMaximumLengthIsNotSent() throws {
    let socket = try UDPSocket(port: 0)
    defer { socket.close() }
    let packet = RigidArray<UInt8>(repeating: 0, count: 1473)
    let isSent = socket.send(packet, to: SocketAddress(host: 0x7F00_0001, port: socket.port))
    #expect(!isSent)
  }

  /// The socket of a kernel without IPv6.
  @Test func ipv4SocketAcceptsOnlyIPv4() throws {
    let socket = try #require(UDPSocket.open(0, isDualStack: false).socket)
    defer { socket.close() }
    #expect(!socket.isDualStack)
    let loopback = SocketAddress(host: 0x7F00_0001, port: socket.port)
    #expect(socket.send([1, 2, 3], to: loopback))
    var room = [UInt8](repeating: 0, count: 16)
    let arrival = try #require(room.withUnsafeMutableBytes { socket.receive(into: $0.baseAddress!, room: 16) })
    #expect(arrival.from == loopback && arrival.length == 3)
    #expect(!socket.send([1], to: SocketAddress(high: 0, low: 1, port: socket.port)))
  }

  /// The upper six bits of the TOS or Traffic Class octet are the DSCP. Expedited Forwarding is 46 (RFC 3246), and 46 << 2 is 0xB8.
  @Test func packetsHaveExpeditedForwardingInBothFamilies() throws {
    let socket = try UDPSocket(port: 0)
    defer { socket.close() }
    #expect(option(socket, Int32(IPPROTO_IP), IP_TOS) == 0xB8)
    if socket.isDualStack { #expect(option(socket, Int32(IPPROTO_IPV6), IPV6_TCLASS) == 0xB8) }
  }

  /// The receive buffer holds the ticks that a thousand peers send at once. The kernel drops and counts the datagrams beyond its size.
  @Test func burstIsBufferedAndDropsAreCounted() throws {
    let (socket, sender) = (try UDPSocket(port: 0), try UDPSocket(port: 0))
    defer { socket.close() }
    defer { sender.close() }
    let loopback = SocketAddress(host: 0x7F00_0001, port: socket.port)
    // The socket requests 1 MiB. The kernel reports twice the requested size, to account for its own overhead. Without permission for
    // a large buffer, some of the first thousand datagrams may be dropped.
    let isLarge = option(socket, SOL_SOCKET, SO_RCVBUF) >= 2 << 20
    let tick = [UInt8](repeating: 0xF8, count: 24)
    for _ in 0..<1000 { _ = sender.send(tick, to: loopback) }
    if isLarge { #expect(socket.dropped == 0) }
    // More datagrams than the buffer holds.
    let more = 20_000
    for _ in 0..<more { _ = sender.send(tick, to: loopback) }
    var taken = 0
    var room = [UInt8](repeating: 0, count: 64)
    while room.withUnsafeMutableBytes({ socket.receive(into: $0.baseAddress!, room: 64) }) != nil { taken += 1 }
    #expect(socket.dropped > 0 && taken + Int(socket.dropped) == 1000 + more)
  }

  @Test func errorForAPortInUseHasReasonAndRemedy() throws {
    let taken = try UDPSocket(port: 0)
    defer { taken.close() }
    let error = #expect(throws: TransportError.self) { try UDPSocket(port: taken.port) }
    #expect(error?.description.contains("\(taken.port): Address already in use; choose another with --port") == true)
  }

  @Test func errorForTheDataPortSaysWhichPortIsInUse() throws {
    let free = try PortPair(port: 0)
    let port = free.control.port
    free.control.close()
    defer { free.data.close() }
    let error = #expect(throws: TransportError.self) { try PortPair(port: port) }
    #expect(
      error?.description.hasPrefix("UDP port \(port + 1) (the data port of --port \(port)): Address already in use; ")
        == true)
  }

  private func option(_ socket: UDPSocket, _ level: Int32, _ name: Int32) -> Int32 {
    var value: Int32 = -1
    var length = socklen_t(MemoryLayout<Int32>.size)
    getsockopt(socket.descriptor, level, name, &value, &length)
    return value
  }
}
