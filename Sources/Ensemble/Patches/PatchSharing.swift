import MusicalTime
import PeerProtocol

/// The patch that the local peer plays and shares, and the patch that it is receiving.
struct PatchSharing: Sendable {
  /// The number of parts that the master sends for one request.
  static var partsPerRequest: Int { 16 }
  /// The time in which the master sends at most ``partsPerInterval`` parts, so that the parts of patches do not delay its other
  /// messages. The master ignores further requests in this time. The followers repeat ignored requests.
  static var interval: Nanoseconds { .milliseconds(10) }
  static var partsPerInterval: Int { 32 }
  /// The shortest time between two requests of one follower that the master answers.
  static var requestInterval: Nanoseconds { .milliseconds(5) }
  /// The shortest time between the beginnings of two receptions. This time limits the load from a master that changes its patch
  /// continually.
  static var pause: Nanoseconds { .seconds(1) }

  /// Whether the local peer plays the patch of its master.
  var followsMaster = true
  /// The patch that the local peer plays; nil if it is unknown or too long.
  var played: SharedPatch?
  /// The patch that the local peer is receiving, or has received last and does not play yet.
  var reception: PatchReception?
  /// When the last reception began.
  var lastBeginning = Instant(nanoseconds: .min / 2)
  /// The received patches that cannot be played, at most eight, the newest last. They are not requested again.
  var refused: [PatchDigest] = []
  /// The end of the current interval, and the number of parts sent in it.
  private var sent = (until: Instant(nanoseconds: .min), count: 0)

  /// The numbers of the parts to send for a request. Empty if the request is for another patch or for a part that does not exist, or if
  /// more than ``partsPerInterval`` parts would be sent in the current interval.
  mutating func parts(for request: PatchRequest, at now: Instant) -> Range<Int> {
    guard let played, request.digest == played.digest, Int(request.first) < played.partCount else { return 0..<0 }
    if now >= sent.until { sent = (now + Self.interval, 0) }
    let range = Int(request.first)..<min(Int(request.first) + Self.partsPerRequest, played.partCount)
    guard sent.count + range.count <= Self.partsPerInterval else { return 0..<0 }
    sent.count += range.count
    return range
  }
}
