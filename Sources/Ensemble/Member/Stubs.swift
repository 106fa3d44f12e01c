extension Offer { var systemExclusive: [UInt8] { [] } }
