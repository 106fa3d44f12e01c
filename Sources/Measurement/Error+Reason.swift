import Foundation

extension Error {
  /// A short description of an error of Foundation, of a `DecodingError` or of a ``TraceLine/InvalidLine``, for example "Permission
  /// denied". The description of any other error is its text.
  ///
  /// Real-time: not safe.
  package var reason: String {
    switch self {
    case let error as TraceLine.InvalidLine: error.reason
    case let error as DecodingError: error.shortReason
    case let error as CocoaError:
      (error.userInfo[NSUnderlyingErrorKey] as? any Error)?.reason ?? error.systemReason
        ?? "error \(error.code.rawValue)"
    default:
      switch self as NSError {
      case let error where error.domain == NSPOSIXErrorDomain: String(cString: strerror(Int32(error.code)))
      default: "\(self)"
      }
    }
  }
}

extension CocoaError {
  /// The text of the error number; nil for a code that is not an errno value. Foundation on Linux also reports errno values in
  /// NSCocoaErrorDomain. Apart from `fileNoSuchFile`, codes below 200 are taken for errno values.
  fileprivate var systemReason: String? {
    switch code.rawValue {
    case CocoaError.Code.fileNoSuchFile.rawValue: String(cString: strerror(ENOENT))
    case let number where (1..<200).contains(number): String(cString: strerror(Int32(number)))
    default: nil
    }
  }
}

extension DecodingError {
  /// The coding path and a short description of the error.
  fileprivate var shortReason: String {
    switch self {
    case .keyNotFound(let key, _): "missing key \(key.stringValue)"
    // Foundation on Linux reports this error, without a path, for invalid JSON and also for a number that does not fit its type.
    case .dataCorrupted(let context) where context.codingPath.isEmpty:
      "the line is not JSON, or contains a number that is not an integer"
    case .dataCorrupted(let context), .typeMismatch(_, let context), .valueNotFound(_, let context):
      (context.codingPath.map(\.stringValue).joined(separator: ".") + ": " + context.debugDescription)
        .trimmingCharacters(in: CharacterSet(charactersIn: ":. "))
    @unknown default: "cannot be decoded"
    }
  }
}
