import Foundation
import PeerProtocol
import Testing

@testable import Console
@testable import Engine
@testable import Ensemble

/// Tests of the hosts, the connection policy, the gates of members and the requests to lead in the frame `ensemble`. A frame is a message
/// between a page and its peer (``Frame``).
@Suite struct EnsembleDescriptionTests {
  /// The JSON object of a description.
  private func json(_ snapshot: PeerSnapshot) throws -> [String: Any] {
    let data = try JSONEncoder().encode(snapshot.ensembleJSON)
    return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
  }

  @Test func hostsAndPolicyAreEncoded() throws {
    var snapshot = try PeerSnapshot.idle()
    snapshot.hosts = [
      PeerSnapshot.Host(name: "Ben <b>", isTuttiPeer: true, isInvited: false),
      PeerSnapshot.Host(name: "Gear", isTuttiPeer: false, isInvited: true),
    ]
    (snapshot.furtherHosts, snapshot.policy, snapshot.hasContacts) = (3, .contacts, true)
    let object = try json(snapshot)
    let hosts = try #require(object["hosts"] as? [[String: Any]])
    #expect(hosts.map { $0["name"] as? String } == ["Ben <b>", "Gear"])
    #expect(hosts.map { $0["isTuttiPeer"] as? Bool } == [true, false])
    #expect(hosts.map { $0["isInvited"] as? Bool } == [false, true])
    #expect(hosts.allSatisfy { $0.count == 3 }, "pages for players get no network addresses")
    #expect(object["furtherHosts"] as? Int == 3 && object["policy"] as? String == "contacts")
    #expect(object["hasContacts"] as? Bool == true)
  }

  @Test func gatesAndRequestsOfMembersAreEncoded() throws {
    var snapshot = try PeerSnapshot.idle()
    #expect(try json(snapshot)["asks"] as? Bool == false)
    snapshot.asks = true
    snapshot.members = [UInt64(2), 3].map { number in
      let status = MemberStatus(
        name: "Peer \(number)", identity: Identity(number), isMaster: false, takesPart: true, isMuted: false,
        asks: number == 3)
      let takes: [Identity: GateSet] =
        number == 2 ? [Identity(0xAB): .none, Identity(1): GateSet(bits: 0b1001), Identity(3): .all] : [:]
      return PeerSnapshot.Member(status: status, gates: GateSet(bits: 0b0110), takes: takes)
    }
    let object = try json(snapshot)
    #expect(object["asks"] as? Bool == true)
    let members = try #require(object["members"] as? [[String: Any]])
    #expect(members.map { $0["asks"] as? Bool } == [false, true])
    #expect(members.map { $0["gates"] as? [String] } == [["notes", "modification"], ["notes", "modification"]])
    let takes = try #require(members[0]["takes"] as? [[String: Any]])
    #expect(takes.map { $0["from"] as? String } == ["0000000000000001", "0000000000000003", "00000000000000ab"])
    #expect(
      takes.map { $0["gates"] as? [String] } == [
        ["rhythm", "activity"], ["rhythm", "notes", "modification", "activity"], [],
      ])
    #expect(takes.allSatisfy { $0.count == 2 })
    #expect((members[1]["takes"] as? [Any])?.isEmpty == true)
  }

  @Test func hostsAreMissingWithoutDiscovery() throws {
    var snapshot = try PeerSnapshot.idle()
    #expect(try json(snapshot)["hosts"] == nil)
    snapshot.hosts = []
    #expect(try (json(snapshot)["hosts"] as? [Any])?.isEmpty == true)
  }

  /// The test encodes the longest list with the longest names. A name is a number, filled with question marks to 63 characters.
  @Test func descriptionIsBounded() throws {
    var snapshot = try PeerSnapshot.idle()
    snapshot.hosts = (0..<PeerSnapshot.maximumHosts).map { number in
      let name = "\(number)" + String(repeating: "?", count: 63 - "\(number)".count)
      return PeerSnapshot.Host(name: name, isTuttiPeer: false, isInvited: false)
    }
    // A host has at most 112 octets and a comma, so 64 hosts have about 7 KiB. The limit leaves a margin.
    let size = try JSONEncoder().encode(snapshot.ensembleJSON).count
    #expect(size < 16 << 10, "\(size) octets")
  }
}
