/// A capture of UDP over IPv4 on loopback that nobody has captured: a file as `libpcap` writes it, of link type 101,
/// raw IP (https://www.tcpdump.org/linktypes.html), made octet by octet.
///
/// The checksums are 0: for UDP that says that there is none, and `tshark` does not look at IPv4's.
struct PacketFile {
  private(set) var octets: [UInt8] = []
  /// How many packets are in it.
  private(set) var packets = 0

  init() {
    append(0xA1B2_3C4D as UInt32)  // Stamps in nanoseconds, all numbers big-endian.
    append(0x0002_0004 as UInt32)  // Version 2.4.
    append(0 as UInt64)
    append(65535 as UInt32)
    append(101 as UInt32)
  }

  /// Appends `datagram`, sent `nanoseconds` after the epoch.
  mutating func append(_ datagram: [UInt8], from source: UInt16, to destination: UInt16, at nanoseconds: Int64) {
    let udpLength = UInt16(8 + datagram.count)
    let ipLength = 20 + udpLength
    append(UInt32(nanoseconds / 1_000_000_000))
    append(UInt32(nanoseconds % 1_000_000_000))
    append(UInt32(ipLength))
    append(UInt32(ipLength))
    append(0x4500 as UInt16)  // IPv4, a header of 20 octets.
    append(ipLength)
    append(0x0000_4000 as UInt32)  // Not to be fragmented.
    append(0x4011_0000 as UInt32)  // Time to live 64; UDP.
    append(0x7F00_0001 as UInt32)
    append(0x7F00_0001 as UInt32)
    append(source)
    append(destination)
    append(udpLength)
    append(0 as UInt16)
    octets += datagram
    packets += 1
  }

  private mutating func append<Number: FixedWidthInteger>(_ number: Number) {
    withUnsafeBytes(of: number.bigEndian) { octets += $0 }
  }
}
