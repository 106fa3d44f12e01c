import ArgumentParser
import Engine
import ScoreFiles
import Scores

/// The options for the score that a peer plays.
struct ScoreOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Play this score: a name from `tutti score list`, or a MusicXML or MIDI file. Followers play the score of the master instead. "
        + "(default: none)", valueName: "SCORE"))
  var score: String?

  @Flag(help: "Let the rhythm play beside the score. (default: only the score plays)")
  var withRhythm = false

  @Option(help: ArgumentHelp("Start the score at the bar with this number. (default: the first one)", valueName: "BAR"))
  var fromBar: String?

  @Option(
    help: ArgumentHelp("Set the tempo of the score in percent of the written tempo, 10...400.", valueName: "PERCENT"))
  var scoreTempo = 100.0

  @Option(
    help: ArgumentHelp(
      "Set the level of a part of the score at this peer, 0...100, or switch it on or off; only: all other parts are silent. PART is its "
        + "name or its number. Repeatable. (default: all parts sound)", valueName: "PART=LEVEL|on|off|only"))
  var scorePart: [String] = []

  @Option(
    help: ArgumentHelp(
      "Let a MIDI device play a part of the score: a port of the ALSA sequencer (with --midi), or an RTP-MIDI device in session, by name or "
        + "address. The first part of a device has MIDI channel 1, the next one 2, and so on; percussion has 10. The part also sounds at this "
        + "peer; `--score-part PART=off` prevents this. Repeatable. (default: no device)", valueName: "PORT=PART"))
  var scoreTo: [String] = []

  func validate() throws {
    guard (10...400).contains(scoreTempo) else { throw ValidationError("--score-tempo \(scoreTempo): give 10 to 400") }
    for text in scorePart { _ = try Self.part(text) }
    for text in scoreTo { _ = try Self.device(text) }
    let limit = PeerConfiguration.maximumScoreDevices
    guard scoreTo.count <= limit else {
      throw ValidationError("--score-to: \(scoreTo.count) parts; give at most \(limit)")
    }
  }

  /// Copies the options to `configuration`.
  ///
  /// - Throws: ``CommandError``, `ScoreFault`.
  func apply(to configuration: inout PeerConfiguration) throws {
    configuration.score = try score.map { try Self.choice(of: $0) }
    (configuration.withRhythm, configuration.startBar) = (withRhythm, fromBar)
    configuration.scoreTempo = scoreTempo
    configuration.scoreParts = try scorePart.map { try Self.part($0) }
    configuration.scoreDevices = try scoreTo.map { try Self.device($0) }
  }

  /// The score called `name`, or the score in the file `name`.
  ///
  /// - Throws: ``CommandError``, `ScoreFault`.
  static func choice(of name: String) throws -> ChosenScore {
    guard let choice = ChosenScore(try ScoreLibrary.read(name).score, named: name) else {
      throw CommandError(
        "score \(name): too long to be sent to other peers (1 MiB); divide it into movements", status: .badData)
    }
    return choice
  }

  private static func device(_ text: String) throws -> ScoreDevice {
    let words = text.split(separator: "=", omittingEmptySubsequences: false)
    guard words.count >= 2, let part = words.last, !part.isEmpty, !words[0].isEmpty else {
      throw ValidationError("--score-to \(text): not a device and a part; give PORT=PART, such as `Synth=Violin`")
    }
    return ScoreDevice(device: words.dropLast().joined(separator: "="), part: String(part))
  }

  private static func part(_ text: String) throws -> (part: String, level: ScorePartLevel) {
    let words = text.split(separator: "=", omittingEmptySubsequences: false)
    let error = ValidationError(
      "--score-part \(text): not a part and a level; give PART=LEVEL with LEVEL 0...100, on, off or only")
    guard words.count >= 2, let value = words.last.map(String.init) else { throw error }
    let part = words.dropLast().joined(separator: "=")
    switch value {
    case "only": return (part, .only)
    case "on": return (part, .percent(100))
    case "off": return (part, .percent(0))
    default:
      guard let percent = Int(value), (0...100).contains(percent) else { throw error }
      return (part, .percent(percent))
    }
  }
}
