#!/usr/bin/env python3
"""Checks exchanges with a RainMaker-style cloud against rainmaker-openapi.yaml.

    check_openapi.py validate < exchanges.jsonl     each line: method, path, query, request?, status?, response?
    check_openapi.py examples                       prints every example of the description as JSON

Exits 0 if all is well, 1 with one line per fault, 77 if PyYAML or openapi-schema-validator is missing.
"""
import json
import pathlib
import sys

try:
    import yaml
    from openapi_schema_validator import OAS30Validator
    from referencing import Registry
    from referencing.jsonschema import DRAFT4
except ImportError as missing:
    print(f"SKIPPED: {missing}; install them with: pip install openapi-core PyYAML", file=sys.stderr)
    sys.exit(77)

DESCRIPTION = pathlib.Path(__file__).with_name("rainmaker-openapi.yaml")
DOCUMENT = yaml.safe_load(DESCRIPTION.read_text())
REGISTRY = Registry().with_resource("urn:api", DRAFT4.create_resource(DOCUMENT))


def absolute(node):
    """The same schema with references that do not depend on where it stands."""
    if isinstance(node, dict):
        return {
            key: "urn:api" + value if key == "$ref" and isinstance(value, str) else absolute(value)
            for key, value in node.items()
        }
    return [absolute(value) for value in node] if isinstance(node, list) else node


def resolve(node):
    while isinstance(node, dict) and "$ref" in node:
        target = DOCUMENT
        for part in node["$ref"].removeprefix("#/").split("/"):
            target = target[part]
        node = target
    return node


def faults(schema, value, place):
    validator = OAS30Validator(absolute(schema), registry=REGISTRY)
    # References within the document are relative to it.
    return [f"{place}{fault.json_path[1:]}: {fault.message[:200]}" for fault in validator.iter_errors(value)]


# References inside referenced schemas resolve against urn:api as well.
DOCUMENT_WITH_ABSOLUTE_REFERENCES = absolute(DOCUMENT)
REGISTRY = Registry().with_resource("urn:api", DRAFT4.create_resource(DOCUMENT_WITH_ABSOLUTE_REFERENCES))


def named(name):
    return {"$ref": f"#/components/schemas/{name}"}


def content(node):
    return resolve(node).get("content", {}).get("application/json", {})


def described(path):
    """The operations of a path; a part in braces stands for any text."""
    parts = path.split("/")
    for template, operations in DOCUMENT["paths"].items():
        wanted = template.split("/")
        if len(wanted) == len(parts) and all(
            want == part or want.startswith("{") and part for want, part in zip(wanted, parts)
        ):
            return operations
    return {}


def dispatch(operation, exchange):
    """The rule of x-dispatch that applies: one path has many meanings."""
    body = exchange.get("request") or {}
    query = exchange.get("query") or {}
    for rule in operation.get("x-dispatch", []):
        when = rule["when"]
        if any(query.get(name) != str(value).lower() for name, value in when.get("query", {}).items()):
            continue
        if "property" in when and when["property"] not in body:
            continue
        if "csr_type" in when and body.get("csr_type") != when["csr_type"]:
            continue
        return rule
    return None


def check_query(operation, exchange, place):
    query = exchange.get("query") or {}
    parameters = map(resolve, operation.get("parameters", []))
    known = {parameter["name"]: parameter for parameter in parameters if parameter["in"] == "query"}
    found = [f"{place}: unknown query parameter '{name}'" for name in query if name not in known]
    for name, parameter in known.items():
        if parameter.get("required") and name not in query:
            found.append(f"{place}: query parameter '{name}' is missing")
        kind = parameter["schema"].get("type")
        if name in query and kind == "boolean" and query[name] not in ("true", "false"):
            found.append(f"{place}: query parameter '{name}' is not a boolean")
        if name in query and kind == "integer" and not query[name].isdigit():
            found.append(f"{place}: query parameter '{name}' is not an integer")
    return found


def check(exchange):
    method, path = exchange["method"].lower(), exchange["path"]
    place = f"{method.upper()} {path}"
    operation = described(path).get(method)
    if operation is None:
        return [f"{place}: not described"]
    rule = dispatch(operation, exchange)
    found = []
    # A request that was refused may have been wrong on purpose.
    if exchange.get("status", 200) < 300:
        found += check_query(operation, exchange, place)
        if rule and rule["when"].get("query_required") and rule["when"]["query_required"] not in exchange["query"]:
            found.append(f"{place}: query parameter '{rule['when']['query_required']}' is missing")
        if exchange.get("request") is not None:
            schema = named(rule["request"]) if rule else content(operation.get("requestBody", {})).get("schema")
            found += faults(schema, exchange["request"], f"{place} request") if schema else [f"{place}: takes no body"]
        elif resolve(operation.get("requestBody", {})).get("required"):
            found.append(f"{place}: a body is required")
    if "status" in exchange:
        responses = operation["responses"]
        response = responses.get(str(exchange["status"]))
        if response is None:
            return found + [f"{place}: status {exchange['status']} is not described"]
        schema = content(response).get("schema", {})
        if rule and exchange["status"] < 300:
            schema = named(rule["response"])
        found += faults(schema, exchange["response"], f"{place} {exchange['status']}")
    return found


def examples():
    for path, operations in DOCUMENT["paths"].items():
        for method, operation in operations.items():
            parts = [("request", content(operation.get("requestBody", {})))]
            parts += [(int(status), content(response)) for status, response in operation["responses"].items()]
            for part, media in parts:
                given = [media["example"]] if "example" in media else []
                given += [example["value"] for example in media.get("examples", {}).values()]
                for value in given:
                    yield {"operation": operation["operationId"], "method": method.upper(), "path": path,
                           "part": str(part), "value": value}


def main():
    if sys.argv[1:] == ["examples"]:
        print(json.dumps(list(examples())))
        return 0
    count, found = 0, []
    for line in sys.stdin:
        count += 1
        found += check(json.loads(line))
    for fault in found:
        print(fault)
    if count == 0:
        print("there was nothing to check")
    return 1 if found or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
