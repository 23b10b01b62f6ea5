public import MatterModel

/// A kind of device, as people know it: what it shows, what it can be told, and the words for both. Commands, help,
/// completion, the state at a glance and the table in the pages follow from it.
///
/// To add one, write a ``DeviceKindDeclaration`` and put it into ``all``.
public struct DeviceKind: Sendable {
    /// As it is typed: `valve`.
    public let name: String
    /// Which devices are meant, in a sentence.
    public let summary: String
    /// More for its page; may be empty.
    public let details: String
    /// A command line behind the name of the kind, without the program.
    public let example: String
    /// The words about a node of this kind: `is a valve`, `has a button`.
    public let trait: String
    /// The values that it shows.
    public let readings: [Reading]
    /// Its verbs. Without any, it only shows.
    public let verbs: [Verb]
    /// Other words for it, which lead to it when they are typed as a command.
    public let synonyms: [String]
    /// A node that has one of these clusters may be of this kind.
    public let clusters: [ClusterID]
    /// The values that tell its state at a glance.
    let glance: [Reading]
    let news: News
    /// Whether it measures: its values are drawn and written into tables as they change.
    public let isMeter: Bool
    /// Other keys of the state beside `show`, of earlier versions, which pages do not show.
    public let showAliases: [String]

    init(
        _ name: String, _ summary: String, details: String = "", example: String, trait: String,
        synonyms: [String] = [],
        readings: [Reading], glance: [Reading] = [], also: [ClusterID] = [], news: News = .readings,
        isMeter: Bool = false, showAliases: [String] = ["status"],
        verbs: [Verb] = []
    ) {
        self.name = name
        self.summary = summary
        self.details = details
        self.example = example
        self.trait = trait
        self.synonyms = synonyms
        self.readings = readings
        self.glance = glance
        self.news = news
        self.isMeter = isMeter
        self.showAliases = showAliases
        self.verbs = verbs
        var clusters: [ClusterID] = []
        for cluster in readings.filter({ $0.deviceType == nil }).map(\.cluster) + also where !clusters.contains(cluster)
        {
            clusters.append(cluster)
        }
        self.clusters = clusters
    }

    /// The same kind with those of its values that are numbers.
    public var quantities: DeviceKind {
        DeviceKind(
            name, summary, details: details, example: example, trait: trait, synonyms: synonyms,
            readings: readings.filter(\.isQuantity), news: news, isMeter: isMeter, showAliases: showAliases,
            verbs: verbs)
    }

    /// The same kind with the values of one cluster.
    public func only(_ cluster: ClusterID) -> DeviceKind {
        DeviceKind(
            name, summary, details: details, example: example, trait: trait, synonyms: synonyms,
            readings: readings.filter { $0.cluster == cluster }, news: news, isMeter: isMeter,
            showAliases: showAliases, verbs: verbs)
    }

    /// Every kind, in the order of the pages.
    public static let all: [any DeviceKindDeclaration.Type] = [
        LockKind.self, ThermostatKind.self, FanKind.self, CoverKind.self, ColorKind.self, ValveKind.self,
        VacuumKind.self,
        MediaKind.self, SmokeAlarmKind.self, SensorKind.self, MotionKind.self, EnergyKind.self, ButtonKind.self,
        BatteryKind.self, ModeKind.self, SceneKind.self,
    ]

    /// The words about a node of another kind: `is not a valve`, `has no button`.
    public var lack: String { Self.lack(of: trait) }

    /// The opposite of a trait: `has lock settings`, `has no lock settings`.
    public static func lack(of trait: String) -> String {
        let words = trait.split(separator: " ", maxSplits: 1)
        guard let verb = words.first, let rest = words.last, words.count == 2 else { return trait }
        return verb == "is" ? "is not \(rest)" : "\(verb) no \(rest.hasPrefix("a ") ? rest.dropFirst(2) : rest)"
    }

    /// Each of the words that stand for this kind or a verb of it elsewhere, with the command that is meant.
    public var commandsBySynonym: [(synonym: String, command: String)] {
        synonyms.map { ($0, name) } + verbs.flatMap { verb in verb.synonyms.map { ($0, "\(name) \(verb.name)") } }
    }

    /// The verb of a name; `nil` if there is none.
    public func verb(_ name: String) -> Verb? { verbs.first { $0.name == name || $0.aliases.contains(name) } }

    /// The verb that is meant where only a value follows the nodes: `fan desk 30%`.
    public var usual: Verb? { verbs.first(where: \.isUsual) }

    /// Whether a word asks for the state.
    public func isShow(_ word: String) -> Bool { word == "show" || showAliases.contains(word) }
}

/// Where a kind of device is declared, so that a command can be made for it.
public protocol DeviceKindDeclaration: Sendable {
    /// As it is typed: a kind is found by it, and only that one is made.
    static var name: String { get }
    /// The kind.
    static var kind: DeviceKind { get }
    /// The names of the commands of its clusters that may be sent again if the fate of the first is unknown: they set an absolute
    /// state or only read, and have the same answer the second time.
    ///
    /// None of a cluster that other kinds of devices have too, such as OnOff.
    static var repeatable: [ClusterID: Set<String>] { get }
}

extension DeviceKindDeclaration {
    /// None.
    public static var repeatable: [ClusterID: Set<String>] { [:] }
}

// MARK: Verbs

extension DeviceKind {
    /// The values of a verb's options.
    public struct Parameters: Sendable, Hashable {
        /// How long it lasts; `nil` for what the device does by itself.
        public var time: Duration?
        /// 1 to 100 %; `nil` for what the device does by itself.
        public var level: UInt8?
        /// How long the change takes.
        public var transition: Duration?
        /// The PIN code of a lock, where it wants one.
        public var code: String?
        /// How long an opened lock stays open; `nil` for what the device does by itself.
        public var relockAfter: Duration?

        /// Without options.
        public init() {}
    }

    /// An option of a verb.
    public struct Option: Sendable, Hashable {
        /// Which of the parameters it gives.
        public enum Parameter: String, Sendable, CaseIterable {
            /// A duration.
            case time = "for"
            /// A share.
            case level
            /// A duration.
            case transition
            /// A file with a secret, which is no argument: other users see arguments.
            case code = "pin"
            /// A duration.
            case relockAfter = "relock-after"
        }

        /// Which of the parameters it gives.
        public let parameter: Parameter
        /// A sentence for the page.
        public let help: String

        init(_ parameter: Parameter, _ help: String) {
            self.parameter = parameter
            self.help = help
        }
    }

    /// The verbs of a kind of device.
    public struct Verb: Sendable {
        /// As it is typed: `open`.
        public let name: String
        /// Other names, which pages do not show.
        public let aliases: [String]
        /// Other words for it, which lead to it when they are typed as a command.
        public let synonyms: [String]
        /// Its work, in a sentence.
        public let summary: String
        /// The words allowed behind the nodes, for messages; `nil` if nothing does.
        public let value: String?
        /// Some of these values: all, where they can be listed.
        public let offers: [String]
        /// One value, for examples; `nil` if it takes none.
        public let example: String?
        /// The options that it takes.
        public let options: [Option]
        /// Whether it is meant where only a value follows the nodes.
        public let isUsual: Bool
        /// Whether a value may be any word.
        public let isOpen: Bool
        /// Whether its name is a command too: `unlock door`.
        public private(set) var isShort = false
        /// The words behind it, of a verb with a command of its own, which has parameters that no other verb has; `nil` for the
        /// others, which the kind carries out.
        public private(set) var ownWords: String?
        private let meaning: @Sendable ([String], Parameters) -> (verb: any DeviceVerb, words: Int)?

        init<Value>(
            _ name: String, _ summary: String, value: ValueForm<Value>, aliases: [String] = [], synonyms: [String] = [],
            options: [Option] = [],
            isUsual: Bool = false, _ verb: @escaping @Sendable (Value, Parameters) -> any DeviceVerb
        ) {
            self.name = name
            self.summary = summary
            self.aliases = aliases
            self.synonyms = synonyms
            self.value = value.forms
            self.offers = value.offers
            self.example = value.example
            self.options = options
            self.isUsual = isUsual
            self.isOpen = value.isOpen
            meaning = { words, parameters in
                value.last(words).map { (verb($0.value, parameters), $0.words) }
            }
        }

        init(
            _ name: String, _ summary: String, aliases: [String] = [], synonyms: [String] = [], options: [Option] = [],
            _ verb: @escaping @Sendable (Parameters) -> any DeviceVerb
        ) {
            self.name = name
            self.summary = summary
            self.aliases = aliases
            self.synonyms = synonyms
            self.value = nil
            self.offers = []
            self.example = nil
            self.options = options
            self.isUsual = false
            self.isOpen = false
            meaning = { _, parameters in (verb(parameters), 0) }
        }

        /// A verb with a command of its own.
        ///
        /// - Parameter words: those behind it: `NODE USER`.
        init(_ name: String, _ summary: String, own words: String) {
            self.name = name
            self.summary = summary
            self.aliases = []
            self.synonyms = []
            self.value = nil
            self.offers = []
            self.example = nil
            self.options = []
            self.isUsual = false
            self.isOpen = false
            ownWords = words
            meaning = { _, _ in nil }
        }

        /// The same verb, whose name is a command too.
        var short: Verb {
            var verb = self
            verb.isShort = true
            return verb
        }

        /// The verb, and how many words at the end of a line belong to its value; `nil` if those are no value of
        /// this verb.
        public func meaning(of words: [String], _ parameters: Parameters = Parameters()) -> (
            verb: any DeviceVerb, words: Int
        )? { meaning(words, parameters) }
    }
}

// MARK: News

extension DeviceKind {
    /// The reports on a device that is followed.
    enum News: Sendable {
        /// Each new value.
        case readings
        /// Each new value, with more for programs.
        case more(@Sendable (TLVValue) -> [DeviceNews.Field])
        /// Each new mode, by the label of the device.
        case modes
        /// Events at a cluster.
        case events(ClusterID, @Sendable (EventReport) -> DeviceNews?)
    }
}

/// Something new of a device that is followed.
public struct DeviceNews: Sendable {
    /// Where it comes from.
    public let endpoint: EndpointID
    /// Its subject, `level`; `nil` where the words say all.
    public let quantity: String?
    /// The news: `21.50 °C`, `occupied`, `pressed twice`.
    public let words: String
    /// The same for programs.
    public let fields: [Field]

    /// A member of the object that programs get.
    public struct Field: Sendable, Hashable {
        /// The key.
        public let name: String
        /// Its contents.
        public let value: JSONValue

        init(_ name: String, _ value: JSONValue) {
            self.name = name
            self.value = value
        }
    }
}

/// The requests to devices of a kind that are followed, and what their reports say.
public struct DeviceWatch: Sendable {
    private let kind: DeviceKind
    /// MeasurementUnit of the places that have said it.
    private var units: [ClusterPlace: TLVValue] = [:]
    /// The modes of the places that have said them.
    private var modes: [ClusterPlace: TLVValue] = [:]

    private struct ClusterPlace: Hashable {
        let node: NodeID
        let endpoint: EndpointID
        let cluster: ClusterID
    }

    /// Of a kind of device.
    public init(_ kind: DeviceKind) { self.kind = kind }

    /// The paths to subscribe to, with as few paths as will do: devices need not take more than three (Matter core specification
    /// 2.11.2.2).
    ///
    /// - Parameter endpoints: where; `nil` stands for all endpoints.
    public func paths(at endpoints: [EndpointID?], of nodes: [NodeRecord]) -> (
        attributes: [AttributePath], events: [EventPath]
    ) {
        if case .events(let cluster, _) = kind.news {
            return ([], endpoints.map { EventPath(endpoint: $0, cluster: cluster, isUrgent: true) })
        }
        var clusters: [ClusterID] = []
        for reading in kind.readings where !clusters.contains(reading.cluster) { clusters.append(reading.cluster) }
        let known = Set(nodes.flatMap(\.endpoints).flatMap(\.serverClusters))
        let served = clusters.filter { known.contains($0.rawValue) }
        let isWhole = if case .modes = kind.news { true } else { false }
        return (
            endpoints.flatMap { endpoint in
                (served.isEmpty ? clusters : served).map { cluster in
                    let readings = kind.readings.filter { $0.cluster == cluster }
                    let isOne = readings.count == 1 && !readings[0].hasMeasurementUnit && !isWhole
                    let only = isOne ? readings[0].attribute : nil
                    return AttributePath(endpoint: endpoint, cluster: cluster, attribute: only)
                }
            }, []
        )
    }

    /// The contents of a report.
    ///
    /// - Parameter isFirst: whether it is the first of a node, with the state at the start.
    public mutating func news(_ result: ReadResult, of node: NodeRecord, isFirst: Bool) -> [DeviceNews] {
        if case .events(_, let tell) = kind.news {
            // Events from before the start are the device's log, and no news.
            return isFirst ? [] : result.events.compactMap(tell)
        }
        return told(result, of: node).map { news($0.reading, $0.value, $0.measured, $0.label, at: $0.path.endpoint) }
    }

    /// The values of a report, for tables and charts.
    public mutating func values(_ result: ReadResult, of node: NodeRecord) -> [FollowedValue] {
        told(result, of: node).map {
            FollowedValue($0.reading, $0.value, measured: $0.measured, at: $0.path)
        }
    }

    private typealias Told = (
        reading: Reading, value: TLVValue, measured: TLVValue?, label: String?, path: ConcreteAttributePath
    )

    /// The readings in a report.
    private mutating func told(_ result: ReadResult, of node: NodeRecord) -> [Told] {
        func place(_ path: ConcreteAttributePath) -> ClusterPlace {
            ClusterPlace(node: node.nodeID, endpoint: path.endpoint, cluster: path.cluster)
        }
        for report in result.attributes where report.path.attribute == Reading.measurementUnit {
            units[place(report.path)] = report.value
        }
        if case .modes = kind.news {
            for report in result.attributes
            where report.path.attribute == DeviceModes.attributes(of: report.path.cluster).supported {
                modes[place(report.path)] = report.value
            }
        }
        return result.attributes.compactMap { report in
            let types = node.endpoints.first { $0.number == report.path.endpoint.rawValue }?.deviceTypes ?? []
            let reading = kind.readings.first { reading in
                reading.cluster == report.path.cluster && reading.attribute == report.path.attribute
                    && reading.deviceType.map { types.contains($0.rawValue) } ?? true
            }
            guard let reading, let value = report.value else { return nil }
            let label = modes[place(report.path)].flatMap {
                DeviceModes.label(of: value, in: report.path.cluster, modes: $0)
            }
            let unit = reading.hasMeasurementUnit ? units[place(report.path)] : nil
            return (reading, value, unit, label, report.path)
        }
    }

    private func news(
        _ reading: Reading, _ value: TLVValue, _ measured: TLVValue?, _ label: String?, at endpoint: EndpointID
    ) -> DeviceNews {
        typealias Field = DeviceNews.Field
        var fields = [
            Field("quantity", .string(reading.name)), Field("value", ValuePrinter().json(value, as: reading.type)),
        ]
        if let unit = reading.unit(measured: measured) { fields.append(Field("unit", .string(unit))) }
        if case .more(let more) = kind.news { fields += more(value) }
        if let label { fields.append(Field("label", .string(label))) }
        return DeviceNews(
            endpoint: endpoint, quantity: kind.readings.count > 1 ? reading.name : nil,
            words: label ?? reading.text(value, measured: measured), fields: fields)
    }
}
