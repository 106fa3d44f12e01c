import ArgumentParser
import Audio
import Engine
import Foundation
import MIDI
import Measurement
import MusicalTime
import Rhythm
import Simulation
import Transports

extension ExitCode {
  /// A simulation has violated an invariant.
  static let invariantViolated = ExitCode(1)
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

/// Runs `body`. If `body` throws an error, prints the lines of the error on standard error and throws the exit code for this kind of
/// error. Exit codes and the errors of ArgumentParser are thrown unchanged.
func reportingErrors(_ body: () throws -> Void) throws {
  do {
    try body()
  } catch {
    let code: ExitCode
    switch error {
    case let error as ExitCode: throw error
    case is CleanExit, is ValidationError: throw error
    case is PatchError, is GateFileError, is MIDIFileError,
      is StandardMIDIFile.WriteError:
      code = .badData
    case let error as AudioFileError: code = error.kind == .malformed ? .badData : .unavailable
    case let error as TraceError: code = error.line != nil ? .badData : .unavailable
    case is ReportError, is NetworkModel.Fault: code = .badData
    case let error as EngineError: code = error.isMalformed ? .badData : .unavailable
    case is TransportError, is PCMError, is PatchLibrary.Failure,
      is SimulateCommand.NetworkFileError, is GnuplotProgram.Failure, is InvitedSession.Failure:
      code = .unavailable
    case is TempoError: code = .validationFailure
    case is OutputError: code = .outputFailed
    default: code = .internalError
    }
    for line in "\(error)".split(separator: "\n") {
      writeToStandardError("tutti: \(line)\n")
    }
    throw code
  }
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

extension JSONEncoder {
  /// The encoder for JSON on standard output: sorted keys, `/` not escaped.
  static var sorted: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }
}
