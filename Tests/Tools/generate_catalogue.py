#!/usr/bin/env python3
"""Turns the machine-readable Matter data model into the table and the typed ids that matterctl carries.

    Tests/Tools/generate_catalogue.py              writes Sources/MatterModel/DataModel/Generated/
    Tests/Tools/generate_catalogue.py --check      exits 1 if a file there is not what would be written

It writes CatalogueTable.swift, described here, ConformanceTable.swift (conformance_source.py), and the typed clusters
(cluster_source.py): Clusters.swift in the same folder, and Sources/MatterClusters/Generated/. It reads model/*.json beside this file, and the vendors' clusters in
clusters/*.json (docs/commands/cluster-definitions.md), and needs nothing but Python's standard library.

The table is plain ASCII text, one record per line, so that a change of the model is a readable diff and the Swift
compiler sees three string literals and nothing else. The first letter of a line says what it is; fields are
separated by '|', empty fields at the end are left out:

    I id|name|offset|length                     where a cluster's record stands (ids hexadecimal without prefix)
    C id|name|label|revision|flags|vendor       cluster
    F bit|name|code|flags                       feature
    N name|base|flags|value:name[:label],…      enum
    B name|base|flags|mask:name[:label],…       bitmap
    S name|flags                                struct, its fields follow
    f tag|name|type|flags|limits                field of the struct, command or event above
    A id|name|type|flags|limits                 attribute
    Q id|name|flags|response                    request command, its fields follow
    R id|name|flags                             response command, its fields follow
    E id|name|flags                             event, its fields follow
    + alias,alias                               further names of the element above
    ! text                                      a note about the element above (before any element: the cluster)
    T name|base|unit                            semantic type (global section)
    D id|label|name|revision|class|scope|superset|required servers|optional servers|required clients|optional clients
    X code|name|specification name              status code

Types stand before what uses them, so one pass resolves everything.
"""

import argparse
import json
import pathlib
import re
import sys

import cluster_source
import conformance_source

# What one letter in a flags field means.
FLAGS = {
    "list": "l", "nullable": "n", "optional": "o", "writable": "w", "unreadable": "u", "fabricScoped": "f",
    "fabricSensitive": "s", "mustTimedWrite": "t", "mustAtomicWrite": "a", "changesOmitted": "c", "provisional": "p",
    "deprecated": "d", "internal": "i", "disallowed": "x", "timed": "t", "largeMessage": "g", "bareFieldsOnWire": "b",
}
READ = {"manage": "m", "administer": "M"}
WRITE = {"manage": "y", "administer": "Y"}
INVOKE = {"manage": "m", "administer": "M"}
PRIORITY = {"debug": "0", "info": "1", "critical": "2"}
ORIGIN = {"test": "T", "vendor": "V"}
LIMITS = {
    "min": "m", "max": "M", "minLength": "b", "maxLength": "B", "minItems": "i", "maxItems": "I", "sinceRevision": "r",
    "untilRevision": "R",
}

# The units of semantic types, by the model's own words.
SEMANTIC_UNITS = {
    "1 %": "%", "0.01 %": "%%", "0.01 degC": "cC", "s": "s", "ms since boot": "ms", "us since boot": "us",
    "s since 2000-01-01 UTC": "es", "us since 2000-01-01 UTC": "eu", "ms since 1970-01-01 UTC": "pm", "mV": "mV",
    "mA": "mA", "mW": "mW", "mVA": "mVA", "mvar": "mvar", "mWh": "mWh", "mVAh": "mVAh", "mvarh": "mvarh",
}

# Units of plain integers, which the model leaves out: cluster id, pattern over "Owner.Field" (or "Attribute"), unit.
# ds: tenths of a second; dC: tenths of a degree, a difference; lv: 254 is 100 %; hue, ehue: 254 and 65536 are 360°; xy: 65536 is 1; %2: half percent; the others are the
# short forms of ValueUnit.
UNITS = [
    (0x003, r"(Identify\.)?IdentifyTime", "s"),
    (0x006, r"(OnWithTimedOff\.)?(OnTime|OffWaitTime)", "ds"),
    (0x008, r"(CurrentLevel|MinLevel|MaxLevel|OnLevel|StartUpCurrentLevel|\w+\.(Level|StepSize))", "lv"),
    (0x008, r"(RemainingTime|\w*TransitionTime|\w+\.TransitionTime)", "ds"),
    (0x025, r"\w+\.TransitionTime", "ds"),
    (0x025, r"\w+\.Duration", "s"),
    (0x029, r"\w+\.DelayedActionTime", "s"),
    (0x02A, r"UpdateStateProgress", "%"),
    (0x02F, r"(WiredAssessedInputVoltage|WiredNominalVoltage|BatVoltage)", "mV"),
    (0x02F, r"(WiredAssessedCurrent|WiredMaximumCurrent|BatChargingCurrent)", "mA"),
    (0x02F, r"BatPercentRemaining", "%2"),
    (0x02F, r"(BatTimeRemaining|BatTimeToFullCharge)", "s"),
    (0x030, r"\w+\.\w+Seconds", "s"),
    (0x031, r"\w+Seconds", "s"),
    (0x033, r"UpTime", "s"),
    (0x033, r"TotalOperationalHours", "h"),
    (0x036, r"RSSI", "dBm"),
    (0x037, r"TimeSinceReset", "s"),
    (0x039, r"\w+\.(StayActiveDuration|TimeoutMs|PromisedActiveDuration)", "ms"),
    (0x03C, r"\w+\.CommissioningTimeout", "s"),
    (0x046, r"MaximumCheckInBackOff", "s"),
    (0x046, r"ActiveModeThreshold", "ms"),
    (0x046, r"IdleModeDuration", "s"),
    (0x046, r"(ActiveModeDuration|\w+\.(StayActiveDuration|PromisedActiveDuration))", "ms"),
    (0x05F, r"(SupportedWatts|WattRating)", "W"),
    (0x062, r"\w+\.TransitionTime", "ms"),
    (0x065, r"\w+\.DurationSeconds", "s"),
    (0x081, r"LevelStep", "%"),
    (0x090, r"Frequency", "mHz"),
    (0x090, r"PowerFactor", "%%"),
    (0x094, r"TankVolume", "l"),
    (0x097, r"\w+\.Duration", "ms"),
    (0x0A1, r"(Over|Under)FrequencyThreshold", "mHz"),
    (0x101, r"(OpenPeriod|AutoRelockTime|UserCodeTemporaryDisableTime|UnlockWithTimeout\.Timeout)", "s"),
    (0x101, r"ExpiringUserTimeout", "min"),
    (0x200, r"(Max|MinConst|MaxConst|MinComp|MaxComp)Pressure", "dkPa"),
    (0x200, r"((Min|Max)Const|Max)?Speed", "rpm"),
    (0x200, r"(Max|MinConst|MaxConst)Flow", "dm3h"),
    (0x200, r"(Min|Max)ConstTemp", "cC"),
    (0x200, r"Capacity", "%%"),
    (0x200, r"LifetimeRunningHours", "h"),
    (0x200, r"Power", "W"),
    (0x200, r"LifetimeEnergyConsumed", "kWh"),
    (0x201, r"PI(Cooling|Heating)Demand", "%"),
    (0x201, r"(SetpointChangeAmount)", "cC"),
    (0x201, r"((Uno|O)ccupiedSetback(Min|Max)?|EmergencyHeatDelta)", "dC"),
    (0x201, r"(LocalTemperatureCalibration|MinSetpointDeadBand|SetpointRaiseLower\.Amount)", "dC"),
    (0x201, r"(TemperatureSetpointHoldDuration|\w+\.ExpirationInMinutes|\w+\.TransitionTime)", "min"),
    (0x201, r"\w+\.Timeout", "ms"),
    (0x300, r"(CurrentHue|(MoveToHue|MoveToHueAndSaturation)\.Hue)", "hue"),
    (0x300, r"(EnhancedCurrentHue|ColorLoop\w+EnhancedHue|\w+\.EnhancedHue|ColorLoopSet\.StartHue)", "ehue"),
    (0x300, r"(Current|Primary\d|WhitePoint|ColorPoint[RGB]|MoveToColor\.Color)[XY]", "xy"),
    (0x300, r"(CurrentSaturation|\w+\.Saturation)", "lv"),
    (0x300, r"(RemainingTime|\w+\.TransitionTime)", "ds"),
    (0x300, r"(ColorLoopTime|ColorLoopSet\.Time)", "s"),
    (0x300, r"(\w+\.)?\w+Mireds", "mired"),
    (0x301, r"Lamp\w*Hours\w*", "h"),
    (0x400, r"\w*MeasuredValue", "lux"),
    (0x402, r"Tolerance", "cC"),
    (0x403, r"(\w*MeasuredValue|Tolerance)", "dkPa"),
    (0x404, r"(\w*MeasuredValue|Tolerance)", "dm3h"),
    (0x405, r"(\w*MeasuredValue|Tolerance)", "%%"),
    (0x406, r"(HoldTime|\w+Delay|\w+\.HoldTime\w+)", "s"),
    (0x431, r"(HoldTime|\w+\.HoldTime\w+)", "s"),
    (0x506, r"(Duration|SeekRangeEnd|SeekRangeStart)", "ms"),
    (0x751, r"\w+\.(ResponseTimeoutSeconds|CommissioningTimeout)", "s"),
    (0x753, r"\w+\.CommissioningTimeout", "s"),
]

# Mandatory fields that may be left out on the command line, and what is sent for them: no option overridden.
OMITTABLE = [
    (0x008, r"\w+\.(OptionsMask|OptionsOverride)", 0),
    (0x300, r"\w+\.(OptionsMask|OptionsOverride)", 0),
]

# Elements whose values are secrets: with one, a stranger can act in the place of its owner. Traces and reports leave them out.
SECRETS = [
    (0x029, r"\w+\.UpdateToken"),
    (0x031, r"AddOrUpdateWiFiNetwork\.Credentials"),
    (0x031, r"AddOrUpdateThreadNetwork\.OperationalDataset"),
    (0x033, r"\w+\.EnableKey"),
    (0x03C, r"OpenCommissioningWindow\.PAKEPasscodeVerifier"),
    (0x03E, r"AddNOC\.IPKValue"),
    (0x03F, r"GroupKeySetStruct\.EpochKey\d"),
    (0x046, r"\w+\.(Key|VerificationKey)"),
    (0x065, r"(JoinGroup|UpdateGroupKey)\.Key"),
    (0x101, r"\w+\.(PINCode|CredentialData|SigningKey|GroupResolvingKey)"),
    (0x101, r"AliroGroupResolvingKey"),
    (0x450, r"\w+\.NetworkAdministratorSharedSecret"),
    (0x451, r"\w+\.Passphrase"),
    (0x452, r"\w+\.(Dataset|ActiveDataset|PendingDataset)"),
    (0x453, r"\w+\.OperationalDataset"),
    (0x50E, r"\w+\.(SetupPIN|TempAccountIdentifier)"),
    (0x50F, r"\w+\.(PINCode|OldPIN|NewPIN)"),
    (0x553, r"SFrameStruct\.BaseKey"),
    (0x751, r"\w+\.PAKEPasscodeVerifier"),
    (0x752, r"DatastoreGroupKeySetStruct\.EpochKey\d"),
    (0x753, r"\w+\.PAKEPasscodeVerifier"),
    (0x131BFC00, r"Configuration\.UserIdAndSecretKey"),
    (0x131BFC01, r"(\w+\.)?RefreshToken"),
    (0x131BFC02, r"ConfigureThreadDataset\.Dataset"),
    (0x131BFC02, r"ActiveOperationalDataset"),
    # Types of all clusters.
    (None, r"ICEServerStruct\.Credential"),
]

# What octet strings hold that the model types as plain octets.
FORMATS = [
    (0x033, r"NetworkInterface\.IPv4Addresses", "ipv4adr"),
    (0x033, r"NetworkInterface\.IPv6Addresses", "ipv6adr"),
    (0x033, r"NetworkInterface\.HardwareAddress", "hwadr"),
]

# The units of the vendors' definitions, by the words of ValueUnit.text.
UNIT_WORDS = {
    "1 %": "%", "1 s": "s", "1 ms": "ms", "0.01 s": "cs", "1 V": "V", "0.1 V": "dV", "1 A": "A", "1 mA": "mA", "1 W": "W",
    "0.1 W": "dW", "1 mW": "mW", "1 kWh": "kWh", "1 Wh": "Wh", "1 mWh": "mWh", "1 m": "m", "1 cm": "cm", "1 mm": "mm",
    "1 hPa": "hPa", "1\u00b0": "deg",
}

KNOWN_KEYS = {
    "cluster": {"id", "name", "label", "revision", "provisional", "deprecated", "internal", "origin", "vendor", "notes",
                "features", "attributes", "commands", "events", "enums", "bitmaps", "structs"},
    "feature": {"bit", "code", "name", "disallowed", "provisional", "deprecated"},
    "enum": {"type", "values", "labels", "provisional"},
    "bitmap": {"type", "masks", "labels", "provisional"},
    "struct": {"fields", "fabricScoped", "provisional"},
    "field": {"id", "name", "type", "list", "nullable", "optional", "fabricSensitive", "provisional", "min", "max",
              "default", "minLength", "maxLength", "minItems", "maxItems", "unit", "secret"},
    "attribute": {"id", "name", "type", "list", "nullable", "optional", "writable", "unreadable", "read", "write",
                  "fabricScoped", "fabricSensitive", "mustTimedWrite", "mustAtomicWrite", "changesOmitted",
                  "provisional", "deprecated", "min", "max", "default", "minLength", "maxLength", "minItems",
                  "maxItems", "aliases", "notes", "sinceRevision", "untilRevision", "unit", "secret"},
    "command": {"id", "name", "direction", "response", "timed", "invoke", "fabricScoped", "optional", "largeMessage",
                "fields", "provisional", "deprecated", "aliases", "notes", "sinceRevision", "untilRevision",
                "bareFieldsOnWire"},
    "event": {"id", "name", "priority", "read", "fabricSensitive", "optional", "provisional", "fields"},
    "device type": {"id", "name", "label", "class", "scope", "revision", "superset", "requiredServerClusters",
                    "optionalServerClusters", "requiredClientClusters", "optionalClientClusters"},
}


def check_keys(kind, value, where):
    unknown = set(value) - KNOWN_KEYS[kind]
    if unknown:
        sys.exit(f"{where}: keys that this generator does not know: {', '.join(sorted(unknown))}")


def line(kind, *fields):
    text = [str(field) for field in fields]
    for field in text:
        if "|" in field or "\n" in field or not field.isascii():
            sys.exit(f"a field that the table cannot hold: {field!r}")
    while text and not text[-1]:
        text.pop()
    return kind + "|".join(text)


def flags(value, *more):
    return "".join(letter for key, letter in FLAGS.items() if value.get(key)) + "".join(more)


def default_text(value):
    if value is None:
        return "null"
    if value is True or value is False:
        return "true" if value else "false"
    return str(value)


def secret(cluster, owner, value):
    place = f"{owner}.{value['name']}" if owner else value["name"]
    for number, pattern in SECRETS:
        if cluster == number and re.fullmatch(pattern, place):
            used.add((number, pattern))
            return "S"
    return "S" if value.get("secret") else ""


def limits(cluster, owner, value):
    parts = [letter + str(value[key]) for key, letter in LIMITS.items() if key in value]
    place = f"{owner}.{value['name']}" if owner else value["name"]
    numeric = not value.get("list") and value["type"].startswith(("int", "uint"))
    for number, pattern, unit in UNITS:
        if cluster == number and numeric and re.fullmatch(pattern, place):
            parts.append("u" + unit)
            used.add((number, pattern))
            break
    if "unit" in value:
        parts.append("u" + UNIT_WORDS[value["unit"]])
    for number, pattern, name in FORMATS:
        if cluster == number and value["type"] == "octets" and re.fullmatch(pattern, place):
            parts.append("k" + name)
            used.add((number, pattern))
    default = value.get("default", None)
    present = "default" in value
    for number, pattern, substitute in OMITTABLE:
        if cluster == number and re.fullmatch(pattern, place):
            parts.append(f"o{substitute}")
            used.add((number, pattern))
    # A default may hold any character, so it comes last.
    if present:
        text = default_text(default)
        if not (isinstance(default, str) and not text):
            parts.append("d" + text)
    return ",".join(parts)


used = set()


def extras(value):
    lines = []
    if value.get("aliases"):
        lines.append("+" + ",".join(value["aliases"]))
    lines += ["!" + note for note in value.get("notes", [])]
    return lines


def named_values(values, labels, where):
    parts = []
    for number, name in sorted(values.items(), key=lambda item: int(item[0])):
        label = (labels or {}).get(number)
        text = f"{int(number)}:{name}" + (f":{label}" if label else "")
        if "," in text or text.count(":") > 2:
            sys.exit(f"{where}: a name that the table cannot hold: {text!r}")
        parts.append(text)
    return ",".join(parts)


def fields(cluster, owner, value):
    lines = []
    for field in sorted(value["fields"], key=lambda field: field["id"]):
        check_keys("field", field, f"{owner}.{field['name']}")
        lines.append(line("f", field["id"], field["name"], field["type"],
                          flags(field, secret(cluster, owner, field)), limits(cluster, owner, field)))
    return lines


def types(cluster, scope, where):
    lines = []
    for name, value in scope.get("enums", {}).items():
        check_keys("enum", value, f"{where} {name}")
        values = named_values(value["values"], value.get("labels"), name)
        lines.append(line("N", name, value["type"], flags(value), values))
    for name, value in scope.get("bitmaps", {}).items():
        check_keys("bitmap", value, f"{where} {name}")
        masks = named_values(value["masks"], value.get("labels"), name)
        lines.append(line("B", name, value["type"], flags(value), masks))
    structs = scope.get("structs", {})
    done, busy = set(), set()

    def emit(name):
        if name in done:
            return
        if name in busy:
            sys.exit(f"{where}: struct {name} contains itself")
        busy.add(name)
        for field in structs[name]["fields"]:
            if field["type"] in structs:
                emit(field["type"])
        check_keys("struct", structs[name], f"{where} {name}")
        lines.append(line("S", name, flags(structs[name])))
        lines.extend(fields(cluster, name, structs[name]))
        done.add(name)

    for name in structs:
        emit(name)
    return lines


def cluster_record(cluster):
    number, name = cluster["id"], cluster["name"]
    check_keys("cluster", cluster, name)
    lines = [line("C", f"{number:x}", name, cluster["label"], cluster.get("revision", ""),
                  flags(cluster, ORIGIN.get(cluster.get("origin"), "")), cluster.get("vendor", ""))]
    lines += extras(cluster)
    for feature in cluster["features"]:
        check_keys("feature", feature, name)
        lines.append(line("F", feature["bit"], feature["name"], feature.get("code", ""), flags(feature)))
    lines += types(number, cluster, name)
    for attribute in cluster["attributes"]:
        lines += attribute_lines(number, attribute)
    for command in cluster["commands"]:
        check_keys("command", command, f"{name}.{command['name']}")
        revisions = "".join(
            f",{LIMITS[key]}{command[key]}" for key in ("sinceRevision", "untilRevision") if key in command)
        letters = flags(command, INVOKE.get(command.get("invoke"), "")) + revisions
        if command["direction"] == "request":
            lines.append(line("Q", f"{command['id']:x}", command["name"], letters, command.get("response", "")))
        else:
            lines.append(line("R", f"{command['id']:x}", command["name"], letters))
        lines += extras(command) + fields(number, command["name"], command)
    for event in cluster["events"]:
        check_keys("event", event, f"{name}.{event['name']}")
        letters = flags(event, READ.get(event.get("read"), ""), PRIORITY[event["priority"]])
        lines.append(line("E", f"{event['id']:x}", event["name"], letters))
        lines += fields(number, event["name"], event)
    return lines


def attribute_lines(cluster, attribute):
    check_keys("attribute", attribute, attribute["name"])
    letters = flags(attribute, READ.get(attribute.get("read"), ""), WRITE.get(attribute.get("write"), ""),
                    secret(cluster, "", attribute))
    return [line("A", f"{attribute['id']:x}", attribute["name"], attribute["type"], letters,
                 limits(cluster, "", attribute))] + extras(attribute)


def global_record(model):
    scope = model["globalTypes"]
    lines = []
    for name, value in scope["semantic"].items():
        unit = value.get("unit", "")
        if unit and unit not in SEMANTIC_UNITS:
            sys.exit(f"semantic type {name}: unknown unit {unit!r}")
        lines.append(line("T", name, value["base"], SEMANTIC_UNITS.get(unit, "")))
    lines += types(None, scope, "globalTypes")
    for attribute in model["globalAttributes"]:
        lines += attribute_lines(None, attribute)
    for code, status in sorted(model["statusCodes"].items(), key=lambda item: int(item[0])):
        lines.append(line("X", int(code), status["name"], status["specName"]))
    return lines


def device_type_record(model):
    lines = []
    for value in sorted(model["deviceTypes"], key=lambda value: value["id"]):
        check_keys("device type", value, value["name"])
        lists = [" ".join(f"{number:x}" for number in value.get(key, []))
                 for key in ("requiredServerClusters", "optionalServerClusters", "requiredClientClusters",
                             "optionalClientClusters")]
        superset = f"{value['superset']:x}" if "superset" in value else ""
        lines.append(line("D", f"{value['id']:x}", value["label"], value["name"], value.get("revision", ""),
                          value["class"], value.get("scope", ""), superset, *lists))
    return lines


def vendors():
    """The definitions of clusters/*.json, with their numbers as numbers: the clusters, and attributes for other ones."""
    def numbers(value):
        if isinstance(value, dict):
            return {key: numbers(item) for key, item in value.items()}
        if isinstance(value, list):
            return [numbers(item) for item in value]
        return int(value, 16) if isinstance(value, str) and re.fullmatch("0x[0-9A-F]+", value) else value

    files = [numbers(json.loads(path.read_text()))
             for path in sorted((pathlib.Path(__file__).parent / "clusters").glob("*.json"))]
    return ([cluster for file in files for cluster in file["clusters"]],
            [extension for file in files for extension in file.get("extensions", [])])


def render(standard, vendor):
    more, extensions = vendors()
    clusters = sorted(standard["clusters"] + vendor["clusters"] + more, key=lambda cluster: cluster["id"])
    for extension in extensions:
        for number, cluster in enumerate(clusters):
            if cluster["id"] == extension["cluster"]:
                clusters[number] = {**cluster, "attributes": cluster["attributes"] + extension["attributes"]}
    for key in ("id", "name"):
        known = [cluster[key] for cluster in clusters]
        if len(set(known)) < len(known):
            sys.exit(f"two clusters have the same {key}")
    index, body, offset = [], [], 0
    for cluster in clusters:
        text = "".join(entry + "\n" for entry in cluster_record(cluster))
        index.append(line("I", f"{cluster['id']:x}", cluster["name"], offset, len(text)) + "\n")
        body.append(text)
        offset += len(text)
    globals_text = "".join(entry + "\n" for entry in global_record(standard))
    unused = {(number, pattern) for number, pattern, *_ in UNITS + FORMATS + OMITTABLE + SECRETS} - used
    if unused:
        sys.exit(f"hints that match nothing: {sorted(unused)}")
    sections = {
        "index": ("Cluster id, name, and where its record stands in `clusters`.", "".join(index)),
        "globals": ("Semantic types, global types, global attributes, status codes.",
                    globals_text),
        "deviceTypes": ("Device types.", "".join(entry + "\n" for entry in device_type_record(standard))),
        "clusters": ("One record per cluster.", "".join(body)),
    }
    out = [
        "// swift-format-ignore-file",
        "// Generated by Tests/Tools/generate_catalogue.py. Do not edit: change the generator and run it again.",
        "//",
        f"// Facts from {standard['source']}",
        '// ("Copyright (c) Project CHIP Authors"; ids, names, types, flags and numbers only), and RainMaker\'s'
        " clusters.",
        "// Clusters of other makers: facts from Tests/Tools/clusters/*.json.",
        "",
        "/// The compiled-in data model as text; the generator describes its lines. Read through ``TableReader``.",
        "enum CatalogueTable {",
        "    /// The specification that the standard clusters follow.",
        f'    static let version = "{standard["version"]}"',
        "    /// The day of the source.",
        f'    static let day = "{day(standard)}"',
    ]
    for name, (comment, text) in sections.items():
        if '"""' in text or not text.isascii():
            sys.exit(f"section {name} cannot stand in a string literal")
        out += ["", f"    /// {comment}", f'    static let {name}: StaticString = #"""']
        out += text.split("\n")
        out += ['"""#']
    out += ["}", ""]
    return "\n".join(out)


def day(standard):
    """When the definitions were made, as their source says."""
    return re.search(r"\d{4}-\d{2}-\d{2}", standard["source"])[0]


def main():
    tools = pathlib.Path(__file__).resolve().parent
    sources = tools.parents[1] / "Sources"
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="compare only")
    options = parser.parse_args()
    standard = json.loads((tools / "model" / "data-model.json").read_text())
    vendor = json.loads((tools / "model" / "data-model-rainmaker.json").read_text())
    typed = cluster_source.Source(standard, vendor, sources)
    model, others = sources / "MatterModel" / "DataModel" / "Generated", sources / "MatterClusters" / "Generated"
    demands = json.loads((tools / "model" / "conformance.json").read_text())
    files = {model / "CatalogueTable.swift": render(standard, vendor), model / "Clusters.swift": typed.render(),
             model / "ConformanceTable.swift": conformance_source.render(demands)}
    files.update({others / name: text for name, text in typed.others().items()})
    gone = sorted(set(others.glob("*.swift")) - set(files))
    stale = gone + [path for path, text in files.items() if not path.exists() or path.read_text() != text]
    if options.check:
        if stale:
            sys.exit(f"{stale[0]} is not current: run Tests/Tools/generate_catalogue.py")
        return
    others.mkdir(parents=True, exist_ok=True)
    for path in gone:
        path.unlink()
    for path in stale:
        if path in files:
            path.write_text(files[path])
    print(f"{len(files)} files, {sum(map(len, files.values()))} bytes; {len(stale)} of them have changed")


if __name__ == "__main__":
    main()
