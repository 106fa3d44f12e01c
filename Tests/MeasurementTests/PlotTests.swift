import Testing

@testable import Measurement

/// Tests of the size, the axes and the guides of plots.
struct PlotTests {
  @Test(arguments: [
    ("900x600", PlotPicture.Size(900, 600, .px)), ("85x60mm", PlotPicture.Size(85, 60, .mm)),
    ("8.5x6cm", PlotPicture.Size(8.5, 6, .cm)), ("3.5x2.5in", PlotPicture.Size(3.5, 2.5, .inch)), ("900", nil),
    ("900x", nil), ("99x600", nil), ("85x1mm", nil), ("1e9x600", nil), ("nanx600", nil), ("900x600pt", nil), ("", nil),
  ])
  func sizeIsParsed(text: String, size: PlotPicture.Size?) { #expect(PlotPicture.Size(text) == size) }

  @Test func printedPicturesHaveTheirLengthAndNoTitle() {
    func script(_ format: PlotPicture.Format, _ size: String?) -> String {
      let picture = PlotPicture(file: "x", format: format, size: size.flatMap { PlotPicture.Size($0) })
      return Gnuplot.script(
        picture, title: "T", data: "", [Gnuplot.Panel(x: "time / s", y: "phase / µs", curves: ["x"])])
    }
    #expect(script(.pdf, "5.08x10.16cm").contains("pdfcairo size 2.0000in,4.0000in font 'Sans,8'"))
    #expect(script(.png, "2x4in").contains("pngcairo size 600,1200"))
    #expect(script(.svg, "900x600").contains("svg size 900,600") && script(.svg, nil).contains("svg size 900,360"))
    #expect(script(.svg, nil).contains("title 'T'") && !script(.pdf, nil).contains("title 'T'"))
    #expect(script(.svg, nil).contains("set encoding utf8") && script(.svg, nil).contains("'phase / µs'"))
  }

  /// One outlier would flatten the axis. It is marked at the edge, and its value is in the key.
  @Test func outliersDoNotFlattenTheAxis() throws {
    let values = (0..<1000).map { Double($0 % 11) }
    #expect(RobustRange(values) == nil && RobustRange(values + [20]) == nil)
    let points = (values + [5000]).enumerated().map { (x: Double($0), y: $1) }
    let robust = try #require(RobustRange(points.map(\.y)))
    #expect(robust.range == -10...20 && robust.setting == "set yrange [-10.0:20.0]")
    let (data, curve, _) = robust.outside("o", points, unit: "µs")
    #expect(data == "$o << END_OF_DATA\n1000.0 20.0\nEND_OF_DATA\n")
    #expect(curve.contains("'outside the axis: 1, up to 5000 µs'"))
    let (_, hidden, note) = robust.outside("o", points, unit: "µs", isInKey: false)
    #expect(hidden.hasSuffix("notitle") && note == "(△ outside: 1, up to 5000 µs)")
    #expect(RobustRange.settings([0.0007, 0.0007], nil) == ["set yrange [-0.05:0.05]"])
    #expect(RobustRange.settings([0, 1], nil) == [] && RobustRange.settings([0], robust) == [robust.setting])
    #expect(RobustRange([Double]()) == nil && RobustRange([1, 1, 1]) == nil)
  }

  /// An isolated value is outside the axis. Two successive values of a response are not.
  @Test func onlyIsolatedValuesAreOutliers() throws {
    let values = (0..<1000).map { Double($0 % 11) }
    let robust = try #require(RobustRange(isolatedIn: [values, values + [100, 500, 100, 50] + values]))
    #expect(robust.range == -10...100)
    #expect(RobustRange(isolatedIn: [values, values + [100, 100] + values]) == nil)
    #expect(RobustRange(isolatedIn: [values]) == nil && RobustRange(isolatedIn: []) == nil)
  }

  @Test func deviationsHaveWholeDecadesAndFourGuides() throws {
    let guides = try #require(SlopeGuides([(0.02, 3e-4), (0.2, 3e-5), (0.4, 0)]))
    #expect(guides.settings.contains("set yrange [1e-5:1e-3]") && guides.settings.contains("set xrange [1e-2:1e0]"))
    #expect(guides.settings.contains("set format y '10^{%L}'") && guides.curves.count == 4)
    #expect(SlopeGuides([(1, 0)]) == nil)
  }
}
