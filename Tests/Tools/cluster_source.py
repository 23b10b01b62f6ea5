"""Writes the typed ids of clusters as Swift source; generate_catalogue.py calls it.

A cluster becomes an enum without cases: its id, the ids of its attributes, commands and events, its features, and each
attribute with the Swift type of its value. Only clusters that code of ours names, or that everyday devices have, are
written (CLUSTERS): all 150 would add half a minute to a release build and 0.3 MB to the program. Enumerations and bitmaps
become types only where code names them (TYPED): a type costs about a kilobyte, a number nothing.
"""
import re

# Clusters whose enumerations and bitmaps become Swift types.
TYPED = [
    "Identify", "OnOff", "LevelControl", "AccessControl", "GeneralCommissioning", "NetworkCommissioning",
    "GeneralDiagnostics", "TimeSynchronization", "AdministratorCommissioning", "OperationalCredentials",
    "GroupKeyManagement", "DoorLock", "WindowCovering", "Thermostat", "FanControl", "ColorControl", "OccupancySensing",
]
# The others that are written.
CLUSTERS = TYPED + [
    "Groups", "Descriptor", "Binding", "BasicInformation", "OtaSoftwareUpdateProvider", "OtaSoftwareUpdateRequestor",
    "LocalizationConfiguration", "TimeFormatLocalization", "PowerSource", "SoftwareDiagnostics",
    "ThreadNetworkDiagnostics", "WiFiNetworkDiagnostics", "EthernetNetworkDiagnostics", "BridgedDeviceBasicInformation",
    "Switch", "FixedLabel", "UserLabel", "BooleanState", "IcdManagement", "ModeSelect", "ScenesManagement",
    "SmokeCoAlarm", "ElectricalPowerMeasurement", "ElectricalEnergyMeasurement", "ValveConfigurationAndControl",
    "PumpConfigurationAndControl", "IlluminanceMeasurement", "TemperatureMeasurement", "PressureMeasurement",
    "FlowMeasurement", "RelativeHumidityMeasurement", "AirQuality", "RvcRunMode", "RvcOperationalState",
    "MediaPlayback", "RainMaker", "MatterController", "RainMakerThreadBorderRouter", "RainMakerParticipantData",
]

INTEGERS = {
    "bool": "Bool", "single": "Float", "double": "Double", "string": "String", "octets": "[UInt8]", "struct": "TLVValue",
    "attrib-id": "AttributeID", "cluster-id": "ClusterID", "command-id": "CommandID", "devtype-id": "DeviceTypeID",
    "endpoint-no": "EndpointID", "event-id": "EventID",
}
for _bits in range(8, 65, 8):
    _width = next(width for width in (8, 16, 32, 64) if width >= _bits)
    INTEGERS[f"int{_bits}"] = f"Int{_width}"
    for _prefix in ("uint", "enum", "bitmap"):
        INTEGERS[f"{_prefix}{_bits}"] = f"UInt{_width}"

# Clusters whose name another type or module of ours has.
SWIFT_NAMES = {
    "MatterController": "RainMakerController", "OperationalCredentials": "NodeOperationalCredentials",
    "RainMaker": "RainMakerCluster",
}

# A stored constant would cost a variable and a test whether it is set.
CONSTANT = "@inlinable public static var"

KEYWORDS = {
    "as", "break", "case", "catch", "class", "continue", "default", "defer", "do", "else", "enum", "extension", "false",
    "for", "func", "if", "import", "in", "init", "internal", "is", "let", "nil", "operator", "private", "protocol",
    "public", "repeat", "return", "self", "static", "struct", "subscript", "super", "switch", "throw", "true", "try",
    "var", "where", "while",
}
# What a cluster's enum declares itself, so that no type of the cluster may have the name.
RESERVED = {"Attribute", "Command", "Event", "Feature", "Type"}


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


def type_name(name, cluster):
    """StartUpOnOffEnum: StartUpOnOff, unless something else is called so."""
    short = re.sub(r"(Enum|Bitmap)$", "", name)
    own = [*cluster.get("enums", {}), *cluster.get("bitmaps", {})]
    taken = short in RESERVED or [re.sub(r"(Enum|Bitmap)$", "", other) for other in own].count(short) > 1
    if not taken:
        return short
    return name if name != short else cluster["name"] + name


def hexadecimal(number):
    return f"0x{number:0{8 if number > 0xFFFF else 4}X}"


class Source:
    def __init__(self, standard, vendor):
        self.semantic = {name: value["base"] for name, value in standard["globalTypes"]["semantic"].items()}
        self.shared = {**standard["globalTypes"]["enums"], **standard["globalTypes"]["bitmaps"]}
        clusters = {cluster["name"]: cluster for cluster in standard["clusters"] + vendor["clusters"]}
        self.clusters = sorted((clusters[name] for name in CLUSTERS), key=lambda cluster: cluster["id"])
        self.device_types = sorted(standard["deviceTypes"], key=lambda value: value["id"])
        self.lines = []

    def value_type(self, cluster, name):
        own = {**cluster.get("enums", {}), **cluster.get("bitmaps", {})}
        if name in own:
            return type_name(name, cluster) if cluster["name"] in TYPED else INTEGERS[own[name]["type"]]
        if name in self.shared:
            return INTEGERS[self.shared[name]["type"]]
        return INTEGERS.get(name) or INTEGERS.get(self.semantic.get(name), "TLVValue")

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

    def cluster(self, cluster):
        name, number = cluster["name"], hexadecimal(cluster["id"])
        self.add(0, "", f"/// {cluster['label']}, cluster {number}.", f"public enum {SWIFT_NAMES.get(name, name)} {{")
        self.add(1, "/// The number of the cluster.", f"{CONSTANT} id: ClusterID {{ {number} }}")
        self.ids("Attribute", cluster["attributes"])
        self.ids("Command", sorted(cluster["commands"], key=lambda command: command["direction"] == "response"))
        self.ids("Event", cluster["events"])
        if cluster["features"]:
            self.add(1, "", "/// Features by bit.", "public enum Feature {")
            for feature in cluster["features"]:
                self.add(2, f"/// {feature['name']} ({feature.get('code', '')})".replace(" ()", ""),
                         f"{CONSTANT} {member(feature['name'])}: FeatureMap {{ .init(bit: {feature['bit']}) }}")
            self.add(1, "}")
        if name in TYPED:
            for key, value in sorted(cluster.get("enums", {}).items()):
                self.enumeration(key, type_name(key, cluster), value)
            for key, value in sorted(cluster.get("bitmaps", {}).items()):
                self.bitmap(key, type_name(key, cluster), value)
        self.add(1, "")
        for attribute in cluster["attributes"]:
            if attribute.get("unreadable"):
                continue
            kind = self.value_type(cluster, attribute["type"])
            kind = f"[{kind}]" if attribute.get("list") else kind
            kind += "?" if attribute.get("nullable") else ""
            self.add(1, f"/// {attribute['name']} ({hexadecimal(attribute['id'])})",
                     f"{CONSTANT} {member(attribute['name'])}: TypedAttribute<{kind}> {{ "
                     f".init(id, {hexadecimal(attribute['id'])}) }}")
        while not self.lines[-1]:
            self.lines.pop()
        self.add(0, "}")

    def enumeration(self, name, swift, value):
        self.add(1, "", f"/// {name}", f"public enum {swift}: {INTEGERS[value['type']]}, AttributeValue {{")
        for number, case in sorted(value["values"].items(), key=lambda item: int(item[0])):
            self.add(2, f"/// {case}", f"case {member(case)} = {number}")
        self.add(1, "}")

    def bitmap(self, name, swift, value):
        raw = INTEGERS[value["type"]]
        self.add(1, "", f"/// {name}", f"public struct {swift}: OptionSet, AttributeValue {{")
        self.add(2, "/// All bits.", f"public var rawValue: {raw}", "/// A set of given bits.",
                 f"@inlinable public init(rawValue: {raw}) {{ self.rawValue = rawValue }}")
        for mask, bit in sorted(value["masks"].items(), key=lambda item: int(item[0])):
            self.add(2, f"/// {bit}",
                     f"{CONSTANT} {member(bit)}: {swift} {{ .init(rawValue: 0x{int(mask):X}) }}")
        self.add(1, "}")

    def render(self):
        self.add(0, "// swift-format-ignore-file",
                 "// Generated by Tests/Tools/generate_catalogue.py. Do not edit: change the generator and run it again.",
                 "", "public import MatterBase")
        for cluster in self.clusters:
            self.cluster(cluster)
        self.add(0, "", "extension DeviceTypeID {")
        for value in self.device_types:
            self.add(1, f"/// {value['label']}",
                     f"{CONSTANT} {member(value['name'])}: DeviceTypeID {{ {hexadecimal(value['id'])} }}")
        self.add(0, "}", "")
        return "\n".join(self.lines)
