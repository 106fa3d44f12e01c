import MusicalTime
import Testing
import Transports

@testable import Engine

/// ALSA ports that send Active Sensing.
@Suite struct ActiveSensingTests {
  private let start = Instant(nanoseconds: 1_000_000_000)

  private func address(_ client: UInt8) -> SequencerAddress { SequencerAddress(client: client, port: 0) }

  /// Any message of the port counts. A port that has sent no Active Sensing may be silent.
  @Test func portFailsAfterSilence() {
    var sensing = ActiveSensing()
    sensing.hear(address(20), isSensing: false, at: start)
    #expect(sensing.nextDeadline == .distantFuture)
    sensing.hear(address(21), isSensing: true, at: start)
    sensing.hear(address(21), isSensing: false, at: start + .milliseconds(300))
    #expect(sensing.nextDeadline == start + .milliseconds(650))
    #expect(sensing.takeFailed(at: start + .milliseconds(649)) == nil)
    #expect(sensing.takeFailed(at: start + .milliseconds(650)) == address(21))
    #expect(sensing.takeFailed(at: start + .seconds(9)) == nil && sensing.nextDeadline == .distantFuture)
  }

  @Test func sixteenPortsAreSupervised() {
    var sensing = ActiveSensing()
    for client in UInt8(1)...20 {
      sensing.hear(address(client), isSensing: true, at: start + .milliseconds(Int64(client)))
    }
    var failed: [UInt8] = []
    while let port = sensing.takeFailed(at: start + .seconds(1)) { failed.append(port.client) }
    #expect(failed.sorted() == Array(1...16))
  }
}
