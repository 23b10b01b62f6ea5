// The package trait decides which libcrypto a program gets: ours by default, the system's in programs that opt out.
#if !StaticCrypto
    import DynamicCrypto
#endif
