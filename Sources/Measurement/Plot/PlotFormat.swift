/// The picture formats of plots. The raw value is the extension of the file name.
public enum PlotFormat: String, Sendable, CaseIterable {
  case svg, png
}
