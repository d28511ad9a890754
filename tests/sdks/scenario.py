"""The calls that each client library makes of a demo, with the data that they read.

Reads the output of `wearlab demo --json` from standard input, adds to the demo what its own data do not have, and prints
the calls: for each operation of the document the arguments, by the names of the document."""

import datetime as dt
import json
import sys
import urllib.request
import uuid

import bodies

PREFIX = "vital"  # The word in the names of headers that both libraries send.
PROVIDER = "stridewell"
KNOWN_PROVIDER = "oura"  # The Node.js library sends no others.
DAY = dt.date.today() - dt.timedelta(days=40)  # Before the demo's own data.
NIGHT = f"{DAY}T22:00:00Z"
MORNING = f"{DAY + dt.timedelta(days=1)}T06:00:00Z"
NOON, LATER = f"{DAY}T12:00:00Z", f"{DAY}T12:30:00Z"

demo = json.load(sys.stdin)
TEAM = {f"x-{PREFIX}-api-key": demo["team_api_key"]}
USER = demo["user_id"]


def call(path, body=None, method=None, content_type="application/json"):
    data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
    headers = {**TEAM, **({"content-type": content_type} if data else {})}
    request = urllib.request.Request(demo["base_url"] + path, data=data, headers=headers, method=method)
    with urllib.request.urlopen(request) as response:
        text = response.read()
        return json.loads(text) if content_type == "application/json" else text.decode()


document = call("/openapi.json")
schemas = document["components"]["schemas"]
SERIES = schemas["KnownTimeseriesResource"]["enum"]

# Each summary with everything that it must have and nothing else, and one with fractions where a device measures them.
SUMMARIES = {
    "activity": [
        {"calendar_date": str(DAY)},
        {"calendar_date": str(DAY + dt.timedelta(days=1)), "steps": 812, "wheelchair_use": False,
         "heart_rate": {"avg_bpm": 71.5, "min_bpm": 48.5}},
        {"calendar_date": str(DAY + dt.timedelta(days=2)), "wheelchair_use": True, "wheelchair_push": 12},
    ],
    "body": [{"calendar_date": str(DAY)}],
    "sleep": [
        {"bedtime_start": NIGHT, "bedtime_stop": MORNING, "type": "long_sleep", "duration": 28800, "total": 27000,
         "awake": 1800, "light": 14000, "rem": 6500, "deep": 6500, "score": 82.5, "recovery_readiness_score": 71.5,
         "hr_lowest": 44.5, "hr_average": 51.5, "hr_resting": 46.4, "efficiency": 93.75},
    ],
    "sleep_cycle": [
        {"session_start": NIGHT, "session_end": MORNING, "stage_start_offset_second": [0, 3600],
         "stage_end_offset_second": [3600, 28800], "stage_type": [2, 1]},
    ],
    "workouts": [
        {"time_start": NOON, "time_end": LATER, "provider_id": "plain", "sport": {"id": 1, "name": "Run", "slug": "running"}},
        {"time_start": f"{DAY}T14:00:00Z", "time_end": f"{DAY}T14:40:00Z", "provider_id": "measured", "average_hr": 131.5,
         "max_hr": 172.5, "hr_zones": [60.5, 120.5, 600.4], "moving_time": 2399.5,
         "sport": {"id": 1, "name": "Run", "slug": "running"}},
    ],
    "meal": [{"timestamp": NOON, "name": "Soup", "provider_id": "m", "priority_id": 1, "source_id": 1,
              "energy": {"unit": "kcal", "value": 312.5}}],
    "menstrual_cycle": [
        {"period_start": str(DAY)},
        {"period_start": str(DAY - dt.timedelta(days=28)), "period_end": str(DAY - dt.timedelta(days=24)),
         "cycle_end": str(DAY - dt.timedelta(days=1)), "is_predicted": False,
         **{name: [{"date": str(DAY - dt.timedelta(days=20)), **entry}] for name, entry in {
             "menstrual_flow": {"flow": "light"}, "cervical_mucus": {"quality": "creamy"}, "intermenstrual_bleeding": {},
             "contraceptive": {"type": "oral"}, "detected_deviations": {"deviation": "irregular_menstrual_cycles"},
             "ovulation_test": {"test_result": "negative"}, "home_pregnancy_test": {"test_result": "negative"},
             "home_progesterone_test": {"test_result": "negative"}, "sexual_activity": {"protection_used": True},
             "basal_body_temperature": {"value": 36.55}}.items()}},
    ],
    "electrocardiogram": [
        {"session_start": NOON, "session_end": LATER, "voltage_sample_count": 0},
        {"session_start": f"{DAY}T15:00:00Z", "session_end": f"{DAY}T15:00:30Z", "voltage_sample_count": 15360,
         "heart_rate_mean": 66.5, "sampling_frequency_hz": 512.5, "classification": "sinus_rhythm"},
    ],
    "profile": [{"height": 171.5, "wheelchair_use": False}],
}


def samples(resource):
    """A sample of an instant, one of a span, and one within each of the sessions above: with as little as they may have."""
    values = {"note": {"value": "Slept badly."}, "blood_pressure": {"systolic": 118.5, "diastolic": 76}}
    value = values.get(resource, {"value": 2.5})
    span = {"timestamp": f"{DAY}T10:00:00Z", "start": f"{DAY}T10:00:00Z", "end": f"{DAY}T10:15:00Z", "type": "other"}
    whole = {"value": 3} if resource not in values else value
    instants = [f"{DAY}T09:00:00.123456+02:00", f"{DAY}T12:05:00Z", f"{DAY}T14:10:00Z", f"{DAY}T23:00:00Z"]
    return [{**span, **whole}, *({"timestamp": at, **value} for at in instants)]


def arrival(resource, data, **more):
    day = {"team_id": demo["team_id"], "user_id": USER, "provider": PROVIDER, "resource": resource, "date": str(DAY)}
    return {"data": {**day, "source": {"type": "watch"}, "data": data, **more}}


lines = [arrival(resource, values) for resource, values in SUMMARIES.items()]
resources = {"body_weight": "weight", "body_fat": "fat"}
lines += [arrival(resources.get(name, name), samples(name)) for name in [*SERIES, "note", "blood_pressure"]]
lines.append(arrival("water", samples("water"), pull={"id": str(uuid.uuid4()), "chunk": 0, "chunks": 2}))
connection = {"name": "Oura", "slug": KNOWN_PROVIDER, "logo": "https://cdn.wearlab.example/logos/unknown.svg", "status": "connected",
              "created_on": f"{DAY}T08:00:00Z", "resource_availability": {}}
lines.append({"connection_made": {"team_id": demo["team_id"], "user_id": USER, "provider": connection}})
sent = "\n".join(map(json.dumps, lines)).encode()
for answer in call("/v1/ingest", sent, content_type="application/x-ndjson").splitlines():
    if "error" in answer:
        sys.exit(f"the demo refused a line: {answer}")

devices = call(f"/v2/user/{USER}/device")
orders = call("/v3/orders?size=100")["orders"]
tests = call("/v3/lab_tests")
days = {"start_date": str(DAY - dt.timedelta(days=60)), "end_date": str(dt.date.today())}
narrow = {"start_date": str(DAY), "end_date": str(DAY + dt.timedelta(days=1)), "provider": PROVIDER}
of_user = {"user_id": USER, **days}


def sessions(resource, first):
    return [session["id"] for session in call(f"/v2/summary/{resource}/{USER}?start_date={days['start_date']}")[first]]


def new_user(name):
    return call("/v2/user/", {"client_user_id": name})["user_id"]


address = {"first_line": "17 Alder Street", "city": "Portland", "state": "OR", "zip": "97205", "country": "US"}
patient = {"first_name": "Alma", "last_name": "Winters", "dob": "1990-01-01", "gender": "female",
           "phone_number": "+15035550142", "email": "alma.winters@example.com"}
to_order = {"user_id": USER, "patient_details": patient, "patient_address": address}


def new_order(test):
    return call("/v3/order", {**to_order, "order_set": {"lab_test_ids": [test["id"]]}})["order"]["id"]


by_method = {test["method"]: test for test in reversed(tests)}
new = [new_order(test) for test in by_method.values()]
spare, patched = new_user("to delete"), new_user("to change")
with_results = [order["id"] for order in orders if order["status"] == "completed"]

# Values of the required parameters of reads.
VALUES = {"user_id": USER, "client_user_id": "client-000000", "diagnosis_query": "asthma"}


def required(operation):
    """The names of the required parameters of an operation."""
    shared = document["components"]["parameters"]
    parameters = [shared[one["$ref"].rsplit("/", 1)[1]] if "$ref" in one else one for one in operation.get("parameters", [])]
    return [parameter["name"] for parameter in parameters if parameter.get("required")]


# The calls in their order. An operation of several paths, as that of time series, is called for each. Reads that are not
# here are called once, with `VALUES`.
listed = [
    ("list_users", {}),
    ("list_users", {"offset": 1, "limit": 2}),
    *(("get_user_device", {"user_id": USER, "device_id": device["id"]}) for device in devices),
    ("list_providers", {}),
    ("list_providers", {"source_type": "device"}),
    ("get_oauth_provider", {"oauth_provider": KNOWN_PROVIDER, "link_token": demo["link_token"]}),
    *((operation, of_user) for operation in (
        "list_activity", "list_body", "list_sleep", "list_sleep_cycles", "list_workouts", "list_meals",
        "list_menstrual_cycles", "list_electrocardiograms")),
    ("list_sleep", {"user_id": USER, **narrow}),
    ("get_profile", {"user_id": USER}),
    ("get_profile", {"user_id": USER, "provider": PROVIDER}),
    ("list_samples", {"user_id": USER, **narrow}),
    ("list_blood_pressure", of_user),
    ("list_notes", of_user),
    *(("get_sleep_stream", {"sleep_id": session}) for session in sessions("sleep", "sleep")[:3]),
    *(("get_workout_stream", {"workout_id": session}) for session in sessions("workouts", "workouts")[:3]),
    ("list_introspected_resources", {"user_id": USER}),
    ("list_introspected_resources", {"user_limit": 2}),
    ("list_historical_pulls", {"user_id": USER}),
    ("list_lab_tests", {}),
    *(("get_lab_test", {"lab_test_id": test["id"]}) for test in tests),
    ("get_lab_test", {"lab_test_id": demo["lab_test_id"], "lab_account_id": demo["lab_account_id"]}),
    ("list_lab_test_markers", {"lab_test_id": demo["lab_test_id"], "page": 1, "size": 2}),
    ("list_orders", {}),
    ("list_orders", {"user_id": USER, "page": 1, "size": 2}),
    *(("get_order", {"order_id": order["id"]}) for order in orders),
    *(("get_order_result", {"order_id": order}) for order in with_results),
    *(("get_order_result_metadata", {"order_id": order}) for order in with_results),
    ("get_order_requisition", {"order_id": new[0]}),
    ("create_link_token", {"user_id": USER}),
    ("create_user", {"client_user_id": "made by a client"}),
    ("create_user", {"client_user_id": "made in full", "fallback_time_zone": "Europe/Oslo",
                     "fallback_birth_date": "1990-01-01", "ingestion_start": "2020-01-01", "ingestion_end": "2030-01-01"}),
    ("update_user", {"user_id": patched, "fallback_time_zone": "Asia/Tokyo", "client_user_id": "changed"}),
    ("refresh_user", {"user_id": USER, "timeout": 0.5}),
    ("disconnect_provider", {"user_id": USER, "provider": KNOWN_PROVIDER}),
    ("delete_user", {"user_id": spare}),
    *(("create_order", {**to_order, "order_set": {"lab_test_ids": [test["id"]]}}) for test in by_method.values()),
    ("create_order", {**to_order, "lab_test_id": tests[0]["id"], "idempotency_key": "once"}),
    ("simulate_order", {"order_id": new[0]}),
    ("simulate_order", {"order_id": new[0], "final_status": f"completed.{list(by_method)[0]}.completed"}),
    ("get_order_result", {"order_id": new[0]}),
    ("cancel_order", {"order_id": new[1]}),
]
reads = [item["get"] for item in document["paths"].values() if "get" in item]
others = [read for read in reads if read["operationId"] not in {operation for operation, _ in listed}]
calls = [*((read["operationId"], {name: VALUES[name] for name in required(read)})
           for read in others if VALUES.keys() >= set(required(read))), *listed]
json.dump({"base_url": demo["base_url"], "api_key": demo["team_api_key"], "calls": calls, "document": document,
           "bodies": bodies.of(document, {operation for operation, _ in calls})}, sys.stdout)
