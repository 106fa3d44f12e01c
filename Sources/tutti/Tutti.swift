import ArgumentParser
import Engine
import Foundation

@main
struct Tutti: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tutti",
    abstract: "Play in time together over a network.",
    discussion: """
      Every device runs one peer with its own sound. Any peer starts the rhythm and becomes the master; the others follow \
      its clock and play the same drum pattern, in step.

      EXAMPLES
        tutti demo                              four peers here, and their timing
        tutti peer                              one peer; space starts the rhythm
        tutti peer --connect 192.168.1.20:5004  one that joins another
        tutti simulate --peers 100              a hundred peers on a virtual network
        tutti patch list                        the rhythms there are
        tutti ports                             MIDI ports and sound cards

      Exit status: 0 done, 1 a measured or domain failure, 64 usage, 65 a file that cannot be understood, \
      69 something needed is not there or not allowed, 70 a defect.
      """,
    version: Version.current,
    subcommands: [
      DemoCommand.self, PeerCommand.self, MeasureCommand.self, PatchCommand.self, PortsCommand.self,
      SimulateCommand.self,
    ])

  static func main() {
    // A standard stream that was closed would leave its number to the next file opened: talk would go into a recording.
    var descriptor: Int32
    repeat { descriptor = open("/dev/null", O_RDWR) } while (0...STDERR_FILENO).contains(descriptor)
    if descriptor >= 0 { close(descriptor) }
    main(nil)
  }
}
