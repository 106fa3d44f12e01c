import ScoreFiles
import Scores

/// The notes of a score of music21's corpus as music21 10.5 reads them.
///
/// `Benchmarks/Sources/scorecorpus/music21-notes.py` lists the notes. The hash covers part, bar, onset in the bar, MIDI key of the written
/// pitch and length of each note, in order, with onset and length in thousandths of a quarter note.
struct Music21Score {
  let file: String
  let notes: Int
  let hash: UInt64

  private init(_ file: String, notes: Int, hash: UInt64) { (self.file, self.notes, self.hash) = (file, notes, hash) }

  /// Twenty files: compressed ones, UTF-16, several staves, pick-ups, tuplets, grace notes, percussion.
  static let all = [
    Music21Score("corpus/bach/bwv1.6.mxl", notes: 498, hash: 0x71B5_75A7_F11D_5AD9),
    Music21Score("corpus/bach/bwv66.6.mxl", notes: 165, hash: 0x6C07_4E34_B05C_AD97),
    Music21Score("corpus/beethoven/opus18no1/movement1.mxl", notes: 4181, hash: 0xABD1_F8BA_8748_9E49),
    Music21Score("corpus/beethoven/opus59no2/movement3.mxl", notes: 1704, hash: 0x60E0_C3B0_8325_2926),
    Music21Score("corpus/ciconia/quod_jactatur.xml", notes: 83, hash: 0x8C1C_B6B1_3DA3_5F4F),
    Music21Score("corpus/trecento/PMFC_12_1-Kyrie Rondello.xml", notes: 216, hash: 0x7AB8_E622_E58D_7F9D),
    Music21Score("corpus/haydn/opus1no1/movement1.mxl", notes: 946, hash: 0x78F0_53C1_3F32_8698),
    Music21Score("corpus/johnson_j_r/lift_every_voice.mxl", notes: 400, hash: 0x8D55_2599_AB01_A1AA),
    Music21Score("corpus/joplin/maple_leaf_rag.mxl", notes: 1581, hash: 0x8D8C_AEFF_7642_58A6),
    Music21Score("corpus/leadSheet/berlinAlexandersRagtime.mxl", notes: 131, hash: 0x80B0_1613_6887_3877),
    Music21Score("corpus/monteverdi/madrigal.3.1.mxl", notes: 1187, hash: 0x719C_ABE7_0583_3680),
    Music21Score("corpus/mozart/k545/movement1_exposition.mxl", notes: 191, hash: 0xFDDB_25BF_C244_5FD4),
    Music21Score("corpus/schoenberg/opus19/movement6.mxl", notes: 88, hash: 0xBE8D_9D10_6D0E_122D),
    Music21Score("corpus/schubert/Lindenbaum.xml", notes: 1668, hash: 0xDF04_4820_CB01_B502),
    Music21Score("corpus/schumann_clara/polonaise_op1n1.mxl", notes: 856, hash: 0x12D1_E237_6E8E_79C7),
    Music21Score("corpus/webern/webern_dormi_jesu_op_16_no_2.mxl", notes: 92, hash: 0x5404_788E_4C12_AB63),
    Music21Score("musicxml/lilypondTestSuite/03c-Rhythm-DivisionChange.xml", notes: 6, hash: 0x6BCD_803E_A412_2E5B),
    Music21Score("musicxml/lilypondTestSuite/24a-GraceNotes.xml", notes: 28, hash: 0x791B_35CE_7558_6EDC),
    Music21Score("musicxml/lilypondTestSuite/73a-Percussion.xml", notes: 9, hash: 0xE7F8_4A67_1989_6F09),
    Music21Score("musicxml/lilypondTestSuite/90a-Compressed-MusicXML.mxl", notes: 4, hash: 0x46AC_C8DB_AD58_86E9),
  ]

  /// The number of notes of a score, and their hash (FNV-1a over 64-bit words).
  static func summary(of score: Score) -> (notes: Int, hash: UInt64) {
    var rows: [[Int]] = []
    for (number, part) in score.parts.enumerated() {
      for (index, bar) in part.bars.enumerated() {
        for chord in bar.voices.flatMap(\.chords) {
          let (onset, length) = (chord.onset.rounded(times: 1000), chord.length.rounded(times: 1000))
          for note in chord.notes {
            let key = if case .pitch(let pitch) = note.sound { pitch.key } else { -1 }
            rows.append([number, index, Int(onset), key, Int(length)])
          }
        }
      }
    }
    rows.sort { $0.lexicographicallyPrecedes($1) }
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for value in rows.joined() { hash = (hash ^ UInt64(bitPattern: Int64(value))) &* 0x100_0000_01B3 }
    return (rows.count, hash)
  }
}
