import Foundation
import RTPMIDI
import Testing
import Transports
import _TestSupport

@testable import Engine

/// Tests of the contacts file (``ContactFile``) and of the connection policies.
@Suite struct ContactFileTests {
  /// An address that is in no contacts file.
  private let unknownAddress = SocketAddress(host: 0x0A00_0063, port: 5004)

  /// Reads a contacts file with this text.
  private func contacts(_ text: String) throws -> ContactFile { try contacts(Data(text.utf8)) }

  private func contacts(_ data: Data) throws -> ContactFile {
    let folder = try TemporaryFolder()
    try data.write(to: folder.url.appendingPathComponent("contacts"))
    return try ContactFile(path: folder.path("contacts"))
  }

  /// Adds the addresses of all hosts in `contacts`. The hosts of the tests are addresses or `localhost`, so no name server is asked.
  private func resolve(_ contacts: inout ContactFile) {
    for name in contacts.hosts {
      guard let addresses = try? SocketAddress.all(resolving: name) else { continue }
      contacts.add(.init(name: name, addresses: addresses))
    }
  }

  @Test(arguments: ["\n", "\r\n"]) func listedNamesAndHostsAreContacts(lineEnd: String) throws {
    let lines = [
      "# The quartet", "name Ada", "", "  name\tBen the 2nd  ", "host 10.0.0.2", "host [fd00::20]:5006", "# x",
    ]
    var contacts = try contacts(lines.joined(separator: lineEnd))
    resolve(&contacts)
    for name in ["Ada", "Ben the 2nd"] { #expect(contacts.include(name, at: unknownAddress)) }
    for name in [nil, "", "ada", "Ada ", "Ben", "Eve", "# x"] {
      #expect(!contacts.include(name, at: unknownAddress))
    }
    // A host is a contact with any port.
    #expect(contacts.include(nil, at: SocketAddress(host: 0x0A00_0002, port: 49152)))
    #expect(contacts.include("Eve", at: SocketAddress(high: 0xFD00 << 48, low: 0x20, port: 1)))
  }

  @Test func hostIsAContactByEachOfItsAddresses() throws {
    let all = try SocketAddress.all(resolving: "localhost")
    var contacts = try contacts("host localhost\nhost localhost")
    #expect(contacts.hosts == ["localhost"])
    resolve(&contacts)
    #expect(all.allSatisfy { contacts.include(nil, at: $0) } && !contacts.include(nil, at: unknownAddress))
  }

  @Test func namesApplyWhileHostsAreUnknown() throws {
    let contacts = try contacts("host no.such.host.invalid\nname Ada\nhost a:b:c")
    #expect(contacts.include("Ada", at: unknownAddress) && !contacts.include(nil, at: unknownAddress))
    #expect(contacts.hosts == ["no.such.host.invalid", "a:b:c"])
  }

  @Test(arguments: [
    ("name", 1), ("name Ada\nhost\n", 2), ("name Ada\r\n\r\nband Ben", 3), ("Ada", 1), ("\u{FEFF}name Ada", 1),
    ("\n\n\0\n", 3),
  ])
  func malformedLineIsReportedWithItsNumber(text: String, line: Int) {
    let fault = #expect(throws: EngineError.self) { try contacts(text) }
    #expect(fault?.isMalformed == true && fault?.description.contains("line \(line): not `name NAME`") == true)
  }

  @Test func fileThatIsNotUTF8IsMalformed() {
    let fault = #expect(throws: EngineError.self) { try contacts(Data([0xFF, 0xFE, 0x6E, 0x00])) }
    #expect(fault?.isMalformed == true)
  }

  /// 2^19 lines of two bytes are 1 MiB (2^20 bytes). One more byte is too many.
  @Test func fileHasAtMostOneMebibyte() throws {
    #expect(try contacts(String(repeating: "#\n", count: 1 << 19)).hosts.isEmpty)
    let fault = #expect(throws: EngineError.self) {
      try contacts(String(repeating: "#\n", count: 1 << 19) + "#")
    }
    #expect(fault?.description.contains("larger than 1 MiB; give a text file") == true)
  }

  /// A missing file, and the folder itself.
  @Test(arguments: ["none", ""]) func unreadableFileIsReportedWithTheRemedy(name: String) throws {
    let folder = try TemporaryFolder()
    let fault = #expect(throws: EngineError.self) { try ContactFile(path: folder.path(name)) }
    let reason = name.isEmpty ? "Is a directory" : "No such file or directory"
    #expect(fault?.isMalformed == false)
    #expect(fault?.description.contains("cannot be read (\(reason)); write a file of lines") == true)
  }

  @Test func policyDeterminesWhichInvitationsAreAccepted() throws {
    // Ada is a contact, Eve and a peer without a name are not.
    let contacts = ConnectionPolicy.contacts(try contacts("name Ada"))
    for (policy, admitsAda, admitsEve) in [
      (.anyone, true, true), (contacts, true, false), (ConnectionPolicy.none, false, false),
    ] {
      #expect(policy.admits("Ada", from: unknownAddress) == admitsAda)
      #expect(policy.admits("Eve", from: unknownAddress) == admitsEve)
      #expect(policy.admits(nil, from: unknownAddress) == admitsEve)
    }
  }
}
