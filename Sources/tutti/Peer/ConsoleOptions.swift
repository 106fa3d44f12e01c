import ArgumentParser
import Console
import Engine
import Foundation

/// Options for the web page of the peer.
struct ConsoleOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Serve a web page that shows and controls the ensemble and has instruments to play. Without ADDRESS, only this machine "
        + "can open the page. An ADDRESS that other machines can reach, such as 0.0.0.0, requires --passkey-file, --passkey or "
        + "--http-open. The port 0 uses any free port.",
      valueName: "[ADDRESS:]PORT"))
  var http: String?

  @Flag(help: "Let anyone who can open the page of --http control this peer. A passkey has no effect on the page.")
  var httpOpen = false

  @Option(
    help: ArgumentHelp(
      "Serve the page of --http over HTTPS too, with this certificate of a domain that you own: a PEM file with the chain. Browsers "
        + "require HTTPS for motion sensors. Without this option, a group with a passkey has its own certificate authority.",
      valueName: "file"))
  var certificate: String?

  @Option(help: ArgumentHelp("The private key of --certificate: a PEM file without a passphrase.", valueName: "file"))
  var certificateKey: String?

  func validate() throws {
    if (certificate == nil) != (certificateKey == nil) {
      throw ValidationError("--certificate: needs --certificate-key, and the reverse; give both or none")
    }
    if certificate != nil {
      if http == nil {
        throw ValidationError("--certificate: has no effect without --http; add --http, or omit --certificate")
      }
      #if !HTTPS
        throw ValidationError(
          "--certificate: this program was built without HTTPS; build it with swift build --traits HTTPS, or omit --certificate"
        )
      #endif
    }
    if let http { try usage { () throws(EngineError) in try ListenAddress(http) } }
    if httpOpen, http == nil {
      throw ValidationError("--http-open: has no effect without --http; add --http, or omit --http-open")
    }
  }

  /// Opens the page; nil without --http.
  ///
  /// - Throws: `EngineError`.
  func open(_ peer: PeerConfiguration, mailbox: Mailbox, rhythms: PatchSelector) throws -> WebConsole? {
    guard let http else { return nil }
    var files: CertificateFiles?
    if let certificate, let certificateKey {
      files = CertificateFiles(certificate: certificate, key: certificateKey)
    }
    let configuration = ConsoleConfiguration(
      address: try ListenAddress(http), key: peer.passkey, isKeyStrong: !peer.isPasskeyShort, isOpen: httpOpen,
      certificate: files,
      machine: ProcessInfo.processInfo.hostName, soundFont: peer.soundFont)
    return try WebConsole(configuration, mailbox: mailbox, library: PageRhythms(selector: rhythms))
  }
}
