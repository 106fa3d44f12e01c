import Glibc

/// Which parts of a SoundFont file each program plays (SoundFont Technical Specification 2.04, sections 5 and 7).
///
/// The sample data is one block of 16-bit samples, the chunk `smpl`. A preset has zones that name instruments, an instrument has zones
/// that name samples, and the header of a sample states its place in the block. Each zone has a list of generators, and the lists of all
/// zones are one table. A record of a table states where its own entries begin in the next table; they end where those of the next record
/// begin, so each table has one more record than it has elements.
///
/// Real-time: not safe.
struct SampleRanges {
  /// Where the sample data is in the file, in octets.
  let block: Range<Int>
  /// The place of each sample, in octets from the beginning of the sample data.
  let samples: [Range<Int>]
  /// The numbers of the samples of each program, 0...127, in all banks. Bank 128 contains the drum kits.
  private(set) var programs: [Set<Int>] = Array(repeating: [], count: 128)

  /// The number of a generator: the instrument of a zone of a preset, or the sample of a zone of an instrument (section 8.1.2).
  private static let (instrumentGenerator, sampleGenerator) = (41, 53)
  /// The number of frames after the end of a sample that are part of it (section 6.1).
  private static let guardFrames = 46

  /// Reads the tables of an open SoundFont. Nil if they are damaged, or if the samples are compressed.
  init?(_ descriptor: Int32) {
    guard let chunks = Self.chunks(of: descriptor), let block = chunks["smpl"],
      let presets = Table(chunks["phdr"], of: 38, in: descriptor),
      let presetZones = Table(chunks["pbag"], of: 4, in: descriptor),
      let presetGenerators = Table(chunks["pgen"], of: 4, in: descriptor),
      let instruments = Table(chunks["inst"], of: 22, in: descriptor),
      let instrumentZones = Table(chunks["ibag"], of: 4, in: descriptor),
      let instrumentGenerators = Table(chunks["igen"], of: 4, in: descriptor),
      let headers = Table(chunks["shdr"], of: 46, in: descriptor)
    else { return nil }
    self.block = block
    var samples: [Range<Int>] = []
    for sample in 0..<headers.count - 1 {
      // The type is a set of flags. The flag 0x10 marks a compressed sample (SF3), and 0x8000 a sample in a ROM.
      guard headers.short(at: 44, of: sample) & 0x8010 == 0 else { return nil }
      let (start, end) = (headers.long(at: 20, of: sample), headers.long(at: 24, of: sample) + Self.guardFrames)
      guard start <= end else { return nil }
      samples.append(min(2 * start, block.count)..<min(2 * end, block.count))
    }
    self.samples = samples

    /// The values of a generator in the zones of a record, whose zones begin at `offset` in the record.
    func values(
      of generator: Int, in record: Int, of table: Table, at offset: Int, _ zones: Table, _ generators: Table
    ) -> [Int]? {
      let (first, last) = (table.short(at: offset, of: record), table.short(at: offset, of: record + 1))
      guard first <= last, last < zones.count else { return nil }
      var values: [Int] = []
      for zone in first..<last {
        let (first, last) = (zones.short(at: 0, of: zone), zones.short(at: 0, of: zone + 1))
        guard first <= last, last <= generators.count else { return nil }
        for entry in first..<last where generators.short(at: 0, of: entry) == generator {
          values.append(generators.short(at: 2, of: entry))
        }
      }
      return values
    }
    var instrumentSamples: [[Int]] = []
    for instrument in 0..<instruments.count - 1 {
      guard
        let found = values(
          of: Self.sampleGenerator, in: instrument, of: instruments, at: 20, instrumentZones, instrumentGenerators),
        found.allSatisfy({ $0 < samples.count })
      else { return nil }
      instrumentSamples.append(found)
    }
    for preset in 0..<presets.count - 1 {
      let program = presets.short(at: 20, of: preset)
      guard
        let found = values(
          of: Self.instrumentGenerator, in: preset, of: presets, at: 24, presetZones, presetGenerators),
        found.allSatisfy({ $0 < instrumentSamples.count })
      else { return nil }
      if program < 128 { for instrument in found { programs[program].formUnion(instrumentSamples[instrument]) } }
    }
  }

  /// The places of the chunks in the lists of the file, by their identifiers.
  private static func chunks(of descriptor: Int32) -> [String: Range<Int>]? {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    var chunks: [String: Range<Int>] = [:]
    // After the header of the file: "RIFF", the length, "sfbk".
    var offset = 12
    while offset + 8 <= status.st_size {
      guard let header = Table(offset..<offset + 8, of: 8, in: descriptor) else { return nil }
      let name = String(decoding: header.octets[..<4], as: UTF8.self)
      if name == "LIST" {
        // The list contains chunks. Its type precedes them.
        offset += 12
        continue
      }
      let length = header.long(at: 4, of: 0)
      guard offset + 8 + length <= status.st_size else { return nil }
      chunks[name] = offset + 8..<offset + 8 + length
      // A chunk has an even length.
      offset += 8 + length + length % 2
    }
    return chunks
  }

  /// A table of records of equal size, with little-endian numbers.
  private struct Table {
    let octets: [UInt8]
    /// The number of records, including the last one, which only ends the others.
    let count: Int
    private let size: Int

    /// Nil if the place is unknown or empty, or cannot be read. The tables of a SoundFont of 150 MB have 0.2 MB.
    init?(_ place: Range<Int>?, of size: Int, in descriptor: Int32) {
      guard let place, place.count >= size, place.count <= 64 << 20 else { return nil }
      var octets = [UInt8](repeating: 0, count: place.count)
      guard pread(descriptor, &octets, octets.count, off_t(place.lowerBound)) == octets.count else { return nil }
      (self.octets, count, self.size) = (octets, octets.count / size, size)
    }

    func short(at offset: Int, of record: Int) -> Int {
      let place = record * size + offset
      return Int(octets[place]) | Int(octets[place + 1]) << 8
    }

    func long(at offset: Int, of record: Int) -> Int {
      short(at: offset, of: record) | short(at: offset + 2, of: record) << 16
    }
  }
}
