import ArgumentParser
import Audio
import Engine
import Engraving
import Fonts
import Foundation
import MIDI
import Measurement
import MusicalTime
import Rhythm
import Scores
import Simulation
import Transports

extension ExitCode {
  /// A simulation has violated an invariant.
  static let invariantViolated = ExitCode(1)
  /// On this machine, timing or sound will suffer.
  static let faulty = ExitCode(1)
  /// A file cannot be parsed, or contains nothing that can be measured (EX_DATAERR).
  static let badData = ExitCode(65)
  /// A file, folder, device, port or peer is missing, cannot be read or written, does not answer, or denies access; or the file to be
  /// written exists already (EX_UNAVAILABLE).
  static let unavailable = ExitCode(69)
  /// An internal error (EX_SOFTWARE).
  static let internalError = ExitCode(70)
  /// Standard output cannot be written (EX_IOERR).
  static let outputFailed = ExitCode(74)
}

/// The error of a command in one line: `thing: reason; remedy`.
struct CommandError: Error, CustomStringConvertible {
  let description: String
  /// The exit status of the program.
  let status: ExitCode

  init(_ description: String, status: ExitCode = .unavailable) {
    (self.description, self.status) = (description, status)
  }
}

/// Runs `body`. If `body` throws an error, prints the lines of the error on standard error and throws the exit code for this kind of
/// error. Exit codes and the errors of ArgumentParser are thrown unchanged.
func reportingErrors(_ body: () throws -> Void) throws {
  do {
    try body()
  } catch {
    let code: ExitCode
    switch error {
    case let error as ExitCode: throw error
    // A usage error, or a request for help or for the version, whose type ArgumentParser does not publish.
    case _ where Tutti.exitCode(for: error) != .failure: throw error
    case let error as CommandError: code = error.status
    case is PatchError, is ScoreFault, is StandardMIDIFile.WriteError: code = .badData
    case let error as AudioFileError: code = error.kind == .malformed ? .badData : .unavailable
    case let error as TraceError: code = error.line != nil ? .badData : .unavailable
    case is ReportError, is NetworkModel.Fault: code = .badData
    case is FontFault: code = .unavailable
    case let error as EngineError: code = error.isMalformed ? .badData : .unavailable
    case is TransportError, is PCMError: code = .unavailable
    case is TempoError: code = .validationFailure
    default: code = .internalError
    }
    for line in "\(error)".split(separator: "\n") {
      writeToStandardError("tutti: \(line)\n")
    }
    throw code
  }
}

/// Reads a text file of at most 1 MiB.
///
/// - Parameters:
///   - thing: the kind of file, for the error.
///   - remedy: what to do if the file cannot be read.
///   - other: what to do if the file is larger than 1 MiB.
/// - Throws: ``CommandError``.
func readText(
  of path: String, _ thing: String, ifUnreadable remedy: String, ifTooLarge other: String
) throws(CommandError) -> String {
  let limit = 1 << 20
  let data: Data
  do { data = try Data(contentsOf: path, limit: limit + 1) } catch {
    throw CommandError("\(thing) \(path): cannot be read (\(error.reason)); \(remedy)")
  }
  guard data.count <= limit else { throw CommandError("\(thing) \(path): larger than 1 MiB; \(other)") }
  return String(decoding: data, as: UTF8.self)
}

/// Prints a warning on standard error.
func warn(_ message: String) { writeToStandardError("tutti: warning: \(message)\n") }

/// Checks the value of an option.
///
/// - Parameter values: the permitted values as text, with their unit.
/// - Throws: `ValidationError` if `value` is not in `range`.
func check<Value>(
  _ option: String, _ value: Value, in range: ClosedRange<Value>, _ values: String
) throws(ValidationError) {
  guard range.contains(value) else { throw ValidationError("\(option) \(value): out of range; give \(values)") }
}

/// Runs `body` during validation and turns its error into a usage error.
@discardableResult
func usage<Value, Failure: Error>(_ body: () throws(Failure) -> Value) throws(ValidationError) -> Value {
  do {
    return try body()
  } catch {
    throw ValidationError("\(error)")
  }
}

/// Prints `value` as one JSON text on standard output.
func printJSON(_ value: some Encodable) throws {
  print(String(decoding: try JSONEncoder.sorted.encode(value), as: UTF8.self))
}

extension JSONEncoder {
  /// The encoder for JSON on standard output: sorted keys, `/` not escaped.
  static var sorted: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }
}
