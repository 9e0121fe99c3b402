# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of variables as YAML: written so that Ansible takes every text as it is, and edited line by line."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import yaml  # type: ignore[import-untyped]

from ..module_utils._text import printable
from .plain_values import Record

UNSAFE = "!unsafe"
TEXT = "tag:yaml.org,2002:str"
EXPRESSION = re.compile(r"\{[{%#]|#jinja2:")
"""What Ansible would evaluate."""
CONTROLLING = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
LONGEST_COMMENT = 200  # characters


class Expression(str):
    """A value of a file that Ansible would evaluate, or decrypt: what it is is not known here."""


@dataclass(frozen=True)
class Document:
    """A file of variables: its ``text``, its ``values``, and of each the ``lines`` that it takes, from and up to."""

    text: str
    values: Record
    lines: dict[str, tuple[int, int]]

    def with_variable(self, name: str, block: str) -> Document:
        """Return the document with a variable set; all other lines stay as they are.

        :param block: the variable as block_of returns it.
        :raises ValueError: when the file is written in a way that cannot be edited by lines.
        """
        lines = self.text.splitlines(keepends=True)
        if lines and not lines[-1].endswith("\n"):
            lines[-1] += "\n"
        begin, end = self.lines.get(name, (len(lines), len(lines)))
        edited = document_of("".join([*lines[:begin], block, *lines[end:]]))
        [(_name, value)] = document_of(block).values.items()
        if edited.values != {**self.values, name: value}:
            raise ValueError(f"{name} cannot be set without rewriting the file")
        return edited


def block_of(name: str, value: Any, comment: str = "") -> str:
    """Return a variable as lines of YAML.

    Texts that Ansible would evaluate are tagged ``!unsafe``; all that could steer a terminal is escaped.

    :param comment: why the variable has this value; from anywhere.
    """
    text = yaml.dump({name: value}, Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=1 << 20)
    # What controls is only within double quotes (see _text), where an escape means the same.
    text = "".join(one if one == "\n" or not _controls(one) else _escaped(one) for one in text)
    return comment_of(comment) + text if comment else text


def comment_of(text: str, longest: int = LONGEST_COMMENT) -> str:
    """Return a text from anywhere as a line that YAML does not read."""
    return f"# {printable(text, longest)}\n"


def commented(block: str) -> str:
    """Return lines of YAML as lines that it does not read."""
    return "".join(f"# {line}" for line in block.splitlines(keepends=True))


def document_of(text: str) -> Document:
    """Read a file of variables.

    :raises ValueError: when it is no mapping in block style, or when it is encrypted.
    """
    try:
        node = yaml.compose(text, _Loader)
        values = yaml.load(text, _Loader)  # noqa: S506 a safe loader, which knows two tags of Ansible besides
    except (yaml.YAMLError, ValueError, TypeError) as error:
        raise ValueError(f"it cannot be read as YAML: {printable(str(error))}") from None
    if node is None or (isinstance(node, yaml.ScalarNode) and node.value == ""):
        return Document(text, {}, {})
    if not isinstance(node, yaml.MappingNode) or node.flow_style:
        raise ValueError("it is no list of variables, or is encrypted")
    if text.rstrip().endswith("\n..."):
        raise ValueError("it ends with ..., behind which nothing can be added")
    lines = {str(key.value): (key.start_mark.line, _last_line(value) + 1) for key, value in node.value}
    return Document(text, {str(name): value for name, value in values.items()}, lines)


def has_expression(value: Any) -> bool:
    """Tell whether a value, or anything in it, is what Ansible would evaluate."""
    if isinstance(value, Mapping):
        return any(has_expression(item) for item in value.values())
    if isinstance(value, list):
        return any(has_expression(item) for item in value)
    return isinstance(value, Expression)


class _Dumper(yaml.SafeDumper):
    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    is_unsafe = bool(EXPRESSION.search(value))
    is_quoted = (
        is_unsafe
        or any(map(_controls, value))
        or bool(re.fullmatch(r"[0-9]+(\.[0-9]+){0,2}", value))  # a version: people who change it keep the quotes
        or dumper.resolve(yaml.ScalarNode, value, (True, False)) != TEXT
    )
    return dumper.represent_scalar(UNSAFE if is_unsafe else TEXT, value, style='"' if is_quoted else None)


_Dumper.add_representer(str, _text)


class _Loader(yaml.SafeLoader):
    pass


def _read_text(loader: yaml.SafeLoader, node: yaml.ScalarNode) -> str:
    text = str(loader.construct_scalar(node))
    return Expression(text) if EXPRESSION.search(text) else text


_Loader.add_constructor(TEXT, _read_text)
_Loader.add_constructor(UNSAFE, lambda loader, node: str(loader.construct_scalar(node)))
for _tag in ("!vault", "!vault-encrypted"):
    _Loader.add_constructor(_tag, lambda loader, node: Expression(loader.construct_scalar(node)))


def _last_line(node: yaml.Node) -> int:
    """Return the number of the last line of a value, without the comments behind it."""
    if isinstance(node, yaml.ScalarNode):
        is_block = node.style in ("|", ">")
        line: int = node.end_mark.line
        return max(line - 1, node.start_mark.line) if is_block and node.end_mark.column == 0 else line
    if node.flow_style or not node.value:
        return int(node.end_mark.line)
    last = node.value[-1]
    return _last_line(last[1] if isinstance(node, yaml.MappingNode) else last)


def _controls(character: str) -> bool:
    return unicodedata.category(character) in CONTROLLING


def _escaped(character: str) -> str:
    return f"\\u{ord(character):04X}" if ord(character) <= 0xFFFF else f"\\U{ord(character):08X}"
