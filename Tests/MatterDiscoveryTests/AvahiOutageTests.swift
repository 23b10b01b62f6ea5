import Foundation
import TestSupport
import Testing

@testable import MatterNetwork

/// Discovery without something that it needs.
@Suite("Missing services", .ownDaemons)
struct AvahiOutageTests {
    private static func error(of discovery: AvahiDiscovery) async -> DiscoveryError? {
        do {
            for try await _ in discovery.browseCommissionable(.any) {}
            return nil
        } catch {
            return error as? DiscoveryError
        }
    }

    @Test("making a discovery loads nothing, and a program can run without the library")
    func nothingLoaded() async {
        // A fresh process of this same program, which contains all of the module.
        await #expect(processExitsWith: .success) {
            let discovery = AvahiDiscovery()
            let maps = Lab.mappedFiles()
            #expect(maps.contains("libc.so"))
            #expect(!maps.contains("libavahi"))
            #expect(!maps.contains("libdbus"))
            _ = discovery
        }
    }

    @Test(
        "a missing library is named, with the package that has it",
        arguments: [
            AvahiLibrary.Names(common: "libavahi-common.so.99", client: "libavahi-client.so.3"),
            AvahiLibrary.Names(common: "libc.so.6", client: "libavahi-client.so.99"),
            AvahiLibrary.Names(common: "libc.so.6", client: "libm.so.6"),
        ])
    func noLibrary(names: AvahiLibrary.Names) async throws {
        let discovery = AvahiDiscovery(library: names)
        let error = try #require(await Self.error(of: discovery))
        #expect(error.code == .libraryMissing)
        #expect(error.isLocalServiceMissing)
        #expect(error.reason.contains(".so") || error.reason.contains("avahi_"))
        await #expect(throws: DiscoveryError.self) {
            try await discovery.publish(ServicePublication(type: "_matterc._udp", instance: nil, port: 5540))
        }
    }

    @Test("a missing D-Bus is named", .enabled(if: Lab.hasLibrary))
    func noBus() async {
        await #expect(processExitsWith: .success) {
            setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=/nonexistent/bus", 1)
            let error = await AvahiOutageTests.error(of: AvahiDiscovery())
            #expect(error?.code == .busUnavailable)
            #expect(error?.isHung == false)
        }
    }

    @Test("a D-Bus that accepts and never answers is named in time", .enabled(if: Lab.hasLibrary))
    func hungBus() async {
        await #expect(processExitsWith: .success) {
            let path = FileManager.default.temporaryDirectory.appendingPathComponent("hung-\(UUID().uuidString)").path
            let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
            let bound = withUnsafeBytes(of: &address) {
                bind(listener, $0.assumingMemoryBound(to: sockaddr.self).baseAddress, socklen_t($0.count))
            }
            #expect(bound == 0 && listen(listener, 8) == 0)
            setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=\(path)", 1)
            let discovery = AvahiDiscovery(patience: .seconds(1))
            let error = await AvahiOutageTests.error(of: discovery)
            #expect(error?.code == .busUnavailable && error?.isHung == true)
            #expect(error?.isHung == true)
            await #expect(throws: DiscoveryError.self) {
                try await discovery.publish(ServicePublication(type: "_matterc._udp", instance: nil, port: 5540))
            }
            unlink(path)
        }
    }

    @Test("a missing avahi-daemon is named", .enabled(if: Lab.isHere))
    func noDaemon() async {
        await #expect(processExitsWith: .success) {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent("bus-\(UUID().uuidString)").path
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let bus = try Lab.start(
                "exec dbus-daemon --session --nofork --nopidfile --address=unix:path=\(folder)/bus 2> /dev/null")
            try await awaitEvent("the bus") { FileManager.default.fileExists(atPath: folder + "/bus") }
            setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=\(folder)/bus", 1)
            let error = await AvahiOutageTests.error(of: AvahiDiscovery())
            Lab.stop(bus)
            try FileManager.default.removeItem(atPath: folder)
            #expect(error?.code == .daemonUnavailable)
            #expect(error?.isHung == false)
        }
    }
}
