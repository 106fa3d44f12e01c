import Testing

/// Tests that assert when a peer acted, what it played, or that it lost no tick. They need an otherwise idle machine, so they run
/// last and one at a time: `swift test --no-parallel --filter TimingTests`.
@Suite(.serialized) struct TimingTests {}
