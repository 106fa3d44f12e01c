/// A synthetic capture file in the format of `libpcap`. It contains UDP datagrams over IPv4 on loopback. The link type is 101, raw
/// IP (https://www.tcpdump.org/linktypes.html).
///
/// The checksums are 0. In UDP, 0 means that there is no checksum. `tshark` does not check the checksum of IPv4.
struct PacketFile {
  private(set) var octets: [UInt8] = []
  /// The number of packets in the file.
  private(set) var packets = 0

  init() {
    append(0xA1B2_3C4D as UInt32)  // Time stamps in nanoseconds, all numbers big-endian.
    append(0x0002_0004 as UInt32)  // Version 2.4.
    append(0 as UInt64)  // Reserved.
    append(65535 as UInt32)  // The maximum length of a packet.
    append(101 as UInt32)  // The link type.
  }

  /// Appends `datagram` as a packet with the time `nanoseconds` after the epoch.
  ///
  /// - Parameters:
  ///   - source: the source port.
  ///   - destination: the destination port.
  mutating func append(_ datagram: [UInt8], from source: UInt16, to destination: UInt16, at nanoseconds: Int64) {
    let udpLength = UInt16(8 + datagram.count)
    let ipLength = 20 + udpLength
    append(UInt32(nanoseconds / 1_000_000_000))
    append(UInt32(nanoseconds % 1_000_000_000))
    append(UInt32(ipLength))  // The length in the file,
    append(UInt32(ipLength))  // and the original length.
    append(0x4500 as UInt16)  // IPv4, header of 20 octets.
    append(ipLength)
    append(0x0000_4000 as UInt32)  // Identification 0; don't fragment.
    append(0x4011_0000 as UInt32)  // Time to live 64; UDP (17); no checksum.
    append(0x7F00_0001 as UInt32)  // From 127.0.0.1 to 127.0.0.1.
    append(0x7F00_0001 as UInt32)
    append(source)
    append(destination)
    append(udpLength)
    append(0 as UInt16)  // No checksum.
    octets += datagram
    packets += 1
  }

  private mutating func append<Number: FixedWidthInteger>(_ number: Number) {
    withUnsafeBytes(of: number.bigEndian) { octets += $0 }
  }
}
