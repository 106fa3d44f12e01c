import ArgumentParser
import Console
import Engine

/// The options of `tutti peer` and `tutti demo` for the web page.
struct PageOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Serve a web page that shows the ensemble and has instruments to play. Without ADDRESS, only this machine can "
        + "open the page. With 0.0.0.0, other devices such as phones can open it too. The port 0 uses any free port.",
      valueName: "[ADDRESS:]PORT"))
  var http: String?

  @Flag(help: "Let everyone who can open the page of --http use it, without a passkey or a token.")
  var httpOpen = false

  func validate() throws {
    _ = try usage { () throws(EngineError) in try address }
    if httpOpen, http == nil {
      throw ValidationError("--http-open: has no effect without --http; add --http, or omit --http-open")
    }
  }

  /// The address of --http; nil without the option.
  ///
  /// - Throws: `EngineError` if the value of --http is not an address.
  var address: ListenAddress? {
    get throws(EngineError) {
      guard let http else { return nil }
      return try ListenAddress(http)
    }
  }
}
