"""What the running demo is asked, and what it answers to a client that nobody generated: .ci/generators writes both."""

import json
from pathlib import Path
from typing import Any


def read(name: str) -> Any:
    return json.loads(Path(name).read_text())


demo = read("demo.json")
page = read("users.json")


def check(generator: str, total: int, users: list[Any], statuses: list[str], pipelines: int, unknown: int) -> None:
    """Compares what a generated client read with what is so."""
    assert total == page["total"], total
    assert len(users) == len(page["users"]) == 3, users
    for user, known in zip(users, page["users"]):
        assert str(user.user_id) == known["user_id"], user
        assert user.client_user_id == known["client_user_id"], user
        slugs = [source.provider.slug for source in user.connected_sources]
        assert slugs == [source["provider"]["slug"] for source in known["connected_sources"]], slugs
    assert statuses == [provider["status"] for provider in read("providers.json")["providers"]], statuses
    assert pipelines == len(read("pipelines.json")["pipelines"]), pipelines
    assert unknown == 404, unknown
    print(f"{generator}: {len(users)} of {total} users, the first is {users[0].user_id}")
