import ArgumentParser
import MatterController

extension FabricCommand {
    struct Backup: StateCommand {
        static let configuration = CommandConfiguration(
            commandName: "backup", abstract: "Write all fabrics into one encrypted file, and read it again.",
            discussion: """
                The file is named by the time, such as matterctl-20261128T132000Z.age. A machine that makes backups by a timer \
                needs no secret: --recipient encrypts for an identity that is kept elsewhere ('age-keygen' makes one).

                Example: matterctl fabric backup --to /srv/backup --keep 30 --recipient age1…
                """)

        @Option(help: ArgumentHelp("The folder.", valueName: "FOLDER"), completion: .kind(.folder)) var to: String
        @Option(help: ArgumentHelp("How many backups stay in the folder; older ones are removed.", valueName: "COUNT"))
        var keep: Int?
        @OptionGroup(title: "Protection") var protection: ProtectionOptions
        @OptionGroup(title: HelpPage.common) var state: StateOptions

        func validate() throws {
            guard keep ?? 1 > 0 else { throw ValidationError("--keep is at least 1") }
        }

        func execute() async throws {
            let controller = try state.controller()
            let backup = try await controller.exports.backUp(
                to: to, protectedBy: try protection.protection(console), keep: keep)
            for fault in backup.file.faults { console.warning("\(fault)") }
            console.result {
                Field("file", backup.path, label: "file")
                Report(backup.file)
                Field("removedCount", backup.removed)
                Field(label: backup.removed > 0 ? "removed" : nil, ["\(backup.removed) older"])
            }
            if let fault = backup.file.faults.first { throw fault }
        }
    }

    struct Restore: StateCommand {
        static let configuration = CommandConfiguration(
            commandName: "restore", abstract: "Bring fabrics back from a backup or an export.",
            discussion: """
                From a folder the newest backup is taken. All of it is read and checked before anything is written. A fabric \
                that is here stays as it is: it has to be removed first, or the other one gets another name (--as).

                Example: matterctl fabric restore /srv/backup --check --identity @key.txt
                """)

        @Argument(
            help: ArgumentHelp("The file, or the folder of the backups.", valueName: "file|folder"),
            completion: .kind(.file))
        var path: String
        @Option(help: ArgumentHelp("The name here, where one fabric is brought back.", valueName: "NAME")) var `as`:
            String?
        @Option(help: ArgumentHelp("Only this fabric; may be repeated.", valueName: "NAME")) var only: [String] = []
        @Flag(help: "Read and check all of it, and write nothing.") var check = false
        @OptionGroup(title: "Opening") var unlock: UnlockOptions
        @OptionGroup(title: HelpPage.common) var state: StateOptions

        func execute() async throws {
            let controller = try state.controller()
            try await FabricCommand.restore(
                path, as: `as`, only: only, isCheck: check, unlock, controller, console)
        }
    }

    /// Brings fabrics back, all or none for a fault of the document; says each that is done.
    static func restore(
        _ path: String, as name: String?, only: [String], isCheck: Bool, _ unlock: UnlockOptions,
        _ controller: Controller, _ console: Console
    ) async throws {
        let exports = controller.exports
        guard OutputFile.exists(path) else { throw CommandLineError(.usageFile, "cannot read \(path): no such file") }
        let file = try exports.newestBackup(at: path)
        let document = try unlock.open(try exports.contents(at: file), file, exports)
        let chosen = only.isEmpty ? document.fabrics : document.fabrics.filter { only.contains($0.record.name) }
        let names = document.fabrics.map(\.record.name).joined(separator: ", ")
        guard !chosen.isEmpty, chosen.count == (only.isEmpty ? chosen.count : Set(only).count) else {
            throw CommandLineError(.usageName, "the fabrics in \(file) are: \(names)")
        }
        guard name == nil || chosen.count == 1 else {
            throw CommandLineError(
                .usageName, "\(file) has several fabrics: \(names)", hint: "say which one gets the name: --only NAME")
        }
        if isCheck {
            console.result {
                Field("file", file, label: "file")
                Report(document)
                Field("result", "checked", label: "result", text: "all of it can be read")
            }
            return
        }
        let restored = try await exports.restore(chosen, of: document, as: name)
        var reports: [Report] = []
        for (fabric, kept) in zip(chosen, restored) {
            let title = kept.record.name
            if let twin = kept.twin {
                console.warning("the fabrics '\(twin)' and '\(title)' have the same node: use one of them only")
            }
            let isElsewhere = await exports.isInUseElsewhere(kept.record)
            if isElsewhere {
                console.warning(
                    "the fabric '\(title)' is in use on another machine right now",
                    "stop it there: two that act as one node take each other's sessions")
            }
            reports.append(
                Report {
                    Field("fabric", title, column: "FABRIC")
                    Field("nodeCount", fabric.nodes.count, column: "NODES")
                    Field("groupCount", fabric.groups.count, column: "GROUPS")
                    Field("made", DateText.time(document.made), column: "MADE")
                    Field("host", document.host, column: "HOST")
                    Field("inUseElsewhere", isElsewhere)
                    Field("result", "restored", column: "RESULT")
                })
        }
        console.result(reports)
        console.message(
            "use these fabrics on one machine only\(document.host.map { " (they come from \($0))" } ?? ""): two that act as one node "
                + "take each other's sessions")
    }
}
