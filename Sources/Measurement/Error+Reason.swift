import Foundation

extension Error {
  /// A short description of an error of Foundation or of ``TraceLine``, for example "Permission denied".
  package var reason: String {
    switch self {
    case let error as TraceLine.InvalidLine: error.reason
    case let error as DecodingError: error.shortReason
    case let error as CocoaError:
      (error.userInfo[NSUnderlyingErrorKey] as? any Error)?.reason ?? (self as NSError).reason
    default: (self as NSError).reason
    }
  }
}

extension NSError {
  /// A short description of the error. Foundation on Linux also reports errno values in NSCocoaErrorDomain. They are smaller
  /// than the other codes of this domain.
  fileprivate var reason: String {
    domain == NSPOSIXErrorDomain || (1..<200).contains(code)
      ? String(cString: strerror(Int32(code))) : "error \(code)"
  }
}

extension DecodingError {
  /// The coding path and a short description of the error.
  fileprivate var shortReason: String {
    switch self {
    case .keyNotFound(let key, _): "missing key \(key.stringValue)"
    // Foundation on Linux reports this error, without a path, for invalid JSON and also for a number that does not fit its type.
    case .dataCorrupted(let context) where context.codingPath.isEmpty: "not JSON, or a number that is not an integer"
    case .dataCorrupted(let context), .typeMismatch(_, let context), .valueNotFound(_, let context):
      (context.codingPath.map(\.stringValue).joined(separator: ".") + ": " + context.debugDescription)
        .trimmingCharacters(in: CharacterSet(charactersIn: ":. "))
    @unknown default: "cannot be decoded"
    }
  }
}
