import CFreeType
import Engraving
import Foundation

/// A font file that is open in FreeType. All outlines and widths are copied into values; no pointer leaves this type.
///
/// FreeType checks the file: a damaged table is an error, or a glyph without an outline. FreeType reads the file by its path while the
/// face is open, so the octets of the file need no owner here.
final class FontFace {
  /// The largest font file in octets. Fonts with all East Asian characters have up to 20 MB.
  static let maximumFile = 64 << 20
  /// The largest table of ``table(_:)`` in octets.
  private static let maximumTable = 4 << 20

  let path: String
  // Invariant: both are valid from `init` to `deinit`, and only this object has them.
  private let library: FT_Library
  private let face: FT_Face

  /// The length of the em in units of the font, more than 0.
  var unitsPerEm: Double { Double(face.pointee.units_per_EM) }

  /// Opens the first font of a file.
  ///
  /// - Throws: ``FontFault`` if the file is no font with outlines.
  init(path: String) throws(FontFault) {
    let thing = "font \(path)"
    let attributes = try? FileManager.default.attributesOfItem(
      atPath: URL(fileURLWithPath: path).resolvingSymlinksInPath().path)
    guard let attributes else { throw FontFault(thing, "cannot be read", "check the path and the permissions") }
    guard attributes[.type] as? FileAttributeType == .typeRegular else {
      throw FontFault(thing, "is no file", "give a font file (.otf or .ttf)")
    }
    let size = (attributes[.size] as? NSNumber)?.intValue ?? 0
    guard size <= Self.maximumFile else {
      throw FontFault(thing, "has \(size) octets", "use at most \(Self.maximumFile)")
    }
    var library: FT_Library?
    guard FT_Init_FreeType(&library) == 0, let library else {
      throw FontFault(thing, "no memory for FreeType", "close other programs")
    }
    var face: FT_Face?
    guard FT_New_Face(library, path, 0, &face) == 0, let face else {
      FT_Done_FreeType(library)
      throw FontFault(thing, "is no font, or is damaged", "give a font file (.otf or .ttf)")
    }
    // FT_FACE_FLAG_SCALABLE
    guard face.pointee.face_flags & 1 != 0, face.pointee.units_per_EM > 0 else {
      FT_Done_Face(face)
      FT_Done_FreeType(library)
      throw FontFault(thing, "has no outlines", "give a scalable font (.otf or .ttf)")
    }
    (self.path, self.library, self.face) = (path, library, face)
  }

  deinit {
    FT_Done_Face(face)
    FT_Done_FreeType(library)
  }

  /// The index of the glyph of a character; nil if the font lacks it.
  func glyph(_ scalar: UInt32) -> UInt32? {
    let index = FT_Get_Char_Index(face, FT_ULong(scalar))
    return index == 0 ? nil : index
  }

  /// The index of the glyph with a name; nil if the font lacks it.
  func glyph(named name: String) -> UInt32? {
    let index = FT_Get_Name_Index(face, name)
    return index == 0 ? nil : index
  }

  /// The outline of a glyph, in units of `scale` font units, y downwards; nil if the glyph is damaged.
  func outline(_ index: UInt32, scale: Double) -> Outline? {
    guard FT_Load_Glyph(face, index, FT_Int32(FT_LOAD_NO_SCALE)) == 0, let slot = face.pointee.glyph,
      slot.pointee.format == FT_GLYPH_FORMAT_OUTLINE
    else { return nil }
    let pen = OutlinePen(scale: scale)
    var functions = OutlinePen.functions
    // FreeType calls the functions only inside this call, in which `pen` lives.
    let status = withExtendedLifetime(pen) {
      FT_Outline_Decompose(&slot.pointee.outline, &functions, Unmanaged.passUnretained(pen).toOpaque())
    }
    guard status == 0 else { return nil }
    return pen.outline(advance: Double(slot.pointee.metrics.horiAdvance) / scale)
  }

  /// The widths of all characters of the font, in units of the font size.
  var widths: [Unicode.Scalar: Double] {
    var widths: [Unicode.Scalar: Double] = [:]
    var index: FT_UInt = 0
    var code = FT_Get_First_Char(face, &index)
    while index != 0, widths.count < 0x11_0000 {
      if let scalar = UInt32(exactly: code).flatMap(Unicode.Scalar.init),
        FT_Load_Glyph(face, index, FT_Int32(FT_LOAD_NO_SCALE)) == 0
      {
        widths[scalar] = Double(face.pointee.glyph.pointee.metrics.horiAdvance) / unitsPerEm
      }
      code = FT_Get_Next_Char(face, code, &index)
    }
    return widths
  }

  /// The octets of a table of the font, such as `LILC`; nil if the font lacks it.
  func table(_ name: String) -> [UInt8]? {
    let tag = name.utf8.reduce(FT_ULong(0)) { $0 << 8 | FT_ULong($1) }
    var length: FT_ULong = 0
    guard FT_Load_Sfnt_Table(face, tag, 0, nil, &length) == 0, length > 0, length <= Self.maximumTable else {
      return nil
    }
    var octets = [UInt8](repeating: 0, count: Int(length))
    // FreeType writes `length` octets at most, the number of those in the array.
    let status = octets.withUnsafeMutableBufferPointer { FT_Load_Sfnt_Table(face, tag, 0, $0.baseAddress, &length) }
    return status == 0 ? octets : nil
  }
}

/// Collects the segments of an outline from FreeType.
private final class OutlinePen {
  private let scale: Double
  private var segments: [Outline.Segment] = []
  private var isOpen = false
  private var present = Point(0, 0)
  private var box: Box?

  init(scale: Double) { self.scale = scale }

  static let functions = FT_Outline_Funcs(
    move_to: { to, user in OutlinePen.of(user).move(to) },
    line_to: { to, user in OutlinePen.of(user).line(to) },
    conic_to: { control, to, user in OutlinePen.of(user).conic(control, to) },
    cubic_to: { first, second, to, user in OutlinePen.of(user).cubic(first, second, to) },
    shift: 0, delta: 0)

  /// The pen of a callback: FreeType passes the pointer of ``FontFace/outline(_:scale:)`` back, whose pen lives during the call.
  private static func of(_ user: UnsafeMutableRawPointer?) -> OutlinePen {
    Unmanaged<OutlinePen>.fromOpaque(user!).takeUnretainedValue()
  }

  /// FreeType's points are valid during the callback, in which they are copied.
  private func point(_ vector: UnsafePointer<FT_Vector>?) -> Point {
    guard let vector else { return present }
    return Point(Double(vector.pointee.x) / scale, -Double(vector.pointee.y) / scale)
  }

  private func move(_ to: UnsafePointer<FT_Vector>?) -> Int32 {
    close()
    present = point(to)
    segments.append(.move(present))
    isOpen = true
    return 0
  }

  private func line(_ to: UnsafePointer<FT_Vector>?) -> Int32 {
    let end = point(to)
    include(present, end)
    segments.append(.line(end))
    present = end
    return 0
  }

  /// A quadratic curve is the cubic curve whose control points are two thirds of the way to its control point.
  private func conic(_ control: UnsafePointer<FT_Vector>?, _ to: UnsafePointer<FT_Vector>?) -> Int32 {
    let (middle, end) = (point(control), point(to))
    let first = Point(present.x + (middle.x - present.x) * 2 / 3, present.y + (middle.y - present.y) * 2 / 3)
    let second = Point(end.x + (middle.x - end.x) * 2 / 3, end.y + (middle.y - end.y) * 2 / 3)
    return curve(first, second, end)
  }

  private func cubic(
    _ first: UnsafePointer<FT_Vector>?, _ second: UnsafePointer<FT_Vector>?, _ to: UnsafePointer<FT_Vector>?
  ) -> Int32 { curve(point(first), point(second), point(to)) }

  private func curve(_ first: Point, _ second: Point, _ end: Point) -> Int32 {
    include(present, end)
    for parameter in Self.extrema(present.x, first.x, second.x, end.x)
      + Self.extrema(present.y, first.y, second.y, end.y)
    {
      let place = Point(
        Self.value(present.x, first.x, second.x, end.x, parameter),
        Self.value(present.y, first.y, second.y, end.y, parameter))
      include(place, place)
    }
    segments.append(.curve(first, second, end))
    present = end
    return 0
  }

  private func close() {
    if isOpen { segments.append(.close) }
    isOpen = false
  }

  private func include(_ a: Point, _ b: Point) {
    let both = Box(left: min(a.x, b.x), top: min(a.y, b.y), right: max(a.x, b.x), bottom: max(a.y, b.y))
    box = box?.union(both) ?? both
  }

  private static func value(_ a: Double, _ b: Double, _ c: Double, _ d: Double, _ t: Double) -> Double {
    let s = 1 - t
    return s * s * s * a + 3 * s * s * t * b + 3 * s * t * t * c + t * t * t * d
  }

  /// Where a coordinate of a cubic Bézier curve is largest or smallest: the zeros of its derivative between 0 and 1.
  private static func extrema(_ a: Double, _ b: Double, _ c: Double, _ d: Double) -> [Double] {
    // The derivative divided by 3 is p t² + 2 q t + r.
    let (p, q, r) = (d - a + 3 * (b - c), a - 2 * b + c, b - a)
    var zeros: [Double] = []
    if abs(p) < 1e-9 {
      if abs(q) > 1e-9 { zeros = [-r / (2 * q)] }
    } else {
      let root = q * q - p * r
      if root >= 0 { zeros = [(-q + root.squareRoot()) / p, (-q - root.squareRoot()) / p] }
    }
    return zeros.filter { $0 > 0 && $0 < 1 }
  }

  func outline(advance: Double) -> Outline {
    close()
    return Outline(
      segments: segments, box: box ?? Box(left: 0, top: 0, right: 0, bottom: 0), advance: advance)
  }
}
