import Foundation
import MIDI
import Testing
import _TestSupport
import _TestTraits

/// Tests of the option --record of `tutti peer`, which writes a MIDI recording.
@Suite(.serialized, .ownThreads) struct RecordTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Starts a peer that records to `path`, and waits until it is ready.
  private func peer(
    _ arguments: [String] = [], prefix: [String] = [], path: String = "take.mid"
  ) async throws -> Child {
    let child = try Child.tutti(
      ["peer", "--name", "ada", "--port", "0", "--discovery", "off", "--audio", "none", "--record", path] + arguments,
      prefix: prefix, in: folder)
    try await child.wait(for: "to be ready") { child.errors.contains("ada: port") }
    return child
  }

  /// The recording so far; nil if there is no file.
  private func recording() throws -> StandardMIDIFile? {
    guard let data = FileManager.default.contents(atPath: folder.path("take.mid")) else { return nil }
    return try StandardMIDIFile(bytes: [UInt8](data))
  }

  /// The keys of the notes that begin in the track of the local player. The tracks before it contain the tempo and the rhythm.
  private func keys() throws -> [UInt8] {
    try recording()?.tracks[2].events.compactMap { event in
      guard case .message(.noteOn(_, let key, _)) = event.content else { return nil }
      return key.value
    } ?? []
  }

  /// A signal ends the peer, for example SIGINT by Ctrl-C. The recording is complete. An earlier recording has another name.
  @Test(arguments: [SIGINT, SIGTERM, SIGHUP]) func signalLosesNoRecordedNote(signal: Int32) async throws {
    try Data("earlier".utf8).write(to: folder.url.appendingPathComponent("take.mid"))
    let ada = try await peer(["--start"])
    try await ada.wait(for: "to be the master") { ada.errors.contains("master") }
    ada.type("note 60")
    ada.type("note 61")
    ada.type("peers")
    try await ada.wait(for: "to execute the commands") { ada.errors.contains("no other peer") }
    ada.signal(signal)
    #expect(try await ada.status() == 0, "\(ada.errors)")
    #expect(try keys() == [60, 61])
    let file = try #require(try recording())
    #expect(file.tracks.map(\.name) == ["ada", "rhythm", "ada"] && !file.tracks[1].events.isEmpty)
    #expect(!folder.contents.contains("take.mid.partial"))
    #expect(try String(contentsOfFile: folder.path("take-1.mid"), encoding: .utf8) == "earlier")
  }

  /// The peer writes the file again and again while it plays, so a crash loses only the last seconds. The file is a complete MIDI
  /// file at all times.
  @Test func crashLosesTheLastSecondsOnly() async throws {
    let ada = try await peer()
    ada.type("note 60")
    ada.type("note 61")
    try await ada.wait(for: "to write the notes") { try keys().count == 2 }
    ada.type("note 62")
    ada.signal(SIGKILL)
    #expect(try await ada.status() == -SIGKILL)
    #expect(try keys().prefix(2) == [60, 61])
  }

  /// A limit of the file size, here 4 KiB, has the same effect as a full disk. The peer reports one error and plays on, and the last
  /// complete file remains.
  @Test func fullDiskGivesOneMessage() async throws {
    let limit = ["bash", "-c", "trap '' XFSZ; ulimit -S -f 4; exec \"$@\"", "bash"]
    let ada = try await peer(prefix: limit)
    ada.type("note 60")
    try await ada.wait(for: "to write the note") { try keys() == [60] }
    for _ in 0..<3000 {
      ada.type("note 62")
      ada.type("release 62")
    }
    try await ada.wait(for: "to report the error") { ada.errors.contains("cannot be written") }
    // Writes are due every three seconds: two more in this time.
    try await pause(for: .seconds(7))
    let message = "tutti: take.mid: cannot be written (File too large)"
    #expect(ada.errors.split(separator: "\n").count { $0.hasPrefix(message) } == 1, "\(ada.errors)")
    #expect(ada.errors.contains("; this peer tries again every few seconds; make room on the disk"))
    ada.type("peers")
    try await ada.wait(for: "to execute a command") { ada.errors.contains("no other peer") }
    #expect(try keys().first == 60)
    #expect(!folder.contents.contains("take.mid.partial"))
    ada.signal(SIGTERM)
    // The exit status is 69, because the recording is not complete.
    #expect(try await ada.status() == 69)
  }
}
