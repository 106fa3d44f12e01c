import MIDI
import MusicalTime
import PeerProtocol
import Testing
import _TestSupport

@testable import Ensemble
@testable import RTPMIDI

/// MIDI clock of standard devices. Only the device that the player has chosen (`--clock-from`) provides the clock.
@Suite struct ClockSourceTests {
  private let start = Instant(nanoseconds: 1_000_000_000)

  /// Sends MIDI clock from a standard device to the core. Two devices, on hosts 1 and 2, are in session with the core.
  ///
  /// - Parameters:
  ///   - sender: the host of the device that sends the clock.
  ///   - chosen: whether the player has chosen the device on host 1 as the source of the clock.
  /// - Returns: whether the core plays by the clock, and how often it has reported that the clock is not used.
  private func playsByClock(of sender: UInt32, chosen: Bool) -> (plays: Bool, reports: Int) {
    let core = PeerCore(
      name: "a", ensemble: EnsembleState(identity: Identity(1)),
      invitations: InvitationList(to: [], local: Identity(1), at: start), random: SplitMix(seed: 1))
    if chosen { core.clocks.add("device", at: SocketAddress(host: 1, port: 5004)) }
    for host in UInt32(1)...2 {
      let info = SessionInfo(
        name: "device \(host)", ssrc: host, control: SocketAddress(host: host, port: 5004),
        data: SocketAddress(host: host, port: 5005), local: nil, localSSRC: 90 + host, isInitiator: true)
      core.established(SessionID(number: UInt64(host)), info, at: start)
      core.recognisedAsStandardDevice(SessionID(number: UInt64(host)), at: start)
    }
    let session = SessionID(number: UInt64(sender))
    for (n, message) in ([.start] + [Message](repeating: .clock, count: 96)).enumerated() {
      let now = start + .milliseconds(20 * Int64(n))
      core.handle(.message(session, message, at: now, arrival: now, isRecovered: false), at: now)
      core.ensemble.advance(to: now)
    }
    let reports = core.takeOutputs(at: start + .seconds(2)).count {
      if case .event(.clockIsUnused) = $0 { true } else { false }
    }
    return (core.ensemble.role == .master, reports)
  }

  @Test func chosenDeviceProvidesTheClock() {
    let result = playsByClock(of: 1, chosen: true)
    #expect(result == (true, 0))
  }

  /// The player is informed once that the clock is not used.
  @Test(arguments: [(UInt32(2), true), (1, false), (2, false)])
  func clockOfADeviceThatIsNotChosenIsNotUsed(sender: UInt32, chosen: Bool) {
    let result = playsByClock(of: sender, chosen: chosen)
    #expect(result == (false, 1))
  }
}
