import Testing
import _TestSupport

/// Hostile packets. `Benchmarks/fuzz receiver` runs ten million inputs.
@Suite struct ReceiverFuzzTests {
  @Test(arguments: UInt64(1)...4) func hostilePacketsViolateNoInvariant(seed: UInt64) throws {
    let fuzzer = ReceiverFuzzer(seed: seed, count: 256)
    try fuzzer.run(inputs: 5_000)
    #expect(!fuzzer.account.contains("sounded 0,") && !fuzzer.account.contains("replies 0"), "\(fuzzer.account)")
  }
}
