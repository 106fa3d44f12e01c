import MusicalTime

/// The last 32 requests that wait for their answer, each known by the stamp that must come back. An answer counts once.
struct OutstandingRequests: BitwiseCopyable {
  private struct Request: BitwiseCopyable {
    var stamp: Int64
    var instant: Instant
    var isOpen: Bool
  }

  private var requests = InlineArray<32, Request>(
    repeating: Request(stamp: 0, instant: Instant(nanoseconds: 0), isOpen: false))
  private var next = 0

  /// Remembers a request of `instant`; the oldest of 32 is forgotten.
  mutating func open(stamp: Int64, at instant: Instant) {
    requests[next] = Request(stamp: stamp, instant: instant, isOpen: true)
    next = (next + 1) % 32
  }

  /// The exact instant of the request that bore `stamp`; nil when there is none, or its answer has come already.
  mutating func close(stamp: Int64) -> Instant? {
    for index in 0..<32 where requests[index].isOpen && requests[index].stamp == stamp {
      requests[index].isOpen = false
      return requests[index].instant
    }
    return nil
  }
}
