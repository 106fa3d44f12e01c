import BasicContainers
import MIDI

/// The notes and pedals that each program holds. When a program disconnects, the receiver ends these notes and lifts these
/// pedals.
struct ProgramNotes: ~Copyable {
  private struct Program {
    let id: ProgramID
    var held = HeldNotes()
    /// Whether the notes are being ended.
    var isReleased = false
  }

  /// The maximum number of programs. The notes of further programs are not recorded.
  private static var limit: Int { @_noLocks @_noAllocation get { 64 } }

  /// The programs that have played and have not disconnected.
  private var programs = RigidArray<Program>(capacity: ProgramNotes.limit)

  /// Whether `message` ends a note that `program` holds: see ``HeldNotes/ends(with:)``.
  @_noLocks @_noAllocation
  func ends(with message: Message, of program: ProgramID) -> Bool {
    guard let index = index(of: program) else { return false }
    return programs[index].held.ends(with: message)
  }

  /// Records that `program` has played `message`.
  @_noLocks @_noAllocation
  mutating func record(_ message: Message, of program: ProgramID) {
    if let index = index(of: program) {
      programs[index].held.record(message)
      return
    }
    guard programs.count < Self.limit else { return }
    var new = Program(id: program)
    new.held.record(message)
    programs.append(new)
  }

  /// Begins to end the notes of programs. ``releaseNext()`` returns the messages.
  @_noLocks @_noAllocation
  mutating func release(_ selection: ProgramID.Selection) {
    for index in 0..<programs.count where selection.contains(programs[index].id) { programs[index].isReleased = true }
  }

  /// Returns the next message that ends a note; nil after the last one.
  @_noLocks @_noAllocation
  mutating func releaseNext() -> Message? {
    var index = 0
    while index < programs.count {
      guard programs[index].isReleased else {
        index += 1
        continue
      }
      if let message = programs[index].held.releaseNext() { return message }
      _ = programs.remove(at: index)
    }
    return nil
  }

  @_noLocks @_noAllocation
  private func index(of program: ProgramID) -> Int? {
    for index in 0..<programs.count {
      if ProgramID.Selection.program(program).contains(programs[index].id) { return index }
    }
    return nil
  }
}

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
