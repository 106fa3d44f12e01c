import MIDI
import Scores
import Text

/// Reads a Standard MIDI File into a ``Score``: one part for each channel of each track, with the simplest rhythm (``BeatGrid``).
///
/// The bars come from the time signatures, the tempo marks from the tempo events. Notes of one part that overlap go to up to four voices.
/// Controllers, pitch bend and System Exclusive are counted as not supported. Source: Standard MIDI Files 1.0 (RP-001).
struct MIDIScoreReader {
  /// A note in ticks of the file.
  struct PlayedNote {
    var start: Int64
    var end: Int64
    var key: UInt8
  }

  private struct Source: Hashable {
    var track: Int
    var channel: UInt8
  }

  private let file: String
  private let resolution: Int64
  private var result = ScoreImport(Score())
  private var notes: [Source: [PlayedNote]] = [:]
  private var programs: [Source: UInt8] = [:]
  private var levels: [Source: UInt8] = [:]
  private var tempos: [(tick: Int64, microseconds: Int)] = []
  private var metres: [(tick: Int64, metre: Metre)] = []
  private var keys: [(tick: Int64, key: Key)] = []
  private var end: Int64 = 0

  static func read(_ octets: [UInt8], file name: String) throws(ScoreFault) -> ScoreImport {
    var warnings = StandardMIDIFile.Warnings()
    let file: StandardMIDIFile
    do throws(StandardMIDIFile.ReadError) {
      file = try StandardMIDIFile(bytes: octets, &warnings)
    } catch {
      throw ScoreFault(
        file: name, "byte \(error.offset)", "found \(error.found), expected \(error.expected)", "export it again")
    }
    guard file.format != .independentTracks else {
      throw ScoreFault(file: name, "the file", "has independent sequences (format 2)", "export one of them")
    }
    guard case .ticksPerQuarter(let resolution) = file.division else {
      throw ScoreFault(
        file: name, "the file", "counts frames of film, not quarter notes", "export it with ticks per quarter note")
    }
    var reader = MIDIScoreReader(name, Int64(resolution))
    for warning in warnings.first {
      reader.result.add(name, 1, "byte \(warning.offset): \(warning.found)", warning.consequence)
    }
    for (index, track) in file.tracks.enumerated() { reader.take(track, index) }
    try reader.finish(file)
    return reader.result
  }

  private init(_ file: String, _ resolution: Int64) { (self.file, self.resolution) = (file, resolution) }

  private mutating func take(_ track: StandardMIDIFile.Track, _ index: Int) {
    /// The notes that sound, by channel and key.
    var open: [UInt16: Int64] = [:]
    for event in track.events {
      end = max(end, event.tick)
      switch event.content {
      case .message(let message): take(message, event.tick, index, &open)
      case .meta(let meta): take(meta, event.tick)
      case .systemExclusive, .escape: result.unsupported["System Exclusive", default: 0] += 1
      }
    }
    for (code, start) in open { add(code, start, max(track.end, start + 1), index) }
    end = max(end, track.end)
  }

  private mutating func take(_ message: Message, _ tick: Int64, _ track: Int, _ open: inout [UInt16: Int64]) {
    switch message {
    case .noteOn(let channel, let key, let velocity):
      let code = UInt16(channel.wire) << 8 | UInt16(key.value)
      if let start = open.removeValue(forKey: code) { add(code, start, tick, track) }
      if velocity.value > 0 { open[code] = tick }
    case .noteOff(let channel, let key, _):
      let code = UInt16(channel.wire) << 8 | UInt16(key.value)
      if let start = open.removeValue(forKey: code) { add(code, start, tick, track) }
    case .programChange(let channel, let program):
      let source = Source(track: track, channel: channel.wire)
      if programs[source] == nil { programs[source] = program.value }
    case .controlChange(let channel, let controller, let value) where controller.value == 7:
      let source = Source(track: track, channel: channel.wire)
      if levels[source] == nil { levels[source] = value.value }
    case .controlChange: result.unsupported["controller", default: 0] += 1
    default: result.unsupported["other message", default: 0] += 1
    }
  }

  private mutating func add(_ code: UInt16, _ start: Int64, _ end: Int64, _ track: Int) {
    guard end > start else { return }
    notes[Source(track: track, channel: UInt8(code >> 8)), default: []].append(
      PlayedNote(start: start, end: end, key: UInt8(code & 0x7F)))
  }

  private mutating func take(_ meta: StandardMIDIFile.MetaEvent, _ tick: Int64) {
    if let microseconds = meta.microsecondsPerQuarter {
      tempos.append((tick, microseconds))
    } else if let signature = meta.timeSignature {
      guard let metre = Metre([.init(beats: [signature.numerator], unit: signature.denominator)]) else {
        return result.add(file, 1, "a metre \(signature.numerator)/\(signature.denominator)", "it is left out")
      }
      metres.append((tick, metre))
    } else if meta.type == 0x59, meta.bytes.count >= 2, abs(Int(Int8(bitPattern: meta.bytes[0]))) <= 7 {
      // A hostile file can have a million; no music has more than a few.
      guard keys.count < 200 else { return }
      keys.append((tick, Key(fifths: Int8(bitPattern: meta.bytes[0]), mode: meta.bytes[1] == 1 ? .minor : .major)))
    } else if meta.trackName == nil {
      result.unsupported["meta event", default: 0] += 1
    }
  }

  // MARK: Bars

  private mutating func finish(_ file: StandardMIDIFile) throws(ScoreFault) {
    guard notes.values.reduce(0, { $0 + $1.count }) <= Score.Limits.notes else {
      throw ScoreFault(
        file: self.file, "the score", "more than \(Score.Limits.notes) notes", "divide it into several files")
    }
    guard !notes.isEmpty else {
      throw ScoreFault(file: self.file, "the file", "has no notes", "export it with its notes")
    }
    // Rests after the last note belong to the last bar only.
    let last = notes.values.lazy.flatMap(\.self).map(\.end).max() ?? 0
    let lines = try barLines(upTo: min(last, end))
    result.score.title = file.tracks.first?.name?.cleanName(octets: 1000) ?? ""
    addTempos(lines)
    let sources = notes.keys.sorted { ($0.track, $0.channel) < ($1.track, $1.channel) }
    guard sources.count <= Score.Limits.parts else {
      throw ScoreFault(file: self.file, "the score", "\(sources.count) parts", "use at most \(Score.Limits.parts)")
    }
    for source in sources {
      let name = file.tracks[source.track].name?.cleanName(octets: 1000)
      try add(source, name ?? "Part \(result.score.parts.count + 1)", lines)
    }
    result.score.assignIdentifiers()
    do throws(ScoreFault) {
      try result.score.validate()
    } catch {
      throw ScoreFault(file: self.file, error.thing, error.reason, error.remedy)
    }
  }

  /// The first ticks of the bars and the end of the last one. Adds the bars to the score.
  private mutating func barLines(upTo last: Int64) throws(ScoreFault) -> [Int64] {
    metres.sortStably { $0.tick < $1.tick }
    var lines: [Int64] = [0]
    var (metre, next) = (Metre.common, 0)
    while lines[lines.count - 1] < last || lines.count == 1 {
      let start = lines[lines.count - 1]
      var isChanged = lines.count == 1
      while next < metres.count, metres[next].tick <= start {
        isChanged = isChanged || metre != metres[next].metre
        metre = metres[next].metre
        next += 1
      }
      let full = max(metre.length.rounded(times: resolution), 1)
      // A change of the metre inside a bar ends the bar.
      let length = next < metres.count ? min(full, metres[next].tick - start) : full
      guard lines.count <= Score.Limits.bars, let quarters = Fraction(length, resolution) else {
        throw ScoreFault(file: file, "the score", "more than \(Score.Limits.bars) bars", "divide it into several files")
      }
      var bar = Bar(number: "\(lines.count)", length: length == full ? metre.length : quarters)
      if isChanged { bar.metre = metre }
      result.score.bars.append(bar)
      lines.append(start + length)
    }
    return lines
  }

  private mutating func addTempos(_ lines: [Int64]) {
    tempos.sortStably { $0.tick < $1.tick }
    for (tick, microseconds) in tempos.prefix(50_000) where tick < lines[lines.count - 1] {
      let bar = PlayedRhythm.bar(at: tick, in: lines)
      let tempo = 60_000_000_000 / microseconds
      guard TempoMark.range.contains(tempo) else {
        result.add(file, 1, "a tempo of \(tempo / 1000) quarter notes per minute", "it is left out")
        continue
      }
      guard bar < result.score.bars.count,
        let offset = Fraction((tick - lines[bar]) * 24 / resolution, 24)
      else { continue }
      if let same = result.score.tempoMarks.last, same.bar == bar, same.offset == offset {
        result.score.tempoMarks.removeLast()
      }
      result.score.tempoMarks.append(TempoMark(bar: bar, offset: offset, .tempo(tempo)))
    }
  }

  private mutating func add(_ source: Source, _ name: String, _ lines: [Int64]) throws(ScoreFault) {
    let isPercussion = source.channel == 9
    var part = Part(name: name, instruments: [.init(name: name, program: programs[source] ?? 0)])
    part.isPercussion = isPercussion
    part.level = levels[source] ?? 100
    var rhythm = PlayedRhythm(notes[source] ?? [], lines, result.score.bars, resolution)
    if isPercussion {
      let used = Set((notes[source] ?? []).map(\.key)).sorted()
      part.instruments = used.map { .init(name: "Drum \($0)", key: $0) }
      rhythm.sounds = { key, _ in
        .stroke(place: DrumPlaces.place(of: key), instrument: UInt8(used.firstIndex(of: key) ?? 0))
      }
    } else {
      rhythm.sounds = { [keys] key, tick in
        let fifths = keys.last { $0.tick <= tick }?.key.fifths ?? 0
        return PitchSpelling.pitch(of: key, inKeyOf: Int(fifths)).map { .pitch($0) }
      }
    }
    part.bars = rhythm.bars()
    guard !rhythm.isOverfull else {
      throw ScoreFault(
        file: file, "the score", "more than \(Score.Limits.chords) notes and rests", "divide it into several files")
    }
    if rhythm.shortened > 0 {
      result.add(file, 1, "part \(name): \(rhythm.shortened) notes overlap more than four others", "they are left out")
    }
    if !isPercussion {
      for (tick, key) in keys {
        guard let bar = lines.firstIndex(where: { $0 >= tick }), bar < part.bars.count else { continue }
        part.bars[bar].changes.removeAll { if case .key = $0.content { true } else { false } }
        part.bars[bar].changes.append(Change(offset: .zero, staff: 0, .key(key)))
      }
    }
    part.bars[0].changes.append(Change(offset: .zero, staff: 1, .clef(rhythm.clef(isPercussion))))
    result.score.parts.append(part)
  }
}
