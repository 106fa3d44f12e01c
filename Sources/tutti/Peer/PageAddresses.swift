import Console

/// The addresses of the web page of a peer. They contain tokens with which players join, except with --http-open.
struct PageAddresses {
  /// The address for players who control the rhythm.
  var lead: String
  /// The address for all other players. It equals ``lead`` with --http-open and in the demo.
  var play: String
  /// Whether only this machine can open the addresses.
  var isLocal: Bool
  /// The fingerprint of the group's certificate authority; nil without one.
  var fingerprint: String?

  /// Prints the addresses. A terminal with colours also shows a QR code for each address that phones can open.
  func show(on terminal: Terminal) {
    if lead == play {
      show(play, "web page", on: terminal)
    } else {
      show(lead, "web page `lead` (plays and controls the rhythm)", on: terminal)
      show(play, "web page `play` (only plays)", on: terminal)
    }
    if !isLocal { terminal.printLine("web page, playing by moving the phone: \(motion)") }
    if let fingerprint { terminal.printLine("web page, fingerprint of the group's certificate: \(fingerprint)") }
    if isLocal, terminal.isInteractive {
      // With --http-open and in the demo, the user gives no passkey.
      let passkey = lead == play ? "" : " --passkey-file FILE"
      terminal.printLine(
        "web page: only this machine can open the page; for phones, give for example --http 0.0.0.0:8080\(passkey), and "
          + "QR codes appear here")
    }
  }

  /// How a phone can be played by moving it. Browsers allow pages to use the motion sensors only over HTTPS.
  private var motion: String {
    if play.hasPrefix("https:") { return "works at this address" }
    if fingerprint != nil {
      return "install the certificate of the group once on each phone, as the page shows; the page then uses HTTPS"
    }
    #if HTTPS
      // With --http-open and in the demo, the user gives no passkey.
      let demo = lead == play ? "; `tutti demo` makes one itself without --http-open" : ""
      return "needs HTTPS, and for HTTPS a passkey of at least 16 characters, such as that of `tutti passkey`\(demo)"
    #else
      return "needs HTTPS, and this program was built without it; build it without --disable-default-traits"
    #endif
  }

  private func show(_ address: String, _ title: String, on terminal: Terminal) {
    terminal.printLine("\(title): \(address)")
    guard !isLocal, terminal.isInteractive, let code = QRCode(address) else { return }
    // A line that wraps would make the code unreadable.
    guard code.columns <= terminal.size.columns else { return }
    terminal.printLines(code.lines(hasColours: terminal.hasColours))
  }
}

extension PageAddresses {
  init(_ console: WebConsole) {
    self.init(
      lead: console.address(for: .lead), play: console.address(for: .play), isLocal: console.isLocal,
      fingerprint: console.authorityFingerprint)
  }
}
