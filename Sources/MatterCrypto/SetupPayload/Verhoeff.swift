/// The check digit of manual pairing codes: Verhoeff's scheme over the dihedral group D5, which finds every single
/// wrong digit and every swap of neighbours.
enum Verhoeff {
    /// Row j, column k: the product of j and k in D5.
    private static let product: [[UInt8]] = [
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
        [1, 2, 3, 4, 0, 6, 7, 8, 9, 5],
        [2, 3, 4, 0, 1, 7, 8, 9, 5, 6],
        [3, 4, 0, 1, 2, 8, 9, 5, 6, 7],
        [4, 0, 1, 2, 3, 9, 5, 6, 7, 8],
        [5, 9, 8, 7, 6, 0, 4, 3, 2, 1],
        [6, 5, 9, 8, 7, 1, 0, 4, 3, 2],
        [7, 6, 5, 9, 8, 2, 1, 0, 4, 3],
        [8, 7, 6, 5, 9, 3, 2, 1, 0, 4],
        [9, 8, 7, 6, 5, 4, 3, 2, 1, 0],
    ]
    private static let inverse: [UInt8] = [0, 4, 3, 2, 1, 5, 6, 7, 8, 9]
    /// Applied once more for each place further to the left.
    private static let permutation: [UInt8] = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4]

    /// The digit to append.
    ///
    /// - Parameter digits: numbers from 0 to 9.
    static func checkDigit(for digits: some BidirectionalCollection<UInt8>) -> UInt8 {
        var sum: UInt8 = 0
        for (place, digit) in digits.reversed().enumerated() {
            var permuted = digit % 10
            for _ in 0...(place % 8) { permuted = permutation[Int(permuted)] }
            sum = product[Int(sum)][Int(permuted)]
        }
        return inverse[Int(sum)]
    }
}
