import Foundation
import MIDI
import ScoreFiles
import Scores
import Testing
import _TestSupport
import _TestTraits

/// Tests that `StandardMIDIFile` and mido 1.3.3 agree on the ticks, types and bytes of all events. If Python or PyPI is missing,
/// the tests are cancelled with the reason. They run one at a time, so that mido is installed once.
@Suite(.ownThreads, .serialized) struct MidoTests {
  private let folder: TemporaryFolder
  private let mido: Mido

  init() async throws {
    folder = try TemporaryFolder()
    do {
      mido = try await Mido(in: folder)
    } catch let error as Unavailable {
      try Test.cancel("\(error)")
    }
  }

  private func read(_ path: String) throws -> StandardMIDIFile {
    try StandardMIDIFile(bytes: Array(Data(contentsOf: URL(fileURLWithPath: path))))
  }

  /// Returns a copy of `file`. A Program Change replaces each event that mido does not read.
  private func readable(_ file: StandardMIDIFile) -> StandardMIDIFile {
    var file = file
    for track in file.tracks.indices {
      for event in file.tracks[track].events.indices where !Mido.reads(file.tracks[track].events[event].content) {
        file.tracks[track].events[event].content = .message(.programChange(Channel(1)!, program: 5))
      }
    }
    return file
  }

  /// mido reads random files that `StandardMIDIFile` writes, with and without running status.
  @Test(.timeLimit(.minutes(10))) func midoReadsWrittenFiles() async throws {
    var random = RandomMIDIFile(seed: 1)
    var written: [MidoFile] = []
    for number in 0..<200 {
      let file = readable(random.next())
      let path = folder.path("\(number).mid")
      try Data(file.bytes(usingRunningStatus: number % 2 == 0)).write(to: URL(fileURLWithPath: path))
      written.append(MidoFile(file, path: path))
    }
    let eventCount = written.compactMap(\.tracks).joined().reduce(0) { $0 + $1.count }
    #expect(eventCount > 5000)
    let read = try await mido.read(written.map(\.path))
    #expect(read.count == written.count)
    for (read, written) in zip(read, written) { #expect(read == written) }
  }

  /// mido reads the MIDI files of all own scores, and has the notes of their tables of events.
  @Test(.timeLimit(.minutes(10))) func midoReadsExportedScores() async throws {
    let scores = URL(fileURLWithPath: Program.patches).appendingPathComponent("scores")
    let names = try FileManager.default.contentsOfDirectory(atPath: scores.path).filter { $0.hasSuffix(".musicxml") }
      .sorted()
    #expect(names.count >= 12)
    var written: [MidoFile] = []
    for name in names {
      let octets = Array(try Data(contentsOf: scores.appendingPathComponent(name)))
      let score = try ScoreImport(octets: octets, file: name).score
      let route = try Route(score)
      let tempo = TempoPath(score, along: route)
      let path = folder.path(name + ".mid")
      try Data(MIDIScoreWriter.octets(score, along: route, tempo: tempo)).write(to: URL(fileURLWithPath: path))
      written.append(MidoFile(MIDIScoreWriter.file(score, along: route, tempo: tempo), path: path))
      let table = EventTable(score, along: route)
      let noteCount = written[written.count - 1].tracks?.joined().count { $0.octets[0] & 0xF0 == 0x90 }
      #expect(noteCount == table.events.count, "\(name)")
    }
    let read = try await mido.read(written.map(\.path))
    #expect(read.count == written.count)
    for (read, written) in zip(read, written) { #expect(read == written) }
  }

  @Test(.timeLimit(.minutes(10))) func filesThatMidoWritesAreRead() async throws {
    // The script chooses one of five divisions for each file.
    let written = try await mido.write(seed: 1, count: 200)
    #expect(written.count == 200 && Set(written.map(\.division)).count == 5)
    let eventCount = written.compactMap(\.tracks).joined().reduce(0) { $0 + $1.count }
    #expect(eventCount > 5000)
    for file in written { #expect(try MidoFile(read(file.path), path: file.path) == file) }
  }

  /// mido's own tests contain twelve hex dumps of files. mido reads five of them and rejects seven. `StandardMIDIFile` also reads the five.
  /// Two of the seven have a data byte above 7F, which mido reads only with the option `clip`: `StandardMIDIFile` reads them with a
  /// warning. Two others have an undefined key signature that is one byte too short, so the End of Track after it is incomplete.
  @Test(.timeLimit(.minutes(10))) func testFilesOfMidoAreRead() async throws {
    let examples: [MidoFile]
    do {
      examples = try await mido.examples()
    } catch let error as Unavailable {
      try Test.cancel("\(error)")
    }
    #expect(examples.count == 12 && examples.count { $0.error == nil } == 5)
    for example in examples {
      let name = URL(fileURLWithPath: example.path).lastPathComponent
      if example.error == nil {
        #expect(try MidoFile(read(example.path), path: example.path) == example.endingAtEndOfTrack, "\(name)")
      } else if name.hasPrefix("test_invalid_data_byte") {
        var warnings = StandardMIDIFile.Warnings()
        _ = try StandardMIDIFile(bytes: Array(Data(contentsOf: URL(fileURLWithPath: example.path))), &warnings)
        #expect(warnings.first.first?.found.hasSuffix("as a data byte") == true, "\(name)")
      } else {
        #expect(throws: StandardMIDIFile.ReadError.self, "\(name)") { try read(example.path) }
      }
    }
  }

  /// The files have damaged tracks. If mido and `StandardMIDIFile` both read a file, the events are the same.
  ///
  /// `StandardMIDIFile` reads every file that mido reads, with two exceptions: a delta time of more than four bytes, and running
  /// status after a System Exclusive or a system message. It also reads files that mido rejects: meta events may have any content,
  /// and an excessive length of a track is no error.
  @Test(.timeLimit(.minutes(10))) func damagedTracksAreReadAsMidoReadsThem() async throws {
    var random = RandomMIDIFile(seed: 2)
    var mutator = Mutator(seed: 2)
    var paths: [String] = []
    for number in 0..<1000 {
      var bytes = try readable(random.next()).bytes()
      // The 14 bytes of the header are not damaged.
      try mutator.mutate(&bytes, from: 14, splicing: readable(random.next()).bytes())
      paths.append(folder.path("\(number).mid"))
      try Data(bytes).write(to: URL(fileURLWithPath: paths[number]))
    }
    let files = try await mido.read(paths)
    #expect(files.count == paths.count)
    var compared = 0
    for file in files where file.error == nil {
      do {
        let read = try read(file.path)
        // The damage may have created events that mido does not read correctly.
        guard read == readable(read) else { continue }
        #expect(MidoFile(read, path: file.path) == file.endingAtEndOfTrack)
        compared += 1
      } catch let error as StandardMIDIFile.ReadError {
        #expect(error.found.hasSuffix("in more than four bytes") || error.found.hasSuffix("without running status"))
      }
    }
    #expect(compared > 400)
  }
}
