/// This program's version, as every result records it (Semantic Versioning).
public enum Version {
  public static let current = "0.1.0"
}
