import Foundation
import MatterCommandLine
import TestSupport
import Testing

/// The commands of docs/your-first-house.md, against the virtual devices that the page names.
@Suite("Your first house", .fewAtATime) struct FirstHouseTests {
    /// A command of a `console` block, and the lines below it.
    private struct Step {
        let command: String
        var output: [String] = []
    }

    private static let page: String = {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..")
        return (try? String(contentsOf: root.appendingPathComponent("docs/your-first-house.md"), encoding: .utf8)) ?? ""
    }()

    private static func blocks(_ language: String) -> [[String]] {
        page.components(separatedBy: "```\(language)\n").dropFirst().map { rest in
            rest.components(separatedBy: "\n```")[0].components(separatedBy: "\n")
        }
    }

    private static var steps: [Step] {
        var steps: [Step] = []
        for line in blocks("console").joined() {
            if line.hasPrefix("$ ") {
                steps.append(Step(command: String(line.dropFirst(2))))
            } else if !steps.isEmpty {
                steps[steps.count - 1].output.append(line)
            }
        }
        return steps
    }

    /// The words of a shell's line, with single quotes.
    private static func words(_ line: String) -> [String] {
        line.components(separatedBy: "'").enumerated().reduce(into: [String]()) { words, part in
            guard part.offset.isMultiple(of: 2) else { return words.append(part.element) }
            words += part.element.split(separator: " ").map(String.init)
        }
    }

    /// Whether lines are as on the page, where a line `…` stands for any lines, and a `…` in a line for any text.
    private static func isAsPromised(_ lines: [String], _ page: [String]) -> Bool {
        guard let first = page.first else { return lines.isEmpty }
        let rest = Array(page.dropFirst())
        if first == "…" { return (0...lines.count).contains { isAsPromised(Array(lines.dropFirst($0)), rest) } }
        guard let line = lines.first, isAsPromised(Array(lines.dropFirst()), rest) else { return false }
        var left = line[...]
        for (index, part) in first.components(separatedBy: "…").enumerated() {
            let part = part.trimmingCharacters(in: .whitespaces)
            guard !part.isEmpty else { continue }
            guard let found = left.range(of: part), index > 0 || found.lowerBound == left.startIndex else {
                return false
            }
            left = left[found.upperBound...]
        }
        return first.contains("…") || left.isEmpty
    }

    @Test("every command of the page does what the page says")
    func story() async throws {
        // A person at the screen, as on the page.
        let shell = try Shell(terminals: [.output])
        let quiet = try Shell()
        var devices: [Background] = []
        var ports: [String] = []
        // Several tests run at once: the ports are free ones, and mDNS is left out.
        func here(_ words: [String]) -> [String] {
            var words = words
            for index in words.indices.dropFirst() {
                if words[index - 1] == "--port" { words[index] = "0" }
                if words[index - 1] == "--paa-out" || words[index - 1] == "--trust" {
                    words[index] = quiet.path(words[index])
                }
            }
            return words
        }
        for line in Self.blocks("sh").joined() where line.hasPrefix("matterctl simulate ") {
            let words = here(Array(Self.words(line).dropFirst()))
            let device = try quiet.start(
                (words + ["--mdns", "none", "--state", quiet.path("device\(ports.count)")]).joined(separator: " "))
            ports.append(try await device.line("ready"))
            devices.append(device)
        }
        try #require(ports.count == 4)
        var waiting = ports[...]
        let steps = Self.steps
        #expect(steps.count > 20)
        for step in steps {
            let parts = step.command.components(separatedBy: " | ")
            var words = Array(Self.words(parts[parts.count - 1]).dropFirst())
            if words.first == "commission" {
                words = here(words) + ["--address", "127.0.0.1:\(waiting.removeFirst())", "--timeout", "60s"]
            }
            let run = try await shell.run(words, input: parts.count > 1 ? "246810\n" : "")
            #expect(run.status == 0, "\(step.command): \(run)")
            let lines = run.stdout.split(separator: "\n").map(String.init)
            #expect(Self.isAsPromised(lines, step.output), "\(step.command): \(run.stdout)")
        }
        for device in devices { _ = await device.stop() }
    }

    @Test("a code of the page fits one of its virtual devices, and each has another passcode")
    func codes() async throws {
        let shell = try Shell()
        let devices = Self.blocks("sh").joined().filter { $0.hasPrefix("matterctl simulate ") }.map(Self.words)
        func value(_ option: String, _ words: [String]) -> String? {
            words.firstIndex(of: option).flatMap { words.indices.contains($0 + 1) ? words[$0 + 1] : nil }
        }
        var codes: [String] = []
        for words in devices {
            let (passcode, discriminator) = (
                try #require(value("--passcode", words)), try #require(value("--discriminator", words))
            )
            let made = try await shell.succeed(
                "payload make --passcode \(passcode) --discriminator \(discriminator)")
            codes += made.stdout.split(separator: "\n").filter { !$0.hasPrefix("MT:") }.map(String.init)
        }
        let printed = Self.steps.map { Self.words($0.command) }.filter { $0.dropFirst().first == "commission" }
        #expect(codes.count == 4 && Set(codes).count == 4)
        #expect(Set(devices.compactMap { value("--passcode", $0) }).count == 4)
        #expect(printed.map { $0[2] } == codes)
    }

    @Test("the other commands of the page parse")
    func others() async throws {
        let shell = try Shell()
        try await shell.succeed("fabric create home")
        for line in Self.blocks("sh").joined()
        where line.hasPrefix("matterctl ") && !line.hasPrefix("matterctl simulate") {
            for part in line.components(separatedBy: " && ") where part.hasPrefix("matterctl ") {
                let command = part.components(separatedBy: " | ")[0].components(separatedBy: "  ")[0]
                guard !command.contains("discover"), !command.contains("--check") else { continue }
                let run = try await shell.run(Array(Self.words(command).dropFirst()))
                #expect(run.status == 3 || run.status == 0, "\(command): \(run)")
            }
        }
    }
}
