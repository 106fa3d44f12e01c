import Audio
import MIDI
import Testing

/// Frames of both channels, compared bit for bit.
struct Sound: Equatable, CustomTestStringConvertible {
  var left: [Float] = []
  var right: [Float] = []

  var isSilent: Bool { left.allSatisfy { $0 == 0 } && right.allSatisfy { $0 == 0 } }
  var peak: Float { max(left.map(abs).max() ?? 0, right.map(abs).max() ?? 0) }

  /// A report shows this instead of every frame.
  var testDescription: String {
    "\(left.count) frames, peak \(peak), hash \(left.reduce(0) { ($0 &* 31) &+ Int($1.bitPattern) })"
  }

  /// The first frame at which two sounds of one length differ.
  func firstDifference(from other: Sound) -> Int? {
    left.indices.first { left[$0] != other.left[$0] || right[$0] != other.right[$0] }
  }

  subscript(_ range: Range<Int>) -> Sound { Sound(left: Array(left[range]), right: Array(right[range])) }

  static func += (sound: inout Sound, more: Sound) {
    sound.left += more.left
    sound.right += more.right
  }
}

extension DrumLanes {
  /// The next `count` frames, at most 4096 at a time.
  mutating func render(_ count: Int) -> Sound {
    var sound = Sound()
    var rest = count
    while rest > 0 {
      let frames = min(rest, DrumLanes.maximumPeriod)
      var left = [Float](repeating: .nan, count: frames)
      var right = left
      var leftSpan = left.mutableSpan
      var rightSpan = right.mutableSpan
      render(left: &leftSpan, right: &rightSpan)
      sound += Sound(left: left, right: right)
      rest -= frames
    }
    return sound
  }

  /// Ends all voices and goes on at the next frame congruent to 0 modulo 64 after more than a second.
  mutating func fallSilent() { skip(to: (position / 64 + 2_000) * 64) }
}

extension Renderer {
  /// The period of `count` frames from `frame` on.
  mutating func render(from frame: Int64, _ count: Int) -> Sound {
    var left = [Float](repeating: .nan, count: count)
    var right = left
    var leftSpan = left.mutableSpan
    var rightSpan = right.mutableSpan
    render(from: frame, left: &leftSpan, right: &rightSpan)
    return Sound(left: left, right: right)
  }
}

extension ChannelSynthesizer {
  /// The next `count` frames.
  mutating func render(_ count: Int) -> Sound {
    var left = [Float](repeating: 0, count: count)
    var right = left
    var leftSpan = left.mutableSpan
    var rightSpan = right.mutableSpan
    add(to: &leftSpan, &rightSpan, from: 0, to: count)
    return Sound(left: left, right: right)
  }

  /// Plays each of `messages`, waiting for the next block where one takes no more; what sounds meanwhile is not heard.
  mutating func play(_ messages: [Message]) {
    for message in messages {
      while !play(message) { _ = render(64) }
    }
  }
}
