import _TestSupport

/// Generates hostile connections to a web page: pipelined requests with frames after them, whole or in fragments, intact or damaged.
struct ConnectionGenerator {
  private var random: SplitMix
  private var mutator: Mutator
  private let requests: RequestGenerator
  private let frames = FrameGenerator()

  init(seed: UInt64, requests: RequestGenerator) {
    (random, mutator, self.requests) = (SplitMix(seed: seed), Mutator(seed: seed), requests)
  }

  mutating func next() -> HostileConnection {
    var connection = HostileConnection()
    var octets: [UInt8] = []
    connection.requests = pick(3) == 0 ? 1 + pick(4) : 1
    for _ in 0..<connection.requests { octets += requests.request(&random) }
    connection.frames = pick(3) > 0 ? pick(6) : 0
    for _ in 0..<connection.frames {
      let frame = frames.frame(&random)
      octets += frame.octets
      connection.hasInvalidFrame = connection.hasInvalidFrame || frame.isInvalid
    }
    if pick(6) == 0 {
      connection.isIntact = false
      mutator.mutate(&octets, splicing: requests.request(&random))
    }
    connection.segments = segments(of: octets)
    return connection
  }

  /// Divides `octets` into segments: mostly one, seldom one for each octet.
  private mutating func segments(of octets: [UInt8]) -> [[UInt8]] {
    switch pick(50) {
    case 0: return octets.map { [$0] }
    case 1...20:
      let cuts = Set((0...pick(4)).map { _ in pick(octets.count + 1) }).sorted()
      return zip([0] + cuts, cuts + [octets.count]).map { Array(octets[$0..<$1]) }.filter { !$0.isEmpty }
    default: return octets.isEmpty ? [] : [octets]
    }
  }

  /// Returns a random number in 0..<count.
  private mutating func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
}
