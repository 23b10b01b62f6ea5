import MatterBase
import TestSupport
import Testing

@testable import MatterNetwork

@Suite("Commissionable records", .ownDaemons)
struct CommissionableRecordTests {
    private func record(_ strings: String...) throws -> CommissionableRecord {
        CommissionableRecord(try TXTRecord(decoding: strings.flatMap { txt($0) }))
    }

    @Test("every key is read, in either case")
    func complete() throws {
        let device = try record(
            "d=3840", "cm=2", "vp=65521+32769", "dt=257", "dn=Lämp", "ri=0aFF", "ph=33", "pi=Hold 5 s", "jf=2",
            "sii=5000", "sai=300", "sat=4000", "t=6", "icd=1")
        #expect(device.longDiscriminator == 3840)
        #expect(device.shortDiscriminator == 15)
        #expect(device.commissioningMode == .enhanced)
        #expect(device.vendorID == 0xFFF1)
        #expect(device.productID == 0x8001)
        #expect(device.deviceType == 257)
        #expect(device.deviceName == "Lämp")
        #expect(device.rotatingID == [0x0A, 0xFF])
        #expect(device.pairingHint == 33)
        #expect(device.pairingInstruction == "Hold 5 s")
        #expect(device.jointFabric == 2)
        #expect(device.parameters.idleInterval == .seconds(5))
        #expect(device.parameters.activeInterval == .milliseconds(300))
        #expect(device.parameters.activeThreshold == .seconds(4))
        #expect(device.parameters.tcp == [.client, .server])
        #expect(device.parameters.icdMode == .longIdleTime)
    }

    @Test("an empty record is a device that is not open and says nothing")
    func empty() throws {
        let device = try record()
        #expect(device == CommissionableRecord(longDiscriminator: nil, commissioningMode: .closed))
        #expect(device.shortDiscriminator == nil)
        #expect(device.parameters == AdvertisedParameters())
    }

    @Test("unknown keys are ignored")
    func unknown() throws { #expect(try record("D=1", "XX=1", "org.example=2") == record("D=1")) }

    @Test("a discriminator has twelve bits", arguments: ["4096", "0123", "-1", "F00", ""])
    func discriminator(text: String) throws {
        #expect(try record("D=\(text)").longDiscriminator == nil)
        #expect(try record("D=4095").longDiscriminator == 4095)
    }

    @Test("an unknown commissioning mode is none", arguments: ["4", "01", "255", "256", "x", ""])
    func mode(text: String) throws {
        #expect(try record("CM=\(text)").commissioningMode == .closed)
        #expect(try record("CM=3").commissioningMode == .jointFabric)
    }

    @Test(
        "vendor and product are one value; a bad product leaves the vendor",
        arguments: [
            ("4996", 4996, nil), ("4996+7", 4996, 7), ("4996+", 4996, nil), ("4996+07", 4996, nil),
            ("4996+65536", 4996, nil), ("4996+7+8", 4996, nil), ("+7", nil, nil), ("65536+7", nil, nil),
            ("0+0", 0, 0), ("", nil, nil),
        ] as [(String, UInt16?, UInt16?)])
    func vendorAndProduct(text: String, vendor: UInt16?, product: UInt16?) throws {
        let device = try record("VP=\(text)")
        #expect(device.vendorID == vendor)
        #expect(device.productID == product)
    }

    @Test("a rotating id is an even number of hexadecimal digits", arguments: ["0", "0G", "0A0", "", "0x0A", "é0"])
    func rotatingID(text: String) throws { #expect(try record("RI=\(text)").rotatingID == nil) }

    @Test("values that are too long count as absent")
    func tooLong() throws {
        #expect(try record("DN=\(String(repeating: "x", count: 32))").deviceName?.count == 32)
        #expect(try record("DN=\(String(repeating: "x", count: 33))").deviceName == nil)
        #expect(try record("PI=\(String(repeating: "x", count: 128))").pairingInstruction?.count == 128)
        #expect(try record("PI=\(String(repeating: "x", count: 129))").pairingInstruction == nil)
        #expect(try record("RI=\(String(repeating: "AB", count: 50))").rotatingID?.count == 50)
        #expect(try record("RI=\(String(repeating: "AB", count: 51))").rotatingID == nil)
    }

    @Test("a device of our own is advertised with the record and subtypes of the specification")
    func advertised() throws {
        let device = CommissionableRecord(
            longDiscriminator: 840, commissioningMode: .basic, vendorID: 0xFFF1, productID: 0x8000, deviceType: 257,
            deviceName: "Lamp", parameters: AdvertisedParameters(idleInterval: .milliseconds(500), tcp: [.server]))
        #expect(
            try device.txt().encoded == txt("D=840", "CM=1", "VP=65521+32768", "DT=257", "DN=Lamp", "SII=500", "T=4"))
        #expect(device.subtypes == ["_L840", "_S3", "_V65521", "_T257", "_CM"])
        var closed = device
        closed.commissioningMode = .closed
        #expect(!closed.subtypes.contains("_CM"))
        let service = try ServicePublication.commissionable(device, port: 5541)
        #expect(service.type == "_matterc._udp")
        #expect(service.instance == nil)
    }

    @Test("texts that are too long are not advertised")
    func unwritable() {
        let name = String(repeating: "ä", count: 17)
        let device = CommissionableRecord(longDiscriminator: 1, commissioningMode: .basic, deviceName: name)
        #expect(throws: DiscoveryError.self) { try device.txt() }
    }
}

@Suite("Advertised parameters", .ownDaemons)
struct AdvertisedParametersTests {
    private func parameters(_ string: String) throws -> AdvertisedParameters {
        AdvertisedParameters(try TXTRecord(decoding: txt(string)))
    }

    @Test("intervals are at most an hour")
    func intervals() throws {
        #expect(try parameters("SII=3600000").idleInterval == .seconds(3600))
        #expect(try parameters("SII=3600001").idleInterval == nil)
        #expect(try parameters("SAI=3600001").activeInterval == nil)
        #expect(try parameters("SAI=0300").activeInterval == nil)
    }

    @Test("the active threshold is 1 to 65,535 ms")
    func threshold() throws {
        #expect(try parameters("SAT=0").activeThreshold == nil)
        #expect(try parameters("SAT=1").activeThreshold == .milliseconds(1))
        #expect(try parameters("SAT=65535").activeThreshold == .milliseconds(65535))
        #expect(try parameters("SAT=65536").activeThreshold == nil)
    }

    @Test(
        "TCP support is a bitmap of bits 1 and 2, with 1 as an old spelling of both",
        arguments: [
            ("0", []), ("1", [.client, .server]), ("2", [.client]), ("4", [.server]), ("6", [.client, .server]),
            ("3", []), ("8", []), ("06", []), ("x", []),
        ] as [(String, AdvertisedParameters.TCPSupport)])
    func tcp(text: String, support: AdvertisedParameters.TCPSupport) throws {
        #expect(try parameters("T=\(text)").tcp == support)
    }

    @Test("the mode of an intermittently connected device is 0 or 1")
    func icd() throws {
        #expect(try parameters("ICD=0").icdMode == .shortIdleTime)
        #expect(try parameters("ICD=1").icdMode == .longIdleTime)
        #expect(try parameters("ICD=2").icdMode == nil)
        #expect(try parameters("SII=1").icdMode == nil)
    }
}

@Suite("Operational instances", .ownDaemons)
struct OperationalInstanceTests {
    @Test("a name is the compressed fabric id and the node id")
    func name() throws {
        let instance = OperationalInstance(compressedFabricID: 0x87E1_B004_E235_A130, nodeID: 0x8FC7_7724_01CD_0696)
        #expect(instance.name == "87E1B004E235A130-8FC7772401CD0696")
        #expect(try OperationalInstance(name: instance.name) == instance)
        #expect(OperationalInstance(compressedFabricID: 1, nodeID: 2).name == "0000000000000001-0000000000000002")
    }

    @Test("names are read without regard to case")
    func lowerCase() throws {
        #expect(try OperationalInstance(name: "87e1b004e235a130-00000000000000ab").nodeID == 0xAB)
    }

    @Test(
        "other names are refused",
        arguments: [
            "", "-", "87E1B004E235A130", "87E1B004E235A130-", "87E1B004E235A130-1", "87E1B004E235A13G-0000000000000001",
            "87E1B004E235A130-0000000000000001-", "+7E1B004E235A130-0000000000000001",
            "87E1B004E235A130-+000000000000001", "087E1B004E235A130-0000000000000001",
            "87E1B004E235A130_0000000000000001", "８7E1B004E235A1-0000000000000001",
        ])
    func refused(name: String) {
        #expect(throws: DiscoveryError.self) { try OperationalInstance(name: name) }
    }

    @Test("damaged names are read or refused; what is read is spelt as it was")
    func mutations() throws {
        var mutator = Mutator(
            seed: 4, corpus: [Array("87E1B004E235A130-8FC7772401CD0696".utf8), Array("AB-CD".utf8)])
        var accepted = 0
        for _ in 0..<Effort.inputs(20_000) {
            let name = String(decoding: mutator.next(), as: UTF8.self)
            guard let instance = try? OperationalInstance(name: name) else { continue }
            accepted += 1
            #expect(instance.name == name.uppercased())
        }
        #expect((Effort.inputs(100)..<Effort.inputs(10_000)).contains(accepted))
    }

    @Test("a node of our own is advertised under its name and its fabric")
    func advertised() throws {
        let instance = OperationalInstance(compressedFabricID: 0xAB, nodeID: 0xCD)
        let service = try ServicePublication.operational(instance, OperationalRecord(), port: 5540)
        #expect(service.type == "_matter._tcp")
        #expect(service.instance == "00000000000000AB-00000000000000CD")
        #expect(service.subtypes == ["_I00000000000000AB"])
    }
}

@Suite("Commissionable filters", .ownDaemons)
struct CommissionableFilterTests {
    private let device = CommissionableRecord(longDiscriminator: 3840, commissioningMode: .basic, vendorID: 0xFFF1)

    @Test("a filter browses for the subtype of the specification")
    func subtypes() {
        #expect(CommissionableFilter.longDiscriminator(840).subtype == "_L840")
        #expect(CommissionableFilter.shortDiscriminator(3).subtype == "_S3")
        #expect(CommissionableFilter.vendor(65521).subtype == "_V65521")
        #expect(CommissionableFilter.commissioningMode.subtype == "_CM")
        #expect(CommissionableFilter.any.subtype == nil)
        #expect(CommissionableReader(.any, includingClosed: false).target == .browse(["_matterc._udp"]))
        #expect(
            CommissionableReader(.longDiscriminator(840), includingClosed: false).target
                == .browse(["_L840._sub._matterc._udp", "_matterc._udp"]))
    }

    @Test("the record decides where it says something")
    func record() {
        #expect(CommissionableFilter.longDiscriminator(3840).matches(device, hasSubtype: false))
        #expect(!CommissionableFilter.longDiscriminator(3841).matches(device, hasSubtype: true))
        #expect(CommissionableFilter.shortDiscriminator(15).matches(device, hasSubtype: false))
        #expect(!CommissionableFilter.shortDiscriminator(14).matches(device, hasSubtype: true))
        #expect(CommissionableFilter.vendor(0xFFF1).matches(device, hasSubtype: false))
        #expect(!CommissionableFilter.vendor(0xFFF2).matches(device, hasSubtype: true))
        #expect(CommissionableFilter.commissioningMode.matches(device, hasSubtype: false))
        #expect(CommissionableFilter.any.matches(device, hasSubtype: false))
    }

    @Test("where the record is silent, the subtype it was found under decides")
    func subtype() {
        let silent = CommissionableRecord(longDiscriminator: nil, commissioningMode: .closed)
        for filter in [CommissionableFilter.longDiscriminator(1), .shortDiscriminator(1), .vendor(1)] {
            #expect(filter.matches(silent, hasSubtype: true))
            #expect(!filter.matches(silent, hasSubtype: false))
        }
        #expect(!CommissionableFilter.commissioningMode.matches(silent, hasSubtype: true))
    }
}

@Suite("Discovery errors", .ownDaemons)
struct DiscoveryErrorTests {
    @Test("an error is what it says, and the codes are stable")
    func hints() {
        for code in DiscoveryError.Code.allCases {
            let error = DiscoveryError(code, "reason")
            #expect(error.description == "reason")
        }
        #expect(
            DiscoveryError.Code.allCases.map(\.rawValue) == [
                "discovery.library-missing", "discovery.bus-unavailable", "discovery.daemon-unavailable",
                "discovery.disconnected", "discovery.no-network", "discovery.refused", "discovery.collision",
                "discovery.out-of-resources", "discovery.malformed-record",
            ])
    }

    @Test("what hangs has another next step than what is missing")
    func hung() {
        for code in [DiscoveryError.Code.busUnavailable, .daemonUnavailable] {
            #expect(DiscoveryError(code, "reason").hint == nil)
            #expect(DiscoveryError(code, "reason", isHung: true).hint == .step("\(code.rawValue).hung"))
        }
    }
}
