"""Reads a page of users with the client of openapi-python-client."""

from uuid import UUID

from expected import check, demo
from openapi_python_client_client import AuthenticatedClient
from openapi_python_client_client.api.connections import list_user_providers
from openapi_python_client_client.api.pipelines import list_team_pipelines
from openapi_python_client_client.api.users import get_user, list_users
from openapi_python_client_client.models import (
    ConnectedProviderList,
    Environment,
    KnownConnectionStatus,
    PipelineList,
    Problem,
    Region,
    UserList,
)


def client(header: str, key: str) -> AuthenticatedClient:
    return AuthenticatedClient(base_url=demo["base_url"], token=key, prefix="", auth_header_name=header)


team = client("x-service-api-key", demo["team_api_key"])
management = client("X-Management-Key", demo["management_key"])

page = list_users.sync(client=team, limit=3)
assert isinstance(page, UserList), page
providers = list_user_providers.sync(UUID(demo["user_id"]), client=team)
assert isinstance(providers, ConnectedProviderList), providers
# Open enums show their values, and take others.
statuses: list[KnownConnectionStatus | str] = [provider.status for provider in providers.providers]
pipelines = list_team_pipelines.sync(
    demo["org_id"], Environment(demo["env"]), Region(demo["region"]), client=management
)
assert isinstance(pipelines, PipelineList), pipelines
unknown = get_user.sync(UUID(int=0), client=team)
assert isinstance(unknown, Problem), unknown
check(
    "openapi-python-client",
    page.total,
    page.users,
    [status.value if isinstance(status, KnownConnectionStatus) else status for status in statuses],
    len(pipelines.pipelines),
    unknown.status,
)
