# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What runs of ansible-playbook keep for those after them, in files that are named after what they were made of.

Ansible makes all of this anew in each run, and what Jinja makes of a template even in each worker.
"""

from __future__ import annotations

import copy
import hashlib
import marshal
import os
import pickle
import sys
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import jinja2
import yaml
from ansible.release import __version__ as ansible_version

MAKERS = f"{sys.version} {ansible_version} {jinja2.__version__} {yaml.__version__}"
"""Another version of these may make something else."""

SETTINGS = (
    *(
        "block_start_string",
        "block_end_string",
        "variable_start_string",
        "variable_end_string",
        "line_statement_prefix",
    ),
    *("comment_start_string", "comment_end_string", "line_comment_prefix", "trim_blocks", "lstrip_blocks"),
    *("newline_sequence", "keep_trailing_newline"),
)
"""What Jinja makes of a template depends on."""


def keep_compiled_templates(folder: Path) -> None:
    """Share what Jinja makes of templates, which would take a fifth of the time."""
    from ansible._internal._templating._jinja_bits import AnsibleEnvironment, _TemplateCompileContext

    compile_anew = AnsibleEnvironment.compile

    def compile_once(self, source, *arguments, **options):
        if not isinstance(source, str) or arguments or options.get("raw"):
            return compile_anew(self, source, *arguments, **options)
        settings = [getattr(self, name) for name in SETTINGS]
        context = _TemplateCompileContext.current(optional=True)
        # What else Ansible does to a template before it is compiled.
        escaping = context and context.escape_backslashes
        key = f"{type(self).__name__} {settings} {sorted(options.items())} {escaping} {source}"
        return marshal.loads(_kept(folder, key, lambda: marshal.dumps(compile_anew(self, source, **options))))

    AnsibleEnvironment.compile = compile_once


def keep_parsed_files(folder: Path) -> None:
    """Share what YAML makes of the collection's files, and copy it fast, which would take another fifth."""
    from ansible.parsing.dataloader import DataLoader

    load_anew = DataLoader.load_from_file

    def load_once(self, file_name, *arguments, **options):
        path = Path(self.path_dwim(file_name))
        if "ansible_collections" not in path.parts:
            return load_anew(self, file_name, *arguments, **options)
        key = f"{path} {path.stat().st_mtime_ns} {arguments} {sorted(options.items())}"
        return pickle.loads(_kept(folder, key, lambda: pickle.dumps(load_anew(self, file_name, *arguments, **options))))

    DataLoader.load_from_file = load_once


def keep_parsed_texts(folder: Path) -> None:
    """Share what YAML makes of other texts, such as the documentation of plugins and what there is to configure.

    Who imports Ansible before calls it too late.
    """
    load_anew = yaml.load

    def load_once(stream, Loader):  # noqa: N803 (PyYAML's own name)
        if str(getattr(stream, "name", "")).endswith("ansible/config/base.yml"):
            stream = stream.read()
        if not isinstance(stream, (str, bytes)):  # what a file is called is told of the values in it
            return load_anew(stream, Loader)
        key = f"{Loader.__module__} {Loader.__name__} {_tags(stream)} {stream!s}"
        return pickle.loads(_kept(folder, key, lambda: pickle.dumps(load_anew(stream, Loader))))

    yaml.load = load_once


def keep_compiled_code(folder: Path) -> None:
    """Share what Python makes of the collection's files, which Ansible's importer compiles anew."""
    from ansible.utils.collection_loader import _collection_finder

    def compile_once(source, filename, **options):
        key = f"{filename} {sorted(options.items())} {source!s}"
        return marshal.loads(_kept(folder, key, lambda: marshal.dumps(compile(source, filename, **options))))

    _collection_finder.compile = compile_once


def send_compiled_modules(folder: Path) -> None:
    """Let module processes get their code compiled, too, which each of them would do anew for half of its time."""
    from importlib._bootstrap_external import _code_to_hash_pyc

    from ansible.executor import module_common

    def compiled(path: str, source: str | bytes) -> bytes:
        return _code_to_hash_pyc(compile(source, path, "exec", dont_inherit=True), bytes(8), checked=False)

    class Payload(zipfile.ZipFile):
        def writestr(self, entry, data, *arguments, **options):
            super().writestr(entry, data, *arguments, **options)
            if entry.filename.endswith(".py"):
                beside = copy.copy(entry)
                beside.filename += "c"
                key = f"module {entry.filename} {data!s}"
                super().writestr(beside, _kept(folder, key, lambda: compiled(entry.filename, data)))

    module_common.zipfile = SimpleNamespace(**{**vars(zipfile), "ZipFile": Payload})


def _tags(text: str | bytes) -> str:
    """What Ansible knows of a text, such as where it is from, and tells of the values in it."""
    if type(text) in (str, bytes):
        return ""
    from ansible.module_utils._internal._datatag import AnsibleTagHelper

    return " ".join(sorted(map(repr, AnsibleTagHelper.tags(text))))


def _kept(folder: Path, key: str, make: Callable[[], bytes]) -> bytes:
    """What was made for a key by this run, or by one before it."""
    file = folder / hashlib.sha256(f"{MAKERS} {key}".encode(errors="surrogatepass")).hexdigest()
    with suppress(FileNotFoundError):
        return file.read_bytes()
    made = make()
    unfinished = file.with_suffix(f".{os.getpid()}")
    unfinished.write_bytes(made)
    unfinished.replace(file)
    return made
