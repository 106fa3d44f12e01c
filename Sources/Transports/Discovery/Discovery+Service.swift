import CAvahi
public import RTPMIDI
import Text

extension Discovery {
  /// An RTP-MIDI session announced on the network.
  public struct Service: Hashable, Sendable {
    /// The service name as the name of a peer: only printable characters, at most 48 octets. If nothing visible is left of the
    /// service name, the name consists of `peer` and the address.
    public let name: String
    /// The host name, for example `ada.local`. It contains only printable characters.
    public let host: String
    /// The address of the control port. The data port is the next port.
    public let address: SocketAddress
    /// The identity of the Tutti peer, from the key `tutti` of its TXT record (16 hexadecimal digits); nil for a
    /// standard device.
    public let identity: UInt64?
    /// Whether this is the announcement of the local peer.
    public let isLocal: Bool
  }
}

extension Discovery.Service {
  /// Creates the service from the result of a resolver. Returns nil if the address is not a unicast address or the port
  /// is not 1...65534.
  ///
  /// - Parameter local: the identity of the local peer.
  ///
  /// Invariant: `address` and `text` belong to the resolver and are valid during the call.
  init?(
    name: String, host: String, address: UnsafePointer<AvahiAddress>, interface: AvahiIfIndex, port: UInt16,
    text: UnsafeMutablePointer<AvahiStringList>?, local: UInt64?
  ) {
    guard let address = SocketAddress(address.pointee, interface: interface, port: port), address.isUnicast,
      // The data port is the next port and must be valid too.
      (1...65534).contains(port)
    else { return nil }
    let identity = Self.identity(text)
    self.init(
      name: name.cleanName() ?? "peer \(address.hostDescription)",
      host: host.cleanName(octets: 255) ?? address.hostDescription, address: address, identity: identity,
      isLocal: identity != nil && identity == local)
  }

  /// Returns the TXT record that contains `identity`. The caller frees it.
  static func text(of identity: UInt64) -> UnsafeMutablePointer<AvahiStringList>? {
    let digits = String(identity, radix: 16)
    let zeros = String(repeating: "0", count: 16 - digits.count)
    return avahi_string_list_add(nil, "tutti=\(zeros)\(digits)")
  }

  /// Returns the identity in a TXT record, or nil if there is no valid one. Keys are case-insensitive, and the first
  /// occurrence of a key counts (RFC 6763, section 6.4).
  static func identity(_ text: UnsafeMutablePointer<AvahiStringList>?) -> UInt64? {
    // Invariant: avahi_string_list_get_size returns the length of the entry in octets.
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
  /// Creates the address that Avahi found on `interface`. Returns nil for an unknown family.
  init?(_ address: AvahiAddress, interface: AvahiIfIndex, port: UInt16) {
    switch address.proto {
    case AvahiProtocol(AVAHI_PROTO_INET): self.init(host: UInt32(bigEndian: address.data.ipv4.address), port: port)
    case AvahiProtocol(AVAHI_PROTO_INET6):
      // Invariant: the address has 16 octets. The pointer is used only during the call.
      self = withUnsafeBytes(of: address.data.ipv6.address) {
        SocketAddress(ipv6: $0, scope: UInt32(clamping: interface), port: port)
      }
    default: return nil
    }
  }

  /// Whether this is a unicast address: not a multicast, broadcast or unspecified address.
  var isUnicast: Bool {
    // The first octet of an IPv6 multicast address is 0xFF. The address :: is unspecified.
    if isIPv6 { return high >> 56 != 0xFF && (high, low) != (0, 0) }
    // The first octet of an IPv4 address: 0 is "this network", 224...239 are multicast, 240...255 are reserved or broadcast.
    return (1..<224).contains(low >> 24 & 255)
  }
}
