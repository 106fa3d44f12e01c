import ArgumentParser
import Foundation
import Measurement
import MusicalTime

@main
struct Followers: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "followers",
    abstract: "Run many followers of one master on this machine and count every tick.",
    discussion: """
      Each follower is an RTP-MIDI session with its own pair of ports. All followers but the first invite the master. Run the \
      master with --start and with --connect to the first follower. The first follower accepts this invitation when all others \
      are in session, so the rhythm starts when all are connected. The run ends when the master leaves.

      Exit status: 0 if every follower received every tick exactly once, otherwise 1.

      EXAMPLE
        followers --count 1000 --port 21000 --master 5004 &
        tutti peer --port 5004 --audio none --connect 127.0.0.1:21000 --start \\
          --duration 60
      """)

  @Option(help: ArgumentHelp("Run this many followers.", valueName: "N"))
  var count = 1000

  @Option(help: ArgumentHelp("Use N as the first control port; each follower uses two ports.", valueName: "N"))
  var port: UInt16 = 21000

  @Option(help: ArgumentHelp("Use the master with control port N.", valueName: "N"))
  var master: UInt16 = 5004

  @Flag(help: "Send and answer clock probes, as Tutti peers do. (default: act as standard devices)")
  var tutti = false

  @Option(
    help: ArgumentHelp(
      "Write the time stamp, the first and the last arrival of each tick to this file, in nanoseconds.",
      valueName: "FILE"))
  var ticks: String?

  @Flag(help: "Print events and the report as JSON lines.")
  var json = false

  func validate() throws {
    guard count >= 1, Int(port) + 2 * count <= 65536 else {
      throw ValidationError("--count \(count): not enough ports above \(port); give fewer followers or a lower --port")
    }
  }

  func run() throws {
    do {
      let group = try FollowerGroup(count, port: port, master: master, areTutti: tutti)
      try group.run { event in
        if json { print("{\"event\":\"\(event)\"}") } else { print(event) }
        fflush(nil)
      }
      let report = Report(group)
      if let ticks { try report.ticks.write(toFile: ticks, atomically: false, encoding: .utf8) }
      print(json ? try report.json : report.text)
      guard report.isComplete else { throw ExitCode(1) }
    } catch let error as FollowersError {
      FileHandle.standardError.write(Data("followers: \(error)\n".utf8))
      // EX_UNAVAILABLE: the run was not possible, so there is no result.
      throw ExitCode(69)
    }
  }
}
