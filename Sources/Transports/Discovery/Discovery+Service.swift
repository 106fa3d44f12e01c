import CAvahi
public import RTPMIDI

extension Discovery {
  /// An RTP-MIDI session that is announced on the network.
  public struct Service: Hashable, Sendable {
    /// What it calls itself, as it may stand on a terminal.
    public let name: String
    /// The host's name, `ada.local`, as it may stand on a terminal.
    public let host: String
    /// Its control port; the data port is the next.
    public let address: SocketAddress
    /// Which Tutti peer it is, from the key `tutti` of its TXT record, sixteen hexadecimal digits; nil for other gear.
    public let identity: UInt64?
    /// Whether it is the announcement of this very peer.
    public let isOwn: Bool
  }
}

extension Discovery.Service {
  /// What a resolver has found, nil when nobody could be reached there.
  ///
  /// - Parameter own: this peer's identity.
  ///
  /// Invariant: `address` and `text` are the resolver's, alive for the call.
  init?(
    name: String, host: String, address: UnsafePointer<AvahiAddress>, interface: AvahiIfIndex, port: UInt16,
    text: UnsafeMutablePointer<AvahiStringList>?, own: UInt64?
  ) {
    guard let address = SocketAddress(address.pointee, interface: interface, port: port), address.isUnicast,
      // The data port is to have a number too.
      (1...65534).contains(port)
    else { return nil }
    let identity = Self.identity(text)
    self.init(
      name: name.printable(), host: host.printable(), address: address, identity: identity,
      isOwn: identity != nil && identity == own)
  }

  /// The TXT record in which a Tutti peer tells its `identity`; whoever gets it frees it.
  static func text(of identity: UInt64) -> UnsafeMutablePointer<AvahiStringList>? {
    let digits = String(identity, radix: 16)
    let zeros = String(repeating: "0", count: 16 - digits.count)
    return avahi_string_list_add(nil, "tutti=\(zeros)\(digits)")
  }

  /// The identity in a TXT record. Keys are looked for without regard to case, and the first of a name counts (RFC 6763,
  /// section 6.4).
  static func identity(_ text: UnsafeMutablePointer<AvahiStringList>?) -> UInt64? {
    // Invariant: an entry of the list is `size` octets long.
    guard let text, let entry = avahi_string_list_find(text, "tutti"), let start = avahi_string_list_get_text(entry)
    else { return nil }
    let octets = UnsafeBufferPointer(start: start, count: avahi_string_list_get_size(entry)).dropFirst(
      "tutti=".utf8.count)
    guard octets.count == 16 else { return nil }
    let digits = String(decoding: octets, as: UTF8.self)
    return digits.allSatisfy(\.isHexDigit) ? UInt64(digits, radix: 16) : nil
  }
}

extension SocketAddress {
  /// An address as Avahi found it on `interface`, nil for one of an unknown family.
  init?(_ address: AvahiAddress, interface: AvahiIfIndex, port: UInt16) {
    switch address.proto {
    case AvahiProtocol(AVAHI_PROTO_INET): self.init(host: UInt32(bigEndian: address.data.ipv4.address), port: port)
    case AvahiProtocol(AVAHI_PROTO_INET6):
      // Invariant: sixteen octets, lent for the call.
      self = withUnsafeBytes(of: address.data.ipv6.address) {
        SocketAddress(ipv6: $0, scope: UInt32(clamping: interface), port: port)
      }
    default: return nil
    }
  }

  /// Whether one host may have it: neither a group's address, nor everybody's, nor nobody's.
  var isUnicast: Bool {
    if isIPv6 { return high >> 56 != 0xFF && (high, low) != (0, 0) }
    return (1..<224).contains(low >> 24 & 255)
  }
}
