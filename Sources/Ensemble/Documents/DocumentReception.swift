import MusicalTime
import PeerProtocol

/// A document that the local peer is receiving from a peer that has it.
///
/// A request contains the number of the first missing part. The holder sends at most ``DocumentSending/partsPerRequest`` parts, beginning
/// with this part. The next request follows when all these parts have arrived, or after ``patience``. The next request also begins with
/// the first missing part. Lost parts are thus requested again. The parts that have arrived stay when another holder is asked.
struct DocumentReception: Sendable {
  /// The time after which a request is repeated if its parts have not all arrived.
  static var patience: Nanoseconds { .milliseconds(250) }
  /// A holder has failed if no part has arrived after this number of requests. Another one is then asked, if there is one.
  static var maximumRequests: Int { 4 }

  let kind: DocumentKind
  let digest: DocumentDigest
  private(set) var holder: Identity
  /// All holders that were asked. The parts that they still send are used.
  private(set) var asked: Set<Identity>
  /// When the next request is due. The distant future if all parts have arrived.
  private(set) var nextRequest: Instant
  /// The parts; empty before the first one arrives.
  private var parts: [[UInt8]?] = []
  /// The number of the last part that was requested, plus one.
  private var requestedEnd = 0
  /// The number of requests since the last part arrived.
  private var unansweredRequests = 0

  init(_ kind: DocumentKind, _ digest: DocumentDigest, from holder: Identity, at now: Instant) {
    (self.kind, self.digest, self.holder, nextRequest) = (kind, digest, holder, now)
    asked = [holder]
  }

  /// Asks another holder, or the same holder again.
  mutating func ask(_ holder: Identity, at now: Instant) {
    (self.holder, nextRequest, unansweredRequests) = (holder, now, 0)
    asked.insert(holder)
  }

  /// Whether the holder answers no longer.
  var hasFailed: Bool { unansweredRequests > Self.maximumRequests }

  /// Whether a request was not answered in time.
  var isWaiting: Bool { unansweredRequests > 0 }

  /// The next request, if it is due.
  mutating func takeRequest(at now: Instant) -> DocumentRequest? {
    guard now >= nextRequest else { return nil }
    nextRequest = now + Self.patience
    let first = parts.firstIndex { $0 == nil } ?? 0
    requestedEnd = first + DocumentSending.partsPerRequest
    unansweredRequests += 1
    return DocumentRequest(kind, digest, from: UInt16(first))
  }

  /// Adds a part.
  ///
  /// - Returns: the octets of the document if no part is missing any longer, otherwise nil. Their digest may differ from ``digest``.
  mutating func add(_ part: DocumentPart, at now: Instant) -> [UInt8]? {
    guard part.digest == digest, nextRequest != .distantFuture else { return nil }
    if parts.count != part.count { parts = Array(repeating: nil, count: Int(part.count)) }
    if parts[Int(part.index)] == nil { unansweredRequests = 0 }
    parts[Int(part.index)] = part.octets
    // Parts arrive one after another, so the time for the rest of them begins again.
    nextRequest = now + Self.patience
    if let missing = parts.firstIndex(where: { $0 == nil }) {
      if missing >= requestedEnd { nextRequest = now }
      return nil
    }
    nextRequest = .distantFuture
    return parts.flatMap { $0! }
  }
}

/// The parts of documents that the local peer still has to send.
///
/// All parts together, to all peers, leave at a limited rate, so that they do not delay the other messages: see ``interval(isPlaying:)``.
/// The receiver that has got the most parts goes first, so that it soon serves others. When it has got as many parts as its document has,
/// and a quarter more for lost ones, it begins again as a new receiver.
struct DocumentSending: Sendable {
  /// The largest number of parts that are sent for one request.
  static var partsPerRequest: Int { 16 }

  /// The time between two parts. A part with all headers has about 1120 octets, so that these are 200 kB/s while a rhythm plays, and
  /// 1 MB/s at rest.
  static func interval(isPlaying: Bool) -> Nanoseconds { .microseconds(isPlaying ? 5600 : 1120) }

  /// The parts that one peer has requested and not got yet.
  private struct Job: Sendable {
    let receiver: Identity
    let digest: DocumentDigest
    var parts: Range<Int>
    /// The number of parts after which the receiver goes last.
    let turn: Int
  }

  /// The requests, at most one of each peer, in the order of their arrival.
  private var jobs: [Job] = []
  /// For each receiver, the number of parts that it has got without a pause of a second, and when it got the last one.
  private var served: [Identity: (count: Int, last: Instant)] = [:]
  /// When the next part may be sent.
  private var next = Instant(nanoseconds: .min)

  /// The instant at which ``takePart(isPlaying:at:)`` returns the next part.
  var nextDeadline: Instant { jobs.isEmpty ? .distantFuture : next }

  /// Adds the parts of a request, in place of the earlier request of this peer. The document has `count` parts.
  mutating func add(_ parts: Range<Int>, of digest: DocumentDigest, count: Int, to receiver: Identity) {
    let job = Job(receiver: receiver, digest: digest, parts: parts, turn: count + count / 4 + 1)
    if let index = jobs.firstIndex(where: { $0.receiver == receiver }) { jobs[index] = job } else { jobs.append(job) }
  }

  /// Removes the request of a peer that has left.
  mutating func remove(_ receiver: Identity) {
    jobs.removeAll { $0.receiver == receiver }
    served[receiver] = nil
  }

  private func parts(servedTo receiver: Identity, at now: Instant) -> Int {
    served[receiver].flatMap { now - $0.last < .seconds(1) ? $0.count : nil } ?? 0
  }

  /// Removes and returns the next part, if it may be sent now.
  mutating func takePart(isPlaying: Bool, at now: Instant) -> (DocumentDigest, index: Int, to: Identity)? {
    guard now >= next, !jobs.isEmpty else { return nil }
    let interval = Self.interval(isPlaying: isPlaying)
    // If this call is late, the next part may follow earlier, but no more than one part earlier.
    next = max(next, now - interval) + interval
    // The first one of those with the most parts.
    var first = (index: 0, parts: -1)
    for (index, job) in jobs.enumerated() {
      let parts = parts(servedTo: job.receiver, at: now) % job.turn
      if parts > first.parts { first = (index, parts) }
    }
    let job = jobs[first.index]
    served[job.receiver] = (parts(servedTo: job.receiver, at: now) + 1, now)
    jobs[first.index].parts = job.parts.dropFirst()
    if jobs[first.index].parts.isEmpty { jobs.remove(at: first.index) }
    return (job.digest, job.parts.lowerBound, job.receiver)
  }
}
