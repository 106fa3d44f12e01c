import Foundation
import Measurement
import MusicalTime
import Scores

// The two forms of a summary: text and JSON.

extension ScoreSummary {
  /// Changes in one line are at most so many. JSON has all.
  private static let maximumChanges = 8

  /// The lines of `tutti score show`.
  var text: String {
    let bars = score.bars.count
    var lines = [("title", title)]
    lines += score.creators.map { ($0.role.isEmpty ? "creator" : $0.role, $0.name) }
    lines += [
      ("rights", score.rights), ("bars", "\(bars) written, \(route.bars.count) played"),
      ("metre", Self.line(metres)), ("key", Self.line(keys)), ("tempo", tempoText), ("length", lengthText),
      ("route", routeText),
    ]
    if findingCount > 0 { lines.append(("findings", "\(findingCount); see `tutti score check`")) }
    let width = lines.map(\.0.count).max() ?? 0
    var text = lines.filter { !$0.1.isEmpty }.map { label, value in
      "\(label):".padding(toLength: width + 2, withPad: " ", startingAt: 0) + value + "\n"
    }.joined()
    var table = TextTable(columns: ["part", "instrument", "staves", "notes", "played"], wordColumns: 2)
    for (part, played) in zip(score.parts, playedNotes) {
      table.append([part.name, part.sound, "\(part.staves)", "\(part.noteCount)", "\(played)"])
    }
    text += "\n\(table)"
    return text
  }

  private static func line(_ changes: [Change]) -> String {
    let first = changes.prefix(maximumChanges).enumerated().map { index, change in
      index == 0 ? change.text : "\(change.text) from bar \(change.bar)"
    }
    let rest = changes.count - first.count
    return (first + (rest > 0 ? ["\(rest) more changes"] : [])).joined(separator: ", ")
  }

  private var tempoText: String {
    let (first, slowest, fastest) = tempos
    let text = String(format: "%.1f BPM", first.bpm)
    if slowest == fastest { return text }
    return text + String(format: " at the beginning, %.1f to %.1f BPM", slowest.bpm, fastest.bpm)
  }

  /// The played bars with their first ticks, passes, metres, tempos and times.
  var barTable: TextTable {
    var table = TextTable(columns: ["tick", "bar", "pass", "metre", "bpm", "time"], wordColumns: 0)
    for bar in playedBars {
      let seconds = bar.seconds
      let time = String(format: "%d:%06.3f", Int(seconds / 60), seconds.truncatingRemainder(dividingBy: 60))
      table.append(["\(bar.tick)", bar.bar, "\(bar.pass)", bar.metre, String(format: "%.1f", bar.bpm), time])
    }
    return table
  }

  private struct Row {
    var tick: Int64
    var bar: String
    var pass: Int
    var metre: String
    var bpm: Double
    var seconds: Double
  }

  private var playedBars: [Row] {
    let metres = score.metres
    return route.bars.indices.map { index in
      let (played, tick) = (route.bars[index], route.tick(ofPlayedBar: index))
      return Row(
        tick: tick.index, bar: score.label(ofBar: played.bar), pass: played.pass,
        metre: metres[played.bar].description, bpm: path.changes[path.index(at: tick)].tempo.bpm,
        // A bar of free length may begin between two ticks.
        seconds: seconds(at: tick))
    }
  }

  /// The JSON of `tutti score show`.
  func json(hasBars: Bool) -> JSONObject {
    let (first, slowest, fastest) = tempos
    var object: JSONObject = [
      "name": name, "title": score.title, "movement": score.movement, "rights": score.rights,
      "creators": score.creators.map { ["role": $0.role, "name": $0.name] as JSONObject },
      "bars": score.bars.count, "playedBars": route.bars.count,
      "metres": metres.map { ["bar": $0.bar, "metre": $0.text] as JSONObject },
      "keys": keys.map { ["bar": $0.bar, "key": $0.text] as JSONObject },
      "bpm": first.roundedBPM, "slowestBPM": slowest.roundedBPM, "fastestBPM": fastest.roundedBPM,
      "seconds": (seconds * 1000).rounded() / 1000, "route": routeText, "findings": findingCount,
      "parts": zip(score.parts, playedNotes).map { part, played in
        [
          // The General MIDI program is counted from 1.
          "name": part.name, "instrument": part.instruments.first?.name ?? "",
          "program": part.isPercussion ? nil : part.instruments.first.map { Int($0.program) + 1 },
          "drums": part.isPercussion, "staves": Int(part.staves), "notes": part.noteCount, "playedNotes": played,
        ] as JSONObject
      },
    ]
    if hasBars {
      object.merge([
        "order": playedBars.map { bar in
          [
            "tick": bar.tick, "bar": bar.bar, "pass": bar.pass, "metre": bar.metre,
            "bpm": (bar.bpm * 1000).rounded() / 1000, "seconds": (bar.seconds * 1000).rounded() / 1000,
          ] as JSONObject
        }
      ])
    }
    return object
  }
}

extension Tempo {
  /// Quarter notes per minute, rounded to three decimal places.
  fileprivate var roundedBPM: Double { (bpm * 1000).rounded() / 1000 }
}

extension Part {
  /// The name of the instrument and its General MIDI program, counted from 1.
  fileprivate var sound: String {
    if isPercussion { return "drums" }
    let instrument = instruments[0]
    return "\(instrument.name.isEmpty ? "" : instrument.name + " ")(program \(instrument.program + 1))"
  }

  /// The number of written notes.
  fileprivate var noteCount: Int {
    bars.reduce(0) { $0 + $1.voices.reduce(0) { $0 + $1.chords.reduce(0) { $0 + $1.notes.count } } }
  }
}
