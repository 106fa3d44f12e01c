import Scores

/// Notes and rests.
extension MusicXMLWriter {
  mutating func write(_ chord: Chord, _ voice: UInt8) {
    if chord.isRest {
      write(chord, nil, isFirst: true, voice)
    } else {
      for (index, note) in chord.notes.enumerated() { write(chord, note, isFirst: index == 0, voice) }
    }
    if chord.grace == nil, let end = chord.end { cursor = end }
  }

  private mutating func write(_ chord: Chord, _ note: Note?, isFirst: Bool, _ voice: UInt8) {
    text.open("note", chord.isVisible ? [:] : ["print-object": "no"])
    if let grace = chord.grace { text.empty("grace", grace.hasSlash ? ["slash": "yes"] : [:]) }
    if chord.isCue { text.empty("cue") }
    if !isFirst { text.empty("chord") }
    writeSound(note)
    if chord.grace == nil { text.element("duration", units(chord.length)) }
    // A cue has no element `tie`.
    if let note, !chord.isCue {
      if note.continuesTie { text.empty("tie", ["type": "stop"]) }
      if note.startsTie { text.empty("tie", ["type": "start"]) }
    }
    if let note, case .stroke(_, let instrument) = note.sound {
      text.empty("instrument", ["id": "P\(part + 1)-I\(instrument + 1)"])
    }
    text.element("voice", voice)
    if let value = chord.value {
      text.element("type", Self.typeText(value))
      for _ in 0..<value.dots { text.empty("dot") }
    }
    if let note, note.accidental != .none {
      text.element("accidental", MusicXMLReader.accidentals.first { $0.1 == note.accidental }?.0 ?? "natural")
    }
    if let ratio = chord.ratio {
      text.open("time-modification")
      text.element("actual-notes", ratio.actual)
      text.element("normal-notes", ratio.normal)
      text.close()
    }
    if let stem = chord.stem { text.element("stem", stem.name) }
    if let note, note.head != .normal {
      text.element("notehead", MusicXMLReader.heads.first { $0.1 == note.head }?.0 ?? "normal")
    }
    if currentPart.staves > 1 { text.element("staff", chord.staff) }
    if isFirst {
      for (level, beam) in chord.beams.enumerated() {
        text.element("beam", MusicXMLReader.beams.first { $0.1 == beam }?.0 ?? "begin", ["number": "\(level + 1)"])
      }
    }
    writeNotations(chord, note, isFirst)
    if isFirst { for lyric in chord.lyrics { write(lyric) } }
    text.close()
  }

  private mutating func writeSound(_ note: Note?) {
    guard let note else { return text.empty("rest") }
    let letters = Array("CDEFGAB")
    switch note.sound {
    case .pitch(let pitch):
      text.open("pitch")
      text.element("step", String(letters[Int(pitch.step)]))
      if pitch.alteration != 0 { text.element("alter", decimalText(Int(pitch.alteration), per: 100)) }
      text.element("octave", pitch.octave)
      text.close()
    case .stroke(let place, _):
      text.open("unpitched")
      text.element("display-step", String(letters[Int(place.step)]))
      text.element("display-octave", place.octave)
      text.close()
    }
  }

  static func typeText(_ value: NoteValue) -> String {
    let names = [
      "maxima", "long", "breve", "whole", "half", "quarter", "eighth", "16th", "32nd", "64th", "128th", "256th",
      "512th", "1024th",
    ]
    return names[Int(value.halvings) + 3]
  }

  private mutating func writeNotations(_ chord: Chord, _ note: Note?, _ isFirst: Bool) {
    let hasTie = note.map { $0.continuesTie || $0.startsTie } ?? false
    let hasOthers =
      isFirst
      && !(chord.slurs.isEmpty && chord.tuplets.isEmpty && chord.signs.isEmpty && chord.dynamic == nil
        && chord.tremolo == 0)
    guard hasTie || hasOthers else { return }
    text.open("notations")
    if let note {
      if note.continuesTie { text.empty("tied", ["type": "stop"]) }
      if note.startsTie { text.empty("tied", ["type": "start"]) }
    }
    if isFirst {
      for mark in chord.slurs {
        text.empty("slur", ["type": mark.isStart ? "start" : "stop", "number": "\(mark.number)"])
      }
      for mark in chord.tuplets {
        text.empty("tuplet", ["type": mark.isStart ? "start" : "stop", "number": "\(mark.number)"])
      }
      write(signs: chord.signs, 16..<24, in: "ornaments", tremolo: chord.tremolo)
      write(signs: chord.signs, 24..<35, in: "technical")
      write(signs: chord.signs, 0..<16, in: "articulations")
      if let dynamic = chord.dynamic {
        text.open("dynamics")
        text.empty(named: dynamic.name)
        text.close()
      }
      if chord.signs.contains(.fermata) { text.empty("fermata") }
      if chord.signs.contains(.arpeggio) { text.empty("arpeggiate") }
      if chord.signs.rawValue >> 37 & 1 == 1 { text.empty("non-arpeggiate", ["type": "bottom"]) }
    }
    text.close()
  }

  private mutating func write(signs: Chord.Signs, _ bits: Range<UInt64>, in name: StaticString, tremolo: UInt8 = 0) {
    let present = bits.filter { signs.rawValue >> $0 & 1 == 1 }
    guard !present.isEmpty || tremolo > 0 else { return }
    text.open(name)
    for bit in present { text.empty(named: Chord.Signs.names[Int(bit)]) }
    if tremolo > 0 { text.element("tremolo", "\(tremolo)", ["type": "single"]) }
    text.close()
  }

  private mutating func write(_ lyric: Lyric) {
    text.open("lyric", ["number": "\(lyric.verse)"])
    if !lyric.text.isEmpty {
      text.element("syllabic", "\(lyric.position)")
      text.element("text", lyric.text)
    }
    if lyric.isExtended { text.empty("extend") }
    text.close()
  }
}
