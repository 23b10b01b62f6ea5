/// The shared cases of device attestation that a commissioner must refuse, each with the number of the reference
/// implementation and the check that fails. All others must be accepted.
package enum AttestationCases {
    package struct Refusal: Sendable {
        package let code: Int
        package let step: String
    }

    /// The refusal of a case; `nil` for one that is accepted.
    package static func refusal(_ name: String) -> Refusal? {
        groups.first { $0.names.contains(name) }.map { Refusal(code: $0.code, step: $0.step) }
    }

    private static let groups: [(code: Int, step: String, names: Set<String>)] = [
        (
            203, "identifiers",
            [
                "struct_pai_vidpid_fallback_encoding_07",
                "struct_pai_vidpid_fallback_encoding_08",
                "struct_pai_vidpid_fallback_encoding_09",
                "struct_pai_vidpid_fallback_encoding_10",
                "struct_pai_vidpid_fallback_encoding_12",
            ]
        ),
        (
            203, "pai-format",
            [
                "struct_pai_cert_version_v2",
                "struct_pai_ext_basic_missing",
                "struct_pai_ext_basic_pathlen2",
                "struct_pai_ext_basic_pathlen_presence_wrong",
                "struct_pai_ext_key_usage_crl_sign_wrong",
                "struct_pai_ext_key_usage_missing",
                "struct_pai_sig_curve_secp256k1",
            ]
        ),
        (
            205, "authority",
            [
                "struct_pai_subject_vid_mismatch"
            ]
        ),
        (
            300, "dac-validity",
            [
                "struct_dac_valid_in_future",
                "struct_pai_valid_in_future",
            ]
        ),
        (
            303, "dac-format",
            [
                "struct_dac_cert_version_v2",
                "struct_dac_ext_akid_missing",
                "struct_dac_ext_basic_ca_missing",
                "struct_dac_ext_basic_critical_missing",
                "struct_dac_ext_basic_pathlen1",
                "struct_dac_ext_basic_pathlen2",
                "struct_dac_ext_basic_pathlen_presence_wrong",
                "struct_dac_ext_key_usage_critical_missing",
                "struct_dac_ext_key_usage_critical_wrong",
                "struct_dac_ext_key_usage_crl_sign_wrong",
                "struct_dac_ext_key_usage_dig_sig_wrong",
                "struct_dac_ext_skid_missing",
                "struct_dac_fuzzed_akid_malformed",
                "struct_dac_sig_algo_ecdsa_with_sha1",
            ]
        ),
        (
            303, "identifiers",
            [
                "struct_dac_vidpid_fallback_encoding_06",
                "struct_dac_vidpid_fallback_encoding_19",
            ]
        ),
        (
            305, "identifiers",
            [
                "struct_dac_vidpid_fallback_encoding_13",
                "struct_dac_vidpid_fallback_encoding_16",
                "struct_pai_vidpid_fallback_encoding_13",
                "struct_pai_vidpid_fallback_encoding_14",
                "struct_pai_vidpid_fallback_encoding_16",
                "struct_pai_vidpid_fallback_encoding_17",
            ]
        ),
        (
            501, "declaration-rules",
            [
                "struct_cd_format_version_2"
            ]
        ),
        (
            600, "declaration-signer",
            [
                "struct_cd_cms_digest_algo_sha1",
                "struct_cd_cms_econtent_type_msac",
                "struct_cd_cms_sig_algo_ecdsa_with_sha1",
            ]
        ),
        (
            601, "declaration-content",
            [
                "struct_cd_cert_type_wrong"
            ]
        ),
        (
            603, "declaration-content",
            [
                "struct_cd_cert_id_len_wrong",
                "struct_cd_cert_id_missing",
                "struct_cd_cert_type_missing",
                "struct_cd_dac_origin_vid_missing_pid_present",
                "struct_cd_security_level_missing",
                "struct_cd_vid_missing",
            ]
        ),
        (
            604, "declaration-certificates",
            [
                "struct_cd_dac_origin_vid_pid_present_vid_mismatch"
            ]
        ),
        (
            605, "basic-information",
            [
                "struct_cd_pid_array_count01_mismatch",
                "struct_cd_pid_array_count100_mismatch",
                "struct_cd_pid_array_count10_mismatch",
                "struct_pai_subject_pid_mismatch",
            ]
        ),
    ]

    package static let refusals = groups.reduce(0) { $0 + $1.names.count }
}
