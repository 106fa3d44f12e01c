import Ensemble
import MusicalTime
import PeerProtocol
import Rhythm
import Text

/// A command that a player has typed or that a web page has sent.
public enum Command: Hashable, Sendable {
  /// A command for the control thread of the peer.
  case player(PlayerCommand)
  /// Plays the score of the library, or in the file, with this name; nil: no score.
  case selectScore(String?)
  /// Plays the rhythm of the library with this name.
  case selectRhythm(String)
  /// Lists the rhythms of the library, to choose one.
  case listRhythms
  /// Explains the keys and the commands, or the commands that begin with this word.
  case help(String?)
  /// Chooses the instrument of the library with this name; nil: no instrument.
  case selectInstrument(String?)
  /// Saves the rhythm that plays, with this name, in the library.
  case saveRhythm(String)
  /// Starts a calibration, in which all pages click, one after another.
  case calibrate
  /// The answer of a page in a calibration: whether the page clicks in this turn.
  case clicking(turn: Int, Bool)

  /// Parses a command line that was typed after a colon or read from standard input.
  ///
  /// - Throws: ``CommandSyntaxError``.
  public init(text line: String) throws(CommandSyntaxError) {
    let words = line.split(whereSeparator: \.isWhitespace).map(String.init)
    guard let verb = words.first.flatMap(Verb.init), let parameters = verb.form.typed else {
      throw CommandSyntaxError(description: "\(line): unknown command; `help` lists the commands")
    }
    let arguments = CommandArguments(line, words.dropFirst(), parameters)
    if parameters.isEmpty, words.count > 1 { throw arguments.error("unexpected words; enter `\(words[0])`") }
    self = try verb.command(arguments)
  }

  /// The first words of the commands that can be typed, sorted.
  public static let words = Verb.allCases.filter { $0.form.typed != nil }.map(\.rawValue).sorted()

  /// Decodes a command of a page. Nil if it is malformed, if a value is out of range, or if `access` does not permit the command.
  public init?(_ arguments: CommandArguments, access: Access) {
    guard let verb = arguments.text("do").flatMap(Verb.init), let needed = verb.form.page,
      access == .lead || needed == .play, let command = try? verb.command(arguments)
    else { return nil }
    self = command
  }
}

/// What a page with a join token may do. The token is the secret in the address of the page.
public enum Access: String, Sendable, CaseIterable {
  /// Play an instrument and watch the ensemble.
  case play
  /// Also control the rhythm and the settings of the peer.
  case lead
}

/// The first word of a typed command, and the member `do` of the JSON object that a page sends. The enumeration is the table of all
/// commands.
private enum Verb: String, CaseIterable {
  case start, stop, `continue`, tempo, nudge, part, level, plays, fill, loudness, latency, quiet, mute, unmute, offer
  case ask, take, activity, total
  case player, partner, adopt
  case gate, hear, note, release, control, shape, pitches, phrase, patch, instrument, calibrate, clicking, connect,
    policy
  case peers, gates, help, leave
  case score, bar, loop, vamp, ending
  case withRhythm = "with-rhythm"
  case scorePart = "score-part"
  case countIn = "count-in"
  case totalActivity = "total-activity"
  case ledBy = "led-by"
  case sendTo = "send-to"
  case savePatch = "save-patch"

  /// The two forms of the command. The arguments have the same names in both forms.
  ///
  /// - `typed`: the names of the arguments in the order in which they are typed (``CommandArguments/init(_:_:_:)``); nil if only pages send
  ///   the command.
  /// - `page`: the access that a page needs; nil if only the terminal has the command.
  var form: (typed: String?, page: Access?) {
    switch self {
    case .start, .stop, .continue, .fill, .take, .calibrate: ("", .lead)
    case .countIn: ("bars", .lead)
    case .tempo: ("bpm over beats", .lead)
    case .nudge: (nil, .lead)
    case .part: ("part percent|on", nil)
    case .level, .plays: (nil, .lead)
    case .loudness: ("percent", .lead)
    case .latency: ("ms", nil)
    case .quiet, .ask: ("off", .lead)
    case .mute: ("peer", .lead)
    case .unmute: ("peer", nil)
    case .activity: ("value", .play)
    case .player: (nil, .play)
    case .partner: (nil, .play)
    case .adopt: ("device", nil)
    case .totalActivity: ("rule", nil)
    case .total: (nil, .lead)
    case .offer: ("peer", .lead)
    case .gate: ("rule", .lead)
    case .hear: ("rule", nil)
    case .ledBy, .sendTo: ("peer", nil)
    case .note: ("key velocity", .play)
    case .release: ("key", nil)
    case .control: ("controller value", nil)
    case .shape: ("peer... controller value", .play)
    case .pitches: ("from peer", nil)
    case .phrase: ("action bars|peer", .play)
    case .patch: ("name", .lead)
    case .help: ("name", nil)
    case .instrument, .savePatch: ("name", nil)
    case .connect: ("host", .lead)
    case .policy: (nil, .lead)
    case .clicking: (nil, .play)
    case .peers, .gates, .leave: ("", nil)
    case .score: ("name", nil)
    case .bar, .ending: ("number", .lead)
    case .loop: ("from|off to", .lead)
    case .vamp, .withRhythm: ("off", .lead)
    case .scorePart: ("part... percent", .lead)
    }
  }

  /// Creates the command from its arguments.
  func command(_ given: CommandArguments) throws(CommandSyntaxError) -> Command {
    let peer = given.peer("peer")
    /// Returns `value`, or throws the error with this reason and remedy. Nobody sees the errors of pages, so these have no reason.
    func need<Value>(_ value: Value?, _ reason: String = "malformed") throws(CommandSyntaxError) -> Value {
      guard let value else { throw given.error(reason) }
      return value
    }
    /// Returns a MIDI data value. The command has `count` such values.
    func data(_ name: String, of count: Int) throws(CommandSyntaxError) -> UInt8 {
      let numbers = "number\(count == 1 ? "" : "s")"
      return UInt8(
        try need(given.integer(name, 0...127), "wrong or missing numbers; give \(count) \(numbers) from 0 to 127"))
    }
    let help = "enter `help \(rawValue)`"
    switch self {
    case .start: return .player(.start)
    case .stop: return .player(.stop)
    case .continue: return .player(.continue)
    case .fill: return .player(.fill)
    case .countIn:
      let bars = given.has("bars") ? given.integer("bars", 1...4) : 1
      return .player(.countIn(bars: try need(bars, "not 1 to 4 bars; give 1, 2, 3 or 4")))
    case .tempo where given.text("bpm")?.hasSuffix("%") == true:
      let percent = given.text("bpm").flatMap { Double($0.dropLast()) }.flatMap { (10...400).contains($0) ? $0 : nil }
      return .player(.scoreTempo(percent: try need(percent, "not a tempo of a score; give 10% to 400%")))
    case .tempo:
      let bpm = given.number("bpm").flatMap { try? Tempo(bpm: $0) }
      let tempo = try need(bpm, "not a tempo; give 20 to 999 beats per minute")
      guard given.has("over") else { return .player(.setTempo(tempo)) }
      let beats = given.text("over") == "over" ? given.integer("beats", 1...1024) : nil
      let reason = "not a duration; give `over` and 1 to 1024 beats, such as `tempo 120 over 16`"
      return .player(.rampTempo(tempo, beats: try need(beats, reason)))
    case .nudge:
      let bpm = given.number("bpm").flatMap { abs($0) <= 100 ? $0 : nil }
      return .player(.tempo(by: try need(bpm)))
    case .part, .level, .plays:
      let part = Part.allCases.first { $0.name == given.text("part") }
      guard let part, given.has("percent") || given.has("on") else {
        throw given.error(
          "not a part and a level; give drums, bass, guitar or keys, and a level, such as `part bass 80`")
      }
      if let plays = given.flag("on") { return .player(.plays(part, plays)) }
      return .player(
        .level(
          part,
          try need(given.integer("percent", 0...100), "not a level; give a percentage from 0 to 100, or on, or off")))
    case .loudness:
      return .player(.loudness(try need(given.integer("percent", 0...100), "not a percentage; give 0 to 100")))
    case .latency:
      let limits = PeerConfiguration.latencies(leadTime: 2000)
      let milliseconds = given.number("ms").flatMap { limits.contains($0) ? $0 : nil }
      let reason = "not a latency; give milliseconds, such as 40 or -5"
      return .player(.latency(milliseconds: try need(milliseconds, reason)))
    case .quiet:
      return .player(.quiet(try need(given.isOn, "unexpected words; enter `quiet` or `quiet off`")))
    case .ask: return .player(.ask(try need(given.isOn, "unexpected words; enter `ask` or `ask off`")))
    case .mute, .unmute:
      let peer = try need(peer, "incomplete; give PEER, \(help)")
      let isMuted = given.isTyped ? self == .mute : given.flag("on")
      return .player(.mute(peer, try need(isMuted)))
    case .activity: return .player(.activity(try data("value", of: 1)))
    case .player:
      let sign = given.has("sign") ? try need(given.integer("sign", 0...Sign.count - 1)) : nil
      let instrument = given.has("program") ? try need(given.integer("program", 0...128)) : 255
      let moves = given.has("moves") ? try need(given.integer("moves", 0...Int(UInt32.max))) : 0
      return .player(
        .join(
          JoiningPlayer(
            name: given.text("name")?.cleanName(), sign: sign.map { Sign($0) },
            instrument: PlayerInstrumentCode(octet: UInt8(instrument)) ?? .none, moves: UInt32(moves))))
    case .adopt:
      return .player(.adopt(try need(given.text("device"), "incomplete; give DEVICE or DEVICE=NAME, \(help)")))
    case .partner: return .player(.partner(given.has("peer") ? try need(peer) : nil))
    case .totalActivity, .total:
      let rule = given.text("rule").flatMap { TotalActivityRule($0) }
      return .player(.total(try need(rule, "unknown method; give sum, mean or maximum")))
    case .offer: return .player(.offer(to: given.has("peer") ? try need(peer) : nil))
    case .take: return .player(.take)
    case .gate:
      if given.isTyped {
        do { return .player(.gate(try GateRule(given.text("rule") ?? ""))) } catch {
          throw CommandSyntaxError(description: "\(error)")
        }
      }
      let gate = Gate.allCases.first { "\($0)" == given.text("kind") }
      let (kind, isOpen) = (try need(gate), try need(given.flag("on")))
      return .player(.gate(GateRule([kind], open: isOpen, for: try need(peer))))
    case .hear:
      let rule = try need(given.text("rule"), "incomplete; give PEER, `all` or `none`, \(help)")
      do { return .player(.hear(try HearingRule(rule))) } catch { throw CommandSyntaxError(description: "\(error)") }
    case .ledBy:
      let leaders = peer.flatMap { Gates.leaders($0) }
      return .player(.ledBy(try need(leaders, "incomplete; give PEER, PEER,PEER or `anyone`, \(help)")))
    case .sendTo:
      let recipient = try need(peer, "incomplete; give PEER or `all`, \(help)")
      return .player(.play(to: recipient == "all" ? nil : recipient))
    case .note:
      // Typed notes have a velocity, because `release` ends a note. Pages end a note with velocity 0.
      let velocity =
        given.isTyped && !given.has("velocity") ? 100 : given.integer("velocity", (given.isTyped ? 1 : 0)...127)
      guard let key = given.integer("key", 0...127), let velocity else {
        throw given.error(
          "wrong or missing numbers; give a note from 0 to 127, and if needed a velocity from 1 to 127")
      }
      let touchedAt = given.text("at").flatMap { Int64($0) }.map { Instant(nanoseconds: $0) }
      return .player(.note(UInt8(key), velocity: UInt8(velocity), touchedAt: touchedAt))
    case .release: return .player(.note(try data("key", of: 1), velocity: 0))
    case .control: return .player(.control(try data("controller", of: 2), value: try data("value", of: 2)))
    case .shape:
      guard let peer, let controller = given.integer("controller", 0...127), let value = given.integer("value", 0...127)
      else {
        throw given.error(
          "wrong or missing values; give PEER, a controller and a value from 0 to 127, such as `shape Ben 1 90`")
      }
      return .player(.shape(peer, controller: UInt8(controller), value: UInt8(value)))
    case .pitches:
      let source = given.text("from") == "from" ? peer : nil
      let name = try need(source, "no source; give `from PEER` or `from none`, such as `pitches from Ada`")
      return .player(.pitches(from: name == "none" ? nil : name))
    case .phrase: return .player(.phrase(try phrase(given)))
    case .patch:
      if given.isTyped, !given.has("name") { return .listRhythms }
      return .selectRhythm(try need(given.text("name")))
    case .instrument:
      let name = try need(given.text("name"), "incomplete; give NAME, \(help)")
      return .selectInstrument(name == "none" ? nil : name)
    case .savePatch: return .saveRhythm(try need(given.text("name"), "incomplete; give NAME, \(help)"))
    case .calibrate: return .calibrate
    case .clicking:
      let turn = try need(given.integer("turn", 0...Int.max))
      return .clicking(turn: turn, try need(given.flag("on")))
    case .connect:
      let host = try need(given.text("host"), "incomplete; give HOST, such as `connect 192.168.1.21`")
      // A page can only choose one of the hosts that it shows.
      return .player(given.isTyped ? .seek(host: host) : .connect(toHost: host))
    case .policy:
      let policy = given.text("who").flatMap(ConnectionPolicy.Kind.init)
      return .player(.policy(try need(policy)))
    case .peers: return .player(.showRoster)
    case .gates: return .player(.showGates)
    case .help: return .help(given.text("name"))
    case .score:
      let name = try need(given.text("name"), "incomplete; give NAME, FILE or `off`, \(help)")
      return .selectScore(name == "off" ? nil : name)
    case .bar: return .player(.bar(try need(given.text("number"), "incomplete; give the number of a bar")))
    case .loop:
      if given.text("off") == "off" { return .player(.vamp(false)) }
      guard let first = given.text("from"), let last = given.text("to") else {
        throw given.error(
          "incomplete; give the numbers of the first and of the last bar, such as `loop 5 8`, or `loop off`")
      }
      return .player(.loop(from: first, to: last))
    case .vamp: return .player(.vamp(try need(given.isOn, "unexpected words; enter `vamp` or `vamp off`")))
    case .withRhythm:
      return .player(.withRhythm(try need(given.isOn, "unexpected words; enter `with-rhythm` or `with-rhythm off`")))
    case .ending:
      return .player(.ending(try need(given.integer("number", 1...100), "not the number of an ending; give 1 to 100")))
    case .scorePart:
      let reason = "not a part and a level; give a part and a level, such as `score-part Violin 80`, or on, off or only"
      let part = try need(given.text("part"), reason)
      if given.text("percent") == "only" { return .player(.scorePart(part, .only)) }
      let level = given.flag("percent").map { $0 ? 100 : 0 } ?? given.integer("percent", 0...100)
      return .player(.scorePart(part, .percent(try need(level, reason))))
    case .leave: return .player(.leave)
    }
  }

  /// Creates a command that concerns a phrase.
  private func phrase(_ given: CommandArguments) throws(CommandSyntaxError) -> PhraseCommand {
    let (action, isAlone) = (given.text("action"), !given.isTyped || !given.has("bars"))
    // A phrase has at most 128 steps (`Phrase.maximumSteps`), and a bar has at least one step.
    let bars = given.has("bars") ? given.integer("bars", 1...(given.isTyped ? 128 : 8)) : 2
    if action == "record", let bars { return .record(bars: bars) }
    if action == "send", let peer = given.peer("peer") { return .send(to: peer) }
    if action == "play", isAlone { return .play }
    if action == "stop", isAlone { return .stop }
    if action == "vary", isAlone { return .vary }
    if action == "record", given.integer("bars", Int.min...Int.max) != nil {
      throw given.error("out of range; give 1 bar or more, at most 128 sixteenth notes in all, such as 8 bars of 4/4")
    }
    throw given.error("not a command for a phrase; give record [BARS], send PEER, play, stop or vary")
  }
}
