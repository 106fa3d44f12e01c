import MIDI
import _TestSupport

/// The header chunk of a Standard MIDI File. `words` contains the format, the number of tracks and the division as
/// hexadecimal text.
func header(_ words: String = "00 01 00 01 00 60") -> [UInt8] { hex("4D 54 68 64 00 00 00 06") + hex(words) }

/// A chunk with the content `content`, hexadecimal.
///
/// - Parameter length: the length that the chunk header states; nil for the length of the content.
func chunk(_ content: String, type: String = "MTrk", length: UInt32? = nil) -> [UInt8] {
  let content = hex(content)
  let length = length ?? UInt32(content.count)
  return Array(type.utf8) + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length >> $0) } + content
}

/// The offset in bytes of the content of the first track: the header chunk takes 8 + 6 bytes, and the header of the track chunk takes
/// 8 bytes.
let contentOffset = 22

/// The only track of a file with the track content `content`, hexadecimal.
func track(_ content: String) throws(StandardMIDIFile.ReadError) -> StandardMIDIFile.Track {
  try StandardMIDIFile(bytes: header() + chunk(content)).tracks[0]
}

/// The description of the error for `bytes`; nil if they can be read.
func readError(_ bytes: [UInt8]) -> String? {
  do throws(StandardMIDIFile.ReadError) {
    _ = try StandardMIDIFile(bytes: bytes)
    return nil
  } catch {
    return error.description
  }
}

/// The description of the error for the track content `content`, hexadecimal; nil if it can be read. Offsets in the text
/// count from the beginning of the file, so the content begins at ``contentOffset``.
func trackError(_ content: String) -> String? { readError(header() + chunk(content)) }

/// The example of the specification (appendix C): four bars of 4/4 at 120 BPM, here for format 0.
let specificationExample =
  header("00 00 00 01 00 60")
  + chunk(
    """
    00 FF 58 04 04 02 18 08  ; time signature 4/4, 24 clocks per click, 8 thirty-second notes per quarter note
    00 FF 51 03 07 A1 20     ; tempo, 500 000 microseconds per quarter note
    00 C0 05
    00 C1 2E
    00 C2 46
    00 92 30 60
    00 3C 60                 ; running status
    60 91 43 40
    60 90 4C 20
    81 40 82 30 40           ; two-byte delta time
    00 3C 40                 ; running status
    00 81 43 40
    00 80 4C 40
    00 FF 2F 00              ; End of Track
    """)
