/// Certificates for tests only, from 2020 to 2120: an authority, and a server called localhost. The keys prove nothing.
enum TLSFixture {
    static let authority = """
        -----BEGIN CERTIFICATE-----
        MIIBezCCASCgAwIBAgICEAAwCgYIKoZIzj0EAwIwIzEhMB8GA1UEAwwYbWF0dGVy
        Y3RsIHRlc3QgYXV0aG9yaXR5MCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAxMDAw
        MDAwWjAjMSEwHwYDVQQDDBhtYXR0ZXJjdGwgdGVzdCBhdXRob3JpdHkwWTATBgcq
        hkjOPQIBBggqhkjOPQMBBwNCAASSe8iAHPpIqSXjXJwCaZpuLHzqHi/XF7kD5bd8
        Dyxh5Yhsq9cVHrk+LzrcPznbD1Rbl8gQqOiKXRLReNBTVUUxo0IwQDAPBgNVHRMB
        Af8EBTADAQH/MA4GA1UdDwEB/wQEAwICBDAdBgNVHQ4EFgQUPrHQXnR59BnrZiLq
        aJgKhfAgpZEwCgYIKoZIzj0EAwIDSQAwRgIhAJ0PrwVda9vsQ8yTDwIYvbLVec1x
        VDL9BsBg9Xu5IULsAiEAoJblEa9huoEbhhPumVvgIcX0bfGRP1Hgo7V3Z5mSbk0=
        -----END CERTIFICATE-----
        """

    static let server = """
        -----BEGIN CERTIFICATE-----
        MIIBoTCCAUegAwIBAgICEAEwCgYIKoZIzj0EAwIwIzEhMB8GA1UEAwwYbWF0dGVy
        Y3RsIHRlc3QgYXV0aG9yaXR5MCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAxMDAw
        MDAwWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjOPQMB
        BwNCAATwumOpmGm3Hoh/yyT8nx989b9Lg52cTHCAszLsUTrolSk3qcYtvNYZk3gl
        Q+ueUqQ6XrWgbeDddgw2Ax4zgtwWo3gwdjAUBgNVHREEDTALgglsb2NhbGhvc3Qw
        EwYDVR0lBAwwCgYIKwYBBQUHAwEwCQYDVR0TBAIwADAdBgNVHQ4EFgQUpT5Al4Ro
        FcXW55RWgiR+LqAtS2kwHwYDVR0jBBgwFoAUPrHQXnR59BnrZiLqaJgKhfAgpZEw
        CgYIKoZIzj0EAwIDSAAwRQIgM33qJ6tXsdhV94BTSh6D2ffKlyAVce29Ve3DJzSe
        qkMCIQDaZ5pVib1aE+fziSoRJLZXztgF8Eoc78RgNSKUInrsNw==
        -----END CERTIFICATE-----
        """

    /// The same server, until 2021.
    static let expiredServer = """
        -----BEGIN CERTIFICATE-----
        MIIBoDCCAUWgAwIBAgICEAIwCgYIKoZIzj0EAwIwIzEhMB8GA1UEAwwYbWF0dGVy
        Y3RsIHRlc3QgYXV0aG9yaXR5MB4XDTIwMDEwMTAwMDAwMFoXDTIxMDEwMTAwMDAw
        MFowFDESMBAGA1UEAwwJbG9jYWxob3N0MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcD
        QgAE8LpjqZhptx6If8sk/J8ffPW/S4OdnExwgLMy7FE66JUpN6nGLbzWGZN4JUPr
        nlKkOl61oG3g3XYMNgMeM4LcFqN4MHYwFAYDVR0RBA0wC4IJbG9jYWxob3N0MBMG
        A1UdJQQMMAoGCCsGAQUFBwMBMAkGA1UdEwQCMAAwHQYDVR0OBBYEFKU+QJeEaBXF
        1ueUVoIkfi6gLUtpMB8GA1UdIwQYMBaAFD6x0F50efQZ62Yi6miYCoXwIKWRMAoG
        CCqGSM49BAMCA0kAMEYCIQCNCcxat1fJn+ji9/uGcXRdHlH8dPbI6MZ2Q88Eyab9
        ZgIhAIEKCRSaQXPP+NwHLaxv5IoVswsy7m1oU+uAIyP1CYfr
        -----END CERTIFICATE-----
        """

    static let serverKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgU0Qw16U8Blwisy4r
        bPTo2I2DGrJZMgQW3K9Esh5ibPOhRANCAATwumOpmGm3Hoh/yyT8nx989b9Lg52c
        THCAszLsUTrolSk3qcYtvNYZk3glQ+ueUqQ6XrWgbeDddgw2Ax4zgtwW
        -----END PRIVATE KEY-----
        """
}
