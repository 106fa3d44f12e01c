/// The version of this program (Semantic Versioning), which every result contains.
public enum Version {
  public static let current = "0.1.0"  // .github/CITATION.cff contains the same version.
}
