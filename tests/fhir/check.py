"""Checks bundles with fhir.resources and fhirkit, units with ucumvert, and that references resolve: see .ci/fhir.

python check.py BUNDLE.json... LOINC.tsv
"""

import copy
import json
import sys

import fhirkit
from fhir.resources import construct_fhir_element
from ucumvert import PintUcumRegistry

UCUM = "http://unitsofmeasure.org"
LOINC = "http://loinc.org"
units = PintUcumRegistry()


def objects(value):
    """All objects within a value, itself included."""
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else []:
        yield from objects(inner)


def is_ucum(code):
    try:
        units.from_ucum(code)
    except Exception:  # Each kind of mistake has a type of its own.
        return False
    return True


def is_loinc(code):
    """Whether the last digit checks the others, by the algorithm of Luhn."""
    number, _, check = code.partition("-")
    if not (number.isdigit() and check.isdigit() and len(check) == 1):
        return False
    digits = [int(digit) for digit in reversed(number)]
    total = sum(digits[1::2]) + sum(sum(divmod(digit * 2, 10)) for digit in digits[::2])
    return (total + int(check)) % 10 == 0


def problems(bundle):
    """What is wrong with a bundle."""
    try:
        construct_fhir_element("Bundle", bundle)
    except Exception as error:  # pydantic's, or those of its own checks.
        yield f"fhir.resources: {error}"
    for issue in fhirkit.validate(bundle):
        yield f"fhirkit: {issue}"
    urls = {entry.get("fullUrl") for entry in bundle["entry"]}
    for inner in objects(bundle):
        if "reference" in inner and inner["reference"] not in urls:
            yield f"{inner['reference']} leads nowhere"
        if inner.get("system") == UCUM and not is_ucum(str(inner.get("code"))):
            yield f"{inner.get('code')} is no unit of UCUM"
        if inner.get("system") == LOINC and not is_loinc(str(inner.get("code"))):
            yield f"{inner.get('code')} is no code of LOINC"
        if inner.get("resourceType") == "Observation":
            values = [name for name in inner if name.startswith("value") or name == "dataAbsentReason"]
            if len(values) != 1:
                yield f"an Observation has {values} (obs-6)"


def first(bundle, kind):
    return next(entry["resource"] for entry in bundle["entry"] if entry["resource"]["resourceType"] == kind)


# Each breaks a bundle in another way.
MISTAKES = {
    "a code is missing": lambda bundle: first(bundle, "Observation").pop("code"),
    "a member is unknown": lambda bundle: first(bundle, "Observation").update(colour="red"),
    "two values": lambda bundle: first(bundle, "Observation").update(valueString="131"),
    "a value and a reason of its absence": lambda bundle: first(bundle, "Observation").update(
        dataAbsentReason={"text": "lost"}),
    "null": lambda bundle: first(bundle, "Observation").update(note=None),
    "an empty list": lambda bundle: first(bundle, "Observation").update(note=[]),
    "an empty text": lambda bundle: first(bundle, "ServiceRequest")["code"].update(text=""),
    "no day": lambda bundle: first(bundle, "Patient").update(birthDate="1990-13-01"),
    "a time without an offset": lambda bundle: bundle.update(timestamp="2026-03-04T15:30:00"),
    "a number as text": lambda bundle: first(bundle, "Observation")["valueQuantity"].update(value="131"),
    "no unit of UCUM": lambda bundle: first(bundle, "Observation")["valueQuantity"].update(code="mgg/dL"),
    "no code of LOINC": lambda bundle: first(bundle, "Observation")["code"]["coding"][0].update(code="13457-8"),
    "a reference that leads nowhere": lambda bundle: first(bundle, "DiagnosticReport")["result"][0].update(
        reference="urn:uuid:00000000-0000-0000-0000-000000000000"),
}


def main(bundles, loinc):
    failed = False
    for path in bundles:
        with open(path) as file:
            bundle = json.load(file)
        for problem in problems(bundle):
            failed = True
            print(f"{path}: {problem}", file=sys.stderr)
        if path.endswith("/numeric.json"):
            for name, mistake in MISTAKES.items():
                broken = copy.deepcopy(bundle)
                mistake(broken)
                if not list(problems(broken)):
                    failed = True
                    print(f"not found in a broken bundle: {name}", file=sys.stderr)
    with open(loinc) as file:
        markers = [line.rstrip("\n").split("\t") for line in file]
    for code, _, unit, *_ in markers:
        if not is_loinc(code) or (unit and not is_ucum(unit)):
            failed = True
            print(f"{loinc}: {code} or its unit {unit} is wrong", file=sys.stderr)
    if failed:
        sys.exit(1)
    print(f"{len(bundles)} bundles, {len(MISTAKES)} broken ones, {len(markers)} codes and units: fhir.resources, fhirkit and ucumvert agree")


main(sys.argv[1:-1], sys.argv[-1])
