import Foundation
import MIDI
import ScoreFiles
import Scores
import Testing
import _TestSupport
import _TestTraits

/// Tests with the scores of music21's corpus. music21 itself is not run: its package contains the scores. If Python or PyPI is missing, the
/// tests are cancelled with the reason.
@Suite(.ownThreads, .serialized) struct Music21Tests {
  /// The folder of the package.
  private let root: String

  init() async throws {
    let folder = try TemporaryFolder()
    do {
      let python = try Program.find("python3", package: "python3")
      root = try await PythonPackages.music21.folder(python: python, in: folder) + "/music21"
    } catch let error as Unavailable {
      try Test.cancel("\(error)")
    }
  }

  private func octets(_ file: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: "\(root)/\(file)")))
  }

  /// Twenty files have the notes that music21 reads, and survive export and import. `Benchmarks` compares all files.
  @Test(.timeLimit(.minutes(10))) func scoresHaveTheNotesOfMusic21() throws {
    #expect(Music21Score.all.count == 20)
    for expected in Music21Score.all {
      let score = try ScoreImport(octets: octets(expected.file), file: expected.file).score
      let (notes, hash) = Music21Score.summary(of: score)
      #expect(notes == expected.notes && hash == expected.hash, "\(expected.file)")
      #expect(
        try ScoreImport(octets: MusicXMLWriter.octets(score), file: "x").score.octets == score.octets,
        "\(expected.file)")
      #expect(try Score(octets: score.octets) == score, "\(expected.file)")
    }
  }
}
