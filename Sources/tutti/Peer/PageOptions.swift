import ArgumentParser
import Console
import Engine

/// The options that serve a web page, of a peer and of the demo.
struct PageOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Serve a web page that shows and controls the ensemble and has instruments to play. Without ADDRESS, only this machine "
        + "can open the page; with 0.0.0.0, phones can open it, too; this requires a passkey or --http-open. The port 0 uses any "
        + "free port.",
      valueName: "[ADDRESS:]PORT"))
  var http: String?

  @Flag(help: "Let anyone who can open the page of --http control this peer. A passkey has no effect on the page.")
  var httpOpen = false

  func validate() throws {
    _ = try usage { () throws(EngineError) in try address }
    if httpOpen, http == nil {
      throw ValidationError("--http-open: has no effect without --http; add --http, or omit --http-open")
    }
  }

  /// The address of --http; nil without the option.
  ///
  /// - Throws: `EngineError` if it is not an address.
  var address: ListenAddress? {
    get throws(EngineError) {
      guard let http else { return nil }
      return try ListenAddress(http)
    }
  }
}
