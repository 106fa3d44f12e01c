import Audio
import Foundation
import _TestSupport

/// A recording of the sound that a test plays into a substream of the loopback card, hw:Loopback,0. The program `arecord` records it
/// from the same substream of hw:Loopback,1.
final class LoopbackRecording {
  private let folder: TemporaryFolder
  private let child: Child
  private let path: String
  private let substream: Int

  /// Starts a stereo recording of `seconds` seconds. Without `format`, the samples are converted to 16 bits. With
  /// `format`, the card must provide exactly this format.
  init(substream: Int, rate: Int = 48_000, format: String? = nil, seconds: Int) throws {
    self.substream = substream
    folder = try TemporaryFolder()
    path = folder.path("recorded.wav")
    let program = try Program.find("arecord", package: "alsa-utils")
    child = try Child(
      program,
      [
        "-q", "-D", (format == nil ? "plug" : "") + "hw:Loopback,1,\(substream)", "-f", format ?? "S16_LE", "-r",
        "\(rate)", "-c", "2", "-d", "\(seconds)",
        path,
      ], name: "arecord", in: folder)
  }

  /// Waits until the recording runs, so that its format is negotiated. The limit is long, because arecord reads many files at its start.
  /// For each file, the virtual clock of the lab jumps by some milliseconds.
  func waitUntilRunning() throws {
    let status = "/proc/asound/Loopback/pcm1c/sub\(substream)/status"
    for _ in 0..<3000 {
      if let text = try? String(contentsOfFile: status, encoding: .utf8), text.contains("RUNNING") { return }
      Thread.sleep(forTimeInterval: 0.01)
    }
    throw Unavailable("arecord: not recording after 30 s; its output: \(child.errors)")
  }

  /// Waits for the end of the recording. Returns the frames on which a sound begins: the first frame above 0.02 of full scale
  /// after more than `quiet` frames below this level.
  func onsets(after quiet: Int = 2_000) async throws -> [Int] {
    _ = try await child.status()
    let samples = try SoundFile(path: path).samples
    var onsets: [Int] = []
    // The last frame above the level.
    var last = -quiet
    for (frame, sample) in samples.enumerated() where abs(sample) > 0.02 {
      if frame - last > quiet { onsets.append(frame) }
      last = frame
    }
    return onsets
  }
}
