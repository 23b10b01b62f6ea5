#!/usr/bin/env python3
"""Compares docs/grafana-dashboard.json with the metrics that `matterctl serve` has at /metrics.

    Tests/Tools/check_dashboard.py [METRICS]

Each query may use only names, labels and values of labels that are served, and the labels that Prometheus adds. With METRICS, a file with an
answer of /metrics, the names are compared with it too. It also finds what Grafana would refuse or show wrongly: two panels with one number,
panels that overlap, a query without a data source. Exits 1 if something is wrong.
"""
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILE = ROOT / "docs/grafana-dashboard.json"
METRICS = ROOT / "Sources/HouseServer/Metrics"
# Name: kind, and labels with the values that they may have (None: any).
SERVED = {
    "matterctl_nodes": ("gauge", {"state": {"up", "down"}}),
    "matterctl_report_age_seconds": ("gauge", {"node": None}),
    "matterctl_sessions": ("gauge", {}),
    "matterctl_retransmissions_total": ("counter", {}),
    "matterctl_round_trip_seconds_bucket": ("counter", {"le": None}),
    "matterctl_round_trip_seconds_sum": ("counter", {}),
    "matterctl_round_trip_seconds_count": ("counter", {}),
    "matterctl_commands_total": ("counter", {"command": None, "outcome": None}),
    "matterctl_resident_bytes": ("gauge", {}),
    "matterctl_battery_percent": ("gauge", {"node": None, "name": None}),
    "matterctl_sensor": ("gauge", {"node": None, "name": None, "quantity": None}),
}
ADDED = {"job", "instance"}
FUNCTIONS = {
    "sum", "max", "min", "by", "topk", "sort", "rate", "increase", "histogram_quantile", "label_values",
}
WORD = re.compile(r"[a-zA-Z_]\w*")


def queries(dashboard):
    for panel in dashboard["panels"]:
        for target in panel["targets"]:
            yield panel["title"], target["expr"]
    for variable in dashboard["templating"]["list"]:
        if variable["type"] == "query":
            yield variable["name"], variable["query"]["query"]


def labels_of(expression):
    """The names in an expression, with the labels that are chosen; and what it groups by."""
    chosen = [(name, re.findall(r'(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"', inside or "")) for name, inside in re.findall(r"(matterctl_\w+)(?:\{([^}]*)\})?", expression)]
    grouped = [word for words in re.findall(r"\bby\s*\(([^)]*)\)", expression) for word in WORD.findall(words)]
    return chosen, grouped


def wrong(dashboard):
    for place, expression in queries(dashboard):
        chosen, grouped = labels_of(expression)
        if not chosen:
            yield f"{place}: no metric in {expression}"
        known = set(ADDED)
        for name, labels in chosen:
            if name not in SERVED:
                yield f"{place}: {name} is not served"
                continue
            kind, served = SERVED[name]
            known |= set(served)
            for label, comparison, value in labels:
                if label not in ADDED and label not in served:
                    yield f"{place}: {name} has no label {label}"
                elif label in served and served[label] and comparison == "=" and value not in served[label]:
                    yield f"{place}: {name} has no {label} '{value}'"
            if kind == "counter" and not re.search(rf"(?:rate|increase)\({name}\b", expression):
                yield f"{place}: {name} only grows: use rate or increase"
        for label in grouped:
            if label not in known:
                yield f"{place}: groups by {label}, which none of its metrics has"
        rest = re.sub(r'"[^"]*"|\{[^}]*\}|\[[^]]*\]|\bby\s*\([^)]*\)|matterctl_\w+', " ", expression)
        for word in WORD.findall(rest):
            if word not in FUNCTIONS and word != "job":
                yield f"{place}: {word} is not known here"
        if expression.count("(") != expression.count(")"):
            yield f"{place}: parentheses do not match"


def misplaced(dashboard):
    taken, numbers = {}, set()
    for panel in dashboard["panels"]:
        if panel["id"] in numbers:
            yield f"{panel['title']}: another panel has its number"
        numbers.add(panel["id"])
        box = panel["gridPos"]
        for cell in ((x, y) for x in range(box["x"], box["x"] + box["w"]) for y in range(box["y"], box["y"] + box["h"])):
            if cell in taken or cell[0] > 23:
                yield f"{panel['title']}: overlaps {taken.get(cell, 'the edge')}"
                break
            taken[cell] = panel["title"]
        if not panel["targets"] or any(target["datasource"]["uid"] != "${source}" for target in panel["targets"] + [panel]):
            yield f"{panel['title']}: a query without the data source"
        if len({target["refId"] for target in panel["targets"]}) != len(panel["targets"]):
            yield f"{panel['title']}: two queries with one letter"


def not_served(text):
    """Names of SERVED that an answer of /metrics, or the program's source, does not have."""
    for name in SERVED:
        if not re.search(rf"\b{name}\b", text):
            yield f"{name} is not in it"


def main():
    dashboard = json.loads(FILE.read_text(encoding="utf-8"))
    findings = list(wrong(dashboard)) + list(misplaced(dashboard))
    if METRICS.is_dir():
        text = "\n".join(path.read_text(encoding="utf-8") for path in METRICS.glob("*.swift"))
        findings += [f"{METRICS.relative_to(ROOT)}: {what}" for what in not_served(text)]
    for path in sys.argv[1:]:
        findings += [f"{path}: {what}" for what in not_served(pathlib.Path(path).read_text(encoding="utf-8"))]
    if findings:
        sys.exit("\n".join(findings))


if __name__ == "__main__":
    main()
