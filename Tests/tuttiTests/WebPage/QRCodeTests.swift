import Console
import Foundation
import Testing
import _TestSupport
import _TestTraits

@testable import tutti

/// Tests of the QR codes for the addresses of the web page. zbar decodes the codes. Without zbar, the tests are cancelled with the
/// reason.
@Suite(.ownThreads) struct QRCodeTests {
  private let folder: TemporaryFolder
  private let scanner: CodeScanner

  init() throws {
    folder = try TemporaryFolder()
    do {
      scanner = try CodeScanner(in: folder)
    } catch let error as Unavailable {
      try Test.cancel("\(error)")
    }
  }

  @Test(arguments: [0, 255] as [UInt8]) func codesAreReadOnDarkAndLightTerminals(background: UInt8) async throws {
    // Texts of these lengths need the versions 1, 1, 2, 3, 4, 5 and 6 of the QR code. Every version has an odd number of rows. A line of
    // text shows two rows, so the last line shows one row of the code only.
    for length in [1, 17, 30, 53, 78, 106, 130] {
      let address = String(("http://192.168.1.20:8080/#token=" + String(repeating: "a2b7", count: 30)).prefix(length))
      let code = try #require(QRCode(address))
      #expect(try await scanner.texts(in: code.lines(hasColours: true), background: background) == [address])
    }
  }

  /// The quiet zone is the light border around a code. It is four modules wide and part of the lines, so that a dark terminal does
  /// not touch the modules of the code.
  @Test func quietZoneHasFourModules() throws {
    let lines = try #require(QRCode("http://192.168.1.20:8080/")).lines(hasColours: true)
    let inner = lines.map { line in line.filter { " ▀▄█".contains($0) } }
    #expect(inner.prefix(2).allSatisfy { $0.allSatisfy { $0 == " " } })
    #expect(inner.suffix(2).allSatisfy { $0.allSatisfy { $0 == " " } })
    #expect(inner.allSatisfy { $0.hasPrefix("    ") && $0.hasSuffix("    ") })
    #expect(inner[2].hasPrefix("    █▀▀▀▀▀█") && inner[2].hasSuffix("█▀▀▀▀▀█    "))
  }

  /// The largest code, version 40 with the error correction level L, holds 2953 octets.
  @Test func textsThatDoNotFitHaveNoCode() {
    #expect(QRCode(String(repeating: "x", count: 2953)) != nil)
    #expect(QRCode(String(repeating: "x", count: 2954)) == nil)
    #expect(QRCode("") == nil)
  }

  /// On a terminal, a peer prints a code for each of its two addresses.
  @Test func peerPrintsItsAddressesAsCodes() async throws {
    let path = folder.path("band.txt")
    try "a passkey for a test\n".write(toFile: path, atomically: false, encoding: .utf8)
    let arguments = [
      "peer", "--name", "ada", "--port", "0", "--discovery", "off", "--audio", "none", "--http", "0.0.0.0:0",
      "--passkey-file", path,
    ]
    let session = try TerminalSession(columns: 80, in: folder, arguments)
    try await session.wait(for: "web page `play` (only plays):")
    try await session.wait(for: "you auto ")
    let lines = session.screen.text
    var addresses: [String] = []
    for title in ["web page `lead` (plays and controls the rhythm):", "web page `play` (only plays):"] {
      var index = try #require(lines.firstIndex { $0.hasPrefix(title) })
      var address = lines[index].dropFirst(title.count).drop { $0 == " " }
      // An address that does not fit beside its title has a line of its own.
      if address.isEmpty {
        index += 1
        address = lines[index][...]
      }
      // ``TerminalScreen`` ignores colours, so the test adds the colours again. ``TerminalScreen`` also drops the spaces at the ends of
      // lines. The white background of the scanner replaces these spaces.
      let code = lines[(index + 1)...].prefix { $0.allSatisfy { " ▀▄█".contains($0) } }
      let coloured = code.map { "\u{1B}[38;5;16;48;5;231m\($0)" }
      #expect(try await scanner.texts(in: coloured, background: 255) == [String(address)])
      #expect(address.firstMatch(of: /\/#token=[a-z2-7]{20}$/) != nil)
      addresses.append(String(address))
    }
    #expect(Set(addresses).count == 2)
    // The passkey is so long that the group has a certificate.
    let text = lines.joined(separator: " ")
    #expect(text.contains("playing by moving the phone: install the certificate of the group once"))
    session.type("q")
    #expect(try await session.child.status() == 0)
  }

  /// Without a terminal, and for an address of this machine only, a peer prints no codes.
  @Test func peerPrintsOnlyItsAddressesWithoutATerminal() async throws {
    let arguments = [
      "peer", "--name", "ada", "--port", "0", "--discovery", "off", "--audio", "none", "--duration", "0.2", "--http",
    ]
    let open = try await Child.tutti(arguments + ["0.0.0.0:0", "--http-open"], name: "open", in: folder).outcome()
    #expect(open.errors.contains(/web page: http:\/\/[^ #]+:[0-9]+\/\n/), "\(open.errors)")
    #expect(open.errors.contains("playing by moving the phone: needs HTTPS, and for HTTPS a passkey"), "\(open.errors)")
    let session = try TerminalSession(columns: 80, in: folder, arguments + ["0"])
    try await session.wait(for: "web page: only this machine can open the page")
    for text in [open.errors, session.screen.text.joined()] { #expect(!text.contains("█"), "\(text)") }
  }
}
