import Foundation
import Measurement
import Testing

/// Tests of the articles that the help of the commands names.
@Suite struct FiguresArticleTests {
  /// The article is at its path and has its title.
  @Test(arguments: FiguresArticle.allCases) func articleExists(article: FiguresArticle) throws {
    let root = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let text = try String(contentsOf: root.appending(path: article.path), encoding: .utf8)
    #expect(text.hasPrefix("# \(article.title)\n"))
    #expect(article.reference.contains(article.path) && article.reference.contains("/usr/share/doc/tutti"))
  }
}
