"""Svix's own client, PyPI `svix`, at the server that is named. It prints lines of JSON, and fails where something is not
as Svix has it. SVIX_TOKEN is the server's token.

    drive URL UID   makes an application and messages, and does what is refused
    read URL UID    prints the messages of an application, page by page
    models          reads lines [MODEL, OBJECT], and prints them as the models read and write them
"""

import json
import os
import sys

import svix.models
from svix.api import ApplicationIn, MessageCreateOptions, MessageGetOptions, MessageIn, MessageListOptions, Svix, SvixOptions
from svix.exceptions import HttpError, HTTPValidationError


def client(url, token=os.environ["SVIX_TOKEN"]):
    return Svix(token, SvixOptions(server_url=url, retry_schedule=[]))


def refused(status, call, error=HttpError):
    """Whether a call fails with a status, and in the form that the client reads."""
    try:
        call()
    except error as refusal:
        assert refusal.status_code == status, refusal
        return refusal
    raise AssertionError(f"not refused with {status}")


def drive(url, uid):
    api = client(url)
    event = {"event_type": "lab.order.created", "data": {"name": "Jürgen"}}
    message = MessageIn(event_id="evt_python", event_type="lab.order.created", payload=event, channels=["someone"])

    application = ApplicationIn(name="made in Python", uid=uid)
    made = api.application.create(application)
    assert (made.uid, made.name) == (uid, "made in Python"), made
    assert refused(409, lambda: api.application.create(application)).code == "conflict"
    again = api.application.get_or_create(ApplicationIn(name="another name", uid=uid))
    assert again == made, again
    assert api.application.get(uid) == api.application.get(made.id) == made
    other = api.application.create(ApplicationIn(name="another", uid="another"))

    created = api.message.create(uid, message, MessageCreateOptions(with_content=True))
    assert (created.event_id, created.event_type) == ("evt_python", "lab.order.created"), created
    assert created.payload == event and created.channels == ["someone"], created
    assert api.message.get(uid, created.id).payload == {}
    found = api.message.get(uid, "evt_python", MessageGetOptions(with_content=True))
    assert found == created, found

    assert refused(409, lambda: api.message.create(uid, message)).code == "conflict"
    refused(409, lambda: api.message.create(other.id, message))
    refused(404, lambda: api.message.create("nobody", message))
    refused(404, lambda: api.message.get("another", "evt_python"))
    refused(404, lambda: api.application.get("nobody"))
    assert refused(401, lambda: client(url, "wrong").application.get(uid)).code == "authentication_failed"
    for field, wrong in {"event_type": "größe", "event_id": "evt 1", "channels": [], "payload": {"a": "x" * 2**20}}.items():
        wrong = message.model_copy(update={"event_id": "evt_wrong", field: wrong})
        if field == "payload":
            refused(413, lambda: api.message.create(uid, wrong))
        else:
            refused(422, lambda: api.message.create(uid, wrong), HTTPValidationError)
    refused(422, lambda: api.message.list(uid, MessageListOptions(limit=251)), HTTPValidationError)
    assert [message.id for message in api.message.list(uid, MessageListOptions(channel="someone")).data] == [created.id]
    assert api.message.list(uid, MessageListOptions(channel="nobody")).data == []
    print(json.dumps({"event_id": "evt_python"}))


def read(url, uid):
    api = client(url)
    options = MessageListOptions(limit=7, with_content=True)
    while True:
        page = api.message.list(uid, options)
        for message in page.data:
            print(json.dumps({name: getattr(message, name) for name in ("event_id", "event_type", "payload", "channels", "tags")}))
        if page.done:
            return
        options.iterator = page.iterator


def models():
    for line in sys.stdin:
        name, value = json.loads(line)
        model = getattr(svix.models, name).model_validate(value, strict=True)
        print(json.dumps([name, json.loads(model.model_dump_json(by_alias=True, exclude_unset=True))]))


{"drive": drive, "read": read, "models": models}[sys.argv[1]](*sys.argv[2:])
