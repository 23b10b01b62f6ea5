import Foundation
import MatterTestKit
import TestSupport
import Testing

/// The binary and a ledger on this machine.
@Suite("The ledger", .enabled(if: Laboratory.isHere), .laboratorySlot) struct LedgerTests {
    private static func ledger(_ answers: [String: String]) throws -> StandInServer {
        try StandInServer { target in
            let path = String(target.prefix { $0 != "?" })
            return answers[path].map { .init($0) } ?? .init(LedgerScene.notFound, status: 404)
        }
    }

    @Test("discover shows what the ledger said of a product, and asks nothing")
    func discover() async throws {
        let server = try Self.ledger([
            "/dcl/model/models/65521/32769":
                #"""
            {"model":{"vid":65521,"pid":32769,"productName":"Plug\u001b[31m","commissioningCustomFlow":2,
            "commissioningCustomFlowUrl":"https://e.example/begin"}}
            """#,
            "/dcl/vendorinfo/vendors/65521": #"{"vendorInfo":{"vendorID":65521,"vendorName":"Maker"}}"#,
        ])
        let device = try await VirtualDevice.start("on-off-light", isAdvertised: true)
        defer { device.stop() }
        var matterctl = try MatterCtl()
        matterctl.environment["MATTERCTL_LEDGER"] = server.url
        let words = ["discover", "--discriminator", "\(device.discriminator)"]
        let unknown = try await matterctl.run(words)
        #expect(unknown.stdout.contains("\t65521\t32769\t") && unknown.stderr.isEmpty, "\(unknown)")
        try await matterctl.succeed("dcl", "model", "0xFFF1", "0x8001")
        let count = server.requests.count
        let text = try await matterctl.run(words)
        #expect(text.stdout.contains("\tMaker\tPlug\\x1b[31m\t"), "\(text)")
        let note = ": Plug\\x1b[31m by Maker; commissioning begins at https://e.example/begin"
        #expect(text.messages.count == 1 && text.messages.first?.hasSuffix(note) == true, "\(text)")
        let json = try await matterctl.run(words + ["--json"])
        let found = try #require(try json.json().elements.first)
        #expect(found["ledger"]?["commissioningFlow"]?.string == "custom" && json.stderr.isEmpty, "\(json)")
        let watch = try await matterctl.run(words + ["--watch", "--for", "2s"])
        #expect(watch.stderr.contains(note) && watch.status == 0, "\(watch)")
        #expect(server.requests.count == count)
    }

    /// A vendor with many products, on a ledger that has roots and a product of ours.
    private static func crowd(_ count: Int) throws -> StandInServer {
        var scene = LedgerScene()
        scene.roots = [try LedgerScene.root("Root")]
        let products = (1...count).map { #"{"pid":\#($0),"name":"Product \#($0)","partNumber":"P-\#($0)"}"# }
        let vendors = (1...count).map { #"{"vendorID":\#($0),"vendorName":"Vendor \#($0)"}"# }
        scene.others = [
            "/dcl/model/models/4660":
                #"{"vendorProducts":{"vid":4660,"products":[\#(products.joined(separator: ","))]}}"#,
            "/dcl/vendorinfo/vendors": #"{"vendorInfo":[\#(vendors.joined(separator: ","))]}"#,
        ]
        return try Self.ledger(scene.answers)
    }

    /// Runs a command in a process that is small itself: what the kernel counts begins with the memory of the parent.
    private static let measured = """
        import resource, subprocess, sys
        subprocess.run(sys.argv[1:], check=True)
        print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)
        """

    /// How much memory a command had at most, KiB, and what it printed.
    private static func peak(_ words: [String], _ ledger: StandInServer) async throws -> (peak: Int, output: String) {
        let folder = try TemporaryFolder()
        var environment = Laboratory.environment
        environment["MATTERCTL_LEDGER"] = ledger.url
        environment["MATTERCTL_HOME"] = folder.file("home").path
        let child = try Child(
            Laboratory.python, ["-c", measured, Laboratory.binary.path] + words, environment: environment,
            folder: folder)
        #expect(await child.status() == 0, "\(child.stderr)")
        let last = try #require(child.stderr.split(separator: "\n").last)
        return (try #require(Int(last)), child.stdout)
    }

    @Test("a ledger with 50,000 models costs little more memory than one with 500")
    func memory() async throws {
        var peaks: [[Int]] = []
        for count in [500, 50_000] {
            let server = try Self.crowd(count)
            let update = try await Self.peak(["trust", "update", "--models", "--yes"], server)
            let list = try await Self.peak(["dcl", "vendor", "4660", "--models"], server)
            #expect(list.output.split(separator: "\n").count == count)
            peaks.append([update.peak, list.peak])
        }
        let text = "KiB at most, trust update and dcl vendor --models: \(peaks)"
        print(text)
        #expect(peaks[1][0] - peaks[0][0] < 8 << 10, "\(text)")
        // The answer alone has 3 MB, and is held while it is kept.
        #expect(peaks[1][1] - peaks[0][1] < 12 << 10, "\(text)")
    }
}
