import Glibc
import JSON
package import MatterCredentials
import MatterCrypto

/// Attestation credentials from files, so that other cases than our own can be played.
///
/// A folder holds four files that are told apart by their names: the key has `key` in it and neither `pai`, `paa` nor
/// `cd`; of the others, one each has `dac`, `pai` and `cd` (or `declaration`). Certificates and key are PEM or DER, the
/// declaration is DER. A file is JSON with the members `dac_cert`, `pai_cert`, `cd` and `dac_private_key` in hexadecimal,
/// as the reference implementation's test cases have them.
package enum AttestationFiles {
    private static let largest = 1 << 20

    package static func load(_ path: String) throws(SimulatorError) -> DeviceAttestationCredentials {
        var status = stat()
        guard stat(path, &status) == 0 else { throw unreadable(path) }
        return status.st_mode & S_IFMT == S_IFDIR ? try loadFolder(path) : try loadJSON(path)
    }

    private static func unreadable(_ path: String) -> SimulatorError {
        SimulatorError(.invalidAttestation, "cannot read \(path): \(String(cString: strerror(errno)))")
    }

    private static func loadJSON(_ path: String) throws(SimulatorError) -> DeviceAttestationCredentials {
        guard let json = try? JSONValue(parsing: try contents(path)) else {
            throw SimulatorError(.invalidAttestation, "\(path) is not JSON")
        }
        func octets(_ key: String) throws(SimulatorError) -> [UInt8] {
            guard let text = json[key]?.stringValue, let octets = try? Hex.decode(text) else {
                throw SimulatorError(.invalidAttestation, "\(path) has no hexadecimal digits as '\(key)'")
            }
            return octets
        }
        return try credentials(
            dac: try octets("dac_cert"), pai: try octets("pai_cert"), declaration: try octets("cd"),
            key: try octets("dac_private_key"), path)
    }

    private static func loadFolder(_ path: String) throws(SimulatorError) -> DeviceAttestationCredentials {
        guard let folder = opendir(path) else { throw unreadable(path) }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) { field in
                    field.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: field.pointee)) {
                        String(cString: $0)
                    }
                })
        }
        names.sort()
        func find(_ what: String, _ isIt: (String) -> Bool) throws(SimulatorError) -> [UInt8] {
            let found = names.filter { !$0.hasPrefix(".") && isIt($0.lowercased()) }
            guard let name = found.first, found.count == 1 else {
                throw SimulatorError(
                    .invalidAttestation, "\(path) has \(found.count) files that could be the \(what), not one")
            }
            return try contents(path + "/" + name)
        }
        func isKey(_ name: String) -> Bool { name.contains("key") }
        func isAuthority(_ name: String) -> Bool { name.contains("pai") || name.contains("paa") }
        func isDeclaration(_ name: String) -> Bool { name.contains("cd") || name.contains("declaration") }
        return try credentials(
            dac: try find("device certificate") { $0.contains("dac") && !isKey($0) },
            pai: try find("intermediate certificate") { $0.contains("pai") && !isKey($0) },
            declaration: try find("certification declaration") { isDeclaration($0) && !isKey($0) },
            key: try find("key") { isKey($0) && !isAuthority($0) && !isDeclaration($0) }, path)
    }

    private static func credentials(
        dac: [UInt8], pai: [UInt8], declaration: [UInt8], key: [UInt8], _ path: String
    ) throws(SimulatorError) -> DeviceAttestationCredentials {
        let privateKey: P256PrivateKey
        do throws(CredentialsError) { privateKey = try PrivateKeyFile.decode(key) } catch {
            throw SimulatorError(.invalidAttestation, "the key in \(path) cannot be read: \(error)")
        }
        // What is in the certificates is not looked at: cases with wrong ones are to be played.
        return DeviceAttestationCredentials(
            dac: try der(dac, path), pai: try der(pai, path), certificationDeclaration: declaration, key: privateKey)
    }

    private static func der(_ contents: [UInt8], _ path: String) throws(SimulatorError) -> [UInt8] {
        guard contents.first != 0x30 else { return contents }
        guard let block = try? PEM.decode(String(decoding: contents, as: UTF8.self)).first else {
            throw SimulatorError(.invalidAttestation, "a certificate in \(path) is neither DER nor PEM")
        }
        return block.contents
    }

    private static func contents(_ path: String) throws(SimulatorError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unreadable(path) }
        defer { close(descriptor) }
        var contents: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            guard count >= 0 else { throw unreadable(path) }
            if count == 0 { return contents }
            contents += buffer[..<count]
            guard contents.count <= largest else {
                throw SimulatorError(.invalidAttestation, "\(path) is larger than 1 MiB")
            }
        }
    }
}
