import CAvahi
import Testing

@testable import Transports

/// The services that result from the answers of a resolver, including hostile answers.
@Suite struct ServiceTests {
  /// Calls `body` with a TXT record that contains `entries` in this order.
  private func withText<Result>(_ entries: [[UInt8]], _ body: (UnsafeMutablePointer<AvahiStringList>?) -> Result)
    -> Result
  {
    var list: UnsafeMutablePointer<AvahiStringList>?
    for entry in entries.reversed() { list = avahi_string_list_add_arbitrary(list, entry, entry.count) }
    defer { avahi_string_list_free(list) }
    return body(list)
  }

  /// A valid value has exactly 16 hexadecimal digits. Only the first entry with the key `tutti` counts.
  @Test(
    arguments: [
      (["tutti=0123456789abcdef"], 0x0123_4567_89AB_CDEF), (["TUTTI=FFFFFFFFFFFFFFFF"], .max),
      (["x=1", "tutti=0000000000000001", "tutti=0000000000000002"], 1),
      ([], nil), ([""], nil), (["tutti"], nil), (["tutti="], nil), (["tutti=1"], nil),
      (["tutti=0123456789abcdef0"], nil), (["tutti=+123456789abcdef"], nil), (["tutti= 123456789abcdef"], nil),
      (["tutti=0123456789abcdeg"], nil), (["tuttix=0123456789abcdef"], nil), (["xtutti=0123456789abcdef"], nil),
      // U+FF10 is the full-width digit 0, which has three octets. The value has 16 octets.
      (["tutti=\u{FF10}123456789abcd"], nil), (["tutti=1", "tutti=0123456789abcdef"], nil),
    ] as [([String], UInt64?)])
  func identityIsTheValidValueOfTheFirstKey(entries: [String], identity: UInt64?) {
    #expect(withText(entries.map { Array($0.utf8) }) { Discovery.Service.identity($0) } == identity)
  }

  /// Each record has one entry:
  /// - the key `tutti` and 16 octets that are not UTF-8; a valid value also has 16 octets;
  /// - 22 zeros, the length of a valid entry;
  /// - the key `tutti` and 16 octets, the first of which is zero;
  /// - one octet that is not UTF-8;
  /// - 255 octets `=`, the maximum length of an entry.
  @Test(
    arguments: [
      Array("tutti=".utf8) + [UInt8](repeating: 0xFF, count: 16), [UInt8](repeating: 0, count: 22),
      Array("tutti=".utf8) + [0] + Array("123456789abcdef".utf8), [0xC0], [UInt8](repeating: 0x3D, count: 255),
    ] as [[UInt8]])
  func recordWithInvalidTextHasNoIdentity(entry: [UInt8]) {
    #expect(withText([entry]) { Discovery.Service.identity($0) } == nil)
  }

  @Test(arguments: [0, 1, 0x0123_4567_89AB_CDEF, .max] as [UInt64])
  func announcedIdentityIsRead(identity: UInt64) {
    let text = Discovery.Service.text(of: identity)
    defer { avahi_string_list_free(text) }
    #expect(Discovery.Service.identity(text) == identity)
  }

  /// Creates the service of the local peer, whose identity is 7, from the answer of a resolver on the interface 1 (`lo`). The host name in
  /// the answer contains an Escape.
  private func service(_ address: String, port: UInt16 = 5004, name: String = "Ada") -> Discovery.Service? {
    var parsed = AvahiAddress()
    guard avahi_address_parse(address, AvahiProtocol(AVAHI_PROTO_UNSPEC), &parsed) != nil else { return nil }
    return withText([Array("tutti=0000000000000007".utf8)]) {
      Discovery.Service(
        name: name, host: "ada\u{1B}.local", address: &parsed, interface: 1, port: port, text: $0, local: 7)
    }
  }

  @Test(arguments: [
    ("192.168.1.20", "192.168.1.20:5004"), ("fd00::20", "[fd00::20]:5004"), ("fe80::20", "[fe80::20%lo]:5004"),
    ("::1", "[::1]:5004"),
  ])
  func onlyALinkLocalAddressHasAnInterface(address: String, description: String) throws {
    let found = service(address)
    let service = try #require(found)
    #expect(service.address.description == description)
    #expect(service.isLocal && service.identity == 7 && service.host == "ada.local")
  }

  @Test(arguments: [
    "0.0.0.0", "0.1.2.3", "224.0.0.251", "239.1.2.3", "255.255.255.255", "::", "ff02::fb", "::ffff:224.0.0.1",
  ])
  func addressThatIsNotUnicastIsRejected(address: String) { #expect(service(address) == nil) }

  /// The announced port is the control port. The next port is the data port, so 65535 is not possible.
  @Test func portWithoutADataPortIsRejected() {
    #expect(service("10.0.0.1", port: 0) == nil && service("10.0.0.1", port: 65535) == nil)
    #expect(service("10.0.0.1", port: 65534) != nil)
  }

  /// The name after a conflict is the one that sessions with peers of one name show. Further conflicts are counted.
  @Test func nameAfterAConflictContainsTheIdentity() {
    var announcement = AvahiLoop.Announcement(name: "Ada", port: 5004, identity: 0x02F3_A000_0000_0001)
    var names = [announcement.name]
    for _ in 0..<3 {
      announcement.rename()
      names.append(announcement.name)
    }
    #expect(names == ["Ada", "Ada 02f3", "Ada 02f3 #2", "Ada 02f3 #3"])
  }

  /// U+202E (right-to-left override) changes the order of the characters after it on a terminal.
  @Test func namesContainOnlyPrintableCharacters() {
    #expect(service("10.0.0.1", name: "\u{1B}[2Jevil\r\n\u{202E}")?.name == "[2Jevil")
    #expect(service("10.0.0.1", name: "\u{200B} ")?.name == "peer 10.0.0.1")
    #expect(service("10.0.0.1", name: String(repeating: "a", count: 63))?.name.utf8.count == 48)
  }
}
