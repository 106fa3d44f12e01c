/// The receiver of the RTP stream of a session, if the endpoint itself decodes the packets.
final class StreamReceiver {
  var packets: PacketReceiver

  init(ssrc: UInt32) {
    packets = PacketReceiver(ssrc: ssrc, systemExclusiveCapacity: Endpoint.systemExclusiveCapacity)
  }
}
