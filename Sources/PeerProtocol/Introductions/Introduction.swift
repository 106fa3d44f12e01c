public import RTPMIDI
import Text

/// A message in which a peer tells a member which other members it hears, and where. An address is only something to try: the usual
/// invitation follows. A message contains as many entries as fit; the order has no meaning.
public struct Introduction: Hashable, Sendable {
  /// A member that the sender hears.
  public struct Entry: Hashable, Sendable {
    public var identity: Identity
    /// A clean name (`cleanName`), at most 48 octets; empty if the sender knows none.
    public var name: String
    /// The address of the member as the sender hears it; its port has no meaning. Nil: at the host of the sender itself, so that the receiver
    /// uses the address at which it hears the sender.
    public var host: SocketAddress?
    /// 0 if the member has no address that has a meaning for the receiver.
    public var controlPort: UInt16
    public var dataPort: UInt16
    /// The number of peers between the member and the receiver if the sender forwards its messages: 1 if the sender hears it directly.
    public var hops: UInt8

    public init(
      identity: Identity, name: String, host: SocketAddress?, controlPort: UInt16, dataPort: UInt16, hops: UInt8
    ) {
      (self.identity, self.name, self.host) = (identity, name.cleanName() ?? "", host)
      (self.controlPort, self.dataPort, self.hops) = (controlPort, dataPort, hops)
    }

    /// The number of octets of the entry.
    var length: Int { 30 + name.utf8.count }
  }

  /// The largest number of octets of all entries of a message.
  private static let capacity = 200

  public private(set) var entries: [Entry]

  /// Distributes entries to as few messages as possible.
  ///
  /// Real-time: not safe.
  public static func messages(_ entries: [Entry]) -> [Introduction] {
    var (messages, length): ([Introduction], Int) = ([], capacity)
    for entry in entries {
      if length + entry.length > capacity {
        messages.append(Introduction(entries: []))
        length = 0
      }
      messages[messages.count - 1].entries.append(entry)
      length += entry.length
    }
    return messages
  }

  private init(entries: [Entry]) { self.entries = entries }

  /// The data octets of the System Exclusive message, without F0 and F7. The data are 7D 54 03 0A (version 3, kind 10, see ``MessageKind``)
  /// and these octets for each entry, encoded by ``SevenBit``. Numbers are big-endian.
  ///
  ///     octet   length   field
  ///     0       8        the identity
  ///     8       1        the number of hops, 1...15
  ///     9       16       the address, IPv4 as ::ffff:a.b.c.d; 0: the host of the sender
  ///     25      2        the control port; 0: no address
  ///     27      2        the data port
  ///     29      1        the length of the name, 0...48
  ///     30      0...48   the name
  ///
  /// Real-time: not safe.
  public var systemExclusive: [UInt8] {
    var octets = OctetWriter(capacity: Self.capacity)
    for entry in entries {
      octets.put(entry.identity.bits)
      octets.put(entry.hops)
      octets.put(entry.host?.high ?? 0)
      octets.put(entry.host?.low ?? 0)
      octets.put(entry.controlPort)
      octets.put(entry.dataPort)
      octets.put(UInt8(entry.name.utf8.count))
      for octet in entry.name.utf8 { octets.put(octet) }
    }
    return MessageKind.introduction.wrap(octets)
  }

  /// Reads ``systemExclusive``. Returns nil for any other message, for a name that is not clean text, for an address that is not that of one
  /// host, and for a loopback or link-local address, which has no meaning for another machine.
  ///
  /// Real-time: not safe.
  public init?(systemExclusive bytes: [UInt8]) {
    guard var octets = MessageKind.introduction.unwrap(bytes, lengths: 30...Self.capacity) else { return nil }
    entries = []
    while !octets.isAtEnd {
      let (identity, hops) = (Identity(octets.take(UInt64.self)), octets.take(UInt8.self))
      let (high, low) = (octets.take(UInt64.self), octets.take(UInt64.self))
      let (control, data) = (octets.take(UInt16.self), octets.take(UInt16.self))
      let length = Int(octets.take(UInt8.self))
      let name = octets.take(length)
      let host = high == 0 && low == 0 ? nil : SocketAddress(high: high, low: low, port: control)
      let hasAddress = control > 0 && data > 0 || control == 0 && data == 0 && host == nil
      guard !octets.isIncomplete, (1...Self.maximumHops).contains(hops), hasAddress, length <= 48,
        host?.isIntroducible ?? true, let text = String(validating: name, as: UTF8.self),
        text.isEmpty || text.cleanName() == text
      else { return nil }
      entries.append(
        Entry(identity: identity, name: text, host: host, controlPort: control, dataPort: data, hops: hops))
    }
  }

  /// The largest number of peers between two members.
  public static let maximumHops: UInt8 = 15
}

extension SocketAddress {
  /// Whether the address has a meaning for another machine and is that of one host: no loopback, link-local, unspecified, multicast or
  /// broadcast address.
  ///
  /// Real-time: not safe.
  public var isIntroducible: Bool {
    if isLoopback || isLinkLocal { return false }
    guard !isIPv6 else { return high >> 56 != 0xFF && !(high == 0 && low >> 32 == 0) }
    let first = low >> 24 & 0xFF
    // 169.254/16 is link-local (RFC 3927). 224/4 is multicast, and 240/4 contains the broadcast address.
    return first != 0 && first < 224 && low >> 16 & 0xFFFF != 0xA9FE
  }
}
