# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The checks of options: what they accept, in which canonical form, and what they say about bad values."""

from __future__ import annotations

import pytest
from ansible.module_utils.common.parameters import AnsibleFallbackNotFound

from ansible_collections.hosting.management.plugins.module_utils._analytics import checked_time
from ansible_collections.hosting.management.plugins.module_utils._arguments import (
    ModuleSpec,
    Option,
    api_options,
    change_options,
    environment_option,
    filled_env_fallback,
    operation_options,
    optional_text_option,
    text_option,
    uuid_option,
)
from ansible_collections.hosting.management.plugins.module_utils._checks import (
    checked_addresses,
    checked_api_key,
    checked_base_url,
    checked_domain_name,
    checked_duration,
    checked_email,
    checked_image_optimization_type,
    checked_not_negative,
    checked_operation_ids,
    checked_positive,
    checked_query_names,
    checked_relative_paths,
    checked_request_path,
    checked_text,
    checked_uuid,
)
from ansible_collections.hosting.management.plugins.module_utils._errors import InvalidInput
from ansible_collections.hosting.management.plugins.module_utils._journal import checked_journal
from ansible_collections.hosting.management.plugins.modules import visits_info

UUID = "e0000000-0000-4000-8000-00000000000a"
SECRET = "top secret"


@pytest.mark.parametrize("value", [UUID, UUID.upper()])
def test_a_uuid_is_taken_in_lower_case(value):
    assert checked_uuid(value) == UUID


@pytest.mark.parametrize(
    "value",
    [
        "",
        "live",
        UUID[:-1],
        UUID + "0",
        UUID.replace("-", ""),
        "{" + UUID + "}",
        "urn:uuid:" + UUID,
        UUID.replace("a", "g"),
        UUID + "\n",
        "../" + UUID,
        "e0000000-0000-4000-8000-00000000/..a",
        "-" * 36,
    ],
)
def test_what_is_no_uuid_never_meets_a_path(value):
    with pytest.raises(ValueError, match="must be a UUID such as e0000000-"):
        checked_uuid(value)


@pytest.mark.parametrize(
    ("values", "canonical"),
    [
        ([], []),
        (["198.51.100.7"], ["198.51.100.7"]),
        (["198.51.100.7/32", "198.51.100.7"], ["198.51.100.7"]),
        (["198.51.100.0/24", "9.9.9.9"], ["9.9.9.9", "198.51.100.0/24"]),
        (["198.51.100.0/255.255.255.0"], ["198.51.100.0/24"]),
        (["2001:DB8:0:0::0001", "10.0.0.10", "10.0.0.9"], ["10.0.0.9", "10.0.0.10", "2001:db8::1"]),
        (["10.0.0.0/8", "10.0.0.0/16", "10.0.0.0"], ["10.0.0.0/8", "10.0.0.0/16", "10.0.0.0"]),
        (["0.0.0.0/0"], ["0.0.0.0/0"]),
    ],
)
def test_a_deny_list_becomes_canonical_sorted_and_without_duplicates(values, canonical):
    assert checked_addresses(values) == canonical
    assert checked_addresses(canonical[::-1]) == canonical


@pytest.mark.parametrize(
    "value",
    [
        "",
        "localhost",
        "198.51.100",
        "198.51.100.256",
        "198.51.100.07",
        "198.51.100.0/33",
        "1234",
        "/8",
    ],
)
def test_a_deny_list_refuses_what_is_no_address_and_shows_it(value):
    with pytest.raises(ValueError, match="no IPv4 address, IPv4 network .* or IPv6 address") as refusal:
        checked_addresses(["198.51.100.7", value])
    assert repr(value) in str(refusal.value)
    assert "did you mean" not in str(refusal.value)


@pytest.mark.parametrize(
    ("value", "meant"),
    [("198.51.100.7/24", "198.51.100.0/24"), ("10.1.2.3/8", "10.0.0.0/8"), ("9.9.9.9/0", "0.0.0.0/0")],
)
def test_a_network_with_host_bits_is_refused_with_the_network_that_was_meant(value, meant):
    with pytest.raises(ValueError, match=rf"did you mean {meant}\?"):
        checked_addresses([value])


def test_an_ipv6_network_is_refused_because_the_service_takes_addresses_only():
    with pytest.raises(ValueError, match="IPv6 network, but the service takes single IPv6 addresses only"):
        checked_addresses(["2001:db8::/64"])


def test_an_ipv6_address_with_a_zone_is_refused():
    with pytest.raises(ValueError, match="has a zone"):
        checked_addresses(["fe80::1%eth0"])


@pytest.mark.parametrize("value", ["2001:db8::1/64", "fe80::1%eth0"])
def test_no_hint_names_what_would_be_refused_in_turn(value):
    with pytest.raises(ValueError, match="no IPv4 address") as refusal:
        checked_addresses([value])
    assert "did you mean" not in str(refusal.value)


@pytest.mark.parametrize(
    ("value", "canonical"),
    [
        ("www.example.com", "www.example.com"),
        ("WWW.Example.COM.", "www.example.com"),
        (" example.com ", "example.com"),
        ("*.example.com", "*.example.com"),
        ("_dmarc.example.com", "_dmarc.example.com"),
        ("münchen.example", "xn--mnchen-3ya.example"),
        ("xn--mnchen-3ya.example", "xn--mnchen-3ya.example"),
        ("*.straße.de", "*.xn--strae-oqa.de"),
    ],
)
def test_a_domain_name_is_taken_in_lower_case_and_ascii(value, canonical):
    assert checked_domain_name(value) == canonical


@pytest.mark.parametrize(
    "value",
    [
        "",
        "localhost",
        "https://www.example.com",
        "www.example.com/shop",
        "www example.com",
        "www..example.com",
        ".example.com",
        "-a.example.com",
        "a-.example.com",
        "www.*.example.com",
        "x" * 64 + ".example.com",
        "www.example.com\nx",
    ],
)
def test_what_is_no_domain_name_is_refused(value):
    with pytest.raises(ValueError, match="must be a domain name such as www.example.com") as refusal:
        checked_domain_name(value)
    assert repr(value) in str(refusal.value)


def test_an_ip_address_is_no_domain_name():
    with pytest.raises(ValueError, match="must be a domain name"):
        checked_domain_name("192.0.2.10")


@pytest.mark.parametrize(
    "values",
    [[], ["wp-content"], ["wp-content/uploads/", "index.php"], ["./a b/..c", "a..b"], ["wp-content/themes/*.css"]],
)
def test_relative_paths_are_sent_as_they_are(values):
    assert checked_relative_paths(list(values)) == values


@pytest.mark.parametrize("value", ["", "  ", "/etc/passwd", "..", "../x", "wp-content/../../x", "a/..", "a\0b"])
def test_paths_that_lead_out_of_the_site_are_refused(value):
    with pytest.raises(ValueError, match="must have relative paths without '..'"):
        checked_relative_paths(["index.php", value])


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("3600", 3600),
        (90, 90),
        ("90s", 90),
        ("15m", 900),
        ("24h", 86400),
        ("7d", 604800),
        ("2w", 1209600),
        (" 1 h ", 3600),
    ],
)
def test_a_duration_is_in_seconds(value, seconds):
    assert checked_duration(value) == seconds


@pytest.mark.parametrize("value", ["", "0", "0d", "-1h", "1.5h", "24 hours", "7D", "h", "1h30m"])
def test_what_is_no_duration_is_refused(value):
    with pytest.raises(ValueError, match="must be a duration such as 3600, 15m, 24h or 7d"):
        checked_duration(value)


@pytest.mark.parametrize(
    ("value", "canonical"),
    [
        ("https://api.example.com/v2", "https://api.example.com/v2"),
        ("https://api.example.com/v2//", "https://api.example.com/v2"),
        ("HTTPS://API.example.com:8443/v2", "https://api.example.com:8443/v2"),
        ("https://[2001:db8::1]/v2", "https://[2001:db8::1]/v2"),
        ("https://api.example.com:443/v2", "https://api.example.com/v2"),
        ("http://127.0.0.1:80/v2", "http://127.0.0.1/v2"),
        ("http://127.0.0.1:8000/v2", "http://127.0.0.1:8000/v2"),
        ("http://127.8.9.10/v2", "http://127.8.9.10/v2"),
        ("http://[::1]:8000/v2", "http://[::1]:8000/v2"),
        ("http://localhost/v2", "http://localhost/v2"),
    ],
)
def test_a_base_url_is_https_or_loopback(value, canonical):
    assert checked_base_url(value) == canonical


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("http://api.example.com/v2", "must be https"),
        ("http://192.0.2.1/v2", "must be https"),
        ("http://0.0.0.0/v2", "must be https"),
        ("http://127.0.0.1.example.com/v2", "must be https"),
        ("http://localhost.example.com/v2", "must be https"),
        ("api.example.com/v2", "must be an address such as"),
        ("ftp://api.example.com/v2", "must be an address such as"),
        ("https:///v2", "must be an address such as"),
        ("https://api.example.com/v2?x=1", "neither query nor fragment"),
        ("https://api.example.com/v2#x", "neither query nor fragment"),
        ("https://api.example.com:99999/v2", "is no address"),
        ("https://[::1/v2", "is no address"),
    ],
)
def test_a_base_url_that_cannot_be_trusted_with_the_key_is_refused(value, why):
    with pytest.raises(ValueError, match=why):
        checked_base_url(value)


@pytest.mark.parametrize("value", [f"https://user:{SECRET}@a.example/v2", f"http://127.0.0.1:{SECRET}@a.example/v2"])
def test_a_base_url_with_a_password_is_refused_without_showing_it(value):
    with pytest.raises(ValueError, match="is no address|must not carry a user or password") as refusal:
        checked_base_url(value)
    assert SECRET not in str(refusal.value)


@pytest.mark.parametrize("value", [" https://a.example/v2", "https://a.example/v2\n", "https://a b.example/v2"])
def test_a_base_url_with_white_space_is_refused(value):
    with pytest.raises(ValueError, match="must"):
        checked_base_url(value)


def test_an_api_key_is_printable_and_without_spaces():
    assert checked_api_key("abc.DEF-123_~+/=") == "abc.DEF-123_~+/="


@pytest.mark.parametrize("value", [SECRET, " my-secret", "my-secret\n", "my-secret\r\nX-Header: 1", "sécret", "\0"])
def test_a_bad_api_key_is_refused_without_showing_it(value):
    with pytest.raises(ValueError, match="the value is not shown") as refusal:
        checked_api_key(value)
    assert value.strip() not in str(refusal.value)


@pytest.mark.parametrize(
    "value", ["environments:push-54fb80af-576c-4fdc-ba4f-b596c83f15a1", "company:set-company-user-capabilities-1_a"]
)
def test_an_operation_id_is_taken(value):
    assert checked_operation_ids([value]) == [value]


@pytest.mark.parametrize("value", ["", "..", "a/b", "a?b", "a b", "a%2fb", "a\n"])
def test_what_is_no_operation_id_never_meets_a_path(value):
    with pytest.raises(ValueError, match="which is no operation id"):
        checked_operation_ids(["environments:push-1", value])


@pytest.mark.parametrize("value", ["v1", "a  b", "ü", "\N{WOMAN}\N{ZERO WIDTH JOINER}\N{PERSONAL COMPUTER}"])
def test_text_is_taken_as_it_is(value):
    assert checked_text(value) == value


@pytest.mark.parametrize("value", ["v1 ", " v1", "v1\n", "\tv1"])
def test_text_must_not_begin_or_end_with_blanks(value):
    with pytest.raises(ValueError, match="must not begin or end with blanks or line breaks"):
        checked_text(value)


@pytest.mark.parametrize("value", ["v1\nv2", "v1\tv2", "v1\x1b[2J2", "v1\u20282", "v1\u202e2", "v1\ud8002"])
def test_text_must_be_on_one_line_and_have_no_control_characters(value):
    with pytest.raises(ValueError, match="must be on one line, and have no control characters: 'v1"):
        checked_text(value)


@pytest.mark.parametrize("value", ["", " ", "\n\t"])
def test_text_must_not_be_empty(value):
    with pytest.raises(ValueError, match="must not be empty"):
        checked_text(value)


@pytest.mark.parametrize(
    ("check", "value", "is_good"),
    [
        (checked_positive, 0.1, True),
        (checked_positive, 0, False),
        (checked_positive, -1, False),
        (checked_positive, float("inf"), False),
        (checked_positive, float("nan"), False),
        (checked_not_negative, 0, True),
        (checked_not_negative, -1, False),
        (checked_not_negative, float("inf"), False),
        (checked_not_negative, float("nan"), False),
    ],
)
def test_numbers_that_cannot_be_waited_for_are_refused(check, value, is_good):
    if is_good:
        assert check(value) == value
    else:
        with pytest.raises(ValueError, match="must"):
            check(value)


@pytest.mark.parametrize("value", ["admin@example.com", "a+b@c", "ü@münchen.example"])
def test_an_email_address_is_taken_as_it_is(value):
    assert checked_email(value) == value


@pytest.mark.parametrize("value", ["", "admin", "@example.com", "admin@", "a@b@c", "a b@example.com", "a@b\n"])
def test_what_is_no_email_address_is_refused(value):
    with pytest.raises(ValueError, match="must be an e-mail address"):
        checked_email(value)


def test_off_without_quotes_is_explained():
    assert checked_image_optimization_type("off") == "off"
    with pytest.raises(ValueError, match='write "off" in quotes'):
        checked_image_optimization_type("False")
    with pytest.raises(ValueError, match="must not be empty"):
        checked_image_optimization_type("")


def test_query_names_map_known_options_to_names():
    check = checked_query_names({"start": "from", "end": "to"})
    assert check({"start": "since"}) == {"start": "since"}
    with pytest.raises(ValueError, match="has 'begin', but only start, end have a query parameter"):
        check({"begin": "since"})
    for bad in ("", None, 7):
        with pytest.raises(ValueError, match="must name the query parameter of end"):
            check({"end": bad})


@pytest.mark.parametrize(
    "value", ["/validate", "/sites/tools/denied-ips", "/operations/a:b-1", "/sites/a%25b", "/a/..b"]
)
def test_a_request_path_lies_below_base_url(value):
    assert checked_request_path(value) == value


@pytest.mark.parametrize(
    "value",
    [
        "",
        "/",
        "validate",
        "//evil.example/x",
        "/a//b",
        "https://evil.example/",
        "/..",
        "/../x",
        "/a/./b",
        "/%2e%2e/x",
        "/%2E./x",
        "/a%2f..%2fb",
        "/a?b=c",
        "/a#b",
        "/a\\b",
        "/a b",
        "/a\nb",
        "/a%3Fb",
        "/a%0d%0ab",
        "/a%00",
        "@evil.example/x",
    ],
)
def test_a_request_path_that_leads_elsewhere_is_refused(value):
    with pytest.raises(ValueError, match="must"):
        checked_request_path(value)


@pytest.mark.parametrize("value", ["yesterday", "", "2026-13-01", "24:00"])
def test_what_is_no_time_is_refused(value):
    with pytest.raises(ValueError, match="must be a date or time in ISO 8601"):
        checked_time(value)


def test_times_of_another_zone_are_compared_and_sent_in_utc():
    params = {**GIVEN, "environment_id": UUID, "start": "2026-11-01T00:30:00+01:00", "end": "2026-11-01"}
    params.update(company_id=None, query_names=None)
    visits_info.SPEC.check(params)
    assert (params["start"], params["end"]) == ("2026-10-31T23:30:00.000Z", "2026-11-01T00:00:00.000Z")
    with pytest.raises(InvalidInput, match="must be before end"):
        visits_info.SPEC.check({**params, "start": params["end"]})


GIVEN = {"base_url": "https://a.example/v2", "api_key": "key"}


def test_options_become_canonical_in_place():
    params = {**GIVEN, "base_url": "https://a.example/v2/", "environment_id": UUID.upper(), "release": None}
    spec = ModuleSpec(api_options(), {"environment_id": environment_option(), "release": text_option(required=False)})
    spec.check(params)
    assert params == {**GIVEN, "environment_id": UUID, "release": None}


def test_a_bad_value_is_refused_with_the_options_name_and_nothing_is_sent():
    with pytest.raises(InvalidInput, match=r"^site_id must be a UUID .*, not 'shop'\. Nothing was sent\.$") as refusal:
        ModuleSpec(api_options(), {"site_id": uuid_option()}).check({**GIVEN, "site_id": "shop"})
    assert refusal.value.nothing_done
    assert refusal.value.as_result()["error"]["kind"] == "invalid_input"


@pytest.mark.parametrize(("name", "variable"), [("base_url", "HOSTING_BASE_URL"), ("api_key", "HOSTING_API_KEY")])
def test_a_missing_address_or_key_is_refused_with_all_the_ways_to_give_it(name, variable):
    with pytest.raises(InvalidInput, match=f"^{name} is missing") as refusal:
        ModuleSpec(api_options()).check({**GIVEN, name: None})
    assert variable in str(refusal.value)
    assert "group/hosting.management.all" in str(refusal.value)


@pytest.mark.parametrize("name", ["base_url", "api_key"])
def test_an_empty_address_or_key_is_a_missing_one(name):
    with pytest.raises(InvalidInput, match=f"^{name} is missing"):
        ModuleSpec(api_options()).check({**GIVEN, name: ""})


def test_a_rule_sees_the_checked_options():
    seen = []
    spec = ModuleSpec(api_options(), {"site_id": uuid_option()}, rule=lambda params: seen.append(params["site_id"]))
    spec.check({**GIVEN, "site_id": UUID.upper()})
    assert seen == [UUID]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"site_id": UUID, "name": "live"}, None),
        ({"site_id": "", "name": "live", "tag": "a", "note": "b"}, None),
        ({"site_id": "", "name": None}, "one of the following is required: site_id, name. Neither null nor an empty"),
        ({"site_id": UUID, "tag": "a", "note": ""}, "parameters are required together: tag, note. Neither null nor"),
    ],
)
def test_null_and_an_empty_text_are_not_what_is_required(options, message):
    texts = {name: optional_text_option() for name in ("name", "tag", "note")}
    spec = ModuleSpec(
        api_options(),
        {"site_id": uuid_option(required=False), **texts},
        required_one_of=[["site_id", "name"]],
        required_together=[["tag", "note"]],
    )
    params = {**GIVEN, "name": None, "tag": None, "note": None, **options}
    if message is None:
        spec.check(params)
    else:
        with pytest.raises(InvalidInput, match=f"^{message}.* Nothing was sent"):
            spec.check(params)


def test_every_option_of_its_own_keeps_its_check_beside_the_spec():
    option = Option(checked_duration, required=True, aliases=["age"])
    assert dict(option) == {"type": "str", "required": True, "aliases": ["age"]}
    assert option.check("1h") == 3600


def test_the_key_is_the_only_secret_of_the_shared_options():
    options = {**api_options(), **change_options(), **operation_options()}
    assert [name for name, option in options.items() if option.get("no_log")] == ["api_key"]


@pytest.mark.parametrize(
    "value",
    [
        "postgresql+psycopg://journal:pass@db/awx",
        "mysql://journal:pass@db/awx",
        "sqlite:////var/lib/journal.db",
        "host=db dbname=awx password=pass",
        "~nobody-has-this-name/journal.db",
    ],
)
def test_a_journal_that_is_neither_path_nor_postgres_is_refused_and_not_shown(value):
    with pytest.raises(ValueError) as refusal:  # noqa: PT011
        checked_journal(value)
    assert "pass" not in str(refusal.value)


def test_a_path_of_a_journal_may_have_variables(monkeypatch, tmp_path):
    monkeypatch.setenv("SOMEWHERE", str(tmp_path))
    assert checked_journal("$SOMEWHERE/journal.db") == f"{tmp_path}/journal.db"
    with pytest.raises(ValueError, match="must be an absolute path"):
        checked_journal("journal.db")
    assert checked_journal("") == ""
    assert checked_journal("postgres://db/awx") == "postgres://db/awx"


def test_a_number_with_a_fraction_is_no_release():
    spec = ModuleSpec(api_options(), {"release": text_option(required=False)})
    with pytest.raises(InvalidInput, match=r"release is the number 1\.1\. Write it in quotes"):
        spec.check({**GIVEN, "release": "1.1"}, {"release": 1.10})
    spec.check({**GIVEN, "release": "1.1"}, {"release": "1.1"})


@pytest.mark.parametrize("option", [uuid_option(required=False), optional_text_option()])
def test_an_empty_text_for_what_is_optional_counts_as_not_given(option):
    params = {**GIVEN, "it": ""}
    ModuleSpec(api_options(), {"it": option}).check(params)
    assert params["it"] is None


def test_a_name_has_a_length_that_any_journal_can_hold():
    with pytest.raises(ValueError, match="must not have more than 500 characters, but has 501"):
        checked_text("x" * 501)


def test_an_empty_environment_variable_counts_as_unset(monkeypatch):
    monkeypatch.setenv("HOSTING_COMPANIONS", "")
    with pytest.raises(AnsibleFallbackNotFound):
        filled_env_fallback("HOSTING_COMPANIONS")


@pytest.mark.parametrize("value", [1e10, 86401])
def test_a_time_has_an_upper_bound(value):
    with pytest.raises(ValueError, match="must not be more than 86400 seconds"):
        checked_positive(value)
