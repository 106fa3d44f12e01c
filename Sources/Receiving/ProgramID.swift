/// A program that plays on behalf of the local player: the address of its ALSA port.
public struct ProgramID: Sendable, BitwiseCopyable {
  /// The number of the ALSA client.
  let client: UInt8
  /// The number of the port of the client.
  let port: UInt8

  /// Creates an identifier.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(client: UInt8, port: UInt8) { (self.client, self.port) = (client, port) }

  /// A set of programs.
  public enum Selection: Sendable, BitwiseCopyable {
    /// All programs.
    case all
    /// The programs of one ALSA client.
    case client(UInt8)
    /// One program.
    case program(ProgramID)

    @_noLocks @_noAllocation
    func contains(_ program: ProgramID) -> Bool {
      switch self {
      case .all: true
      case .client(let client): program.client == client
      case .program(let other): program.client == other.client && program.port == other.port
      }
    }
  }
}
