package import MusicalTime
package import RTPMIDI

extension Endpoint {
  /// Exchanges CK0, CK1 and CK2 with a peer whose invitation this endpoint has accepted on both ports. The exchange proves that the
  /// peer receives at the address `data`.
  ///
  /// - Parameter ssrc: the SSRC of the peer.
  /// - Returns: the outputs since the last call of ``drain()``, without the CK1.
  @discardableResult
  package func verify(_ ssrc: UInt32, at data: SocketAddress, now: Instant) -> [Output] {
    var outputs = drain()
    func receive(_ packet: ClockPacket) {
      self.receive(octets { _ = packet.append(to: &$0) }, from: data, port: .data, at: now)
    }
    receive(ClockPacket(ssrc: ssrc, sentAt: now))
    // CK1, the reply of this endpoint, has the count 1. The peer answers with CK2.
    for output in drain() {
      if case .send(let datagram, data, _, .data) = output, let packet = ClockPacket(datagram.span), packet.count == 1 {
        receive(packet.reply(from: ssrc, sentAt: now)!)
      } else {
        outputs.append(output)
      }
    }
    return outputs + drain()
  }
}

extension EndpointNetwork {
  /// Exchanges CK0, CK1 and CK2 between endpoint `k` and a device with the data port `from`. The endpoint has accepted the invitation of
  /// the device on both ports. The exchange proves that the device receives. It takes 3 ms of virtual time: 1 ms per datagram.
  ///
  /// - Parameter ssrc: the SSRC of the device.
  package mutating func verify(_ ssrc: UInt32, at from: Int, by k: Int) {
    let port = homes[k] + 1
    let request = ClockPacket(ssrc: ssrc, sentAt: now)
    send(octets { _ = request.append(to: &$0) }, from: from, to: port)
    run(for: .milliseconds(2))
    guard let answer = sent("CK", by: port).compactMap({ ClockPacket($0.span) }).last(where: { $0.count == 1 }),
      let reply = answer.reply(from: ssrc, sentAt: now)
    else { return }
    send(octets { _ = reply.append(to: &$0) }, from: from, to: port)
    run(for: .milliseconds(1))
  }
}
