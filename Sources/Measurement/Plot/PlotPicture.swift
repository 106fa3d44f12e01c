/// The picture file of a plot: its path, its format and its size.
///
/// Real-time: not safe.
public struct PlotPicture: Hashable, Sendable {
  /// The format. The raw value is the extension of the file name.
  public enum Format: String, Sendable, CaseIterable {
    case svg, png, pdf
  }

  /// The width and the height.
  public struct Size: Hashable, Sendable {
    /// The sizes in units of ``unit``.
    public let width, height: Double
    public let unit: Unit

    /// A unit of length. The raw value is its abbreviation.
    public enum Unit: String, Sendable, CaseIterable {
      /// A pixel, 1/96 inch (CSS Values and Units).
      case px
      case mm, cm
      case inch = "in"

      /// The length in inches.
      var inches: Double {
        switch self {
        case .px: 1 / 96
        case .mm: 1 / 25.4
        case .cm: 1 / 2.54
        case .inch: 1
        }
      }
    }

    /// Parses a size such as `900x600`, `85x60mm` or `3.5x2.5in`; without a unit, the numbers are pixels. Nil for another text, or for a
    /// width or height below 100 pixels (26 mm) or above 10 000 pixels (2.6 m), which no picture needs.
    ///
    /// Real-time: not safe.
    public init?(_ text: String) {
      let unit = Unit.allCases.first { text.hasSuffix($0.rawValue) }
      let numbers = text.dropLast(unit?.rawValue.count ?? 0).split(separator: "x", omittingEmptySubsequences: false)
      guard numbers.count == 2, let width = Double(numbers[0]), let height = Double(numbers[1]) else { return nil }
      self.init(width, height, unit ?? .px)
      for length in [width, height] {
        guard (100.0...10_000).contains(length * self.unit.inches * 96) else { return nil }
      }
    }

    init(_ width: Double, _ height: Double, _ unit: Unit) {
      (self.width, self.height, self.unit) = (width, height, unit)
    }
  }

  /// The path of the file.
  public let file: String
  public let format: Format
  /// The size; nil for the default size, which depends on the number of panels.
  public let size: Size?

  public init(file: String, format: Format, size: Size? = nil) {
    (self.file, self.format, self.size) = (file, format, size)
  }

  /// Whether the picture is for print: a PDF, or a picture whose size is a length. It has no title, because a figure in a journal has a
  /// caption.
  var isForPrint: Bool { format == .pdf || size.map { $0.unit != .px } == true }

  /// The commands of gnuplot that select the terminal and the file.
  ///
  /// Text has 8 points in print and 12 pixels (9 points) otherwise. A PNG for print has 300 pixels per inch.
  ///
  /// - Parameter panels: the number of panels. The default size is 900 pixels by 360 pixels for each panel, or 180 mm, the width of a page,
  ///   by 65 mm for each panel.
  func commands(panels: Int) -> String {
    let standard = isForPrint ? Size(180, 65 * Double(panels), .mm) : Size(900, 360 * Double(panels), .px)
    let size = size ?? standard
    let (width, height) = (size.width * size.unit.inches, size.height * size.unit.inches)
    func pixels(_ resolution: Double) -> String {
      "\(Int((width * resolution).rounded())),\(Int((height * resolution).rounded()))"
    }
    let terminal =
      switch format {
      case .svg: "svg size \(pixels(96)) font 'sans-serif,\(isForPrint ? 10.7 : 12)' dynamic background '#ffffff'"
      case .png where isForPrint: "pngcairo size \(pixels(300)) font 'Sans,8' fontscale 4.17 linewidth 3 pointscale 3"
      case .png: "pngcairo size \(pixels(96)) font 'Sans,9' fontscale 1.33"
      case .pdf: "pdfcairo size \(width.fixed(4))in,\(height.fixed(4))in font 'Sans,8'"
      }
    return "set encoding utf8\nset terminal \(terminal)\nset output \(Gnuplot.quoted(file))\n"
  }
}
