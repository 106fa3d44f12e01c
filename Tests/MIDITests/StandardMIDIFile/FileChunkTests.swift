import MIDI
import Testing
import _TestSupport

/// Tests of the reader of Standard MIDI Files: header and chunks.
///
/// The byte numbers in the expected errors count from the beginning of the file. The header takes 14 bytes, and the header of each
/// track chunk takes 8 bytes. The content of the first track therefore begins at byte 22.
@Suite struct FileChunkTests {
  /// The content of a track with one note.
  private let note = "00 90 40 10 20 FF 2F 00"
  /// The content of a track without events, which ends at tick 16 (hexadecimal 10).
  private let empty = "10 FF 2F 00"

  @Test func headerContainsFormatAndDivision() throws {
    let table: [(String, StandardMIDIFile.Format, StandardMIDIFile.Division)] = [
      ("00 00 00 01 00 01", .singleTrack, .ticksPerQuarter(1)),
      ("00 01 00 01 01 E0", .simultaneousTracks, .ticksPerQuarter(480)),
      ("00 02 00 01 7F FF", .independentTracks, .ticksPerQuarter(32767)),
      ("00 01 00 01 E8 01", .simultaneousTracks, .timeCode(.frames24, ticksPerFrame: 1)),
      ("00 01 00 01 E7 28", .simultaneousTracks, .timeCode(.frames25, ticksPerFrame: 40)),
      ("00 01 00 01 E3 50", .simultaneousTracks, .timeCode(.frames29, ticksPerFrame: 80)),
      ("00 01 00 01 E2 FF", .simultaneousTracks, .timeCode(.frames30, ticksPerFrame: 255)),
    ]
    for (words, format, division) in table {
      let file = try StandardMIDIFile(bytes: header(words) + chunk(empty))
      #expect(file.format == format && file.division == division && file.tracks == [.init(end: 16)], "\(words)")
      #expect(try file.bytes() == header(words) + chunk(empty))
    }
  }

  @Test func fileWithoutTracksIsAccepted() throws {
    #expect(try StandardMIDIFile(bytes: header("00 01 00 00 00 78")).tracks == [])
  }

  @Test func bytesAfterTheSixOfTheHeaderAreIgnored() throws {
    let long = chunk("00 01 00 01 00 60 FF FF FF", type: "MThd") + chunk(note)
    #expect(try StandardMIDIFile(bytes: long) == StandardMIDIFile(bytes: header() + chunk(note)))
  }

  @Test func chunksOfUnknownTypesAreSkipped() throws {
    let alien = chunk("00 90 40 10", type: "XFIH") + chunk("00", type: "MThd")
    let bytes = header("00 01 00 02 00 60") + alien + chunk(note) + alien + chunk(empty) + alien
    #expect(try StandardMIDIFile(bytes: bytes).tracks == [track(note), track(empty)])
  }

  @Test func bytesAfterTheLastAnnouncedTrackAreIgnored() throws {
    for rest in [chunk(note), hex("00"), hex("FF FF FF FF FF FF FF FF FF")] {
      #expect(try StandardMIDIFile(bytes: header() + chunk(note) + rest).tracks == [track(note)])
    }
  }

  /// Some programs count other chunks as tracks, or announce too many tracks.
  @Test func missingTrackCausesAWarning() throws {
    let bytes = header("00 01 00 03 00 60") + chunk(note) + chunk(empty)
    let reason = "found the end of the file after 2 of 3 tracks; the file is read without the missing tracks"
    // A part of a chunk header and an unknown chunk are no track.
    for rest in [[], hex("4D 54 72 6B 00 00 00"), chunk("", type: "XFIH")] {
      var warnings = StandardMIDIFile.Warnings()
      #expect(try StandardMIDIFile(bytes: bytes + rest, &warnings).tracks == [track(note), track(empty)])
      #expect(warnings.first.map(\.description) == ["byte \(bytes.count + rest.count): \(reason)"])
    }
    #expect(
      readError(header() + chunk("", type: "XFIH"))
        == "byte 22: found the end of the file; expected a track, because the header announces 1")
  }

  /// A `.rmi` file: a RIFF file with lengths in little-endian order. A chunk of an odd length is padded.
  @Test func dataChunkOfARIFFFileIsRead() throws {
    func riff(_ type: String, _ content: [UInt8]) -> [UInt8] {
      let length = UInt32(content.count)
      let padding = content.count % 2 == 1 ? [UInt8(0)] : []
      return Array(type.utf8) + [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: length >> $0) } + content + padding
    }
    let file = header() + chunk(note)
    for chunks in [[riff("data", file)], [riff("LIST", hex("41 42 43")), riff("data", file), riff("DISP", [])]] {
      let bytes = riff("RIFF", Array("RMID".utf8) + chunks.joined())
      #expect(try StandardMIDIFile(bytes: bytes).tracks == [track(note)])
    }
    let empty = riff("RIFF", Array("RMID".utf8) + riff("LIST", [1]))
    #expect(
      readError(empty)
        == "byte \(empty.count): found the end of the RIFF file; expected a data chunk with a Standard MIDI File")
    #expect(
      readError(riff("RIFF", Array("RMID".utf8) + riff("data", hex("00 01"))))?.hasPrefix("byte 20: found 00 01")
        == true)
  }

  /// Format 0 requires exactly one track. A file of format 0 with more tracks or without tracks is read as format 1.
  @Test func formatZeroWithSeveralTracksIsReadAsFormatOne() throws {
    let file = try StandardMIDIFile(bytes: header("00 00 00 02 00 60") + chunk(note) + chunk(empty))
    #expect(try file.format == .simultaneousTracks && file.tracks == [track(note), track(empty)])
    #expect(try StandardMIDIFile(bytes: header("00 00 00 00 00 60")).format == .simultaneousTracks)
  }

  @Test func invalidHeaderIsRejected() {
    let beginning = "expected 4D 54 68 64 (MThd), the beginning of a Standard MIDI File"
    let division =
      "expected hexadecimal 0001...7FFF, the ticks per quarter note, or a frame rate (E8, E7, E3 or E2) followed by 01...FF, the ticks "
      + "per frame"
    let table: [([UInt8], String)] = [
      ([], "byte 0: found an empty file; \(beginning)"),
      (hex("4D 54"), "byte 0: found 4D 54; \(beginning)"),
      (Array("RIFF0000WAVE".utf8), "byte 0: found 52 49 46 46; \(beginning)"),
      (hex("4D 54 68 64 00"), "byte 5: found the end of the file; expected the length of the header"),
      (chunk("00 01 00 01 00", type: "MThd"), "byte 4: found a header of 5 bytes; expected at least 6 bytes"),
      (hex("4D 54 68 64 00 00 00 06 00 01"), "byte 10: found the end of the file; expected the number of tracks"),
      (header("00 03 00 01 00 60"), "byte 8: found format 3; expected format 0, 1 or 2"),
      (header("01 00 00 01 00 60"), "byte 8: found format 256; expected format 0, 1 or 2"),
      (header("00 01 00 01 00 00"), "byte 12: found division 00 00; \(division)"),
      (header("00 01 00 01 E9 28"), "byte 12: found division E9 28; \(division)"),
      (header("00 01 00 01 80 28"), "byte 12: found division 80 28; \(division)"),
      (header("00 01 00 01 E8 00"), "byte 12: found division E8 00; \(division)"),
    ]
    for (bytes, description) in table { #expect(readError(bytes) == description) }
  }

  @Test func trackThatIsLongerThanTheFileNeedsEndOfTrack() throws {
    let bytes = header() + chunk(note, length: .max)
    #expect(try StandardMIDIFile(bytes: bytes).tracks == [track(note)])
    // Without the last four bytes, End of Track is missing.
    #expect(
      readError(bytes.dropLast(4))
        == "byte 26: found the end of the file; expected the rest of the track chunk, up to End of Track")
    #expect(readError(header() + chunk("", length: 1)) != nil)
  }

  @Test func eventDoesNotExtendBeyondItsChunk() {
    // The first chunk ends inside the note.
    let bytes = header("00 01 00 02 00 60") + chunk("00 90 40") + chunk(note)
    #expect(readError(bytes) == "byte 25: found the end of the chunk; expected a data byte")
    let name = header("00 01 00 02 00 60") + chunk("00 FF 03 02 41") + chunk(note)
    #expect(
      readError(name)
        == "byte 26: found length 2 of a meta event; expected at most 1, the number of bytes up to the end of the chunk"
    )
  }

  /// A file that is cut off is rejected, because End of Track, the last four bytes, is incomplete or missing.
  @Test func everyBeginningOfAFileIsRejected() {
    let bytes = specificationExample
    #expect(readError(bytes) == nil)
    for count in bytes.indices { #expect(readError(Array(bytes[..<count])) != nil, "\(count) bytes") }
  }

  @Test func fileSizeIsLimited() throws {
    let bytes = header() + chunk(note)
    let limit = StandardMIDIFile.maximumBytes
    #expect(try StandardMIDIFile(bytes: bytes + Array(repeating: 0, count: limit - bytes.count)).tracks.count == 1)
    #expect(
      readError(bytes + Array(repeating: 0, count: limit + 1 - bytes.count))
        == "byte 0: found a file of 33554433 bytes; expected at most 33554432 bytes")
  }
}
