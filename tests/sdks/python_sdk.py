"""Calls every operation of the Python library that the document has, and compares what it read with what was sent.

Reads what scenario.py prints from standard input. Prints a table, and fails if a call raised, a value differs, or an
operation that both have was not called."""

import datetime as dt
import enum
import inspect
import json
import sys
import typing
import urllib.parse

import httpx
import pydantic
from junction import Junction

ARGUMENTS = {"link_token": "vital_link_token"}  # Names of the document, and those of the library.


class Difference(Exception):
    pass


def compared(read, sent, place="") -> int:
    """How many values were read as they were sent. One that was not is an error."""

    def differs(why):
        raise Difference(f"{place or 'the body'}: {why}")

    if isinstance(read, pydantic.BaseModel):
        if not isinstance(sent, dict):
            differs(f"{type(read).__name__} of no object")
        count = 0
        for name, field in type(read).model_fields.items():
            key, value = field.alias or name, getattr(read, name)
            if key in sent:
                count += compared(value, sent[key], f"{place}.{key}")
            elif value is not None and value != field.default:
                differs(f"{key} was not sent")
        return count
    if isinstance(read, dict) and isinstance(sent, dict):
        if set(map(str, read)) != set(sent):
            differs("other members")
        return sum(compared(value, sent[str(key)], f"{place}.{key}") for key, value in read.items())
    if isinstance(read, list) and isinstance(sent, list):
        if len(read) != len(sent):
            differs("other items")
        return sum(compared(value, item, f"{place}[{index}]") for index, (value, item) in enumerate(zip(read, sent)))
    if isinstance(read, enum.Enum):
        # The value of an unknown member is that of the last one read.
        known = read is not type(read).__members__.get("_UNKNOWN")
        if not isinstance(sent, str) or (known and read.value != sent):
            differs(f"{read.value!r} of {sent!r}")
        return 1
    if isinstance(read, dt.date):
        text = sent if isinstance(sent, str) else differs(f"{read!r} of {sent!r}")
        if dt.datetime.fromisoformat(text) != (read if isinstance(read, dt.datetime) else dt.datetime(read.year, read.month, read.day)):
            differs(f"{read!r} of {sent!r}")
        return 1
    if isinstance(read, float) and type(sent) is int:
        sent = float(sent)
    if type(read) is not type(sent) or read != sent:
        differs(f"{read!r} of {sent!r}")
    return 0 if sent is None else 1


class Recorder(httpx.BaseTransport):
    """Sends requests, or answers them itself, and keeps the last of them with its response."""

    def __init__(self):
        self.request, self.body, self.answer = None, None, None
        self.network = httpx.HTTPTransport()

    def handle_request(self, request):
        self.request = request
        if self.answer is not None:
            return httpx.Response(200, json=self.answer)
        response = self.network.handle_request(request)
        self.body = response.read()
        headers = [(name, value) for name, value in response.headers.multi_items() if name != "content-encoding"]
        return httpx.Response(response.status_code, headers=headers, content=self.body)


def operations(client):
    """Each operation of the library with its name."""

    def within(owner, path):
        for name, attribute in inspect.getmembers(type(owner)):
            if name.startswith("_") or name == "with_raw_response":
                continue
            if isinstance(attribute, property):
                yield from within(getattr(owner, name), [*path, name])
            elif path:
                yield ".".join([*path, name]), getattr(owner, name)

    return within(client, [])


def finished(result):
    return b"".join(result) if inspect.isgenerator(result) else result


def request_of(operation, recorder):
    """Method and path that an operation sends, with the names of its parameters in braces."""

    def stand_in(name, hint):
        return dt.datetime(2026, 1, 1) if hint is dt.datetime else "{" + name + "}"

    hints = typing.get_type_hints(operation)
    parameters = inspect.signature(operation).parameters.values()
    needed = [parameter for parameter in parameters if parameter.default is parameter.empty]
    arguments = {parameter.name: stand_in(parameter.name, hints[parameter.name]) for parameter in needed}
    recorder.request, recorder.answer = None, {}
    try:
        finished(operation(**arguments))
    except Exception:  # The answer is none of its own.
        pass
    recorder.answer = None
    return recorder.request.method, urllib.parse.unquote(recorder.request.url.path)


def operation_of(document, method, path):
    """The operation of the document. A part that is fixed in the library may be a known value of a parameter."""
    segments = path.strip("/").split("/")

    def fits(segment, template, parameters):
        if segment.startswith("{") or not template.startswith("{"):
            return segment.startswith("{") == template.startswith("{") and (segment.startswith("{") or segment == template)
        return segment in known(parameters[template[1:-1]]["schema"])

    def known(schema):
        if "$ref" in schema:
            schema = document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
        return [*schema.get("enum", []), *(value for choice in schema.get("anyOf", []) for value in known(choice))]

    found = None
    for template, item in document["paths"].items():
        operation, templates = item.get(method.lower()), template.strip("/").split("/")
        if operation and len(templates) == len(segments):
            parameters = [document["components"]["parameters"][parameter["$ref"].rsplit("/", 1)[1]] if "$ref" in parameter
                          else parameter for parameter in operation.get("parameters", [])]
            parameters = {parameter["name"]: parameter for parameter in parameters}
            if all(fits(segment, part, parameters) for segment, part in zip(segments, templates)):
                # A path without a parameter takes precedence.
                found = operation["operationId"] if found is None or "{" not in templates[-2] else found
    return found


def arguments_of(operation, given):
    """The arguments by the library's names, in its types."""
    hints = typing.get_type_hints(operation)
    named = {ARGUMENTS.get(name, name): value for name, value in given.items()}
    return {name: pydantic.TypeAdapter(hints[name]).validate_python(value) for name, value in named.items()}


def reasons(error):
    """What is wrong, without the values of it."""
    cause = getattr(error, "cause", None) or error
    if isinstance(cause, pydantic.ValidationError):
        places = (("".join("[]" if isinstance(part, int) else f".{part}" for part in wrong["loc"]), wrong) for wrong in cause.errors())
        return sorted({f"{place or 'the body'}: {wrong['msg']}" for place, wrong in places})
    if isinstance(body := getattr(cause, "body", None), dict) and "status" in body:
        return [" ".join([f"{body['status']}:", body.get("detail", ""), *(f"{wrong['location']}: {wrong['message']}" for wrong in body.get("errors", []))])]
    kind = "" if isinstance(cause, Difference) else f"{type(cause).__name__}: "
    return [kind + " ".join(str(cause).split())[:300]]


def main():
    scenario = json.load(sys.stdin)
    document, bodies = scenario["document"], scenario["bodies"]
    recorder = Recorder()
    client = Junction(base_url=scenario["base_url"], api_key=scenario["api_key"], max_retries=0,
                      httpx_client=httpx.Client(transport=recorder))
    shared, others = {}, 0
    for name, operation in operations(client):
        found = operation_of(document, *request_of(operation, recorder))
        if found:
            shared.setdefault(found, {})[name] = operation
        else:
            others += 1
    results = {name: [] for named in shared.values() for name in named}

    def tried(name, operation, given, body=None):
        recorder.answer = body
        try:
            read = finished(operation(**arguments_of(operation, given)))
            if isinstance(read, bytes):
                count = len(read)
            else:
                sent = body if body is not None else json.loads(recorder.body or "null")
                count = compared(read, sent)
            if count == 0 and body is None and read is not None:
                raise Difference("nothing to compare was sent")
            results[name].append((count, []))
        except Exception as error:
            source = "the demo" if body is None else "a body of the document"
            results[name].append((0, [f"{source}: {reason}" for reason in reasons(error)]))

    for operation_id, given in scenario["calls"]:
        for name, operation in shared.get(operation_id, {}).items():
            tried(name, operation, given)
    for operation_id, given in scenario["calls"]:
        for name, operation in shared.get(operation_id, {}).items():
            for body in bodies.pop(operation_id, []):
                tried(name, operation, given, body)

    failed = 0
    for operation_id, named in sorted(shared.items()):
        for name in named:
            calls, errors = results[name], list(dict.fromkeys(error for _, errors in results[name] for error in errors))
            wrong = errors or ([] if calls else ["not called: add a call to scenario.py"])
            failed += bool(wrong)
            outcome = "wrong" if wrong else "read"
            print(f"{outcome:6} {name:46} {operation_id:30} {len(calls):3} calls {sum(count for count, _ in calls):7} values")
            for error in wrong:
                print(f"       {error}")
    print(f"junction-api-sdk: {len(results)} operations of both, {failed} wrong; {others} of the library alone")
    sys.exit(1 if failed else 0)


main()
