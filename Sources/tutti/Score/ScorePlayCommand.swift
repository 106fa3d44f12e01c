import ArgumentParser
import Engine
import Foundation
import MusicalTime
import Scores

/// The subcommand `tutti score play`: a peer without a network that plays a score once.
struct ScorePlayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "play", abstract: "Play a score on this device.",
    discussion: """
      The score plays once, on the sound card or into a file. No other peer is connected; to play a score together, \
      start `tutti peer --score NAME` on each device. All keys and commands of `tutti peer` work, for example space to \
      stop, and `loop 5 8` after a colon.

      EXAMPLES
        tutti score play evening
        tutti score play ferry-waltz --from 9 --tempo 80
        tutti score play evening-hymn --part Alto=only
      """)

  @Argument(help: "A name from `tutti score list` or a file.")
  var name: String

  @Option(help: ArgumentHelp("Begin at the bar with this number. (default: the first one)", valueName: "BAR"))
  var from: String?

  @Option(help: ArgumentHelp("Set the tempo in percent of the written tempo, 10...400.", valueName: "PERCENT"))
  var tempo = 100.0

  @Option(
    help: ArgumentHelp(
      "Set the level of a part, as --score-part of `tutti peer`. Repeatable. (default: all parts sound)",
      valueName: "PART=LEVEL|on|off|only"))
  var part: [String] = []

  @Option(
    help: ArgumentHelp(
      "Play to this output, as --audio of `tutti peer`. Repeatable. (default: the sound card)", valueName: "OUTPUT"))
  var audio: [String] = []

  func validate() throws {
    guard (10...400).contains(tempo) else { throw ValidationError("--tempo \(tempo): give 10 to 400") }
  }

  func run() throws {
    let choice = try ScoreOptions.choice(of: name)
    let route = try ScoreLibrary.route(choice.score, file: name)
    let path = TempoPath(choice.score, along: route)
    let last = Tick(route.end.floor(times: Tick.perQuarter))
    let end = path.timelines(from: Instant(nanoseconds: 0)).last?.deadline(last)
    // The peer leaves when the score ends. The time is a limit only.
    let seconds = (end.map { Double($0.nanoseconds) / 1e9 } ?? 0) * 100 / tempo + 10
    var arguments = [
      "--name", "score", "--port", "0", "--discovery", "off", "--start", "--duration", "\(seconds.rounded(.up))",
      "--score", name, "--score-tempo", "\(tempo)",
    ]
    if let from { arguments += ["--from-bar", from] }
    arguments += part.flatMap { ["--score-part", $0] } + audio.flatMap { ["--audio", $0] }
    try PeerCommand.parse(arguments).run()
  }
}
