import MusicalTime
import Testing
import _TestTraits

@testable import Engine

/// Tests of the field `tempo` in the file of the rhythm, which the player edits while the peer runs. The tempo stays with the ensemble, and
/// the player gets the command that changes it.
@Suite(.ownThreads) struct EditedTempoTests {
  @Test func editedTempoIsReported() throws {
    let subject = try CommandedPeer("edited-tempo")
    func lines(bpm: Int, named name: String = "pulse") throws -> [String] {
      subject.lines(after: .patch(try CommandedPeer.patch(bpm: bpm), named: name)).filter { $0.hasPrefix("tempo") }
    }
    func line(_ written: Int, _ present: Int) -> String {
      "tempo: \(written) BPM in the file, but the tempo stays \(present) BPM; to use \(written) BPM, enter `:tempo \(written)`"
    }
    #expect(try lines(bpm: 96) == [line(96, 120)], "before the rhythm")
    _ = subject.lines(after: .start)
    #expect(try lines(bpm: 96).isEmpty, "the tempo in the file has not changed")
    #expect(try lines(bpm: 97) == [line(97, 120)])
    #expect(try lines(bpm: 120).isEmpty, "the rhythm has this tempo already")
    #expect(subject.peer.tempo.value == .standard)
    #expect(try lines(bpm: 150, named: "other").isEmpty, "another rhythm was chosen")
  }
}
