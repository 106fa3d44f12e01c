import MusicalTime

/// The last 32 requests without a reply. A reply refers to its request by a stamp, and counts once.
package struct OutstandingRequests: BitwiseCopyable {
  private struct Request: BitwiseCopyable {
    var stamp: Int64
    var instant: Instant
    var isOpen: Bool
  }

  private var requests = InlineArray<32, Request>(
    repeating: Request(stamp: 0, instant: Instant(nanoseconds: 0), isOpen: false))
  private var next = 0

  package init() {}

  /// Adds a request sent at `instant`. The oldest of 32 requests is dropped.
  package mutating func open(stamp: Int64, at instant: Instant) {
    requests[next] = Request(stamp: stamp, instant: instant, isOpen: true)
    next = (next + 1) % 32
  }

  /// Returns the exact instant of the request with this stamp; nil if there is none or if its reply has already arrived.
  package mutating func close(stamp: Int64) -> Instant? {
    for index in 0..<32 where requests[index].isOpen && requests[index].stamp == stamp {
      requests[index].isOpen = false
      return requests[index].instant
    }
    return nil
  }
}
