import ArgumentParser
import Console
import Engine
import Foundation
import MusicalTime

/// The options of the web page of a peer, its certificate and its calibration.
struct ConsoleOptions: ParsableArguments {
  @OptionGroup var page: PageOptions

  @Option(
    help: ArgumentHelp(
      "Serve the page of --http over HTTPS too, with this certificate of a domain that you own: a PEM file with the "
        + "chain. Browsers require HTTPS for motion sensors. Without this option, peers whose passkey has at least 16 "
        + "characters derive a certificate from it, which each phone must install once; the page shows how. A program "
        + "that was built with --disable-default-traits has no HTTPS.",
      valueName: "FILE"))
  var certificate: String?

  @Option(help: ArgumentHelp("The private key of --certificate: a PEM file without a passphrase.", valueName: "FILE"))
  var certificateKey: String?

  @Option(
    help: ArgumentHelp(
      "Hear the clicks of `calibrate` with this microphone: alsa (the default device), alsa:DEVICE (`arecord -L` "
        + "lists the devices), or none, if another device records the clicks for `tutti calibrate`. (default: alsa)",
      valueName: "INPUT"))
  var microphone: String?

  @Option(
    help: ArgumentHelp(
      "Give this option if the peer has no loudspeaker: the peer then does not click during `calibrate`. MS is the "
        + "part of the latency of the microphone that ALSA does not report, 0...1000 ms, for example the delay of a "
        + "radio link. If MS is wrong, all measured delays are wrong by the same amount. (default: unknown, so the clicks "
        + "of the peer are the reference)",
      valueName: "MS"))
  var microphoneLatency: Double?

  func validate() throws {
    if (certificate == nil) != (certificateKey == nil) {
      throw ValidationError("--certificate and --certificate-key: one of them is missing; give both or none")
    }
    if certificate != nil {
      if page.http == nil {
        throw ValidationError("--certificate: has no effect without --http; add --http, or omit --certificate")
      }
      if let address = try usage({ () throws(EngineError) in try page.address }), address.isLoopback {
        throw ValidationError(
          "--certificate: has no use, because only this machine can open the address of --http; give for example "
            + "--http 0.0.0.0:8080, or omit --certificate")
      }
      #if !HTTPS
        throw ValidationError(
          "--certificate: this program was built without HTTPS; build it without --disable-default-traits, or omit "
            + "--certificate"
        )
      #endif
    }
    if page.http == nil, microphone != nil || microphoneLatency != nil {
      let option = microphone != nil ? "--microphone" : "--microphone-latency"
      throw ValidationError("\(option): has no effect without --http; add --http, or omit \(option)")
    }
    if let microphone,
      !["alsa", "none"].contains(microphone) && (!microphone.hasPrefix("alsa:") || microphone == "alsa:")
    {
      throw ValidationError("--microphone \(microphone): not an input; give alsa, alsa:DEVICE or none")
    }
    if microphone == "none", microphoneLatency != nil {
      throw ValidationError("--microphone-latency: has no effect with --microphone none; omit one of them")
    }
    if let microphoneLatency { try check("--microphone-latency", microphoneLatency, in: 0...1000, "0 to 1000 ms") }
  }

  /// The ALSA name of the microphone; nil if there is no microphone.
  private var device: String? {
    switch microphone {
    case nil, "alsa": "default"
    case "none": nil
    case let microphone?: String(microphone.dropFirst("alsa:".count))
    }
  }

  /// Starts the server of the page. Returns nil without --http.
  ///
  /// - Parameters:
  ///   - peer: the configuration of the peer.
  ///   - mailbox: receives the commands of the page.
  ///   - rhythms: selects the rhythm that a player chooses on the page.
  ///   - onPlayers: called with the number of players who have joined by the page, after each change.
  ///   - report: called with the events of a calibration.
  /// - Throws: `EngineError` if the page cannot be served.
  func open(
    _ peer: PeerConfiguration, mailbox: Mailbox, rhythms: PatchSelector,
    onPlayers: @escaping @Sendable (Int) -> Void, report: @escaping @Sendable (CalibrationEvent) -> Void
  ) throws -> WebConsole? {
    guard let address = try page.address else { return nil }
    var files: CertificateFiles?
    if let certificate, let certificateKey {
      files = CertificateFiles(certificate: certificate, key: certificateKey)
    }
    let configuration = ConsoleConfiguration(
      address: address, key: peer.passkey, isKeyStrong: !peer.isPasskeyShort, isOpen: page.httpOpen,
      certificate: files, machine: ProcessInfo.processInfo.hostName, soundFont: peer.soundFont,
      microphone: Microphone(
        device: device,
        latency: microphoneLatency.map { Nanoseconds(Int64(($0 * 1e6).rounded())) }))
    return try WebConsole(
      configuration, mailbox: mailbox, library: PageRhythms(selector: rhythms), onPlayers: onPlayers, report: report)
  }
}
