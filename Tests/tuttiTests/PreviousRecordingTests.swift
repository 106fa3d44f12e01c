import Foundation
import Testing
import _TestSupport

@testable import tutti

/// A test of ``PreviousRecording``, which renames the MIDI recording that a peer made before a crash, so that a new recording
/// does not replace it.
@Suite struct PreviousRecordingTests {
  @Test func existingFileGetsAnUnusedName() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("take.mid")
    #expect(PreviousRecording.keep(path) == nil)
    for (content, name) in [("a", "take-1.mid"), ("b", "take-2.mid")] {
      try Data(content.utf8).write(to: URL(fileURLWithPath: path))
      #expect(PreviousRecording.keep(path) == folder.path(name))
      #expect(try String(contentsOfFile: folder.path(name), encoding: .utf8) == content)
      #expect(!FileManager.default.fileExists(atPath: path))
    }
  }
}
