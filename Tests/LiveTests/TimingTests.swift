import Testing

/// The tests that need an otherwise idle machine, because they assert when a peer acted, what it sounded or that it lost
/// no tick. They run last and one at a time: `swift test --no-parallel --filter TimingTests`.
@Suite(.serialized) struct TimingTests {}
