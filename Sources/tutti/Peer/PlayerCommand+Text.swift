import Engine
import Ensemble
import MusicalTime
import Rhythm

/// The error for a typed command that cannot be parsed: `command: reason; remedy`.
struct CommandSyntaxError: Error, CustomStringConvertible {
  let description: String
}

extension PlayerCommand {
  /// Parses a command line that was typed after a colon or read from standard input.
  ///
  /// - Throws: ``CommandSyntaxError``.
  init(text line: String) throws(CommandSyntaxError) {
    let words = line.split(whereSeparator: \.isWhitespace)
    let verb = words.first.map(String.init) ?? ""
    let rest = words.dropFirst().joined(separator: " ")
    /// Returns the error for this line. `reason` contains the reason and the remedy.
    func error(_ reason: String) -> CommandSyntaxError { CommandSyntaxError(description: "\(line): \(reason)") }
    /// Parses all words after the verb as numbers from 0 to 127. Throws an error unless there are `count` words.
    func numbers(_ count: Int) throws(CommandSyntaxError) -> [UInt8] {
      let values = words.dropFirst().compactMap { UInt8($0) }.filter { $0 <= 127 }
      guard values.count == words.count - 1, values.count == count else {
        throw error("wrong or missing numbers; give \(count) number\(count == 1 ? "" : "s") from 0 to 127")
      }
      return values
    }
    switch verb {
    case "start" where rest.isEmpty: self = .start
    case "count-in":
      let bars = rest.isEmpty ? 1 : Int(rest) ?? 0
      guard (1...2).contains(bars) else { throw error("not 1 or 2 bars; give 1 or 2") }
      self = .countIn(bars: bars)
    case "part":
      guard words.count == 3, let part = Part.allCases.first(where: { $0.name == words[1] }) else {
        throw error("not a part and a level; give drums, bass, guitar or keys, and a level, such as `part bass 80`")
      }
      if words[2] == "on" || words[2] == "off" {
        self = .plays(part, words[2] == "on")
      } else if let level = Int(words[2].hasSuffix("%") ? words[2].dropLast() : words[2]), (0...100).contains(level) {
        self = .level(part, level)
      } else {
        throw error("not a level; give a percentage from 0 to 100, or on, or off")
      }
    case "loudness":
      guard let percent = Int(rest.hasSuffix("%") ? rest.dropLast() : rest[...]), (0...100).contains(percent) else {
        throw error("not a percentage; give 0 to 100")
      }
      self = .loudness(percent)
    case "mute" where !rest.isEmpty: self = .mute(rest, true)
    case "unmute" where !rest.isEmpty: self = .mute(rest, false)
    case "quiet" where rest.isEmpty: self = .quiet(true)
    case "quiet" where rest == "off": self = .quiet(false)
    case "stop" where rest.isEmpty: self = .stop
    case "continue" where rest.isEmpty: self = .continue
    case "take" where rest.isEmpty: self = .take
    case "peers" where rest.isEmpty: self = .showRoster
    case "leave" where rest.isEmpty: self = .leave
    case "tempo":
      guard words.count > 1, let bpm = Double(words[1]), let tempo = try? Tempo(bpm: bpm) else {
        throw error("not a tempo; give 20 to 999 beats per minute")
      }
      if words.count == 2 {
        self = .setTempo(tempo)
        break
      }
      guard words.count == 4, words[2] == "over", let beats = Int(words[3]), (1...1024).contains(beats) else {
        throw error("not a duration; give `over` and 1 to 1024 beats, such as `tempo 120 over 16`")
      }
      self = .rampTempo(tempo, beats: beats)
    case "activity": self = .activity(try numbers(1)[0])
    case "total-activity":
      guard let rule = TotalActivityRule(rawValue: rest) else {
        throw error("unknown method; give sum, mean or maximum")
      }
      self = .total(rule)
    case "offer": self = .offer(to: rest.isEmpty ? nil : rest)
    case "gate":
      // Only the syntax of the rule is checked, so the gates are discarded.
      do {
        var gates = Gates()
        try gates.apply(rest)
      } catch { throw CommandSyntaxError(description: "\(error)") }
      self = .gate(rest)
    case "led-by" where !rest.isEmpty: self = .ledBy(rest == "anyone" ? nil : rest)
    case "hear" where !rest.isEmpty:
      // Only the syntax of the rule is checked, so the choices are discarded.
      do {
        var choices = HearingChoices()
        try choices.apply(rest)
      } catch { throw CommandSyntaxError(description: "\(error)") }
      self = .hear(rest)
    case "send-to" where !rest.isEmpty: self = .play(to: rest == "all" ? nil : rest)
    case "save-patch" where !rest.isEmpty:
      do { self = .savePatch(to: try PatchLibrary.newPath(of: rest)) } catch {
        throw CommandSyntaxError(description: error.description)
      }
    case "note":
      let values = words.dropFirst().compactMap { UInt8($0) }.filter { $0 <= 127 }
      guard values.count == words.count - 1, (1...2).contains(values.count), values.count == 1 || values[1] > 0 else {
        throw error("wrong or missing numbers; give a note from 0 to 127, and if needed a velocity from 1 to 127")
      }
      self = .note(values[0], velocity: values.count > 1 ? values[1] : 100)
    case "release": self = .note(try numbers(1)[0], velocity: 0)
    case "phrase":
      guard let command = PhraseCommand(words: Array(words.dropFirst())) else {
        if words.count == 3, words[1] == "record", Int(words[2]) != nil {
          throw error("out of range; give 1 bar or more, at most 128 sixteenth notes in all, such as 8 bars of 4/4")
        }
        throw error("not a command for a phrase; give record [BARS], send PEER, play, stop or vary")
      }
      self = .phrase(command)
    case "pitches":
      let peer = words.dropFirst(2).joined(separator: " ")
      guard words.count > 2, words[1] == "from" else {
        throw error("no source; give `from PEER` or `from none`, such as `pitches from Ada`")
      }
      self = .pitches(from: peer == "none" ? nil : peer)
    case "shape":
      // The name of the peer may have several words.
      let values = words.suffix(2).compactMap { UInt8($0) }.filter { $0 <= 127 }
      guard words.count >= 4, values.count == 2 else {
        throw error(
          "wrong or missing values; give PEER, a controller and a value from 0 to 127, such as `shape Ben 1 90`")
      }
      let peer = words.dropFirst().dropLast(2).joined(separator: " ")
      self = .shape(peer, controller: values[0], value: values[1])
    case "control":
      let values = try numbers(2)
      self = .control(values[0], value: values[1])
    case "mute", "unmute": throw error("incomplete; give PEER, see `tutti peer --help`")
    case "led-by": throw error("incomplete; give PEER or `anyone`, see `tutti peer --help`")
    case "hear": throw error("incomplete; give PEER, `all` or `none`, see `tutti peer --help`")
    case "send-to": throw error("incomplete; give PEER or `all`, see `tutti peer --help`")
    // ``CommandLineEditor`` executes `patch` and `instrument` with a name, and `calibrate`.
    case "save-patch", "patch", "instrument": throw error("incomplete; give NAME, see `tutti peer --help`")
    case "quiet": throw error("unexpected words; enter `quiet` or `quiet off`")
    case "start", "stop", "continue", "take", "calibrate", "peers", "leave":
      throw error("unexpected words; enter `\(verb)`")
    default: throw error("unknown command; `tutti peer --help` lists the commands")
    }
  }
}
