import ArgumentParser
import MatterController

/// How an export or a backup is protected.
struct ProtectionOptions: ParsableArguments {
    @Option(
        name: .customLong("recipient"),
        help: ArgumentHelp(
            "Encrypt for this recipient of age (age1…), whose identity alone opens the file; may be repeated.",
            valueName: "RECIPIENT"))
    var recipients: [String] = []
    @Option(
        help: ArgumentHelp("The passphrase, in the first line of a file (@- for stdin).", valueName: "@FILE"),
        completion: .kind(.contents))
    var passphrase: String?
    @Flag(help: "Do not encrypt: a reader of the file controls all devices.") var plain = false
    @Flag(help: "Skip the confirmation prompt.") var yes = false

    func validate() throws {
        guard passphrase?.hasPrefix("@") ?? true else {
            throw ValidationError("secrets are not arguments: write --passphrase @FILE (@- for stdin)")
        }
        guard [!recipients.isEmpty, passphrase != nil, plain].filter({ $0 }).count <= 1 else {
            throw ValidationError("--recipient, --passphrase and --plain exclude each other")
        }
        for recipient in recipients { _ = try Self.recipient(recipient) }
    }

    private static func recipient(_ text: String) throws -> AgeRecipient {
        do { return try AgeRecipient(text) } catch { throw ValidationError(error.reason) }
    }

    /// The protection, asked for where the line does not say it.
    func protection(_ console: Console) throws -> ExportProtection {
        if plain {
            try console.confirm(
                "Write all keys unencrypted? A reader of the file controls all devices.", given: yes)
            return .none
        }
        if !recipients.isEmpty { return .age(.recipients(try recipients.map(Self.recipient))) }
        if let passphrase { return .age(.passphrase(try Self.secret(passphrase))) }
        let hint = "write --passphrase @FILE, or --recipient age1… for an identity that is kept elsewhere"
        let first = try Prompt.line("passphrase", isSecret: true, hint: hint)
        guard try Prompt.line("the passphrase again", isSecret: true, hint: hint) == first else {
            throw CommandLineError(.usageValue, "the two passphrases differ", hint: "nothing was written; try again")
        }
        return .age(.passphrase(SecretBytes(first.utf8)))
    }

    static func secret(_ file: String) throws -> SecretBytes {
        SecretBytes(try InputFile.firstLine(String(file.dropFirst())).utf8)
    }
}

/// The means to open an export or a backup.
struct UnlockOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The identity of age for which an export was made, as age-keygen writes it; may be repeated.",
            valueName: "@FILE"),
        completion: .kind(.contents))
    var identity: [String] = []
    @Option(
        help: ArgumentHelp(
            "The passphrase of an export, in the first line of a file (@- for stdin).", valueName: "@FILE"),
        completion: .kind(.contents))
    var passphrase: String?

    var isEmpty: Bool { identity.isEmpty && passphrase == nil }

    func validate() throws {
        guard (identity + (passphrase.map { [$0] } ?? [])).allSatisfy({ $0.hasPrefix("@") }) else {
            throw ValidationError(
                "secrets are not arguments: write --identity @FILE and --passphrase @FILE (@- for stdin)")
        }
        guard identity.isEmpty || passphrase == nil else {
            throw ValidationError("a file is opened with --identity or with --passphrase, not with both")
        }
    }

    /// Opens an export, and asks for its passphrase where that is needed.
    func open(_ octets: [UInt8], _ path: String, _ exports: ExportService) throws -> ExportDocument {
        do {
            switch try exports.lock(of: octets) {
            case .none: return try exports.open(octets)
            case .passphrase where identity.isEmpty:
                let secret =
                    try passphrase.map(ProtectionOptions.secret)
                    ?? SecretBytes(
                        try Prompt.line(
                            "passphrase of \(path)", isSecret: true, hint: "write --passphrase @FILE (@- for stdin)"
                        ).utf8)
                return try exports.open(octets, with: .passphrase(secret))
            case .passphrase, .identity:
                guard !identity.isEmpty else {
                    throw CommandLineError(
                        .usageFile, "\(path) was encrypted for a recipient of age",
                        hint: "name the file with the identity: --identity @FILE")
                }
                let identities = try identity.flatMap { file in
                    let contents = try InputFile.contents(String(file.dropFirst()), largest: 65_536)
                    return try AgeIdentity.parse(file: String(decoding: contents, as: UTF8.self))
                }
                return try exports.open(octets, with: .identities(identities))
            }
        } catch let error as ExportError {
            var error = error
            error.reason = "\(path): \(error.reason)"
            throw error
        } catch let error as AgeError {
            var error = error
            error.reason = "\(path): \(error.reason)"
            throw error
        }
    }
}
