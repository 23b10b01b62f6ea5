"""Writes the clusters as Swift types; generate_catalogue.py calls it.

A cluster becomes an enum without cases: its id, the ids of its attributes, commands and events, its features, each
attribute with the Swift type of its value, and a type for every enumeration, bitmap, structure, command, response and
event. Clusters.swift of MatterModel has the clusters that the program uses or that everyday devices have (CLUSTERS), and
of their structures, commands, responses and events those that a source of ours names (`DoorLock.SetUser`) or that such a
type needs. Everything else is in the module MatterClusters, which the program does not link. After a change of what
the sources name, run the generator again.
"""
import pathlib
import re

# The clusters in MatterModel.
CLUSTERS = [
    "Identify", "OnOff", "LevelControl", "AccessControl", "GeneralCommissioning", "NetworkCommissioning",
    "GeneralDiagnostics", "TimeSynchronization", "AdministratorCommissioning", "OperationalCredentials",
    "GroupKeyManagement", "DoorLock", "WindowCovering", "Thermostat", "FanControl", "ColorControl", "OccupancySensing",
    "Groups", "Descriptor", "Binding", "BasicInformation", "OtaSoftwareUpdateProvider", "OtaSoftwareUpdateRequestor",
    "LocalizationConfiguration", "TimeFormatLocalization", "PowerSource", "SoftwareDiagnostics",
    "ThreadNetworkDiagnostics", "WiFiNetworkDiagnostics", "EthernetNetworkDiagnostics", "BridgedDeviceBasicInformation",
    "Switch", "FixedLabel", "UserLabel", "BooleanState", "IcdManagement", "ModeSelect", "ScenesManagement",
    "SmokeCoAlarm", "ElectricalPowerMeasurement", "ElectricalEnergyMeasurement", "ValveConfigurationAndControl",
    "PumpConfigurationAndControl", "IlluminanceMeasurement", "TemperatureMeasurement", "PressureMeasurement",
    "FlowMeasurement", "RelativeHumidityMeasurement", "AirQuality", "RvcCleanMode", "RvcRunMode", "RvcOperationalState",
    "MediaPlayback", "KeypadInput", "WebRTCTransportProvider", "WebRTCTransportRequestor", "RainMaker", "MatterController", "RainMakerThreadBorderRouter", "RainMakerParticipantData",
]

SIMPLE = {
    "bool": "Bool", "single": "Float", "double": "Double", "string": "String", "octets": "[UInt8]", "struct": "TLVValue",
    "attrib-id": "AttributeID", "cluster-id": "ClusterID", "command-id": "CommandID", "devtype-id": "DeviceTypeID",
    "endpoint-no": "EndpointID", "event-id": "EventID",
}
for _bits in range(8, 65, 8):
    _width = next(width for width in (8, 16, 32, 64) if width >= _bits)
    SIMPLE[f"int{_bits}"] = f"Int{_width}"
    for _prefix in ("uint", "enum", "bitmap"):
        SIMPLE[f"{_prefix}{_bits}"] = f"UInt{_width}"

# Clusters whose name another type or module of ours has.
SWIFT_NAMES = {
    "MatterController": "RainMakerController", "OperationalCredentials": "NodeOperationalCredentials",
    "RainMaker": "RainMakerCluster",
}
# The types that several clusters share.
GLOBALS = "GlobalTypes"

# A stored constant would cost a variable and a test whether it is set.
CONSTANT = "@inlinable public static var"

KEYWORDS = {
    "as", "break", "case", "catch", "class", "continue", "default", "defer", "do", "else", "enum", "extension", "false",
    "for", "func", "if", "import", "in", "init", "internal", "is", "let", "nil", "operator", "private", "protocol",
    "public", "repeat", "return", "self", "static", "struct", "subscript", "super", "switch", "throw", "true", "try",
    "var", "where", "while",
}
# What a cluster's enum declares itself, or what its members mention, so that no type of the cluster may have the name.
RESERVED = {
    "Attribute", "Command", "Event", "Feature", "Type", "Protocol", "Self", "Bool", "String", "Float", "Double",
    "TLVValue", "TypedAttribute", "FeatureMap", "StructureFields", "StructureField", "UInt8List", *SIMPLE.values(),
}
FABRIC_INDEX = 254
# Fields that devices have only with a feature, which the model does not tell.
OPTIONAL = {("GroupKeyManagement", "GroupKeyMulticastPolicy")}


def member(name):
    """OnOff: onOff; NOCs: nocs; CSRRequest: csrRequest."""
    run = re.match(r"[A-Z0-9]*", name).group()
    if len(run) <= 1 or name in (run, run + "s"):
        text = name.lower() if name in (run, run + "s") else name[:1].lower() + name[1:]
    else:
        text = run[:-1].lower() + name[len(run) - 1:]
    if text[:1].isdigit():
        text = "_" + text
    return f"`{text}`" if text in KEYWORDS else text


def hexadecimal(number):
    return f"0x{number:0{8 if number > 0xFFFF else 4}X}"


def capital(name):
    return name[:1].upper() + name[1:]


class Scope:
    """The types of a cluster, or of all clusters: what they are, by the names of the model, and their names in Swift."""

    def __init__(self, value, name):
        self.name = name
        self.kinds = {}
        for kind in ("enums", "bitmaps", "structs"):
            self.kinds.update({key: (kind, item) for key, item in value.get(kind, {}).items()})
        self.swift, taken = {}, set(RESERVED)

        def choose(key, *names):
            self.swift[key] = next(text for text in names if text not in taken)
            taken.add(self.swift[key])

        named = [*value.get("enums", {}), *value.get("bitmaps", {})]
        short = {key: re.sub(r"(Enum|Bitmap)$", "", key) for key in named}
        for key in named:
            twice = list(short.values()).count(short[key]) > 1
            choose(key, *([] if twice else [short[key]]), *([key] if key != short[key] else []), name + key)
        for key in value.get("structs", {}):
            choose(key, capital(re.sub(r"Struct$", "", key)), key, name + key)
        self.commands = sorted(value.get("commands", []), key=lambda command: command["direction"] == "response")
        self.events = value.get("events", [])
        for kind, elements, suffix in (("Command", self.commands, "Command"), ("Event", self.events, "Event")):
            for element in elements:
                key = (kind, element["direction"] if kind == "Command" else "", element["name"])
                text = capital(element["name"])
                choose(key, text, text + suffix, text + "Response")


class Source:
    def __init__(self, standard, vendor, sources):
        self.semantic = {name: value["base"] for name, value in standard["globalTypes"]["semantic"].items()}
        self.clusters = sorted(standard["clusters"] + vendor["clusters"], key=lambda cluster: cluster["id"])
        self.device_types = sorted(standard["deviceTypes"], key=lambda value: value["id"])
        self.scopes = {cluster["name"]: Scope(cluster, cluster["name"]) for cluster in self.clusters}
        self.shared = Scope(standard["globalTypes"], GLOBALS)
        self.used = self.closure(self.named(sources))
        self.lines = []

    # MARK: What the program uses

    def named(self, folder):
        """The (scope, key) that the sources name."""
        text = "\n".join(path.read_text(encoding="utf-8") for path in sorted(pathlib.Path(folder).rglob("*.swift"))
                         if "Generated" not in path.parts)
        words = set(re.findall(r"\b(\w+)\.(\w+)", text))
        for name in CLUSTERS:
            scope = self.scopes[name]
            for key, swift in scope.swift.items():
                if (SWIFT_NAMES.get(name, name), swift) in words:
                    yield scope, key
        for key, swift in self.shared.swift.items():
            if (GLOBALS, swift) in words:
                yield self.shared, key

    def closure(self, named):
        """Those, what their fields have, and what the attributes of the clusters have."""
        found, rest = set(), list(named)
        for name in CLUSTERS:
            scope = self.scopes[name]
            rest += [(scope, key) for key, (kind, _) in scope.kinds.items() if kind != "structs"]
            cluster = next(cluster for cluster in self.clusters if cluster["name"] == name)
            for attribute in cluster["attributes"]:
                if not attribute.get("unreadable"):
                    rest += self.mentioned(scope, attribute["type"])
        while rest:
            scope, key = rest.pop()
            if (scope.name, key) in found:
                continue
            found.add((scope.name, key))
            for value in self.fields(scope, key):
                rest += self.mentioned(scope, value["type"])
            if isinstance(key, tuple) and key[0] == "Command" and key[1] == "request":
                response = self.command(scope, key).get("response")
                if response:
                    rest.append((scope, ("Command", "response", response)))
        return found

    def mentioned(self, scope, name):
        if name in scope.kinds:
            return [(scope, name)]
        return [(self.shared, name)] if name in self.shared.kinds else []

    def command(self, scope, key):
        return next(value for value in scope.commands if (value["direction"], value["name"]) == key[1:])

    def fields(self, scope, key):
        if isinstance(key, tuple):
            elements = scope.commands if key[0] == "Command" else scope.events
            return next(value["fields"] for value in elements
                        if value["name"] == key[2] and value.get("direction", "") == key[1])
        kind, value = scope.kinds[key]
        return value["fields"] if kind == "structs" else []

    # MARK: Types of values

    def value_type(self, scope, value):
        """The Swift type without what `optional` adds."""
        name = value["type"]
        if name in scope.kinds:
            kind = scope.swift[name]
        elif name in self.shared.kinds:
            kind = f"{GLOBALS}.{self.shared.swift[name]}"
        else:
            kind = SIMPLE.get(name) or SIMPLE.get(self.semantic.get(name), "TLVValue")
        if value.get("list"):
            # `[UInt8]` is a string of octets.
            kind = "UInt8List" if kind == "UInt8" else f"[{kind}]"
        return kind + ("?" if value.get("nullable") else "")

    # MARK: Declarations

    def add(self, depth, *lines):
        self.lines += ["    " * depth + text if text else "" for text in lines]

    def ids(self, kind, elements):
        if not elements:
            return
        self.add(1, "", f"/// {kind}s by number.", f"public enum {kind} {{")
        for element in elements:
            self.add(2, f"/// {element['name']}",
                     f"{CONSTANT} {member(element['name'])}: {kind}ID {{ {hexadecimal(element['id'])} }}")
        self.add(1, "}")

    def base(self, cluster):
        """The cluster itself."""
        name, number = cluster["name"], hexadecimal(cluster["id"])
        self.add(0, "", f"/// {cluster['label']}, cluster {number}.", f"public enum {SWIFT_NAMES.get(name, name)} {{")
        self.add(1, "/// The number of the cluster.", f"{CONSTANT} id: ClusterID {{ {number} }}")
        scope = self.scopes[name]
        self.ids("Attribute", cluster["attributes"])
        self.ids("Command", scope.commands)
        self.ids("Event", cluster["events"])
        if cluster["features"]:
            self.add(1, "", "/// Features by bit.", "public enum Feature {")
            for feature in cluster["features"]:
                self.add(2, f"/// {feature['name']} ({feature.get('code', '')})".replace(" ()", ""),
                         f"{CONSTANT} {member(feature['name'])}: FeatureMap {{ .init(bit: {feature['bit']}) }}")
            self.add(1, "}")
        self.add(1, "")
        for attribute in cluster["attributes"]:
            if attribute.get("unreadable"):
                continue
            self.add(1, f"/// {attribute['name']} ({hexadecimal(attribute['id'])})",
                     f"{CONSTANT} {member(attribute['name'])}: TypedAttribute<{self.value_type(scope, attribute)}> {{ "
                     f".init(id, {hexadecimal(attribute['id'])}) }}")
        while not self.lines[-1]:
            self.lines.pop()
        self.add(0, "}")

    def types(self, scope, cluster, is_used):
        """The types of a cluster that the program uses, or the others, as an extension."""
        keys = [key for key in [*sorted(scope.kinds), *(("Command", value["direction"], value["name"])
                                                       for value in scope.commands),
                                *(("Event", "", value["name"]) for value in scope.events)]
                if ((scope.name, key) in self.used) == is_used]
        if not keys:
            return
        self.add(0, "", f"extension {SWIFT_NAMES.get(scope.name, scope.name)} {{")
        for key in keys:
            if isinstance(key, tuple):
                self.element(scope, cluster, key)
                continue
            kind, value = scope.kinds[key]
            {"enums": self.enumeration, "bitmaps": self.bitmap, "structs": self.structure}[kind](
                *((key, scope.swift[key], value) if kind != "structs" else (scope, key, value)))
        self.add(0, "}")

    def enumeration(self, name, swift, value):
        raw = SIMPLE[value["type"]]
        self.add(1, "", f"/// {name}. A device may use a number that is not among these.",
                 f"public struct {swift}: ClusterEnumeration {{")
        self.add(2, "/// The number.", f"public var rawValue: {raw}", "/// The value with a number.",
                 f"@inlinable public init(rawValue: {raw}) {{ self.rawValue = rawValue }}")
        for number, case in sorted(value["values"].items(), key=lambda item: int(item[0])):
            self.add(2, f"/// {case}",
                     f"{CONSTANT} {member(case)}: {swift} {{ .init(rawValue: {number}) }}")
        numbers = ", ".join(sorted(value["values"], key=int))
        self.add(2, "/// Whether it is one of these.",
                 f"@inlinable public var isKnown: Bool {{ switch rawValue {{ case {numbers}: true; default: false }} }}"
                 if numbers else "@inlinable public var isKnown: Bool { false }")
        self.add(2, "/// The name of the value, or its number.", "public var description: String {", "    switch rawValue {")
        for number, case in sorted(value["values"].items(), key=lambda item: int(item[0])):
            self.add(3, f'case {number}: "{member(case).strip("`")}"')
        self.add(3, 'default: "\\(rawValue)"', "}")
        self.add(2, "}")
        self.add(1, "}")

    def bitmap(self, name, swift, value):
        raw = SIMPLE[value["type"]]
        self.add(1, "", f"/// {name}", f"public struct {swift}: OptionSet, AttributeValue {{")
        self.add(2, "/// All bits.", f"public var rawValue: {raw}", "/// A set of given bits.",
                 f"@inlinable public init(rawValue: {raw}) {{ self.rawValue = rawValue }}")
        for mask, bit in sorted(value["masks"].items(), key=lambda item: int(item[0])):
            self.add(2, f"/// {bit}",
                     f"{CONSTANT} {member(bit)}: {swift} {{ .init(rawValue: 0x{int(mask):X}) }}")
        self.add(1, "}")

    def structure(self, scope, key, value):
        self.add(1, "", f"/// {key}", f"public struct {scope.swift[key]}: ClusterStructure {{")
        self.members(scope, scope.swift[key], value["fields"], scope.name, value.get("fabricScoped"), takes_null=True)

    def element(self, scope, cluster, key):
        kind, direction, name = key
        swift, facts = scope.swift[key], []
        if kind == "Event":
            value = next(value for value in scope.events if value["name"] == name)
            what, identifier, conformance = "event", "EventID", "ClusterEvent"
        else:
            value = self.command(scope, key)
            what, identifier = ("command" if direction == "request" else "response"), "CommandID"
            conformance = "ClusterCommand" if direction == "request" else "ClusterResponse"
        if value.get("response"):
            conformance = "AnsweredCommand"
            facts.append(f"public typealias Response = {scope.swift[('Command', 'response', value['response'])]}")
        if value.get("timed"):
            facts.append(f"{CONSTANT} isTimed: Bool {{ true }}")
        number = f"0x{value['id']:02X}"
        note = " Only as a timed interaction." if value.get("timed") else ""
        self.add(1, "", f"/// {name}, {what} {number} of {cluster['label']}.{note}",
                 f"public struct {swift}: {conformance} {{")
        self.add(2, "/// The number of the cluster.", f"{CONSTANT} cluster: ClusterID {{ {hexadecimal(cluster['id'])} }}",
                 f"/// The number within the cluster.", f"{CONSTANT} id: {identifier} {{ {number} }}")
        for fact in facts:
            self.add(2, "/// The answer of the node." if "typealias" in fact else "/// It is sent as a timed interaction.", fact)
        self.members(scope, swift, value["fields"], cluster["name"],
                     value.get("fabricScoped") or any(field["id"] == FABRIC_INDEX for field in value["fields"]),
                     cluster["id"] if kind == "Command" and direction == "request" else None)

    def members(self, scope, swift, fields, owner, is_scoped, cluster=None, takes_null=False):
        """The fields, their initializer, and both directions of the encoding; closes the type."""
        fields = sorted(fields, key=lambda field: field["id"])
        rows = []
        for field in fields:
            is_optional = (field.get("optional") or (is_scoped and field["id"] == FABRIC_INDEX)
                           or (owner, field["name"]) in OPTIONAL)
            kind = self.value_type(scope, field)
            rows.append((field["id"], member(field["name"]), kind, is_optional, field))
        if rows:
            self.add(2, "/// The fields one by one, for readers that take what they can get.", "public enum Field {")
            for number, name, kind, _, field in rows:
                self.add(3, f"/// {field['name']}",
                         f"{CONSTANT} {name}: StructureField<{swift}, {kind.removesuffix('?')}> {{ .init({number}) }}")
            self.add(2, "}", "")
        for number, name, kind, is_optional, field in rows:
            self.add(2, f"/// {field['name']} (field {number}{self.bounds(field)})",
                     f"public var {name}: {kind}{'?' if is_optional else ''}")
        parameters = []
        for number, name, kind, is_optional, field in rows:
            fallback = " = nil" if is_optional else ""
            if takes_null and field.get("nullable") and not is_optional:
                fallback = " = nil"
            if cluster is not None and field["name"] in ("OptionsMask", "OptionsOverride") and not is_optional:
                fallback = " = []"
            parameters.append(f"{name}: {kind}{'?' if is_optional else ''}{fallback}")
        self.add(2, "", "/// The fields in the order of the specification; those that may be left out are `nil`.",
                 f"public init({', '.join(parameters)}) {{")
        for _, name, *_ in rows:
            self.add(3, f"self.{name.strip('`')} = {name}")
        self.add(2, "}")
        self.add(2, "", "/// From its encoding; `nil` if that lacks a field, or a field is of another type.",
                 "public init?(tlv: TLVValue) {")
        if rows:
            self.add(3, "guard let fields = StructureFields(tlv),")
            for index, (number, name, kind, is_optional, _) in enumerate(rows):
                getter = "optional" if is_optional else "required"
                kind += "?" if is_optional else ""
                self.add(4, f"let {name}: {kind} = fields.{getter}({number}){',' if index < len(rows) - 1 else ''}")
            self.add(3, "else { return nil }")
            for _, name, *_ in rows:
                self.add(3, f"self.{name.strip('`')} = {name}")
        else:
            self.add(3, "guard StructureFields(tlv) != nil else { return nil }")
        self.add(2, "}")
        self.add(2, "", "/// The structure as it is sent.", "public var tlv: TLVValue {")
        if rows:
            self.add(3, "var fields = StructureFields()")
            for number, name, kind, is_optional, _ in rows:
                self.add(3, f"fields.{'addIfPresent' if is_optional else 'add'}({number}, {name})")
            self.add(3, "return fields.tlv")
        else:
            self.add(3, ".structure([])")
        self.add(2, "}")
        self.add(1, "}")

    @staticmethod
    def bounds(field):
        parts = []
        for low, high, unit in (("min", "max", ""), ("minLength", "maxLength", " bytes"), ("minItems", "maxItems", " entries")):
            if low in field and high in field:
                parts.append(f"{field[low]} to {field[high]}{unit}")
            elif low in field:
                parts.append(f"at least {field[low]}{unit}")
            elif high in field:
                parts.append(f"at most {field[high]}{unit}")
        return "".join(f"; {part}" for part in parts)

    # MARK: Files

    def head(self, *imports):
        self.lines = []
        self.add(0, "// swift-format-ignore-file",
                 "// Generated by Tests/Tools/generate_catalogue.py. Do not edit: change the generator and run it again.",
                 "", *imports)

    def render(self):
        """Clusters.swift of MatterModel."""
        self.head("public import MatterBase")
        for cluster in self.clusters:
            if cluster["name"] in CLUSTERS:
                self.base(cluster)
                self.types(self.scopes[cluster["name"]], cluster, True)
        self.add(0, "", "/// Types that several clusters share.", f"public enum {GLOBALS} {{}}")
        self.types(self.shared, None, True)
        self.add(0, "", "extension DeviceTypeID {")
        for value in self.device_types:
            self.add(1, f"/// {value['label']}",
                     f"{CONSTANT} {member(value['name'])}: DeviceTypeID {{ {hexadecimal(value['id'])} }}")
        self.add(0, "}", "")
        return "\n".join(self.lines)

    def others(self):
        """The files of MatterClusters by name."""
        files = {}
        for cluster in self.clusters:
            name = cluster["name"]
            self.lines = []
            if name not in CLUSTERS:
                self.base(cluster)
            self.types(self.scopes[name], cluster, False)
            if self.lines:
                files[f"{SWIFT_NAMES.get(name, name)}.swift"] = self.other()
        self.lines = []
        self.types(self.shared, None, False)
        files[f"{GLOBALS}.swift"] = self.other()
        files["ClusterTypes.swift"] = self.table()
        return files

    def table(self):
        """All commands, responses and events, for programs that look them up by number."""
        self.head("public import MatterModel")
        self.add(0, "", "/// The types of all clusters, for programs that learn at run time which they need.",
                 "public enum ClusterTypes {")
        kinds = {"commands": ("ClusterCommand", []), "responses": ("ClusterResponse", []), "events": ("ClusterEvent", [])}
        for cluster in self.clusters:
            scope, owner = self.scopes[cluster["name"]], SWIFT_NAMES.get(cluster["name"], cluster["name"])
            for value in scope.commands:
                kind = "commands" if value["direction"] == "request" else "responses"
                kinds[kind][1].append(f"{owner}.{scope.swift[('Command', value['direction'], value['name'])]}")
            for value in scope.events:
                kinds["events"][1].append(f"{owner}.{scope.swift[('Event', '', value['name'])]}")
        for name, (conformance, types) in kinds.items():
            self.add(1, f"/// The {name} of all clusters.", f"public static let {name}: [any {conformance}.Type] = [")
            self.add(2, *(f"{text}.self," for text in types))
            self.add(1, "]")
        self.add(0, "}", "")
        return "\n".join(self.lines)

    def other(self):
        body = self.lines
        self.head("public import MatterModel")
        return "\n".join([*self.lines, *body, ""])
