import Ensemble
import Testing

@testable import Engine

/// Tests of ``PatchChecker``, which checks the text of a patch from another peer. The peer can be hostile.
@Suite struct PatchCheckerTests {
  private func text(name: String = "claps", rest: String = "play: { always: { clap: x... x... x... x... } }") -> String
  {
    "name: \(name)\ndescription: A clap.\ntempo: 120\n\(rest)\n"
  }

  /// The reason why a text is refused; nil if it is accepted.
  private func reason(_ octets: [UInt8]) throws -> String? {
    let document = try #require(Document(.rhythm, octets))
    do throws(Fault) { _ = try PatchChecker.patch(document) } catch { return error.reason }
    return nil
  }

  /// A slash between two digits belongs to a meter.
  @Test(arguments: ["claps", "12/8 shuffle", "a.b", "6/8"]) func harmlessNameIsAccepted(name: String) throws {
    #expect(try reason(Array(text(name: name).utf8)) == nil)
  }

  /// The name becomes a file name when the player saves the patch.
  @Test(arguments: ["../../claps", "/etc/passwd", ".bashrc", "a/b", "1/", "x/8", "12/8/x"]) func pathAsNameIsRefused(
    name: String
  ) throws {
    let expected = "its name \(name.debugDescription) contains / or begins with a full stop"
    #expect(try reason(Array(text(name: name).utf8)) == expected)
  }

  @Test func textWithErrorsIsRefused() throws {
    #expect(try reason([0xFF, 0xFE]) == "its text is not valid UTF-8")
    let wrong = try #require(try reason(Array(text(rest: "play: { always: { clap: x.. } }").utf8)))
    #expect(wrong.hasPrefix("line 4: play") && !wrong.contains("\n"), "\(wrong)")
    // Nested YAML aliases, which can expand to a very large number of elements.
    let bomb = "a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\n" + text()
    #expect(try reason(Array(bomb.utf8)) != nil)
  }
}
