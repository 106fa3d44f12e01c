import MusicalTime
import Testing

@testable import Engine

/// Tests of the decision of a peer when another peer reports that a second machine uses the same identity (``IdentityRenewal``).
@Suite struct IdentityRenewalTests {
  private let start = Instant(nanoseconds: 1_000_000_000)

  /// The peer has run for less than 30 s. It takes a new identity at the first report and ignores later reports.
  @Test func peerThatHasJustJoinedTakesANewIdentityOnce() {
    var renewal = IdentityRenewal(startedAt: start, isPermitted: true)
    let decisions = (0..<3).map { _ in renewal.report(isMaster: false, at: start + .milliseconds(29_999)) }
    #expect(decisions == [.renew, .ignore, .ignore])
  }

  /// A peer restarts to take a new identity. A hostile peer can send reports at any time. They restart neither a peer that has run for
  /// 30 s, nor a master, nor a peer that has already taken a new identity (`isPermitted` is false). Such a peer informs the player once.
  @Test(arguments: [(false, true, Int64(30)), (true, true, 1), (false, false, 1)])
  func peerThatKeepsItsIdentityInformsThePlayerOnce(isMaster: Bool, isPermitted: Bool, seconds: Int64) {
    var renewal = IdentityRenewal(startedAt: start, isPermitted: isPermitted)
    let decisions = (0..<3).map { _ in renewal.report(isMaster: isMaster, at: start + .seconds(seconds)) }
    #expect(decisions == [.inform, .ignore, .ignore])
  }
}
