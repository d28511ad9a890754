"""Bodies of responses that a document permits: one with as little as it may have, and some with everything."""

UNKNOWN = "never_heard_of"  # A value of an open enum that no client can know.
ITEMS = 2
# The service sends fewer values than the document permits: orders go through the steps of a method that it knows, and what
# its descriptions say of wheelchairs and of refreshes is not in the type.
NARROWER = {
    ("OrderDetails", "type"): {"$ref": "#/components/schemas/KnownCollectionMethod"},
    ("ActivitySummary", "wheelchair_use"): {"const": True},
    ("ProfileSummary", "wheelchair_use"): {"const": True},
    ("RefreshedUser", "success"): {"const": True},
}


def of(document, operations):
    """The bodies of each operation, but of time series, whose units and spans follow from their resource."""
    made = {}
    for item in document["paths"].values():
        for operation in item.values():
            if operation["operationId"] in operations - {"list_samples"}:
                content = [response.get("content", {}) for status, response in operation["responses"].items() if status[0] == "2"]
                schema = next((body["application/json"]["schema"] for body in content if "application/json" in body), None)
                if schema:
                    maker = Maker(document)
                    made[operation["operationId"]] = [maker.least(schema), *(maker.most(schema, n) for n in range(maker.VARIANTS))]
    return made


class Maker:
    VARIANTS = 4  # At least as many as an `anyOf` of the document has choices.

    def __init__(self, document):
        self.document = document

    def resolved(self, schema):
        while "$ref" in schema:
            found, parts = self.document, schema["$ref"].removeprefix("#/").split("/")
            for part in parts:
                found = found[part.replace("~1", "/").replace("~0", "~")]
            schema = found
            for (name, member), narrower in NARROWER.items():
                if parts[-1] == name:
                    schema = {**schema, "properties": {**schema["properties"], member: narrower}}
        return schema

    def choices(self, schema):
        """The types that a value may have, without null, and whether it may be null."""
        schema = self.resolved(schema)
        kinds = [schema]
        if combined := schema.get("anyOf") or schema.get("oneOf"):
            kinds = [kind for choice in combined for kind in self.choices(choice)[0]]
        elif isinstance(schema.get("type"), list):
            kinds = [{**schema, "type": kind} for kind in schema["type"]]
        elif len(schema.get("allOf", [])) == 1:
            kinds, _ = self.choices(schema["allOf"][0])
        nullable = any(kind.get("type") == "null" for kind in kinds)
        return [kind for kind in kinds if kind.get("type") != "null"], nullable

    def least(self, schema):
        kinds, nullable = self.choices(schema)
        if nullable:
            return None
        return self.value(kinds[0], 0, lambda kind: {name: self.least(kind["properties"][name]) for name in kind.get("required", [])},
                          lambda _: [], lambda _: {})

    def most(self, schema, variant, depth=0):
        kinds, _ = self.choices(schema)
        kind = kinds[variant % len(kinds)]
        deeper = lambda schema: self.most(schema, variant, depth + 1)
        return self.value(kind, variant, lambda kind: {name: deeper(of) for name, of in kind.get("properties", {}).items()},
                          lambda kind: [deeper(kind["items"]) for _ in range(ITEMS)] if depth < 12 else [],
                          lambda kind: {"stridewell": deeper(kind["additionalProperties"])} if depth < 12 else {})

    def value(self, kind, variant, members, items, entries):
        if "const" in kind:
            return kind["const"]
        if "enum" in kind:
            return kind["enum"][variant % len(kind["enum"])]
        match kind.get("type"):
            case "object" if "properties" in kind:
                return members(kind)
            case "object":
                return entries(kind) if isinstance(kind.get("additionalProperties"), dict) else {}
            case "array":
                return items(kind)
            case "boolean":
                return variant % 2 == 0
            case "integer":
                return kind.get("minimum", 61)
            case "number":
                return [61.5, 61, -0.25, 1e-7][variant]
            case "string":
                return {"date-time": "2026-05-02T08:00:00.123456+01:00", "date": "2026-05-02",
                        "uuid": "0f7e4c50-1a52-5d0e-8f6b-7f0c1c9a4d03", "uri": "https://wearlab.example"}.get(
                            kind.get("format"), UNKNOWN)
        return {}
