import PeerProtocol
import Testing

@testable import Ensemble

/// The order in which the presences of a peer report its gates for its members.
@Suite struct GateRotationTests {
  /// Advances a rotation once for each element of `changed`: the members whose gates have changed then.
  ///
  /// - Returns: the reported members.
  private func report(_ rotation: inout GateRotation, _ members: [UInt64], changed: [Set<UInt64>]) -> [UInt64?] {
    let members = members.enumerated().map { Roster.Member(identity: Identity($1), slot: $0) }
    return changed.map { changed in
      rotation.advance(among: members) { changed.contains($0.identity.bits) }
      return rotation.member?.bits
    }
  }

  @Test func membersFollowOneAnotherByIdentity() {
    var rotation = GateRotation()
    let rounds = report(&rotation, [2, 5, 9], changed: Array(repeating: [], count: 7))
    #expect(rounds == [2, 5, 9, 2, 5, 9, 2])
    let withoutMembers = report(&rotation, [], changed: [[], []])
    #expect(withoutMembers == [nil, nil])
  }

  /// Member 4 is reported out of turn, and again in its turn.
  @Test func changedMemberComesFirst() {
    var rotation = GateRotation()
    let rounds = report(&rotation, [1, 2, 3, 4, 5], changed: [[], [4], [], [], [], []])
    #expect(rounds == [1, 4, 2, 3, 4, 5])
  }

  /// If all have changed, each of them is reported once in as many rounds as there are members.
  @Test func changesOfAllMembersTakeOneRoundEach() {
    var rotation = GateRotation()
    let rounds = report(&rotation, [1, 2, 3, 4], changed: [[1, 2, 3, 4], [2, 3, 4], [3, 4], [4]])
    #expect(rounds == [1, 2, 3, 4])
  }

  /// Member 4 has changed in each round, for example because it joins and leaves again and again.
  @Test func memberThatAlwaysChangesDoesNotDisplaceTheOthers() {
    var rotation = GateRotation()
    let rounds = report(&rotation, [1, 2, 3, 4], changed: Array(repeating: [4], count: 8))
    #expect(rounds == [4, 1, 4, 2, 4, 3, 4, 1])
  }

  @Test func membersThatJoinAndLeaveKeepTheOrder() {
    var rotation = GateRotation()
    let before = report(&rotation, [3, 6], changed: [[], []])
    let joined = report(&rotation, [1, 3, 6, 8], changed: [[]])
    // The last member in turn has left.
    let left = report(&rotation, [3, 6], changed: [[], []])
    #expect(before == [3, 6] && joined == [8] && left == [3, 6])
  }
}
