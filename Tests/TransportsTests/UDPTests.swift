import MusicalTime
import Realtime
import Testing
import Transports

@Suite struct UDPTests {
  @Test func datagramsArriveWithSenderLengthAndKernelStamp() throws {
    let pair = try PortPair(port: 0)
    defer { pair.close() }
    #expect(pair.data.port == pair.control.port + 1)
    let sender = try UDPSocket(port: 0)
    defer { sender.close() }
    let loopback = SocketAddress(host: 0x7F00_0001, port: pair.data.port)
    let before = MonotonicClock.now
    #expect(sender.send([UInt8](repeating: 0xF8, count: 40), to: loopback))
    #expect(pair.wait(milliseconds: 1000) == (false, true, false))
    var room = [UInt8](repeating: 0, count: 16)
    let arrival = try #require(room.withUnsafeMutableBytes { pair.data.receive(into: $0.baseAddress!, room: 16) })
    #expect(arrival.length == 40 && room == [UInt8](repeating: 0xF8, count: 16))
    #expect(arrival.from == SocketAddress(host: 0x7F00_0001, port: sender.port))
    #expect(arrival.at >= before - .microseconds(50) && arrival.at <= MonotonicClock.now)
    #expect(room.withUnsafeMutableBytes { pair.data.receive(into: $0.baseAddress!, room: 16) } == nil)
  }

  @Test func aTakenPortIsNamedWithItsReasonAndRemedy() throws {
    let taken = try UDPSocket(port: 0)
    defer { taken.close() }
    let error = #expect(throws: TransportError.self) { try UDPSocket(port: taken.port) }
    #expect(error?.description.contains("\(taken.port): Address already in use; choose another with --port") == true)
  }

  @Test(arguments: ["", ":5004", "1.2.3.4:", "1.2.3.4:x", "1.2.3.4:0", "1.2.3.4:65535", "1.2.3.4:70000", "a:b:c"])
  func notAnAddress(text: String) {
    let error = #expect(throws: TransportError.self) { try SocketAddress(resolving: text) }
    #expect(error?.description.contains("not HOST:PORT") == true)
  }

  @Test func addressesReadWhatTheyWrite() throws {
    let address = try SocketAddress(resolving: "10.99.0.2:5006")
    #expect(address == SocketAddress(host: 0x0A63_0002, port: 5006) && address.description == "10.99.0.2:5006")
    #expect(try SocketAddress(resolving: "127.0.0.1").port == 5004)
  }
}
