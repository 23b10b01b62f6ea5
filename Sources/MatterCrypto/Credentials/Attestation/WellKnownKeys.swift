import JSON

/// The trusted keys that are constants of this program: public key, key identifier and subject, read from the
/// certificates that the Connectivity Standards Alliance publishes.
package enum WellKnownKeys {
    /// The authorities (PAA) behind devices in development. Their private keys are public.
    static let developmentAuthorities: [TrustAnchor] = [
        anchor(
            "6AFD22771F511FECBF1641976710DCDC31A1717E",
            AttestationName(commonName: "Matter Test PAA", vendorID: VendorID(0xFFF1)), .development,
            "04B6CB6372887F2928F5BAC81AA9D93AE2431CADA9D79E242F65177EF9CED932A2",
            "8ECD03BAAF6A8FCA184A1A503542960D453F303F1F19421D751E8F8F1A9A9B75"),
        anchor(
            "785CE705B86B8F4E6FC793AA60CB43EA696882D5",
            AttestationName(commonName: "Matter Test PAA"), .development,
            "0410EF02A81A87B68121FBA8D31978F807A317E50AA8A828446828914B933DE8ED",
            "D4A5C39C9FF71A4CE3647FD7F62653B7D2495FCBA4C0F47F876880039E07204A"),
    ].compactMap { $0 }

    /// The key of declarations for devices in development. Its private half is public.
    static let developmentDeclarationSigners: [DeclarationSigner] = [
        signer(
            "62FA823359ACFAA9963E1CFA140ADDF504F37160",
            AttestationName(commonName: "Matter Test CD Signing Authority"), .development,
            "043C398922452B55CAF389C25BD1BCA4656952CCB90E8869249AD8474653014CBF",
            "95D687965E036B521C51037E6B8CEDEFCA1EB44046694FA08882EED6519DECBA")
    ].compactMap { $0 }

    /// The keys with which the Alliance signs certification declarations.
    package static let declarationSigners: [DeclarationSigner] = [
        signer(
            "FE343F959947763B61EE4539131338494FE67D8E", allianceName("Certification Declaration Signing Key 001"),
            .builtIn,
            "04CDEEE93E44F8B72BE3D1A9C07E21968B9AFFF3B403F05E1669D7B1E5CAEE6FC7",
            "714B42E7E23695E92CD7635473A280AE688F37BB9489E11629B9B94FF7B09929"),
        signer(
            "DD04DB585B214C1C581587E6568DF487B6DDC701", allianceName("Certification Declaration Signing Key 002"),
            .builtIn,
            "04031937E8F94251045DF27457BB46253EE3754E8C12AE28557D8027B9D4C356D9",
            "1B408CFF32275017B25F8C8BA20516D5C83AF2B724128013DFCC8F95D200A90B"),
        signer(
            "471035E7C04EAAA8BE7C4D4C13E3E4C20995A84B", allianceName("Certification Declaration Signing Key 003"),
            .builtIn,
            "049F575CD5FDB7521F10A4DF31F073912B614728F2D37F5B6B96BC2CBF7C0B1196",
            "90577D555D21A09660A8B082A339EA530F7A812D8693B56FD764185FABCD32F5"),
        signer(
            "F68603A3692E981072419EA1E1AB3854BD7795D3", allianceName("Certification Declaration Signing Key 004"),
            .builtIn,
            "047CFC8D8810A89CF4FA191778F2AFEC78F8517A97A3E57FC213BAD888E3611E74",
            "FFB684BDEBA8A68B25234A5C358F373BAB9B6D304E1306DD7620A528D1161C0B"),
        signer(
            "637F2634AD62EAFE6AF662EFB96F6FD2FCBFFC2F", allianceName("Certification Declaration Signing Key 005"),
            .builtIn,
            "04438A52C662A2A6D72647F95EB753136EE4AE0FDB3AA9C16931426B3D0867F910",
            "3AE7D7A1B887E9F813A6F26F76BBCDA93593787C12778CA8F2975DC45A2042F9"),
    ].compactMap { $0 }

    /// The authority that certifies further declaration keys; not itself trusted for anything else.
    package static let declarationAuthority = anchor(
        "97E469D0C50414C26FC701F77E947739098DF6A5", allianceName("Matter Certification and Testing CA"), .builtIn,
        "04384A3AC3AA5DBECB720FE6211D3CAD48626FF711A0A4929FADD860F8E277FFC0",
        "DE1F3EB6337A34847B5A3A056EA8710E9377EEEDEE251703FDD9350125CB8E48")

    private static func allianceName(_ commonName: String) -> AttestationName {
        AttestationName(organization: "CSA", commonName: commonName, vendorID: VendorID(0xC5A0))
    }

    private static func anchor(
        _ keyIdentifier: String, _ subject: AttestationName, _ origin: TrustOrigin, _ point: String...
    ) -> TrustAnchor? {
        guard let (identifier, key) = decoded(keyIdentifier, point) else { return nil }
        return TrustAnchor(keyIdentifier: identifier, publicKey: key, subject: subject, origin: origin)
    }

    private static func signer(
        _ keyIdentifier: String, _ subject: AttestationName, _ origin: TrustOrigin, _ point: String...
    ) -> DeclarationSigner? {
        guard let (identifier, key) = decoded(keyIdentifier, point) else { return nil }
        return DeclarationSigner(keyIdentifier: identifier, publicKey: key, subject: subject, origin: origin)
    }

    private static func decoded(_ keyIdentifier: String, _ point: [String]) -> ([UInt8], P256PublicKey)? {
        guard let identifier = try? Hex.decode(keyIdentifier), let octets = try? Hex.decode(point.joined()),
            let key = try? P256PublicKey(x963: octets)
        else { return nil }
        return (identifier, key)
    }
}
