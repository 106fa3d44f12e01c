import ArgumentParser
import Engine

/// The subcommand `tutti passkey`.
struct PasskeyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "passkey",
    abstract: "Print a new random passkey for a group of peers.",
    discussion: """
      The passkey has 20 characters. Give it to all members of the group, for example on paper, and start each peer \
      with it. Peers with another passkey or none cannot connect to these peers.

      EXAMPLES
        (umask 077; tutti passkey > band.txt)    only you can read the file
        tutti peer --passkey-file band.txt
      """)

  func run() throws { print(Passkey.random()) }
}
