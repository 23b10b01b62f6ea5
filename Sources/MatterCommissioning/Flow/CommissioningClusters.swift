/// The numbers of the clusters that commissioning talks to (Matter core specification, chapter 11).
package enum CommissioningCluster {
    package static let descriptor: UInt32 = 0x1D
    package static let basicInformation: UInt32 = 0x28
    package static let generalCommissioning: UInt32 = 0x30
    package static let networkCommissioning: UInt32 = 0x31
    package static let timeSynchronization: UInt32 = 0x38
    package static let administratorCommissioning: UInt32 = 0x3C
    package static let operationalCredentials: UInt32 = 0x3E
    package static let icdManagement: UInt32 = 0x46
    package static let featureMap: UInt32 = 0xFFFC
}

/// CommissioningErrorEnum, the answer of most General Commissioning commands (11.10.5.1).
package enum CommissioningErrorCode: UInt8, Sendable {
    case ok = 0
    case valueOutsideRange, invalidAuthentication, noFailSafe, busyWithOtherAdmin, requiredTermsNotAccepted
    case termsAcknowledgementsNotReceived, termsMinimumVersionNotMet
}
