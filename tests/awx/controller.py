# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""As much of AWX's API as the modules of awx.awx use: objects with names and ids, their associations, and surveys.

It refuses what AWX refuses and a role could get wrong: ids that do not exist, playbooks and inventories that the
project does not have, a cloud source with another credential, and schedules of templates that want to be asked.
Secrets are encrypted, and defaults added, as AWX does: then a comparison with what was given finds a difference.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

TOKEN = "token-of-awx-31"
ENCRYPTED = "$encrypted$"

# What AWX takes for a playbook when it looks through a project.
PLAYBOOK = re.compile(r"^\s*?-?\s*?(?:hosts|(?:ansible\.builtin\.)?import_playbook):\s*?.*?$", re.MULTILINE)

TYPES = {
    "organizations": "organization",
    "teams": "team",
    "labels": "label",
    "instance_groups": "instance_group",
    "credential_types": "credential_type",
    "credentials": "credential",
    "execution_environments": "execution_environment",
    "notification_templates": "notification_template",
    "projects": "project",
    "inventories": "inventory",
    "inventory_sources": "inventory_source",
    "job_templates": "job_template",
    "workflow_job_templates": "workflow_job_template",
    "workflow_job_template_nodes": "workflow_job_template_node",
    "workflow_approval_templates": "workflow_approval_template",
    "schedules": "schedule",
}
UNIFIED = ("projects", "inventory_sources", "job_templates", "workflow_job_templates")

# Fields that hold the id of an object, and where that is. The unified ones are checked apart.
REFERENCES = {
    "organization": "organizations",
    "credential_type": "credential_types",
    "credential": "credentials",
    "execution_environment": "execution_environments",
    "default_environment": "execution_environments",
    "project": "projects",
    "source_project": "projects",
    "inventory": "inventories",
    "workflow_job_template": "workflow_job_templates",
}
ASSOCIATIONS = {
    "credentials": "credentials",
    "labels": "labels",
    "instance_groups": "instance_groups",
    **dict.fromkeys(
        (f"notification_templates_{event}" for event in ("error", "success", "approvals")), "notification_templates"
    ),
    **dict.fromkeys((f"{end}_nodes" for end in ("success", "failure", "always")), "workflow_job_template_nodes"),
}
"""What an object may be associated with, and what of them a kind of object does not have."""
LACKS = {
    "job_templates": {"notification_templates_approvals"},
    "workflow_job_templates": {"instance_groups", "credentials"},
    "workflow_approval_templates": set(ASSOCIATIONS),
}
ROLES = {
    "job_templates": ("admin", "execute", "read"),
    "workflow_job_templates": ("admin", "execute", "approval", "read"),
    "inventories": ("admin", "use", "update", "adhoc", "read"),
    "projects": ("admin", "use", "update", "read"),
}
"""What teams may be granted on an object."""
# What goes with an object, by the field that has its id.
PARTS: dict[str, dict[str, str]] = {
    "workflow_job_templates": {"workflow_job_template_nodes": "workflow_job_template"},
    "workflow_job_template_nodes": {"workflow_approval_templates": "node"},
    "inventories": {"inventory_sources": "inventory"},
}
for unified in UNIFIED:
    PARTS[unified] = {**PARTS.get(unified, {}), "schedules": "unified_job_template"}
# What has to go before an object.
HOLDERS = {"credential_types": {"credentials": "credential_type"}}
FREQUENCY = r"FREQ=(DAILY|WEEKLY|MONTHLY)(;BYDAY=[A-Z]{2}(,[A-Z]{2})*)?;INTERVAL=\d+"
SLACK_DEFAULTS = {"hex_color": ""}
SLACK_SECRETS = ("token",)


class Refused(Exception):
    """What AWX says with status 400."""


@dataclass
class Controller:
    """A running AWX. `folder` is the repository that every project has."""

    folder: Path
    url: str = ""
    objects: dict[str, dict[int, dict[str, Any]]] = field(default_factory=lambda: {name: {} for name in TYPES})
    associations: dict[tuple[str, int, str], list[int]] = field(default_factory=dict)
    surveys: dict[tuple[str, int], dict[str, Any]] = field(default_factory=dict)
    secrets: dict[int, dict[str, Any]] = field(default_factory=dict)
    roles: dict[int, tuple[str, int, str]] = field(default_factory=dict)
    members: dict[int, list[int]] = field(default_factory=dict)
    writes: list[tuple[str, str]] = field(default_factory=list)
    number: int = 0

    def __post_init__(self) -> None:
        self.create("organizations", {"name": "Default"})
        self.writes.clear()

    # ---- what tests ask ---------------------------------------------------------------------------------------------

    def named(self, kind: str) -> dict[str, dict[str, Any]]:
        """The objects of a kind by their names."""
        return {one.get("name") or one["identifier"]: one for one in self.objects[kind].values()}

    def associated(self, kind: str, name: str, association: str) -> list[str]:
        """The names of what an object is associated with."""
        ids = self.associations.get((kind, self.named(kind)[name]["id"], association), [])
        others = self.objects[ASSOCIATIONS[association]]
        return [others[number].get("name") or others[number]["identifier"] for number in ids]

    def granted(self) -> set[tuple[str, str, str]]:
        """What teams may do: the team, the role, and the name of the object."""
        return {
            (self.objects["teams"][team]["name"], role, self.objects[kind][number]["name"])
            for key, (kind, number, role) in self.roles.items()
            for team in self.members.get(key, [])
        }

    def steps(self, workflow: str) -> dict[str, dict[str, Any]]:
        """The steps of a workflow by their names: what each runs, or asks, and what comes after it."""
        number = self.named("workflow_job_templates")[workflow]["id"]
        templates = {one["id"]: one["name"] for kind in UNIFIED for one in self.objects[kind].values()}
        kind = "workflow_job_template_nodes"
        nodes = [one for one in self.objects[kind].values() if one["workflow_job_template"] == number]
        names = {one["id"]: one["identifier"] for one in nodes}
        asked = {one["node"]: one for one in self.objects["workflow_approval_templates"].values()}
        return {
            one["identifier"]: {
                "runs": templates.get(one.get("unified_job_template"), ""),
                "asks": asked[one["id"]]["name"] if one["id"] in asked else "",
                **{
                    end: {names[other] for other in self.associations.get((kind, one["id"], f"{end}_nodes"), [])}
                    for end in ("success", "failure", "always")
                },
            }
            for one in nodes
        }

    def survey(self, kind: str, name: str) -> dict[str, Any]:
        """The survey of a template."""
        return self.surveys.get((kind, self.named(kind)[name]["id"]), {"spec": []})

    # ---- what the API does ------------------------------------------------------------------------------------------

    def find(self, kind: str, query: dict[str, str]) -> list[dict[str, Any]]:
        """The objects whose fields are as the query says."""
        kinds = UNIFIED if kind == "unified_job_templates" else (kind,)
        found = [one for name in kinds for one in self.objects[name].values()]
        return [one for one in found if all(str(one.get(name)) == value for name, value in query.items())]

    def create(self, kind: str, fields: dict[str, Any]) -> dict[str, Any]:
        self.number += 1
        made = {
            "id": self.number,
            "type": TYPES[kind],
            "url": f"/api/v2/{kind}/{self.number}/",
            "related": {"survey_spec": f"/api/v2/{kind}/{self.number}/survey_spec/"},
            "summary_fields": {"object_roles": self._roles_of(kind, self.number)},
            "scm_revision": "",
        }
        self.objects[kind][self.number] = made
        try:
            return self.update(kind, self.number, fields)
        except Refused:
            del self.objects[kind][self.number]
            raise

    def update(self, kind: str, number: int, fields: dict[str, Any]) -> dict[str, Any]:
        self._check_references(fields)
        check: Callable[[dict[str, Any]], None] | None = getattr(self, f"_check_{TYPES[kind]}", None)
        now = {**self.objects[kind][number], **fields}
        if check:
            check(now)
        self.objects[kind][number] = now
        return now

    def _check_references(self, fields: dict[str, Any]) -> None:
        for name, kind in REFERENCES.items():
            if fields.get(name) and fields[name] not in self.objects[kind]:
                raise Refused(f"{name}: Invalid pk {fields[name]}")

    def _check_credential(self, fields: dict[str, Any]) -> None:
        inputs = self.objects["credential_types"][fields["credential_type"]]["inputs"]
        secret = {one["id"] for one in inputs["fields"] if one.get("secret")}
        known = {one["id"] for one in inputs["fields"]}
        if not set(fields["inputs"]) <= known or not set(inputs["required"]) <= set(fields["inputs"]):
            raise Refused(f"inputs: {sorted(fields['inputs'])} are not those of the type")
        kept = self.secrets.setdefault(fields["id"], {})
        kept |= {name: value for name, value in fields["inputs"].items() if value != ENCRYPTED}
        fields["inputs"] = {
            name: ENCRYPTED if name in secret and value else value for name, value in fields["inputs"].items()
        }

    def _check_notification_template(self, fields: dict[str, Any]) -> None:
        given = {**SLACK_DEFAULTS, **fields["notification_configuration"]}
        if fields["notification_type"] != "slack" or set(given) != {"token", "channels", "hex_color"}:
            raise Refused(f"notification_configuration: {sorted(given)}")
        fields["notification_configuration"] = {
            name: ENCRYPTED if name in SLACK_SECRETS else value for name, value in given.items()
        }

    def _check_inventory_source(self, fields: dict[str, Any]) -> None:
        if not (self.folder / fields["source_path"]).is_file():
            raise Refused(f"source_path: the project has no {fields['source_path']}")
        credential = self.objects["credentials"][fields["credential"]]
        if self.objects["credential_types"][credential["credential_type"]]["kind"] != "cloud":
            raise Refused("credential: Credentials of type machine, source control, insights and vault are disallowed")

    def _check_job_template(self, fields: dict[str, Any]) -> None:
        playbook = self.folder / fields["playbook"]
        if not playbook.is_file() or not PLAYBOOK.search(playbook.read_text()):
            raise Refused(f"playbook: Playbook not found for project: {fields['playbook']}")

    def _check_schedule(self, fields: dict[str, Any]) -> None:
        zone = r"DTSTART(;TZID=[A-Za-z_]+(/[A-Za-z_]+)*)?:\d{8}T\d{6}Z? RRULE:"
        if not re.fullmatch(zone + FREQUENCY, fields["rrule"]):
            raise Refused(f"rrule: {fields['rrule']}")
        given = fields.get("extra_data") or {}
        questions = self._questions_of(fields["unified_job_template"])
        # A default does not answer a question that must be answered.
        if any(one["required"] and one["variable"] not in given for one in questions):
            raise Refused("variables_needed_to_start")
        self._check_prompts(fields)

    def _check_workflow_job_template_node(self, fields: dict[str, Any]) -> None:
        self._check_prompts(fields)

    def _check_workflow_job_template(self, fields: dict[str, Any]) -> None:
        if fields.get("webhook_service") not in (None, "", "github", "gitlab"):
            raise Refused(f"webhook_service: {fields['webhook_service']}")

    def _questions_of(self, template: int | None) -> list[dict[str, Any]]:
        found = [
            self.surveys.get((kind, template), {"spec": []}) for kind in ("job_templates", "workflow_job_templates")
        ]
        return [question for survey in found for question in survey["spec"]]

    def _check_prompts(self, fields: dict[str, Any]) -> None:
        """Refuse what the template does not ask for when it is launched."""
        number = fields.get("unified_job_template")
        kinds = ("job_templates", "workflow_job_templates")
        template = next((self.objects[kind][number] for kind in kinds if number in self.objects[kind]), {})
        asked = {one["variable"] for one in self._questions_of(number)}
        unasked = set(fields.get("extra_data") or {}) - asked
        if unasked and not template.get("ask_variables_on_launch"):
            raise Refused(f"extra_data: Variables {sorted(unasked)} are not allowed on launch")
        if fields.get("job_slice_count") and not template.get("ask_job_slice_count_on_launch"):
            raise Refused("job_slice_count: Field is not configured to prompt on launch.")

    def _roles_of(self, kind: str, number: int) -> dict[str, dict[str, int]]:
        """The roles of a new object."""
        found = {}
        for name in ROLES.get(kind, ()):
            key = 100_000 + len(self.roles)
            self.roles[key] = (kind, number, name)
            found[f"{name}_role"] = {"id": key}
        return found

    def approve(self, node: int, fields: dict[str, Any]) -> dict[str, Any]:
        """Make the template of an approval for a node."""
        made = self.create("workflow_approval_templates", {**fields, "node": node})
        self.objects["workflow_job_template_nodes"][node]["related"]["unified_job_template"] = made["url"]
        return made

    def grant(self, key: int, data: dict[str, Any]) -> None:
        """Grant a role to a team, or revoke it."""
        if data["id"] not in self.objects["teams"]:
            raise Refused(f"id: {data['id']} is no team")
        teams = self.members.setdefault(key, [])
        if data.get("disassociate"):
            teams.remove(data["id"])
        else:
            teams.append(data["id"])

    def delete(self, kind: str, number: int) -> None:
        """Remove an object with its parts, and all that refers to it."""
        for holder, name in HOLDERS.get(kind, {}).items():
            if any(one.get(name) == number for one in self.objects[holder].values()):
                raise Refused(f"{kind} {number} is in use by {holder}")
        for part, name in PARTS.get(kind, {}).items():
            for one in [one for one in self.objects[part].values() if one.get(name) == number]:
                self.delete(part, one["id"])
        del self.objects[kind][number]
        self.surveys.pop((kind, number), None)
        self.associations = {
            key: [other for other in others if (ASSOCIATIONS[key[2]], other) != (kind, number)]
            for key, others in self.associations.items()
            if key[:2] != (kind, number)
        }
        self.roles = {key: role for key, role in self.roles.items() if role[:2] != (kind, number)}
        if kind == "teams":
            self.members = {key: [one for one in teams if one != number] for key, teams in self.members.items()}
        used = {other for key, others in self.associations.items() if key[2] == "labels" for other in others}
        self.objects["labels"] = {one: label for one, label in self.objects["labels"].items() if one in used}

    def set_survey(self, kind: str, number: int, survey: dict[str, Any]) -> None:
        for name in ("name", "description", "spec"):
            if name not in survey:
                raise Refused(f"'{name}' missing from survey spec.")
        for one in survey["spec"]:
            if not {"question_name", "required", "variable", "type"} <= set(one):
                raise Refused(f"a question lacks something: {one}")
            choices = one.get("choices")
            if one["type"] == "multiplechoice" and (not choices or one["default"] not in ["", *choices]):
                raise Refused(f"Default choice must be answered from the choices listed: {one}")
        self.surveys[kind, number] = survey

    def defaults(self, kind: str, name: str) -> dict[str, Any]:
        """The answers that a job gets when nobody is asked."""
        return {one["variable"]: one["default"] for one in self.survey(kind, name)["spec"] if one["default"] != ""}

    def associate(self, kind: str, number: int, association: str, other: dict[str, Any]) -> None:
        if association in LACKS.get(kind, set()):
            raise Refused(f"{kind} have no {association}")
        if other["id"] not in self.objects[ASSOCIATIONS[association]]:
            raise Refused(f"{association}: {other['id']} does not exist")
        ids = self.associations.setdefault((kind, number, association), [])
        if other.get("disassociate"):
            ids.remove(other["id"])
        else:
            ids.append(other["id"])

    # ---- HTTP -------------------------------------------------------------------------------------------------------

    def answer(self, method: str, address: str, data: dict[str, Any]) -> tuple[int, Any]:
        """The status and the body of an answer."""
        parts = urlsplit(address)
        kind, *rest = parts.path.removeprefix("/api/v2/").strip("/").split("/")
        if method != "GET":
            self.writes.append((method, parts.path))
        if not rest:
            if method == "POST":
                return 201, self.create(kind, data)
            return _page(self.find(kind, dict(parse_qsl(parts.query))))
        number = int(rest[0])
        if kind == "roles":
            return self._answer_role(method, number, data)
        if number not in self.objects[kind]:
            return 404, {"detail": "Not found."}
        if len(rest) == 1:
            return self._answer_object(method, kind, number, data)
        return self._answer_part(method, kind, number, rest[1], data)

    def _answer_part(self, method: str, kind: str, number: int, part: str, data: dict[str, Any]) -> tuple[int, Any]:
        if part == "create_approval_template":
            return 201, self.approve(number, data)
        if part == "survey_spec":
            if method == "POST":
                self.set_survey(kind, number, data)
            return 200, self.surveys.get((kind, number), {})
        if method == "POST":
            self.associate(kind, number, part, data)
            return 204, None
        if part in LACKS.get(kind, set()):
            return 404, {"detail": "Not found."}
        return _page([{"id": one} for one in self.associations.get((kind, number, part), [])])

    def _answer_role(self, method: str, key: int, data: dict[str, Any]) -> tuple[int, Any]:
        if method == "POST":
            self.grant(key, data)
            return 204, None
        return _page([{"id": one} for one in self.members.get(key, [])])

    def _answer_object(self, method: str, kind: str, number: int, data: dict[str, Any]) -> tuple[int, Any]:
        if method == "PATCH":
            return 200, self.update(kind, number, data)
        if method == "DELETE":
            self.delete(kind, number)
            # AWX removes the hosts of an inventory later.
            return (202, {}) if kind == "inventories" else (204, None)
        return 200, self.objects[kind][number]


def _page(found: list[dict[str, Any]]) -> tuple[int, Any]:
    return 200, {"count": len(found), "next": None, "previous": None, "results": found}


@contextmanager
def running(folder: Path) -> Iterator[Controller]:
    """Start AWX on a free port of the loopback interface, and stop it in the end."""
    controller = Controller(folder)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            data = json.loads(self.rfile.read(length) or b"{}") if length else {}
            if self.headers.get("Authorization") != f"Bearer {TOKEN}":
                status, answer = 401, {"detail": "Authentication credentials were not provided."}
            else:
                try:
                    status, answer = controller.answer(self.command, self.path, data)
                except Refused as error:
                    status, answer = 400, {"__all__": [str(error)]}
            body = b"" if answer is None else json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_PATCH = do_DELETE = do_GET  # noqa: N815 (names of the base class)

        def log_message(self, *_arguments: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        controller.url = f"http://127.0.0.1:{server.server_port}"
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield controller
        finally:
            server.shutdown()
