import Engraving
import Fonts
import Foundation
import Testing

@Suite struct FontTests {
  @Test func `Emmentaler has every glyph that engraving uses`() throws {
    let font = try MusicFont.emmentaler()
    #expect(font.missing.isEmpty)
  }

  @Test func `a black note head is one space high and its stem joins it at its right edge`() throws {
    let font = try MusicFont.emmentaler()
    let box = font.box(.noteheadBlack)
    #expect(abs(box.height - 1.088) < 0.05)
    let stem = try #require(font.stemUp[.noteheadBlack])
    #expect(abs(stem.x - box.right) < 0.01)
    #expect(stem.y < 0 && stem.y > box.top)
    let down = try #require(font.stemDown[.noteheadBlack])
    #expect(down.x == 0 && down.y > 0)
    #expect(font.stemUp[.noteheadWhole] == nil)
  }

  @Test func `the origins of glyphs are those of the table`() throws {
    let font = try MusicFont.emmentaler()
    #expect(abs(font.box(.gClef).left) < 0.05)
    #expect(font.box(.gClef).top < -4 && font.box(.gClef).bottom > 2)
    // A whole rest hangs from its line, a half rest stands on it.
    #expect(font.box(.restWhole).top == 0)
    #expect(font.box(.restHalf).bottom == 0)
    for glyph in [MusicFont.Glyph.timeSig0, .timeSig4, .timeSig9, .timeSigCommon] {
      #expect(abs(font.box(glyph).top + font.box(glyph).bottom) < 1e-9)
      #expect(font.box(glyph).left == 0)
    }
    for glyph in [MusicFont.Glyph.articAccentAbove, .fermataAbove, .segno, .articMarcatoAbove] {
      #expect(font.box(glyph).bottom == 0 && font.box(glyph).left == 0)
    }
    for glyph in [MusicFont.Glyph.articAccentBelow, .fermataBelow] { #expect(font.box(glyph).top == 0) }
    #expect(abs(font.box(.flag8thUp).left) < 0.01)
    #expect(abs(font.box(.flag32ndUp).top) < 0.01)
    #expect(abs(font.box(.flag32ndDown).bottom) < 0.01)
    #expect(abs(font.box(.brace).height - 1) < 1e-9)
    #expect(font.box(.brace).width < 0.3)
  }

  @Test func `the faces of words have the widths of their letters`() throws {
    let fonts = try FontSet.installed()
    for face in TextStyle.Face.allCases {
      let font = try #require(fonts.faces[face])
      let (narrow, wide) = (try #require(font.widths["i"]), try #require(font.widths["m"]))
      #expect(narrow < wide)
      #expect(font.widths["é"] == font.widths["e"])
      #expect(font.ascent > 0.6 && font.ascent < 1 && font.descent > 0.1 && font.descent < 0.4)
    }
    // Bold is wider than roman.
    let (roman, bold) = (try #require(fonts.faces[.roman]), try #require(fonts.faces[.bold]))
    #expect(try #require(roman.widths["e"]) < #require(bold.widths["e"]))
  }

  /// Each file with the beginning of the error.
  @Test(arguments: [
    ("/nowhere/Font.otf", "font /nowhere/Font.otf: cannot be read; "), ("/dev/zero", "font /dev/zero: is no file; "),
    ("/tmp", "font /tmp: is no file; "), ("/etc/passwd", "font /etc/passwd: is no font, or is damaged; "),
  ])
  func `a file that is no font is refused`(path: String, reason: String) {
    #expect {
      try MusicFont.smufl(path: path)
    } throws: {
      "\($0)".hasPrefix(reason)
    }
  }

  @Test func `a text font is no music font`() throws {
    let path = "/usr/share/fonts/opentype/urw-base35/C059-Roman.otf"
    #expect {
      try MusicFont.smufl(path: path)
    } throws: {
      "\($0)" == "font \(path): has no gClef, so it is no music font; give a SMuFL font, such as Bravura.otf"
    }
  }

  @Test func `a damaged font is refused or has fewer glyphs, and never stops the program`() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tutti-font-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let source = try #require(
      FileManager.default.contents(atPath: "/usr/share/fonts/opentype/urw-base35/C059-Roman.otf"))
    let file = folder.appendingPathComponent("Font.otf")
    // A linear congruential generator, so that a failure can be repeated.
    var state: UInt32 = 1
    func random(_ count: Int) -> Int {
      state = state &* 1_664_525 &+ 1_013_904_223
      return Int(state >> 8) % count
    }
    for round in 0..<40 {
      var data = source
      if round % 4 == 0 { data = data.prefix(random(data.count)) }
      if !data.isEmpty { for _ in 0..<20 { data[random(data.count)] = UInt8(random(256)) } }
      try data.write(to: file)
      #expect(throws: FontFault.self) { try MusicFont.smufl(path: file.path) }
    }
  }

  @Test func `metadata that is no JSON is refused`() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tutti-font-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("Font.otf")
    try FileManager.default.copyItem(
      atPath: "/usr/share/fonts/opentype/urw-base35/C059-Roman.otf", toPath: file.path)
    try Data("{".utf8).write(to: folder.appendingPathComponent("metadata.json"))
    #expect {
      try MusicFont.smufl(path: file.path)
    } throws: {
      "\($0)".contains("is no JSON object")
    }
  }
}
