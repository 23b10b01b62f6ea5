import Foundation
import TestSupport
import Testing

/// Thread networks whose border routers advertise themselves, by another program than ours.
@Suite("Thread", .enabled(if: Laboratory.isHere), .laboratorySlot) struct ThreadTests {
    private let matterctl: MatterCtl

    init() throws { matterctl = try MatterCtl() }

    /// A file with the dataset of a new network.
    private func dataset(_ name: String) async throws -> String {
        let file = matterctl.folder.file("\(name)-\(UUID().uuidString).hex").path
        try await matterctl.succeed("thread", "dataset", "make", "--name", name, "--out", file)
        return file
    }

    /// A border router on the far host; it goes with its goodbye.
    private func borderRouter(_ name: String, _ options: [String]) async throws -> Child {
        let router = try Child(
            URL(fileURLWithPath: "/usr/bin/env"),
            Laboratory.far + [
                Laboratory.python.path, Laboratory.scripts.appendingPathComponent("border_router.py").path,
                "--instance", name,
            ] + options, folder: matterctl.folder)
        try await eventually("the border router: \(router.stderr)") { router.stdout.contains("ready") }
        return router
    }

    private func end(_ routers: Child...) async {
        for router in routers {
            router.signal(SIGTERM)
            _ = await router.status()
        }
    }

    /// One test, because all border routers of the laboratory are seen by all.
    @Test(
        "--thread auto finds border routers by their advertisement, names their networks, and takes the one that is named"
    )
    func automatic() async throws {
        let (mesh, attic) = (try await dataset("mesh"), try await dataset("attic"))
        let add = ["network", "credentials", "add", "--thread"]
        let none = try await matterctl.run(add + ["auto", "--json"])
        #expect(try none.error()["id"]?.string == "thread.no-border-router" && none.status == 3, "\(none)")

        // Its REST interface listens at the second of its addresses only, as OpenThread's does by default.
        let both = ["--address", "fd77::2", "--address", "10.77.0.2"]
        let first = try await borderRouter(
            "OpenThread BorderRouter #4A2B", both + ["--rest", "10.77.0.2", "--dataset", "@\(mesh)"])
        let device = try await VirtualDevice.start(
            "on-off-light", options: ["--network", "thread", "--network-dataset", "@\(mesh)", "--setup-over-ip"])
        // One that keeps its dataset to itself, as those of the large platforms do.
        let secretive = try await borderRouter(
            "Living Room", ["--address", "fd77::2", "--rest", "none", "--dataset", "@\(attic)"])
        var offered = try await matterctl.run(add + ["auto", "--json"])
        // Its advertisement may take longer than a search.
        for _ in 0..<5 where !offered.stderr.contains("Living Room") {
            offered = try await matterctl.run(add + ["auto", "--json"])
        }
        #expect(try offered.error()["id"]?.string == "thread.not-confirmed" && offered.status == 64, "\(offered)")
        #expect(
            try offered.error()["message"]?.string?.hasPrefix(
                "http://10.77.0.2:8081 offers the Thread network 'mesh' (")
                == true, "\(offered)")
        #expect(
            offered.stderr.contains("border routers that gave no dataset: 'Living Room' of 'attic' ("), "\(offered)")
        await end(secretive)
        let commissioned = try await matterctl.commission(device, ["--name", "lamp", "--thread", "auto:mesh"])
        #expect(
            commissioned.stderr.contains(
                "the Thread network 'mesh', whose dataset is from http://10.77.0.2:8081"), "\(commissioned)")
        #expect(first.stdout.contains("get /node/dataset/active text/plain"))
        try await matterctl.succeed("toggle", "lamp")
        let secret = try String(contentsOfFile: mesh, encoding: .utf8).prefix(60)
        #expect(!commissioned.stderr.contains(secret))

        // Another network, from a border router whose values are odd, on a host of its own.
        let added = try Child(
            URL(fileURLWithPath: "/usr/bin/env"),
            Laboratory.far + ["ip", "addr", "add", "fd77::3/64", "dev", "mt0", "nodad"], folder: matterctl.folder)
        #expect(await added.status() == 0, "\(added.stderr)")
        let second = try await borderRouter(
            "attic",
            [
                "--address", "fd77::3", "--dataset", "@\(attic)", "--txt", "xp=00", "--txt", "sb", "--txt", "nn=fffe",
            ])
        let refused = try await matterctl.run(add + ["auto", "--json"])
        let error = try refused.error()
        #expect(error["id"]?.string == "thread.several-networks" && refused.status == 64, "\(refused)")
        #expect(error["message"]?.string?.contains("'mesh' (") == true, "\(refused)")
        #expect(error["message"]?.string?.contains("'attic' (") == true, "\(refused)")
        let chosen = try await matterctl.run(add + ["auto:attic"])
        #expect(chosen.status == 0 && chosen.stderr.contains("'attic'"), "\(chosen)")
        await end(first, second)

        // Its advertisement and its data differ.
        let odd = try await borderRouter(
            "odd",
            [
                "--address", "10.77.0.2", "--dataset", "@\(mesh)", "--advertise", "@\(attic)", "--txt",
                "at=0000700000000000",
            ])
        try await awaitEvent("the others to be gone") {
            let run = try Child(
                URL(fileURLWithPath: "/usr/bin/avahi-browse"), ["-pt", "_meshcop._udp"], folder: matterctl.folder)
            _ = await run.status()
            return !run.stdout.contains("attic") && !run.stdout.contains("4A2B") && run.stdout.contains("odd")
        }
        let warned = try await matterctl.run(add + ["auto:mesh"])
        #expect(warned.status == 0 && warned.stderr.contains("advertises another network"), "\(warned)")
        #expect(warned.stderr.contains("the dataset is older than the network"), "\(warned)")
        await end(odd)
    }
}
