import Foundation
import Testing

@testable import Measurement

/// Tests of `Error.reason`: a message to the user contains the error text of the operating system, and no error code of Foundation.
@Suite struct ErrorReasonTests {
  /// /dev/full behaves like a file on a full disk.
  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
  func errorOfAFullDiskHasTheTextOfTheSystem() throws {
    let url = URL(fileURLWithPath: "/dev/full")
    let data = Data("text".utf8)
    let writes: [() throws -> Void] = [
      { try FileHandle(forWritingTo: url).write(contentsOf: data) }, { try data.write(to: url) },
      { try "text".write(to: url, atomically: false, encoding: .utf8) },
    ]
    for write in writes {
      let error = #expect(throws: (any Error).self) { try write() }
      #expect(error?.reason == "No space left on device")
    }
  }

  /// Foundation on Linux also reports errno values in NSCocoaErrorDomain, such as "NSCocoaErrorDomain error 28". Code 4 of this domain is
  /// not an errno value: it means that there is no such file.
  @Test func errnoValueInTheDomainOfFoundationHasTheTextOfTheSystem() {
    #expect(NSError(domain: NSCocoaErrorDomain, code: Int(ENOSPC)).reason == "No space left on device")
    #expect(NSError(domain: NSCocoaErrorDomain, code: 4).reason == "No such file or directory")
    #expect(NSError(domain: NSPOSIXErrorDomain, code: Int(EACCES)).reason == "Permission denied")
  }
}
