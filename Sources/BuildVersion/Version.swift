/// The version of this program, which every result contains.
public enum Version {
  /// The version by Semantic Versioning 2.0.0. The build metadata after "+" is the commit from which the program was built: at least 12
  /// hexadecimal digits, and "-dirty" if a file in `Sources` or `Package.swift` differs from this commit. The metadata is missing if the
  /// program was not built in a Git repository, or if Git has failed.
  ///
  /// Inlining would write the commit into the modules that import this one, so each commit would compile them again.
  ///
  /// Real-time: not safe.
  public static var current: String {
    @inline(never) get {
      let release = "0.1.0"  // .github/CITATION.cff contains the same version.
      return commit.isEmpty ? release : release + "+" + commit
    }
  }
}
