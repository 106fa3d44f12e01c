/// The formats of plots, by the ends of file names.
public enum PlotFormat: String, Sendable, CaseIterable {
  case svg, png
}
