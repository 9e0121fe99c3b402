# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A fleet becomes files: Ansible reads in them what the service shows, and a person's changes stay."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
import yaml
from ansible.inventory.manager import InventoryManager
from ansible.parsing.dataloader import DataLoader
from ansible.template import Templar
from ansible.vars.manager import VariableManager

from ansible_collections.hosting.management.plugins.filter.adoption_plan import adoption_plan
from ansible_collections.hosting.management.plugins.lookup.adopt_host import LookupModule as HostLookup
from ansible_collections.hosting.management.plugins.lookup.role_variables import LookupModule
from ansible_collections.hosting.management.plugins.modules import environment, environment_state_info, variable_files
from ansible_collections.hosting.management.plugins.plugin_utils.adoption import (
    MISSING,
    Wanted,
    common_of,
    digest,
    effective,
    own_of,
    problem_of_name,
    step_of,
)
from ansible_collections.hosting.management.plugins.plugin_utils.adoption_outcome import summary_of
from ansible_collections.hosting.management.plugins.plugin_utils.maintenance_variables import settings_of
from ansible_collections.hosting.management.plugins.plugin_utils.variable_yaml import Expression
from simulator import Simulator, seed

pytest_plugins = ["simulator.fixtures"]

ROLES = Path(__file__).resolve().parents[2] / "roles"
PARTS = ["php_version", "image_optimization", "primary_domain", "denied_ips", "sftp_allowlist", "dns_records"]
ALL_PARTS = [*PARTS, "themes", "plugins"]
PHP, DENIED, MORE = "maintain_php_version", "maintain_denied_ips", "maintain_additional_denied_ips"
TEXTS = [
    "{{ lookup('pipe', 'id') }}",
    "{% if true %}x{% endif %}",
    "{# comment #}",
    "#jinja2: variable_start_string:'[['",
    "!vault |",
    "$ANSIBLE_VAULT;1.1;AES256",
    "!!python/object/apply:os.system [id]",
    "*alias",
    "a: b\nmaintain_denied_ips: []",
    "\x1b[31mred\x07",
    "\u202egnp.exe",
    "\x85\u2028\ufeff",
    "off",
    "1.10",
    "0o17",
    "1:20",
    "<<",
    "=",
    "~",
    "- x",
    "# y",
    " z ",
    "",
    "é😀",
]


class Fleet:
    """Environments of a simulator as hosts: read, adopted into a folder, and read from there by Ansible."""

    def __init__(self, controller, folder: Path) -> None:
        self.controller, self.folder = controller, folder
        self.parts = ALL_PARTS
        self.ids = {"shop-live": 1, "blog-live": 2}
        self.groups: dict[str, list[str]] | None = None
        self.readings: dict[str, dict] = {}

    @property
    def hosts(self) -> dict[str, dict]:
        world = self.controller.simulator.state
        return {
            host: {
                "hosting_environment_id": seed.environment_id(number),
                "hosting_site_id": seed.site_id(number),
                "hosting_primary_domain_id": world.environment(seed.environment_id(number)).primary_domain.id,
            }
            for host, number in self.ids.items()
        }

    def asked(self, host: str, **settings) -> dict:
        defaults = yaml.safe_load((ROLES / "adopt" / "defaults" / "main.yml").read_text())
        own = self.hosts[host]
        values = {
            **defaults,
            **own,
            "adopt_environment_id": own["hosting_environment_id"],
            "adopt_site_id": own["hosting_site_id"],
            "adopt_domain_ids": [own["hosting_primary_domain_id"]],
            "adopt_company_id": "",
            "adopt_folder": str(self.folder),
            "adopt_parts": self.parts,
            "group_names": ["environment_live"],
            **settings,
        }
        (found,) = HostLookup(templar=Templar(loader=DataLoader())).run([str(ROLES / "adopt")], variables=values)
        return found

    def read(self, host: str) -> dict:
        if host in self.readings:
            return self.readings[host]
        asks = self.asked(host)["asks"]
        del asks["company_id"]
        return self.controller.run(environment_state_info, **asks)

    def plan(self, *hosts: str, users: dict | None = None, **settings) -> dict:
        names = list(hosts or self.ids)
        asked = [self.asked(host, **settings) for host in names]
        assert not [one["problems"] for one in asked if one["problems"]]
        groups = self.groups or {"environment_live": list(self.ids)}
        return adoption_plan(
            names,
            asked=asked,
            read=[self.read(host) for host in names],
            groups={"all": list(self.ids), **groups},
            users=users or {},
            settings=asked[0]["settings"],
        )

    def adopt(self, *hosts: str, check_mode: bool = False, **settings) -> dict:
        plan = self.plan(*hosts, **settings)
        assert plan["problems"] == []
        written = self.controller.run(
            variable_files, folder=plan["folder"], files=plan["files"], check_mode=check_mode, diff=True
        )
        assert not written.get("failed"), written
        return {**plan, **written}

    def variables(self, host: str) -> dict:
        """The variables of a host, as Ansible finds and evaluates them in the folder."""
        (self.folder / "inventory.yml").write_text(
            yaml.safe_dump({"environment_live": {"hosts": dict.fromkeys(self.ids)}})
        )
        loader = DataLoader()
        inventory = InventoryManager(loader, [str(self.folder / "inventory.yml")])
        found = VariableManager(loader, inventory).get_vars(host=inventory.get_host(host))
        values = {name: value for name, value in found.items() if name.startswith("maintain_")}
        return Templar(loader=loader, variables=found).template(values)

    def declared(self, host: str) -> dict:
        """What the role maintain makes of these variables."""
        defaults = yaml.safe_load((ROLES / "maintain" / "defaults" / "main.yml").read_text())
        variables = {
            **{name: value for name, value in defaults.items() if "{{" not in str(value)},
            "maintain_verify_urls": [],
            "maintain_environment_id": self.hosts[host]["hosting_environment_id"],
            "maintain_site_id": self.hosts[host]["hosting_site_id"],
            **self.variables(host),
        }
        also = ["hosting_companions", "hosting_primary_domain_id", "hosting_php_version", "hosting_wordpress_version"]
        lookup = LookupModule(templar=Templar(loader=DataLoader()))
        (read,) = lookup.run([str(ROLES / "maintain")], variables=variables, also=also)
        settings = settings_of(read, host)
        assert settings["problems"] == []
        return settings["keep"]["declaration"]

    def differing(self, host: str) -> list[str]:
        """The parts in which the environment is not as its files say, as maintain --check would find them."""
        own = {name: value for name, value in self.hosts[host].items() if name != "hosting_primary_domain_id"}
        options = {name.removeprefix("hosting_"): value for name, value in own.items()}
        result = self.controller.run(environment, check_mode=True, **options, **self.declared(host))
        assert not result.get("failed"), result["msg"]
        return result["differs"]

    def text(self, path: str) -> str:
        return (self.folder / path).read_text()

    def change(self, host: str, **attributes) -> None:
        one = self.controller.simulator.state.environment(self.hosts[host]["hosting_environment_id"])
        for name, value in attributes.items():
            setattr(one, name, value)


@pytest.fixture
def fleet(controller, tmp_path: Path) -> Fleet:
    folder = tmp_path / "fleet"
    folder.mkdir()
    return Fleet(controller, folder)


@pytest.fixture
def brownfield(monkeypatch, tmp_path: Path, controller) -> Fleet:
    """Nine sites that differ in every part."""
    with Simulator(sites=9, brownfield=True) as simulator:
        monkeypatch.setattr(controller, "simulator", simulator)
        folder = tmp_path / "fleet"
        folder.mkdir()
        fleet = Fleet(controller, folder)
        fleet.ids = {f"{seed.site_name(number)}-live": number for number in range(1, 10)}
        yield fleet


# ---- the law --------------------------------------------------------------------------------------------------------


def test_after_adopting_nothing_differs_where_sites_differ_in_every_part(brownfield: Fleet):
    plan = brownfield.adopt()
    assert plan["gaps"] == plan["notes"] == plan["not_adopted"] == []
    assert {host: brownfield.differing(host) for host in brownfield.ids} == {host: [] for host in brownfield.ids}
    declared = brownfield.declared("shop-live")
    assert all(declared[part] for part in ALL_PARTS)


def test_after_adopting_nothing_differs_where_sites_are_alike(fleet: Fleet):
    fleet.adopt()
    assert [fleet.differing(host) for host in fleet.ids] == [[], []]


def test_what_the_files_say_is_what_ansible_reads_in_them(brownfield: Fleet):
    plan = brownfield.adopt()
    assert plan["declared"] == {host: brownfield.declared(host) for host in brownfield.ids}


def test_a_difference_is_found(fleet: Fleet):
    fleet.adopt()
    fleet.change("blog-live", denied_ips=["192.0.2.1"], php_engine_version="php8.1")
    assert fleet.differing("blog-live") == ["denied_ips", "php_version"]


def test_the_same_state_gives_the_same_bytes(brownfield: Fleet):
    brownfield.adopt()
    before = {path: path.read_bytes() for path in brownfield.folder.rglob("*.yml")}
    for host in brownfield.ids:  # in whatever order the service shows things
        one = brownfield.controller.simulator.state.environment(brownfield.hosts[host]["hosting_environment_id"])
        for listed in (one.denied_ips, one.sftp_ip_allowlist, one.plugins, one.themes, *_records(one)):
            listed.reverse()
    again = brownfield.adopt()
    assert (again["changed"], again["written"]) == (False, [])
    for path in before:
        path.unlink()
    (brownfield.folder / ".adopted.json").unlink()
    brownfield.adopt()
    assert {path: path.read_bytes() for path in before if path.name != "inventory.yml"} == {
        path: content for path, content in before.items() if path.name != "inventory.yml"
    }


def _records(one):
    return [one.primary_domain.dns_records, *(record["resource_records"] for record in one.primary_domain.dns_records)]


def test_what_most_have_in_common_is_the_groups(brownfield: Fleet):
    brownfield.adopt()
    group = yaml.safe_load(brownfield.text("group_vars/environment_live.yml"))
    assert group[DENIED] == ["198.51.100.66", "203.0.113.0/24"]
    shop = yaml.safe_load(brownfield.text("host_vars/shop-live.yml"))
    assert (DENIED in shop, shop[MORE]) == (False, ["192.0.2.1", "2001:db8::1"])
    never_got_it = yaml.safe_load(brownfield.text("host_vars/site-7-live.yml"))
    assert (never_got_it[DENIED], MORE in never_got_it) == (["192.0.2.7", "2001:db8::7"], False)


# ---- what is not known ----------------------------------------------------------------------------------------------


def test_what_the_service_does_not_show_is_said_once(fleet: Fleet):
    fleet.controller.simulator.settings.interface_only = True
    fleet.parts = [part for part in ALL_PARTS if part != "dns_records"]
    plan = fleet.adopt()
    text = fleet.text("group_vars/environment_live.yml")
    assert "# Not declared, because the service does not show it: maintain_php_version, " in text
    assert "198.51.100.7" in text
    assert "host_vars/shop-live.yml" not in plan["written"]  # what it has, all have


def test_what_is_not_known_of_a_host_is_not_taken_from_its_group(fleet: Fleet):
    fleet.ids = {"shop-live": 1, "blog-live": 2, "lost-live": 2}
    lost = fleet.read("lost-live")
    del lost["declaration"]["denied_ips"]
    lost["unread"]["denied_ips"] = {"msg": "It took\ntoo long.", "error": {"kind": "timeout", "is_offered": True}}
    fleet.readings["lost-live"] = lost
    for host in ("shop-live", "blog-live"):
        fleet.change(host, denied_ips=["192.0.2.1"])
    plan = fleet.adopt()
    assert "# Not all of it is known: It took too long.\nmaintain_denied_ips: null\n" in fleet.text(
        "host_vars/lost-live.yml"
    )
    assert fleet.declared("lost-live")["denied_ips"] is None
    assert plan["gaps"] == [{"host": "lost-live", "variable": DENIED, "why": "It took\ntoo long."}]


def test_an_environment_that_could_not_be_read_at_all_takes_nothing_of_its_group(fleet: Fleet):
    fleet.ids = {"shop-live": 1, "blog-live": 2, "lost-live": 2}
    fleet.readings["lost-live"] = {"failed": True, "msg": "The service cannot be reached."}
    plan = fleet.adopt()
    assert [one["host"] for one in plan["not_adopted"]] == ["lost-live"]
    assert {name: value for name, value in fleet.declared("lost-live").items() if value is not None} == {}
    assert plan["declared"]["lost-live"] == {}


def test_a_group_with_hosts_that_are_not_adopted_gets_no_file(fleet: Fleet):
    fleet.groups = {"environment_live": [*fleet.ids, "another"]}
    plan = fleet.adopt()
    assert not (fleet.folder / "group_vars" / "environment_live.yml").exists()
    assert "such as another" in plan["notes"][0]
    assert [fleet.differing(host) for host in fleet.ids] == [[], []]


# ---- hostile values -------------------------------------------------------------------------------------------------


def test_what_the_service_says_comes_out_as_inert_text(fleet: Fleet):
    names = [f"{number:02} {text}" for number, text in enumerate(TEXTS)]
    fleet.readings["shop-live"] = {
        "readings": {},
        "unread": {"php_version": {"msg": "\n".join(TEXTS), "error": {"is_offered": True}}},
        "declaration": {
            "image_optimization": TEXTS[0],
            "themes": [{"name": name, "update_version": text} for name, text in zip(names, TEXTS, strict=True)],
        },
    }
    fleet.ids = {"shop-live": 1}
    fleet.adopt()
    found = fleet.variables("shop-live")
    assert [one["name"] for one in found["maintain_themes"]] == names
    assert [one["update_version"] for one in found["maintain_themes"]] == TEXTS
    assert found["maintain_image_optimization"] == TEXTS[0]
    assert DENIED not in found
    raw = fleet.text("host_vars/shop-live.yml")
    assert not [one for one in raw if one != "\n" and not one.isprintable()]


@pytest.mark.parametrize(
    "host",
    [
        "../x",
        "/etc/x",
        "a/b",
        "..",
        ".hidden",
        "a\nb",
        "a\x1b[31m",
        "a\u202eb",
        "",
        "x" * 250,
        "x.yml",
        "x.JSON",
        "a b",
    ],
)
def test_no_file_is_named_after_a_host_with_an_unsafe_name(host: str):
    assert "no file can be named" in problem_of_name(host)


@pytest.mark.parametrize("host", ["shop-live", "all", "ungrouped", "www.example.com", "bücher-live", "a_b@c+1"])
def test_other_names_are_names_of_files(host: str):
    assert problem_of_name(host) == ""


def test_hosts_with_the_names_of_groups_have_files_of_their_own(fleet: Fleet):
    fleet.ids = {"all": 1, "ungrouped": 2}
    fleet.groups = {"environment_live": ["all", "ungrouped"]}
    fleet.change("all", denied_ips=["192.0.2.9"])
    plan = fleet.adopt(adopt_inventory=True)
    assert "host_vars/all.yml" in plan["written"]
    assert "192.0.2.9" in fleet.text("host_vars/all.yml")
    assert not (fleet.folder / "group_vars" / "all.yml").exists()
    assert [fleet.differing(host) for host in fleet.ids] == [[], []]


def test_a_host_with_an_unsafe_name_is_told_and_keeps_its_group_from_having_values(fleet: Fleet):
    fleet.ids = {"shop-live": 1, "../x": 2}
    plan = fleet.adopt()
    assert [one["host"] for one in plan["not_adopted"]] == ["../x"]
    assert [path for path in plan["written"] if not path.startswith(".")] == ["host_vars/shop-live.yml"]


def test_the_inventory_has_what_the_service_says_as_text(fleet: Fleet):
    own = fleet.hosts["shop-live"]
    fleet.__class__ = type("Named", (Fleet,), {"hosts": {"shop-live": {**own, "hosting_site_name": TEXTS[0]}}})
    fleet.ids = {"shop-live": 1}
    fleet.adopt(adopt_inventory=True)
    loader = DataLoader()
    inventory = InventoryManager(loader, [str(fleet.folder / "hosts.yml")])
    host = inventory.get_host("shop-live")
    found = VariableManager(loader, inventory).get_vars(host=host)
    assert Templar(loader=loader, variables=found).template(found["hosting_site_name"]) == TEXTS[0]
    assert found["hosting_environment_id"] == own["hosting_environment_id"]
    assert [group.name for group in host.get_groups()] == ["all", "environment_live"]
    assert found["ansible_connection"] == "local"


# ---- files of others ------------------------------------------------------------------------------------------------


def test_what_the_role_has_not_written_is_not_overwritten(fleet: Fleet):
    (fleet.folder / "host_vars").mkdir()
    (fleet.folder / "host_vars" / "shop-live.yml").write_text("mine: true\n")
    fleet.change("shop-live", denied_ips=["192.0.2.1"])
    plan = fleet.plan()
    assert len(plan["problems"]) == 1
    assert plan["problems"][0].startswith("host_vars/shop-live.yml was not written by this role")
    assert plan["files"] == []


def test_files_of_others_are_named_in_one_sentence(fleet: Fleet):
    fleet.change("shop-live", denied_ips=["192.0.2.1"])
    fleet.change("blog-live", denied_ips=["192.0.2.2"])
    (fleet.folder / "host_vars").mkdir()
    for host in ("shop-live", "blog-live"):
        (fleet.folder / "host_vars" / f"{host}.yml").write_text("mine: true\n")
    [problem] = fleet.plan()["problems"]
    assert problem.startswith("host_vars/blog-live.yml, host_vars/shop-live.yml were not written by this role")
    assert problem.count("adopt_merge") == 1


def test_what_somebody_has_edited_is_not_overwritten(fleet: Fleet):
    fleet.change("shop-live", denied_ips=["192.0.2.1"])
    fleet.adopt()
    path = fleet.folder / "host_vars" / "shop-live.yml"
    path.write_text(path.read_text() + "# a note\n")
    fleet.change("shop-live", denied_ips=["192.0.2.2"])
    assert "was edited since" in fleet.plan()["problems"][0]


def test_what_ansible_would_read_instead_is_told(fleet: Fleet):
    (fleet.folder / "group_vars" / "environment_live").mkdir(parents=True)
    assert fleet.plan()["problems"][0].startswith("group_vars/environment_live is there, so Ansible would not read")


def test_check_mode_writes_nothing_and_shows_the_files(fleet: Fleet):
    done = fleet.adopt(check_mode=True)
    assert done["changed"]
    assert "group_vars/environment_live.yml" in done["written"]
    shown = next(one for one in done["diff"] if one["after_header"] == "group_vars/environment_live.yml")
    assert "maintain_sftp_allowlist" in shown["after"]
    assert list(fleet.folder.iterdir()) == []


def test_a_file_goes_when_nothing_deviates_any_more(fleet: Fleet):
    fleet.change("shop-live", denied_ips=["192.0.2.1"])
    fleet.parts = ["denied_ips"]
    assert "host_vars/shop-live.yml" in fleet.adopt()["written"]
    fleet.change("shop-live", denied_ips=[])
    assert fleet.adopt()["removed"] == ["host_vars/blog-live.yml", "host_vars/shop-live.yml"]
    assert fleet.differing("shop-live") == []


# ---- merging --------------------------------------------------------------------------------------------------------


def edit(fleet: Fleet, path: str, old: str, new: str) -> None:
    text = fleet.text(path)
    assert old in text
    (fleet.folder / path).write_text(text.replace(old, new))


@pytest.fixture
def grown(brownfield: Fleet) -> Fleet:
    """A fleet that is adopted, and whose files people have made their own."""
    brownfield.parts = PARTS
    brownfield.adopt()
    return brownfield


def test_merging_keeps_what_a_person_has_edited(grown: Fleet):
    edit(grown, "host_vars/shop-live.yml", 'maintain_php_version: "8.2"\n', '# soon\nmaintain_php_version: "8.4" # !\n')
    before = grown.text("host_vars/shop-live.yml")
    done = grown.adopt(adopt_merge=True)
    assert (done["changed"], done["conflicts"]) == (False, [])
    assert grown.text("host_vars/shop-live.yml") == before
    assert grown.differing("shop-live") == ["php_version"]  # the change that the next run makes


def test_merging_takes_what_only_the_service_has_changed_and_leaves_all_other_lines(grown: Fleet):
    edit(grown, "host_vars/shop-live.yml", "maintain_sftp", "# ours\nmine: '{{ x }}'\n\nmaintain_sftp")
    before = grown.text("host_vars/shop-live.yml")
    grown.change("shop-live", php_engine_version="php8.4")
    done = grown.adopt(adopt_merge=True)
    assert (done["written"], done["conflicts"]) == ([".adopted.json", "host_vars/shop-live.yml"], [])
    assert grown.text("host_vars/shop-live.yml") == before.replace(
        'maintain_php_version: "8.2"', 'maintain_php_version: "8.4"'
    )
    assert grown.differing("shop-live") == []
    assert grown.adopt(adopt_merge=True)["changed"] is False


def test_merging_shows_what_both_have_changed_and_keeps_the_file(grown: Fleet):
    edit(grown, "host_vars/shop-live.yml", 'maintain_php_version: "8.2"', 'maintain_php_version: "8.4"')
    grown.change("shop-live", php_engine_version="php8.3")
    for _unused in range(2):  # until somebody has decided
        done = grown.adopt(adopt_merge=True)
        assert done["conflicts"] == [{"host": "shop-live", "variable": PHP, "declared": "8.4", "found": "8.3"}]
        assert done["changed"] is False
    summary = summary_of(done, done, {})
    assert "maintain_php_version of shop-live was changed in the files (8.4), and at the service (8.3)" in str(summary)


@pytest.mark.parametrize(
    "denied",
    [
        ["198.51.100.66", "203.0.113.0/24", "192.0.2.99"],
        ["198.51.100.66", "203.0.113.0/24"],
        ["192.0.2.99"],
        [],
    ],
)
@pytest.mark.parametrize("host", ["shop-live", "site-7-live"])
def test_merging_takes_a_new_deny_list(host: str, denied: list[str], grown: Fleet):
    grown.change(host, denied_ips=denied)
    assert grown.adopt(adopt_merge=True)["conflicts"] == []
    assert grown.differing(host) == []


def test_merging_changes_the_group_when_all_its_hosts_have_changed_alike(fleet: Fleet):
    fleet.parts = PARTS
    fleet.adopt()
    for host in fleet.ids:
        fleet.change(host, image_optimization_type="lossy")
    assert fleet.adopt(adopt_merge=True)["written"] == [".adopted.json", "group_vars/environment_live.yml"]
    assert [fleet.differing(host) for host in fleet.ids] == [[], []]


def test_merging_adds_a_new_host_and_leaves_the_group(grown: Fleet):
    everything = dict(grown.ids)
    grown.ids = {host: number for host, number in everything.items() if host != "site-7-live"}
    for path in grown.folder.rglob("*.*"):
        if path.is_file():
            path.unlink()
    grown.adopt()
    grown.ids = everything
    done = grown.adopt(adopt_merge=True)
    assert done["written"] == [".adopted.json", "host_vars/site-7-live.yml"]
    assert [grown.differing(host) for host in grown.ids] == [[]] * 9


def test_merging_keeps_a_variable_that_a_person_has_removed_or_made_an_expression(grown: Fleet):
    edit(grown, "host_vars/shop-live.yml", 'maintain_php_version: "8.2"\n', "")
    edit(grown, "host_vars/blog-live.yml", 'maintain_php_version: "8.3"', 'maintain_php_version: "{{ newest_php }}"')
    done = grown.adopt(adopt_merge=True)
    assert (done["changed"], done["conflicts"]) == (False, [])
    assert done["declared"]["blog-live"]["php_version"] is None


def test_after_merging_a_person_s_file_is_still_theirs(grown: Fleet):
    edit(grown, "host_vars/shop-live.yml", 'maintain_php_version: "8.2"', 'maintain_php_version: "8.4"')
    grown.change("shop-live", image_optimization_type="off")
    grown.adopt(adopt_merge=True)
    assert "was edited since" in grown.plan()["problems"][0]


def test_a_file_that_cannot_be_merged_is_told(grown: Fleet):
    (grown.folder / "host_vars" / "shop-live.yml").write_text("$ANSIBLE_VAULT;1.1;AES256\n616263\n")
    assert (
        "host_vars/shop-live.yml: it is no list of variables, or is encrypted"
        in grown.plan(adopt_merge=True)["problems"][0]
    )


# ---- users ----------------------------------------------------------------------------------------------------------


USERS = {
    "json": {
        "company": {
            "users": [
                {"user": {"id": seed.user_id(2), "email": "ben@example.com", "full_name": "Ben\n- x: {{ 7*7 }}"}},
                {"user": {"id": seed.user_id(1), "email": "ada@example.com", "full_name": ""}, "role": "company-admin"},
            ]
        }
    }
}


def test_users_become_a_list_in_which_those_without_a_shown_role_are_comments(fleet: Fleet):
    fleet.parts = ["denied_ips", "access"]
    plan = fleet.plan(users=USERS)
    text = next(one["content"] for one in plan["files"] if one["path"] == "group_vars/all.yml")
    assert yaml.safe_load(text) == {"access_roles": [{"email": "ada@example.com", "role": "company-admin"}]}
    activated = text.replace("# ", "").partition("access_roles:")[2]
    assert 'name: !unsafe "Ben\\n- x: {{ 7*7 }}"' in activated
    assert "role: null" in activated


def test_users_that_cannot_be_listed_are_told(fleet: Fleet):
    fleet.parts = ["access"]
    plan = fleet.plan(users={"failed": True, "msg": "The service has no such endpoint."})
    assert "The service has no such endpoint." in plan["notes"][0]


# ---- decisions ------------------------------------------------------------------------------------------------------


def hosts(name: str, *values) -> list[Wanted]:
    return [
        Wanted(f"host{place}", "live", {} if value is MISSING else {name: value}) for place, value in enumerate(values)
    ]


@pytest.mark.parametrize(
    ("values", "common"),
    [
        (["8.3", "8.3", "8.4"], {PHP: "8.3"}),
        (["8.3", "8.4"], {}),
        (["8.3"], {}),
        (["8.3", "8.3", "8.4", "8.4"], {}),
        (["8.3", "8.3", MISSING, MISSING], {}),
    ],
)
def test_common_is_what_more_than_half_have(values: list, common: dict):
    assert common_of(hosts(PHP, *values)) == common


@pytest.mark.parametrize(
    ("values", "common"),
    [
        ([["a", "b"], ["a", "c"], ["a"]], ["a"]),
        ([["a"], ["b"], ["c"]], None),
        ([[], [], ["c"]], []),
        ([["a", "b"], ["b", "c"], ["a", "c"]], None),  # each address is common, and no two lists contain all of them
        ([["a"], MISSING, MISSING], None),
    ],
)
def test_common_addresses_are_those_that_more_than_half_deny(values: list, common: list | None):
    assert common_of(hosts(DENIED, *values)).get(DENIED) == common


@pytest.mark.parametrize(
    ("value", "common", "own"),
    [
        (["a", "b"], {DENIED: ["a"]}, {MORE: ["b"]}),
        (["a"], {DENIED: ["a"]}, {}),
        (["b"], {DENIED: ["a"]}, {DENIED: ["b"]}),
        (["a"], {}, {DENIED: ["a"]}),
        (["a"], {DENIED: ["a"], MORE: ["x"]}, {DENIED: ["a"], MORE: []}),
        (["a"], {DENIED: Expression("{{ x }}")}, {DENIED: ["a"]}),
        (MISSING, {DENIED: ["a"]}, {DENIED: None}),
        (MISSING, {MORE: ["a"]}, {MORE: None}),
    ],
)
def test_a_host_gets_what_its_group_does_not_give_it(value, common: dict, own: dict):
    [wanted] = hosts(DENIED, value)
    assert own_of(wanted, common) == own
    if value is not MISSING:
        assert effective(DENIED, own, common) == value


@pytest.mark.parametrize(
    ("base", "declared", "now", "step"),
    [
        ("8.3", "8.3", "8.3", "keep"),
        ("8.3", "8.4", "8.3", "keep"),
        ("8.3", "8.3", "8.4", "take"),
        ("8.3", "8.2", "8.4", "conflict"),
        ("8.3", "8.4", "8.4", "keep"),
        ("8.3", MISSING, "8.3", "keep"),
        ("8.3", MISSING, "8.4", "conflict"),
        (None, MISSING, "8.4", "take"),
        (None, None, "8.4", "take"),
        (None, "8.3", "8.4", "conflict"),
        (None, "8.4", "8.4", "keep"),
        ("8.3", Expression("{{ x }}"), "8.3", "keep"),
        ("8.3", Expression("{{ x }}"), "8.4", "conflict"),
    ],
)
def test_what_becomes_of_a_variable_that_was_adopted_before(base, declared, now, step: str):
    assert step_of(None if base is None else digest(base), declared, now) == step


# ---- writing --------------------------------------------------------------------------------------------------------


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize("path", ["../x", "/etc/x", "a/../../x", "", "a\nb", "link/x"])
def test_nothing_is_written_outside_of_the_folder(path: str, controller, tmp_path: Path):
    folder = tmp_path / "fleet"
    folder.mkdir()
    (tmp_path / "elsewhere").mkdir()
    (folder / "link").symlink_to(tmp_path / "elsewhere")
    files = [{"path": "good", "content": "x"}, {"path": path, "content": "x"}]
    done = controller.run(variable_files, folder=str(folder), files=files)
    assert done["error"]["kind"] == "invalid_input"
    assert "Nothing was written." in done["msg"]
    assert [one.name for one in folder.iterdir()] == ["link"]


@pytest.mark.parametrize("before", [None, sha("other")])
def test_a_file_that_has_changed_meanwhile_stops_all(before: str | None, controller, tmp_path: Path):
    (tmp_path / "b").write_text("somebody's")
    files = [{"path": "a", "content": "x"}, {"path": "b", "content": "x", "before": before}]
    done = controller.run(variable_files, folder=str(tmp_path), files=files)
    assert "somebody writes it, too" in done["msg"]
    assert not (tmp_path / "a").exists()
    assert (tmp_path / "b").read_text() == "somebody's"


def test_files_are_replaced_and_removed(controller, tmp_path: Path):
    (tmp_path / "a").write_text("old")
    (tmp_path / "b").write_text("")
    (tmp_path / "a").chmod(0o600)
    files = [
        {"path": "a", "content": "new", "before": sha("old")},
        {"path": "b", "before": sha("")},
        {"path": "c/d", "content": "é\n"},
    ]
    done = controller.run(variable_files, folder=str(tmp_path), files=files, diff=True)
    assert (done["changed"], done["written"], done["removed"]) == (True, ["a", "c/d"], ["b"])
    assert (tmp_path / "a").read_text() == "new"
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "c" / "d").read_text() == "é\n"
    assert not (tmp_path / "b").exists()
    assert [(one["before"], one["after"]) for one in done["diff"]] == [("old", "new"), ("", ""), ("", "é\n")]
