import MusicalTime

/// The last 32 requests, to which replies are matched. A reply refers to its request by a stamp. Only the first reply
/// to a request counts.
package struct OutstandingRequests: BitwiseCopyable {
  private struct Request: BitwiseCopyable {
    /// The stamp by which a reply refers to the request.
    var stamp: Int64
    /// The instant at which the request left.
    var instant: Instant
    /// Whether no reply has arrived yet.
    var isOpen: Bool
  }

  private var requests = InlineArray<32, Request>(
    repeating: Request(stamp: 0, instant: Instant(nanoseconds: 0), isOpen: false))
  /// The index for the next request.
  private var next = 0

  package init() {}

  /// Adds a request that was sent at `instant`, in place of the oldest request.
  ///
  /// Real-time: not safe.
  package mutating func open(stamp: Int64, at instant: Instant) {
    requests[next] = Request(stamp: stamp, instant: instant, isOpen: true)
    next = (next + 1) % 32
  }

  /// Records the reply to the request with this stamp. Returns the instant at which the request was sent; nil if there
  /// is no such request or if its reply has already arrived.
  ///
  /// Real-time: not safe.
  package mutating func close(stamp: Int64) -> Instant? {
    for index in 0..<32 where requests[index].isOpen && requests[index].stamp == stamp {
      requests[index].isOpen = false
      return requests[index].instant
    }
    return nil
  }
}
