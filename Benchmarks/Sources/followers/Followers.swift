import ArgumentParser
import Foundation
import Measurement
import MusicalTime

@main
struct Followers: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "followers",
    abstract: "Follow a master on this machine, a thousand times.",
    discussion: """
      Each follower is an RTP-MIDI session with ports of its own. Start the master with --start and --connect to the \
      first: it lets itself be invited when all the others are there. The run ends when the master leaves.

      Exit status: 0 when every follower had every tick once, 1 when not.

      EXAMPLE
        followers --count 1000 --port 21000 --master 5004 &
        tutti peer --port 5004 --audio none --connect 127.0.0.1:21000 --start --duration 60
      """)

  @Option(help: "How many.")
  var count = 1000

  @Option(help: ArgumentHelp("The first one's control port; all use two each.", valueName: "N"))
  var port: UInt16 = 21000

  @Option(help: ArgumentHelp("The master's control port.", valueName: "N"))
  var master: UInt16 = 5004

  @Flag(help: "Be Tutti peers: answer clock probes and send them. Default: any RTP-MIDI gear.")
  var tutti = false

  @Option(
    help: ArgumentHelp(
      "Write to this file, for each tick: its time stamp, its first and its last arrival, nanoseconds.",
      valueName: "FILE"))
  var ticks: String?

  @Flag(help: "Print events and the report as JSON lines.")
  var json = false

  func validate() throws {
    guard count >= 1, Int(port) + 2 * count <= 65536 else {
      throw ValidationError("--count \(count): does not fit above port \(port); give fewer, or a lower --port")
    }
  }

  func run() throws {
    do {
      let band = try Band(count, port: port, master: master, areTutti: tutti)
      try band.run { event in
        if json { print("{\"event\":\"\(event)\"}") } else { print(event) }
        fflush(nil)
      }
      let report = Report(band)
      if let ticks { try report.ticks.write(toFile: ticks, atomically: false, encoding: .utf8) }
      print(json ? try report.json : report.text)
      guard report.isComplete else { throw ExitCode(1) }
    } catch let error as FollowersError {
      FileHandle.standardError.write(Data("followers: \(error)\n".utf8))
      throw ExitCode(69)
    }
  }
}
