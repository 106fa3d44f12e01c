import Foundation
import MIDI
import Testing
import _TestSupport

@testable import Audio

/// Rendered frames of both channels.
struct Sound: Equatable, CustomTestStringConvertible {
  var left: [Float] = []
  var right: [Float] = []

  var isSilent: Bool { Self.peak(of: left) == 0 && Self.peak(of: right) == 0 }
  /// The greatest magnitude in both channels.
  var peak: Float { max(Self.peak(of: left), Self.peak(of: right)) }

  // The next two functions use a pointer and memcmp(3), because loops over arrays are slow in a debug build.

  /// The greatest magnitude; NaN if any frame is not a number.
  private static func peak(of frames: [Float]) -> Float {
    frames.withUnsafeBufferPointer { buffer in
      guard let first = buffer.baseAddress else { return 0 }
      var (peak, frame) = (Float(0), first)
      let end = first + buffer.count
      while frame < end {
        let magnitude = frame.pointee.magnitude
        if magnitude > peak || magnitude.isNaN { peak = magnitude }
        frame += 1
      }
      return peak
    }
  }

  /// Whether all frames are equal. A frame that is not a number equals no other frame.
  private static func isSame(_ a: [Float], _ b: [Float]) -> Bool {
    guard a.count == b.count, !a.isEmpty else { return a.count == b.count }
    let hasSameBytes = a.withUnsafeBytes { bytes in
      b.withUnsafeBytes { otherBytes in memcmp(bytes.baseAddress!, otherBytes.baseAddress!, bytes.count) == 0 }
    }
    // Arrays with different bytes can still be equal, because zero has two signs.
    return hasSameBytes ? !peak(of: a).isNaN : a == b
  }

  static func == (a: Sound, b: Sound) -> Bool { isSame(a.left, b.left) && isSame(a.right, b.right) }

  /// A summary for test reports, instead of every frame.
  var testDescription: String {
    "\(left.count) frames, peak \(peak), hash \(left.reduce(0) { ($0 &* 31) &+ Int($1.bitPattern) })"
  }

  /// The first frame at which two sounds of the same length differ; nil if they are equal.
  func firstDifference(from other: Sound) -> Int? {
    self == other ? nil : left.indices.first { left[$0] != other.left[$0] || right[$0] != other.right[$0] }
  }

  /// The sound as the renderer limits it.
  var limited: Sound { Sound(left: left.map(SoftLimit.limited), right: right.map(SoftLimit.limited)) }

  subscript(_ range: Range<Int>) -> Sound { Sound(left: Array(left[range]), right: Array(right[range])) }

  static func += (sound: inout Sound, more: Sound) {
    sound.left += more.left
    sound.right += more.right
  }
}

extension DrumLanes {
  init(_ font: InstalledSoundFont) throws(AudioFileError) { try self.init(soundFont: font.path) }

  /// Renders the next `count` frames, in calls of at most 4096 frames.
  mutating func render(_ count: Int) -> Sound {
    var sound = Sound()
    var rest = count
    while rest > 0 {
      let frames = min(rest, DrumLanes.maximumPeriod)
      // A frame that is not rendered remains NaN, which equals no other frame.
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

  /// Ends all voices by a skip of more than a second. All lanes are then idle, so lane 0 plays the next hit. The new position is a multiple
  /// of 64.
  mutating func fallSilent() { skip(to: (position / 64 + 2_000) * 64) }
}

extension SoundModule {
  init(_ font: InstalledSoundFont) throws(AudioFileError) { try self.init(soundFont: font.path) }
}

extension SampleRenderer {
  convenience init(_ font: InstalledSoundFont) throws(AudioFileError) { try self.init(soundFont: font.path) }
}

extension Renderer {
  /// Renders the period of `count` frames from `frame` on.
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
  /// Renders the next `count` frames.
  mutating func render(_ count: Int) -> Sound {
    // `mix` adds to the frames, so they begin as silence.
    var left = [Float](repeating: 0, count: count)
    var right = left
    var leftSpan = left.mutableSpan
    var rightSpan = right.mutableSpan
    mix(into: &leftSpan, &rightSpan, from: 0, to: count)
    return Sound(left: left, right: right)
  }

  /// Plays `messages`. When a block accepts no more messages, renders and discards it.
  mutating func play(_ messages: [Message]) {
    for message in messages {
      while !play(message) { _ = render(64) }
    }
  }
}
