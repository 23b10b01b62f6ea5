import MatterState

/// Reads the text of a manifest, and remembers all that is wrong with it.
struct ManifestReader {
    typealias Column = DeviceManifest.Column
    typealias Device = DeviceManifest.Device
    typealias Fault = DeviceManifestError.Fault

    /// A text with more faults than this is something else.
    static let mostFaults = 100
    /// Bytes of a line.
    static let longestLine = 16_384
    private static let longestName = 64
    /// Bytes of a SerialNumber (Matter core specification, 11.1.5.16).
    private static let longestSerial = 32
    private static let longestWord = 1024

    private(set) var faults: [Fault] = []

    private struct Line {
        let number: Int
        let bytes: ArraySlice<UInt8>

        var isBlank: Bool { bytes.allSatisfy { $0 == 0x20 || $0 == 0x09 } }
    }

    /// The cells of a device.
    private struct Row {
        let line: Int
        var cells: [Column: String] = [:]
    }

    mutating func devices(_ text: [UInt8]) -> [Device] {
        guard text.count <= DeviceManifest.largest else {
            faults.append(Fault(1, nil, "the text is larger than \(DeviceManifest.largest >> 20) MiB"))
            return []
        }
        let lines = Self.lines(text)
        guard let first = lines.first else { return [] }
        switch first.bytes.first {
        case UInt8(ascii: "{"): return objects(lines)
        case UInt8(ascii: "["):
            faults.append(
                Fault(first.number, nil, "a list in JSON: write each device as an object on a line of its own"))
            return []
        default: return table(first, lines.dropFirst())
        }
    }

    /// Those that are not blank.
    private static func lines(_ text: [UInt8]) -> [Line] {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        return text.dropFirst(text.starts(with: mark) ? mark.count : 0)
            .split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated()
            .map { Line(number: $0 + 1, bytes: $1.last == UInt8(ascii: "\r") ? $1.dropLast() : $1) }
            .filter { !$0.isBlank }
    }

    private mutating func note(_ line: Int, _ column: String? = nil, _ reason: String, id: String? = nil) {
        faults.append(Fault(line, column, reason, id: id ?? DeviceManifestError.Code.invalid.rawValue))
    }

    /// The text of a line.
    private mutating func text(of line: Line) -> String? {
        guard line.bytes.count <= Self.longestLine else {
            note(line.number, nil, "it has more than \(Self.longestLine) bytes")
            return nil
        }
        guard let text = String(validating: line.bytes, as: UTF8.self) else {
            note(line.number, nil, "it is not text (UTF-8)")
            return nil
        }
        return text
    }

    /// Devices, as long as there may be more of them and of their faults.
    private mutating func collect(_ lines: some Sequence<Line>, _ row: (inout Self, Line) -> Row?) -> [Device] {
        var devices: [Device] = []
        for line in lines {
            guard faults.count < Self.mostFaults else { break }
            guard devices.count < DeviceManifest.mostDevices else {
                note(line.number, nil, "a manifest has at most \(DeviceManifest.mostDevices) devices")
                break
            }
            if let row = row(&self, line), let device = device(row) { devices.append(device) }
        }
        return devices
    }

    // MARK: A table

    private mutating func table(_ header: Line, _ lines: ArraySlice<Line>) -> [Device] {
        guard let text = text(of: header) else { return [] }
        let separator = Self.separator(of: text)
        guard let names = cells(of: text, separator, header.number, columns: []),
            let columns = columns(names, header.number)
        else { return [] }
        return collect(lines) { reader, line in
            guard let text = reader.text(of: line),
                let cells = reader.cells(of: text, separator, line.number, columns: names)
            else { return nil }
            // Spreadsheets write rows of nothing.
            guard cells.contains(where: { !$0.isEmpty }) else { return nil }
            guard cells.count == columns.count else {
                reader.note(
                    line.number, nil,
                    "it has \(Spelled.count(cells.count, "cell")), and the header \(columns.count)")
                return nil
            }
            var row = Row(line: line.number)
            for (column, cell) in zip(columns, cells) {
                if let column, !cell.isEmpty, row.cells[column] == nil { row.cells[column] = cell }
            }
            return row
        }
    }

    /// The first of the usual separators that the header has.
    private static func separator(of header: String) -> Unicode.Scalar {
        header.unicodeScalars.first { $0 == "," || $0 == ";" || $0 == "\t" } ?? ","
    }

    /// - Parameter columns: the names for faults; numbers stand for those that are missing.
    private mutating func cells(
        of text: String, _ separator: Unicode.Scalar, _ line: Int, columns: [String]
    ) -> [String]? {
        var cells: [String] = []
        var rest = text.unicodeScalars[...]
        while true {
            let column = columns.indices.contains(cells.count) ? columns[cells.count] : "\(cells.count + 1)"
            var cell = String.UnicodeScalarView()
            if rest.first == "\"" {
                rest.removeFirst()
                var isOpen = true
                while isOpen {
                    guard let next = rest.popFirst() else {
                        note(line, column, "a double quote has no second one on its line")
                        return nil
                    }
                    if next != "\"" {
                        cell.append(next)
                    } else if rest.first == "\"" {
                        cell.append(next)
                        rest.removeFirst()
                    } else {
                        isOpen = false
                    }
                }
                guard rest.first == nil || rest.first == separator else {
                    note(line, column, "something stands behind its second double quote")
                    return nil
                }
            } else {
                let word = rest.prefix { $0 != separator }
                cell.append(contentsOf: word)
                rest = rest.dropFirst(word.count)
            }
            guard let word = word(String(cell), line, column) else { return nil }
            cells.append(word)
            guard rest.popFirst() != nil else { return cells }
        }
    }

    /// A text without blanks at its ends; none with characters that do not print.
    private mutating func word(_ text: String, _ line: Int, _ column: String) -> String? {
        guard !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            note(line, column, "it has a character that does not print")
            return nil
        }
        let blanks: (Character) -> Bool = { $0 == " " }
        return String(text.drop(while: blanks).reversed().drop(while: blanks).reversed())
    }

    private static func column(named name: String) -> Column? {
        func plain(_ text: String) -> String { text.lowercased().filter { $0.isLetter || $0.isNumber } }
        return Column.allCases.first { plain($0.rawValue) == plain(name) }
    }

    private static var known: String { Column.allCases.map(\.rawValue).joined(separator: ", ") }

    /// - Returns: `nil` in the place of a remark; `nil` if no rows can be read.
    private mutating func columns(_ names: [String], _ line: Int) -> [Column?]? {
        // A line that names no code may be one of codes: nothing of it is quoted.
        let found = Set(names.compactMap(Self.column(named:)))
        guard found.contains(.qrCode) || found.contains(.manualCode) else {
            note(line, nil, "the first line has to name the columns, qrCode or manualCode among them")
            return nil
        }
        var columns: [Column?] = []
        for (index, name) in names.enumerated() {
            let column = Self.column(named: name)
            if name.isEmpty {
                note(line, "\(index + 1)", "it has no name")
            } else if let column, columns.contains(column) {
                note(line, name, "two columns have this name")
            } else if column == nil, !name.hasPrefix("#") {
                note(line, name, "it is none of \(Self.known); put a # before the name of a remark")
            }
            columns.append(column)
        }
        return columns
    }

    // MARK: Objects

    private mutating func objects(_ lines: [Line]) -> [Device] {
        collect(lines) { reader, line in
            guard let text = reader.text(of: line) else { return nil }
            let object: JSONObject
            do throws(JSONError) {
                guard let value = try JSONValue(parsing: text).objectValue else {
                    reader.note(line.number, nil, "it is not an object in JSON")
                    return nil
                }
                object = value
            } catch {
                reader.note(line.number, nil, "\(error.reason) (character \(error.column))", id: error.code.rawValue)
                return nil
            }
            var row = Row(line: line.number)
            for member in object.members where !member.key.hasPrefix("#") && !member.value.isNull {
                guard let column = Self.column(named: member.key) else {
                    reader.note(
                        line.number, member.key, "it is none of \(Self.known); put a # before the name of a remark")
                    continue
                }
                guard row.cells[column] == nil else {
                    reader.note(line.number, member.key, "two members have this name")
                    continue
                }
                let text: String
                switch member.value {
                case .string(let string): text = string
                case .int(let number): text = "\(number)"
                case .uint(let number): text = "\(number)"
                default:
                    reader.note(line.number, member.key, "it is neither a text nor a whole number")
                    continue
                }
                guard let word = reader.word(text, line.number, member.key) else { continue }
                if !word.isEmpty { row.cells[column] = word }
            }
            return row
        }
    }

    // MARK: A device

    private mutating func device(_ row: Row) -> Device? {
        let before = faults.count
        var device = Device(line: row.line)
        device.qrCode = code(row, .qrCode, .qrCode)
        device.manualCode = code(row, .manualCode, .manualCode)
        if row.cells[.qrCode] == nil, row.cells[.manualCode] == nil {
            note(row.line, nil, "it has neither a QR code nor a manual code")
        }
        device.vendorID = number(row, .vendorID, 1...UInt32(SetupPayload.highestVendorID)).map { UInt16($0) }
        device.productID = number(row, .productID, 1...0xFFFF).map { UInt16($0) }
        device.discriminator = number(row, .discriminator, 0...0xFFF).map { UInt16($0) }
        device.softwareVersion = number(row, .softwareVersion, 0...UInt32.max)
        device.name = text(row, .name, Self.longestName, "characters", \.count)
        device.serialNumber = text(row, .serialNumber, Self.longestSerial, "bytes", \.utf8.count)
        device.address = text(row, .address, Self.longestWord, "bytes", \.utf8.count)
        device.attestation = text(row, .attestation, Self.longestWord, "bytes", \.utf8.count)
        if let way = row.cells[.via] {
            device.via = CommissioningWay(rawValue: way)
            if device.via == nil {
                let ways = CommissioningWay.allCases.map(\.rawValue).joined(separator: " or ")
                note(row.line, Column.via.rawValue, "it is not \(ways)")
            }
        }
        if device.via == .ble, device.address != nil {
            note(row.line, Column.address.rawValue, "it is an address on the network, for a device over Bluetooth")
        }
        return faults.count == before ? device : nil
    }

    private mutating func code(_ row: Row, _ column: Column, _ form: SetupPayload.Form) -> SetupPayload? {
        guard let text = row.cells[column] else { return nil }
        do {
            let payloads = try SetupPayload.parse(text)
            guard try SetupPayload.form(of: text) == form else {
                note(row.line, column.rawValue, "it is the other form of code")
                return nil
            }
            guard payloads.count == 1 else {
                note(row.line, column.rawValue, "it is the code of \(payloads.count) devices")
                return nil
            }
            return payloads.first
        } catch {
            note(row.line, column.rawValue, error.reason, id: error.id)
            return nil
        }
    }

    /// A number in decimal digits, or in hexadecimal ones behind `0x`.
    private mutating func number(_ row: Row, _ column: Column, _ range: ClosedRange<UInt32>) -> UInt32? {
        guard let text = row.cells[column] else { return nil }
        let isHexadecimal = text.lowercased().hasPrefix("0x")
        let digits = isHexadecimal ? text.dropFirst(2) : text[...]
        guard digits.allSatisfy({ $0.isASCII && $0.isHexDigit }),
            let number = UInt32(digits, radix: isHexadecimal ? 16 : 10), range.contains(number)
        else {
            note(
                row.line, column.rawValue,
                "it is not a number from \(range.lowerBound) to \(range.upperBound)")
            return nil
        }
        return number
    }

    private mutating func text(
        _ row: Row, _ column: Column, _ most: Int, _ unit: String, _ length: (String) -> Int
    ) -> String? {
        guard let text = row.cells[column] else { return nil }
        guard length(text) <= most else {
            note(row.line, column.rawValue, "it has more than \(most) \(unit)")
            return nil
        }
        return text
    }
}
