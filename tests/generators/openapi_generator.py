"""Reads a page of users with the client of openapi-generator for Python."""

from typing import Any
from uuid import UUID

import openapi_client
from openapi_client import ConnectionStatus, KnownConnectionStatus
from openapi_client.exceptions import NotFoundException

from expected import check, demo

configuration = openapi_client.Configuration(host=demo["base_url"])
configuration.api_key["teamApiKey"] = demo["team_api_key"]
configuration.api_key["managementKey"] = demo["management_key"]
client = openapi_client.ApiClient(configuration)

# Open enums show their values, and take others.
assert ConnectionStatus.from_json('"connected"').actual_instance is KnownConnectionStatus.CONNECTED
assert ConnectionStatus.from_json('"of a later version"').actual_instance == "of a later version"


def text(value: Any) -> str:
    return str(getattr(value, "value", value))


users = openapi_client.UsersApi(client)
page = users.list_users(limit=3)
providers = openapi_client.ConnectionsApi(client).list_user_providers(UUID(demo["user_id"]))
pipelines = openapi_client.PipelinesApi(client).list_team_pipelines(demo["org_id"], demo["env"], demo["region"])
provider = openapi_client.ProvidersApi(client).get_oauth_provider(demo["oauth_provider"])
assert provider.slug == demo["oauth_provider"], provider
try:
    users.get_user(UUID(int=0))
    unknown = 200
except NotFoundException as error:
    problem = error.data
    assert isinstance(problem, openapi_client.Problem), problem
    unknown = problem.status
check(
    "openapi-generator",
    page.total,
    page.users,
    [text(provider.status.actual_instance) for provider in providers.providers],
    len(pipelines.pipelines),
    unknown,
)
