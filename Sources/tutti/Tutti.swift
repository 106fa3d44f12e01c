import ArgumentParser
import BuildVersion
import Engine
import Foundation
import Text

/// The program `tutti` with its subcommands.
@main
struct Tutti: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tutti",
    abstract: "Play in time together over a network.",
    discussion: """
      Each device runs one peer, which produces its own sound. Any peer can start the rhythm. The peer that starts it \
      is the master: the other peers follow its MIDI clock and play the same rhythm in time. Phones can take part \
      through the web page of a peer.

      EXAMPLES
        tutti demo                              run four peers, measure timing
        tutti peer                              run one peer; press space to start
        tutti peer --connect 192.168.1.20:5004  connect to another peer
        tutti calibrate --from room.wav         measure how late mobile phones sound
        tutti passkey                           print a passkey for a group of peers
        tutti simulate --peers 100              simulate a hundred peers
        tutti patch list                        list the rhythms and instruments
        tutti score show ferry-waltz            show the parts and bars of a score
        tutti ports                             list MIDI ports, sound cards, peers
        tutti doctor                            check this machine before a session

      EXIT STATUS
        0    done
        1    simulate: an invariant was violated; calibrate: the recording contains
             the clicks of the peer, but no delay of a phone could be measured;
             doctor: timing or sound will suffer
        64   usage error
        65   a file cannot be parsed, or contains nothing that can be measured
        69   a file, folder, device, port or peer is missing, cannot be read or
             written, does not answer, or denies access; or the file to be written
             exists already
        70   internal error
        74   standard output cannot be written, for example because the disk is full
        130  demo: interrupted with Ctrl-C
      """,
    version: Version.current,
    subcommands: [
      DemoCommand.self, PeerCommand.self, CalibrateCommand.self, DoctorCommand.self, PasskeyCommand.self,
      MeasureCommand.self, PatchCommand.self, PortsCommand.self, ScoreCommand.self, SimulateCommand.self,
    ])

  static func main() {
    // If a standard stream is closed, the next file that the program opens gets the descriptor of the stream. If this file were a
    // recording, messages would be written into the recording. Therefore, /dev/null first takes all free standard descriptors.
    var descriptor: Int32
    repeat { descriptor = open("/dev/null", O_RDWR) } while (0...STDERR_FILENO).contains(descriptor)
    if descriptor >= 0 { close(descriptor) }
    writeLinesAtOnce()
    do {
      let arguments = Array(CommandLine.arguments.dropFirst())
      try checkSubcommands(arguments)
      var command = try parseAsRoot(arguments)
      try reportingErrors {
        try command.run()
        try checkStandardOutput()
      }
    } catch {
      exit(withError: error)
    }
  }

  /// Suggests a subcommand if the user has misspelt one. ArgumentParser reports any other wrong argument.
  ///
  /// - Throws: `ValidationError`.
  static func checkSubcommands(_ arguments: [String]) throws(ValidationError) {
    var command: any ParsableCommand.Type = Tutti.self
    for argument in arguments {
      let known = command.configuration.subcommands
      guard !known.isEmpty, !argument.hasPrefix("-"), argument != "help" else { return }
      guard let next = known.first(where: { $0.configuration.commandName == argument }) else {
        let names = known.compactMap { $0.configuration.commandName }
        guard let suggestion = names.suggestion(for: argument) else { return }
        throw ValidationError("\(argument): no such command; \(suggestion)")
      }
      command = next
    }
  }
}
