package import MatterCrypto
import MatterModel

/// The answer to a request: certificates, the identity protection key, nodes, rooms and groups, encrypted for the request's recipient
/// and signed by the holder of the authority's key (docs/storage.md, "Members").
package struct MemberAnswer: Sendable {
    static let format = "matterctl-member-answer"
    static let version = 1

    /// When it was made, in seconds since 1970.
    package let made: Int64
    /// The fabric as the member keeps it.
    package let record: FabricRecord
    let files: [ExportedFile]

    /// Whether bytes are an answer, be it a damaged one.
    package static func isAnswer(_ octets: [UInt8]) -> Bool { MemberDocument.isDocument(octets, format: format) }

    // MARK: Sealing

    /// An answer.
    ///
    /// - Parameters:
    ///   - record: the fabric as the member keeps it.
    ///   - files: what the member has to know besides, among it keys.
    ///   - holder: signs it.
    static func seal(
        _ record: FabricRecord, _ files: [ExportedFile], made: Int64, for recipient: AgeRecipient,
        signedBy holder: OperationalCredentials, random: any RandomSource
    ) throws -> [UInt8] {
        let all = [ExportedFile(name: ExportedFabric.record, contents: record.encoded())] + files
        let payload = JSONValue.object([
            "made": .string(MemberDocument.text(made)), "files": .array(all.map(ExportDocument.json)),
        ]).utf8()
        var inner: JSONObject = [
            "payload": .string(String(decoding: payload, as: UTF8.self)),
            "signature": .string(Hex.encode(try holder.key.sign(payload))),
            "noc": .string(Hex.encode(holder.noc.tlv)),
        ]
        inner["icac"] = holder.icac.map { .string(Hex.encode($0.tlv)) }
        let sealed = try AgeFile.seal(JSONValue.object(inner).utf8(), for: .recipients([recipient]), random: random)
        return JSONValue.object([
            "format": .string(format), "version": .int(Int64(version)), "sealed": .string(Base64.encode(sealed)),
        ]).utf8() + [0x0A]
    }

    // MARK: Opening

    /// Opens an answer with the identity of one of our requests, and checks who signed it.
    ///
    /// - Returns: also which identity opened it.
    /// - Throws: ``MemberError`` `otherRequest` if it is for none of them, `invalidAnswer`.
    package static func open<Key>(
        _ octets: [UInt8], with identities: [(Key, AgeIdentity)], at time: ValidationTime
    ) throws -> (answer: MemberAnswer, key: Key) {
        let fields = try MemberDocument.fields(octets, format: format, version: version, .invalidAnswer)
        guard let sealed = Base64.decodeUnpadded((try? fields.string("sealed")) ?? "") else {
            throw MemberError(.invalidAnswer, "the answer is truncated or damaged")
        }
        for (key, identity) in identities {
            let plain: [UInt8]
            do {
                plain = try AgeFile.open(sealed, with: .identities([identity]))
            } catch let error as AgeError where error.code == .wrongKey {
                continue
            } catch {
                throw MemberError(.invalidAnswer, "the answer is damaged: \(error)")
            }
            do {
                return (try MemberAnswer(plain, at: time), key)
            } catch let error as MemberError {
                throw error
            } catch {
                throw MemberError(.invalidAnswer, "the answer is damaged: \(error)")
            }
        }
        throw MemberError(
            .otherRequest, "the answer is for a request that was not made here", hint: .step("member.other-request"))
    }

    private init(_ plain: [UInt8], at time: ValidationTime) throws {
        let inner = try RecordFields(plain, "the answer")
        let payload = Array(try inner.string("payload").utf8)
        let fields = try RecordFields(payload, "the answer")
        made = try MemberDocument.time(fields, "made")
        files = try fields.objects("files").map { try ExportDocument.file($0, "files") }
        guard let contents = files.first(where: { $0.name == ExportedFabric.record })?.contents else {
            throw MemberError(.invalidAnswer, "the answer has no fabric")
        }
        record = try FabricRecord(decoding: contents, ExportedFabric.record)
        guard let membership = record.membership else {
            throw MemberError(.invalidAnswer, "the answer does not say who the holder of the authority's key is")
        }
        let root = try MatterCertificate(tlv: record.root)
        let signer = try OperationalChain(
            noc: try inner.octets("noc"), icac: try inner.optionalOctets("icac"), root: root
        ).validate(at: time)
        guard signer.nodeID == membership.holderNode, signer.fabricID == record.fabricID,
            signer.publicKey.isValidSignature(try inner.octets("signature"), for: payload)
        else { throw MemberError(.invalidAnswer, "the holder of the authority's key has not signed the answer") }
    }

    /// All of the fabric, checked as an export is: certificates, keys, nodes, groups.
    ///
    /// - Parameters:
    ///   - key: of the request, which the certificate has to be for.
    ///   - identity: opens later answers.
    package func fabric(key: P256PrivateKey, identity: AgeIdentity) throws(MemberError) -> ExportedFabric {
        let own = [
            ExportedFile(name: "keys/operational", contents: key.scalar.copyBytes()),
            ExportedFile(name: FabricStore.recipientKey, contents: identity.scalar.copyBytes()),
        ]
        guard !files.contains(where: { file in own.contains { $0.name == file.name } }) else {
            throw MemberError(.invalidAnswer, "the answer has keys that are ours alone")
        }
        do {
            let fabric = try ExportedFabric(files: files + own, madeAt: made)
            guard !fabric.hasAuthorityKey else {
                throw MemberError(.invalidAnswer, "the answer has the key of the authority")
            }
            return fabric
        } catch let error as MemberError {
            throw error
        } catch {
            throw MemberError(.invalidAnswer, "the answer contradicts itself: \(error)")
        }
    }
}
