import MIDI
import MusicalTime
import RTPMIDI
import Transports

/// Records the MIDI Timing Clocks that a peer sends.
final class ClockTask: InvitedSession.Task {
  /// One stamp per Timing Clock in nanoseconds: its arrival by the local clock, or its RTP time stamp by the clock of the peer.
  private(set) var stamps: [Int64] = []
  /// The name of the peer, with its address. Only the address, until the session is established or if the peer has no name.
  private(set) var peer: String
  /// The number of lost Timing Clocks that were restored from a recovery journal. They have no stamp, because the journal contains no
  /// instants.
  private(set) var recovered = 0
  private let usesTimeStamps: Bool
  private let onProgress: (ClockTask) -> Void

  /// - Parameters:
  ///   - address: the address of the peer. It is also shown as the name of the peer until the session is established.
  ///   - usesTimeStamps: whether the RTP time stamps are recorded instead of the arrivals.
  ///   - onProgress: called at least ten times per second.
  init(_ address: String, usesTimeStamps: Bool, onProgress: @escaping (ClockTask) -> Void) {
    (peer, self.usesTimeStamps, self.onProgress) = (address, usesTimeStamps, onProgress)
  }

  func established(_ info: SessionInfo, at now: Instant) {
    if let name = info.name, !name.isEmpty { peer = "\(name) (\(peer))" }
  }

  func advance(to now: Instant) -> Instant {
    onProgress(self)
    return now + .milliseconds(100)
  }

  // All datagrams go to the session, which passes the MIDI messages to `receive(_:)`.
  func receive(_ datagram: Span<UInt8>, from address: SocketAddress, at arrival: Instant) -> Bool { false }

  func receive(_ message: Endpoint.Output) {
    guard case .message(_, .clock, let stamp, let arrival, let isRecovered) = message else { return }
    guard !isRecovered else {
      recovered += 1
      return
    }
    stamps.append((usesTimeStamps ? stamp : arrival).nanoseconds)
  }
}
