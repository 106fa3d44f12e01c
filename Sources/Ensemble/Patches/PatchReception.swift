import MusicalTime
import PeerProtocol

/// A patch (the text that describes a rhythm) that the local peer is receiving from the master.
///
/// A request contains the number of the first missing part. The master sends at most ``PatchSharing/partsPerRequest`` parts, beginning
/// with this part. The next request follows when all these parts have arrived, or after ``patience``. The next request also begins with
/// the first missing part. Lost parts are thus requested again.
struct PatchReception: Sendable {
  /// The time after which a request is repeated if its parts have not all arrived.
  static var patience: Nanoseconds { .milliseconds(250) }

  let digest: PatchDigest
  let master: Identity
  /// When the next request is due. The distant future if all parts have arrived.
  private(set) var nextRequest: Instant
  /// The parts; empty before the first one arrives.
  private var parts: [[UInt8]?] = []
  /// The number of the last part that was requested, plus one.
  private var requestedEnd = 0

  init(_ digest: PatchDigest, from master: Identity, at now: Instant) {
    (self.digest, self.master, nextRequest) = (digest, master, now)
  }

  /// The next request, if it is due.
  mutating func takeRequest(at now: Instant) -> PatchRequest? {
    guard now >= nextRequest else { return nil }
    nextRequest = now + Self.patience
    let first = parts.firstIndex { $0 == nil } ?? 0
    requestedEnd = first + PatchSharing.partsPerRequest
    return PatchRequest(digest, from: UInt16(first))
  }

  /// Adds a part.
  ///
  /// - Returns: the octets of the patch if no part is missing any longer, otherwise nil. Their digest may differ from ``digest``.
  mutating func add(_ part: PatchPart, at now: Instant) -> [UInt8]? {
    guard part.digest == digest, nextRequest != .distantFuture else { return nil }
    if parts.count != part.count { parts = Array(repeating: nil, count: Int(part.count)) }
    parts[Int(part.index)] = part.octets
    if let missing = parts.firstIndex(where: { $0 == nil }) {
      if missing >= requestedEnd { nextRequest = now }
      return nil
    }
    nextRequest = .distantFuture
    return parts.flatMap { $0! }
  }
}
