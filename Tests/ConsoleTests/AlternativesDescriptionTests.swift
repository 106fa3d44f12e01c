import Foundation
import Measurement
import PeerProtocol
import Testing

@testable import Console
@testable import Engine
@testable import Ensemble

/// Tests of the list of other peers. When its own peer disappears, a page moves to one of these peers.
@Suite struct AlternativesDescriptionTests {
  /// A remote peer, and the address of its page; nil if the peer serves no page. Peer 0 is the master, and reports no name.
  private func member(_ number: Int, page: String?) -> PeerSnapshot.Member {
    let status = MemberStatus(
      name: number == 0 ? nil : "Peer \(number)", identity: Identity(UInt64(number)), isMaster: number == 0,
      takesPart: true, isMuted: false)
    return PeerSnapshot.Member(status: status, gates: .all, page: page)
  }

  /// The description of a peer with these members.
  private func description(_ members: [PeerSnapshot.Member]) throws -> JSONObject {
    var snapshot = try PeerSnapshot.idle()
    snapshot.members = members
    return snapshot.alternativesJSON
  }

  @Test func onlyPeersWithAPageAreListed() throws {
    let members = [member(0, page: "10.0.0.1:80"), member(1, page: nil), member(2, page: "[fd00::2]:8080")]
    let peers: [JSONObject] = [["address": "10.0.0.1:80"], ["name": "Peer 2", "address": "[fd00::2]:8080"]]
    #expect(try description(members) == ["peers": peers])
    #expect(try description([]) == ["peers": [JSONObject]()])
  }

  @Test func numberOfPeersIsBounded() throws {
    let peers = (0..<16).map { number in
      ["name": number == 0 ? nil : "Peer \(number)", "address": "10.0.0.\(number):80"] as JSONObject
    }
    #expect(PeerSnapshot.maximumAlternatives == 16)
    #expect(try description((0..<64).map { member($0, page: "10.0.0.\($0):80") }) == ["peers": peers])
  }

  @Test func nameIsOmittedIfItIsUnknown() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let text = String(decoding: try encoder.encode(description([member(0, page: "a:1")])), as: UTF8.self)
    #expect(text == #"{"peers":[{"address":"a:1"}]}"#)
  }
}
