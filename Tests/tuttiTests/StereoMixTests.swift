import Audio
import Foundation
import Testing
import _TestSupport

@testable import tutti

/// A test of ``StereoMix``, the mix of the recordings of several peers.
@Suite struct StereoMixTests {
  /// Writes a recording of ten blocks from frame `start` on, with a click of half of full scale at frame `click`. Both frame
  /// numbers count from the same origin.
  private func recording(_ name: String, from start: Int64, click: Int64, in folder: TemporaryFolder) throws
    -> SoundFile
  {
    let path = folder.path("\(name).wav")
    try write(name, from: start, click: click, to: path)
    return try SoundFile(path: path)
  }

  /// Writes the recording to `path`. The file is closed when this function returns.
  private func write(_ name: String, from start: Int64, click: Int64, to path: String) throws {
    var file = try WAVFile(path: path, name: name, grid: .standard)
    for number in Int64(0)..<10 {
      var block = StereoBlock()
      block.frame = start + number * StereoBlock.length
      if (block.frame..<block.frame + StereoBlock.length).contains(click) {
        let frame = Int(click - block.frame)
        (block.left[frame], block.right[frame]) = (0.5, 0.5)
      }
      try file.append(block)
    }
  }

  /// The second recording begins two blocks (128 frames) later, so the mix has 640 + 128 frames. Both clicks are at the frame 300 of the
  /// mix. Each of the two recordings has half of its level in the mix, so the sum is about as loud as one click of 0.5. The mean of the
  /// two channels is a little less than 0.5, because the panning keeps the power of a recording, not the sum of its channels.
  @Test func recordingsAreAlignedByTheirFirstFrames() throws {
    let folder = try TemporaryFolder()
    let files = [
      try recording("a", from: 64_000, click: 64_300, in: folder),
      try recording("b", from: 64_128, click: 64_300, in: folder),
    ]
    try StereoMix.write(files, to: folder.path("mix.wav"))
    let mix = try SoundFile(path: folder.path("mix.wav"))
    #expect(mix.firstFrame == 64_000 && mix.samples.count == 768)
    let clicks = mix.samples.indices.filter { abs(mix.samples[$0]) > 0.01 }
    #expect(clicks == [300] && (0.4...0.5).contains(mix.samples[300]), "\(mix.samples[300])")
  }
}
