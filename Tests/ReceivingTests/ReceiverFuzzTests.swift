import Testing
import _TestSupport

/// Hostile packets, derived from 256 valid packets. `Benchmarks/fuzz receiver` runs ten million inputs.
@Suite struct ReceiverFuzzTests {
  @Test(arguments: UInt64(1)...4) func hostilePacketsViolateNoInvariant(seed: UInt64) throws {
    let fuzzer = ReceiverFuzzer(seed: seed, count: 256)
    try fuzzer.run(inputs: 5_000)
    // Some messages were admitted, and some clock requests were answered. The packets have thus passed the first checks.
    #expect(!fuzzer.account.contains("admitted 0,") && !fuzzer.account.contains("replies 0"), "\(fuzzer.account)")
  }
}
