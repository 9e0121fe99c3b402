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
    "notification_templates_error": "notification_templates",
    "success_nodes": "workflow_job_template_nodes",
}
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
            "summary_fields": {},
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
        zone = r"DTSTART(;TZID=[A-Za-z_]+(/[A-Za-z_]+)*)?:\d{8}T\d{6}Z? RRULE:FREQ=DAILY;INTERVAL=1"
        if not re.fullmatch(zone, fields["rrule"]):
            raise Refused(f"rrule: {fields['rrule']}")
        for kind in ("job_templates", "workflow_job_templates"):
            survey = self.surveys.get((kind, fields["unified_job_template"]), {"spec": []})
            # A default does not answer a question that must be answered.
            if any(one["required"] for one in survey["spec"]):
                raise Refused("variables_needed_to_start")

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
        if number not in self.objects[kind]:
            return 404, {"detail": "Not found."}
        if len(rest) == 1:
            return self._answer_object(method, kind, number, data)
        if rest[1] == "survey_spec":
            if method == "POST":
                self.set_survey(kind, number, data)
            return 200, self.surveys.get((kind, number), {})
        if method == "POST":
            self.associate(kind, number, rest[1], data)
            return 204, None
        return _page([{"id": one} for one in self.associations.get((kind, number, rest[1]), [])])

    def _answer_object(self, method: str, kind: str, number: int, data: dict[str, Any]) -> tuple[int, Any]:
        if method == "PATCH":
            return 200, self.update(kind, number, data)
        if method == "DELETE":
            del self.objects[kind][number]
            return 204, None
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
