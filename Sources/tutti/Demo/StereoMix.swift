import Audio
import Measurement
import MusicalTime

/// A stereo mix of the recordings of several peers. The peers are placed side by side, from left to right, as on a stage.
///
/// The recordings are aligned by the instants of their first frames. All peers play the same hits on the same frames, so the
/// amplitudes of the peers add up. Therefore, a peer in the middle of the stage has the gain 1/n on both sides, where n is the number
/// of peers. The panning gives every peer the same power, wherever it is placed.
enum StereoMix {
  /// Writes the mix to the file `path`.
  ///
  /// - Throws: `AudioFileError` if the file cannot be written.
  static func write(_ recordings: [SoundFile], to path: String) throws {
    let grid = FrameGrid.standard
    guard let first = recordings.compactMap(\.firstFrame).min() else { return }
    let end = recordings.compactMap { file in file.firstFrame.map { $0 + Int64(file.samples.count) } }.max() ?? first
    var output = try WAVFile(path: path, name: "mix", grid: grid, remedy: "give --output a writable folder")
    var block = StereoBlock()
    block.frame = first
    while block.frame < end {
      for frame in 0..<Int(StereoBlock.length) { (block.left[frame], block.right[frame]) = (0, 0) }
      for (n, file) in recordings.enumerated() {
        guard let start = file.firstFrame else { continue }
        let (left, right) = gains(of: n, among: recordings.count)
        for frame in 0..<Int(StereoBlock.length) {
          let index = Int(block.frame - start) + frame
          guard file.samples.indices.contains(index) else { continue }
          block.left[frame] += left * file.samples[index]
          block.right[frame] += right * file.samples[index]
        }
      }
      try output.append(block)
      block.frame += StereoBlock.length
    }
  }

  /// The gains of peer `n`, counted from 0, of `count` peers. For every peer, left^2 + right^2 is 2 / count^2.
  private static func gains(of n: Int, among count: Int) -> (left: Float, right: Float) {
    // 0 is left and 1 is right. The peers are placed from 0.1 to 0.9.
    let position = count > 1 ? 0.1 + 0.8 * Float(n) / Float(count - 1) : 0.5
    let scale = Float(2).squareRoot() / Float(count)
    return (scale * (1 - position).squareRoot(), scale * position.squareRoot())
  }
}
