import ArgumentParser
import Audio
import Engine
import Foundation
import Measurement
import MusicalTime
import Rhythm
import Simulation
import Transports

extension ExitCode {
  /// A measured or domain failure.
  static let domainFailure = ExitCode(1)
  /// A file that cannot be understood (EX_DATAERR).
  static let badData = ExitCode(65)
  /// Something needed is not there or not allowed (EX_UNAVAILABLE).
  static let unavailable = ExitCode(69)
  /// A defect of this program (EX_SOFTWARE).
  static let defect = ExitCode(70)
}

/// Runs `body`; an error becomes one line on standard error for each fault, and the exit code of its kind.
func reportingFailures(_ body: () throws -> Void) throws {
  do {
    try body()
  } catch {
    let code: ExitCode
    switch error {
    case let error as ExitCode: throw error
    case is CleanExit, is ValidationError: throw error
    case is PatchError, is RulesFault: code = .badData
    case let error as AudioFileError: code = error.kind == .malformed ? .badData : .unavailable
    case let error as TraceError: code = error.line != nil ? .badData : .unavailable
    case is ReportError, is VirtualNetwork.Fault: code = .badData
    case let error as Contacts.Fault: code = error.isMalformed ? .badData : .unavailable
    case is TransportError, is PCMError, is EngineError, is PatchLibrary.NotFound,
      is SimulateCommand.Unreadable:
      code = .unavailable
    case is TempoError: code = .validationFailure
    default: code = .defect
    }
    for line in "\(error)".split(separator: "\n") {
      writeToStandardError("tutti: \(line)\n")
    }
    throw code
  }
}

/// Runs `body` during validation: its error is one of usage.
@discardableResult
func usage<Value, Failure: Error>(_ body: () throws(Failure) -> Value) throws(ValidationError) -> Value {
  do {
    return try body()
  } catch {
    throw ValidationError("\(error)")
  }
}

extension JSONEncoder {
  /// For lines and objects on standard output.
  static var sorted: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }
}
