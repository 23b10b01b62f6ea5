import Foundation
import Testing

/// Tokens of the server, with the binary.
@Suite("Tokens of the server", .enabled(if: Laboratory.isHere), .laboratorySlot) struct ServeTokenTests {
    @Test("a token goes to stdout and to no file, is listed by its name, and is taken back")
    func life() async throws {
        let matterctl = try MatterCtl()
        try await matterctl.succeed("fabric", "create", "home")
        let made = try await matterctl.succeed("serve", "token", "add", "panel", "--role", "control", "-vv")
        let text = made.stdout.trimmingCharacters(in: .newlines)
        #expect(text.hasPrefix("mctl_") && text.utf8.count == 48 && made.stdout == "\(text)\n")
        #expect(!made.stderr.contains(text))
        #expect(try await matterctl.succeed("serve", "token", "ls").stdout.contains("\tpanel\tcontrol\t"))
        #expect(try await matterctl.succeed("serve", "token", "ls", "--json").json().elements.count == 1)
        try await matterctl.fail(10, "serve", "token", "add", "panel", "--role", "read")
        try await matterctl.succeed("serve", "token", "rm", "panel")
        try await matterctl.fail(3, "serve", "token", "rm", "panel")
    }

    @Test("of twenty that are made at the same time, none is lost")
    func together() async throws {
        let matterctl = try MatterCtl()
        try await matterctl.succeed("fabric", "create", "home")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask {
                    try await matterctl.succeed("serve", "token", "add", "panel \(number)", "--role", "read")
                }
            }
            try await group.waitForAll()
        }
        #expect(try await matterctl.succeed("serve", "token", "ls", "--json").json().elements.count == 20)
    }
}
