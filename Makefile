# The door to everything: `make` lists what there is. It needs Python 3.11 or newer and access to Python packages, and
# leaves nothing outside the checkout: environments are in .venv/, results in build/, downloads in .cache/.

comma := ,

PYTHON ?= python3
CORE   ?=
ARGS   ?=

# One environment for each ansible-core: `main` has the newest that PYTHON can run.
VENV     := .venv/$(if $(CORE),core-$(CORE),main)
LINT     := .venv/lint
DOCS     := .venv/docs
MUTANTS  := .venv/mutants
HERE     := $(CURDIR)
BUILD    := $(HERE)/build
HOME_DIR := $(BUILD)/home/$(notdir $(VENV))
TREE     := build/tree/ansible_collections/hosting/management
LINK     := build/collections/ansible_collections/hosting/management

# Of a release that is not out yet, pip takes a candidate only when a requirement names one.
AHEAD         := 2.22
DEVEL         := 'ansible-core @ https://github.com/ansible/ansible/archive/devel.tar.gz'
RELEASE       := 'ansible-core==$(CORE).*$(if $(filter $(AHEAD),$(CORE)),$(comma)>=$(CORE).0b1)'
ANSIBLE_CORE  := $(if $(CORE),$(if $(filter devel,$(CORE)),$(DEVEL),$(RELEASE)),'ansible-core>=2.19')
CORES         := $(if $(CORE),$(CORE),2.19 2.21)
PIP_CACHE_DIR ?= $(HERE)/.cache/pip
export PIP_CACHE_DIR

# Neither tests nor demo may ever meet the service or the journal of the person who runs them.
unexport HOSTING_BASE_URL HOSTING_API_KEY HOSTING_CA_PATH HOSTING_COMPANIONS HOSTING_JOURNAL
unexport ANSIBLE_CONFIG ANSIBLE_COLLECTIONS_PATH PYTHONPATH VIRTUAL_ENV
# Each of the tests' processes would otherwise compile all tests anew.
unexport PYTHONDONTWRITEBYTECODE

# Ansible refuses to run without UTF-8.
ifneq ($(filter C POSIX,$(LC_ALL)),)
export LC_ALL := C.UTF-8
endif

# The surroundings of every command: a home in build/ catches all that tools would leave in ~. `in` adds the collection.
home = mkdir -p "$(HOME_DIR)" && env \
	HOME="$(HOME_DIR)" \
	XDG_CACHE_HOME="$(HOME_DIR)/.cache" \
	XDG_CONFIG_HOME="$(HOME_DIR)/.config" \
	XDG_DATA_HOME="$(HOME_DIR)/.local/share" \
	XDG_STATE_HOME="$(HOME_DIR)/.local/state" \
	ANSIBLE_HOME="$(HOME_DIR)/.ansible" \
	ANSIBLE_LOCAL_TEMP="$(HOME_DIR)/.ansible/tmp" \
	ANSIBLE_REMOTE_TMP="$(HOME_DIR)/.ansible/tmp" \
	PATH="$(HERE)/$(VENV)/bin:$$PATH"
in = $(home) ANSIBLE_COLLECTIONS_PATH="$(BUILD)/collections" PYTHONPATH="$(BUILD)/collections"
# Tests wait for most of their time, so each processor has several of them.
WORKERS ?= $(shell echo $$((4 * $$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2))))
pytest = mkdir -p build/pytest build/runs && find build/runs -type f -mtime +2 -delete && \
	$(in) "$(VENV)/bin/python" -m pytest --numprocesses=$(WORKERS) --dist=worksteal \
	--basetemp="$(BUILD)/pytest/$(notdir $(VENV))"
# pip asks rustc for its version, also as an environment gets it, and rustup would then make its folder in the home.
rustup = RUSTUP_HOME="$(BUILD)/home/rustup"
pip = $(rustup) "$(1)/bin/python" -m pip --disable-pip-version-check install --no-compile --quiet --quiet

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test test-all browser-test pictures-test lint lint-can-fail docs pictures recording sanity sanity-one molecule simulator chaos chaos-playbooks awx faults mutants bench build release clean ci environments sanity-environment

help: ## this list
	@echo "make <target>:"
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  %-15s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))
	@echo "PYTHON=python3.12 chooses the interpreter, CORE=2.21 the ansible-core, ARGS=... goes to the tool."

demo: $(VENV)/$(if $(findstring --pictures,$(DEMO_ARGS)),.browser,.demo) ## see the collection at work against a simulated service, in a minute
	@$(home) "$(VENV)/bin/python" tests/demo/demo.py $(DEMO_ARGS)

test: $(VENV)/.test $(LINK) ## the quick tests; of all tests, ARGS="-k backup" runs some
	@$(pytest) $(or $(ARGS),-m "not slow")

test-all: $(VENV)/.test $(LINK) ## all tests: also every playbook, every fault, and what waits
	@$(pytest) $(ARGS)

browser-test: $(VENV)/.browser $(LINK) ## the page of a report, and pictures, in Chromium, with screenshots in build/browser
	@mkdir -p build/pytest
	@chromium=$$("$(VENV)/bin/python" tests/tools/browser.py --install) \
		&& $(in) CHROMIUM="$$chromium" "$(VENV)/bin/python" -m pytest --numprocesses=2 --dist=loadfile \
		--basetemp="$(BUILD)/pytest/browser" tests/browser $(ARGS)

pictures-test: $(VENV)/.browser $(LINK) ## change a page 200 times, and see what the comparison of pictures notices
	@chromium=$$("$(VENV)/bin/python" tests/tools/browser.py --install) \
		&& $(in) CHROMIUM="$$chromium" "$(VENV)/bin/python" tests/pictures

lint: $(LINT)/.lint build ## style, documentation, changelog, and what Galaxy would say
	@"$(LINT)/bin/python" tests/tools/lint.py

lint-can-fail: $(LINT)/.lint ## plant a mistake for each step of lint, and see that it fails
	@"$(LINT)/bin/python" tests/tools/lint_can_fail.py $(ARGS)

docs: $(DOCS)/.docs ## the documentation as a site, in build/docs/html; any warning fails
	@$(home) "$(DOCS)/bin/python" tests/tools/docs.py

pictures: ## draw the pictures of the guides anew, in docs/images
	@$(PYTHON) tests/tools/pictures.py

recording: $(VENV)/.demo ## record the demo anew, as docs/images/demo.svg
	@$(home) "$(VENV)/bin/python" tests/tools/record.py docs/images/demo.svg \
		--without '^export |^To run its commands|^$$' -- make demo

sanity: ## ansible-test sanity, on ansible-core 2.19 and 2.21; ARGS="--test pep8" runs some of it
	@status=0; for core in $(CORES); do \
		if $(PYTHON) tests/tools/interpreter.py $$core >/dev/null; then \
			$(MAKE) --no-print-directory sanity-one CORE=$$core || status=1; \
		else \
			echo "ansible-test sanity, ansible-core $$core: NOT RUN"; \
			$(if $(CORE),status=1,:); \
		fi; \
	done; exit $$status

sanity-one: $(VENV)/.core
	@"$(VENV)/bin/python" tests/tools/sanity.py $(ARGS)

molecule: $(VENV)/.molecule $(LINK) ## the scenarios in extensions/molecule
	@port=$$("$(VENV)/bin/python" -c \
		'import socket; print(socket.create_server(("127.0.0.1", 0)).getsockname()[1])') \
		&& $(in) SIMULATOR_PORT=$$port "$(VENV)/bin/python" -m molecule test --all $(ARGS)

simulator: $(VENV)/.demo $(LINK) ## the simulated service, to try things against
	@cd tests && $(home) "$(HERE)/$(VENV)/bin/python" -m simulator $(ARGS)

chaos: $(VENV)/.test $(LINK) ## kills, lost answers and parallel runs at random; CASES=1000 SEED=7
	@$(in) "$(VENV)/bin/python" tests/chaos --cases $(or $(CASES),20) $(if $(SEED),--seed $(SEED)) $(ARGS)

chaos-playbooks: $(VENV)/.test $(LINK) ## the same with whole playbooks, updates that break sites, and wrong clocks; CASES=300 SEED=1
	@$(in) "$(VENV)/bin/python" tests/chaos/playbooks.py --cases $(or $(CASES),10) $(if $(SEED),--seed $(SEED)) $(ARGS)

bench: $(VENV)/.bench $(LINK) ## what tasks cost, beside ansible.builtin.uri; ARGS="--only a,e --rounds 5"
	@$(in) PYTHONPATH="$(BUILD)/collections:$(HERE)/tests" "$(VENV)/bin/python" -m bench $(ARGS)

awx: $(VENV)/.awx $(LINK) build/awx/.collection ## what AWX does: its setup with the real modules, images, jobs
	@mkdir -p build/pytest
	@$(in) ANSIBLE_COLLECTIONS_PATH="$(BUILD)/collections:$(BUILD)/awx" "$(VENV)/bin/python" -m pytest \
		--numprocesses=auto --basetemp="$(BUILD)/pytest/awx" tests/awx $(ARGS)

faults: $(VENV)/.demo $(LINK) ## every fault of a write, with every module; writes the table into docs/failures.md
	@$(in) "$(VENV)/bin/python" tests/faults

mutants: $(MUTANTS)/.mutants ## change the code that decides, and see that its tests notice; ARGS=module_utils/_decision
	@$(home) PATH="$(HERE)/$(MUTANTS)/bin:$$PATH" "$(MUTANTS)/bin/python" tests/tools/mutants.py $(ARGS)

build: $(VENV)/.demo ## the tarball for Galaxy, in build/dist
	@$(PYTHON) tests/tools/checkout.py build/tree >/dev/null
	@rm -rf build/dist
	@$(home) ansible-galaxy collection build "$(TREE)" --output-path build/dist

release: $(LINT)/.lint ## version, changelog, commit and tag; VERSION=1.4.0
	@"$(LINT)/bin/python" tests/tools/release.py "$(VERSION)"

ci: ## all of it, as the continuous integration runs it
	@.ci/run

clean: ## remove everything that make made
	rm -rf build .venv .cache .ansible

# What the other targets would install when first used.
environments: $(VENV)/.test $(VENV)/.molecule $(VENV)/.awx build/awx/.collection $(LINT)/.lint $(DOCS)/.docs $(LINK)
sanity-environment: $(VENV)/.core

# ---- how environments come to be ------------------------------------------------------------------------------------

.venv/%/.created:
	@mkdir -p build
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo "This needs Python 3.11 or newer, and $(PYTHON) is: $$($(PYTHON) --version 2>&1)." >&2; \
		echo "Name another one: make PYTHON=python3.12 ..." >&2; exit 1; }
	@python=$$($(PYTHON) tests/tools/interpreter.py $(CORE)) && echo "Making .venv/$* with $$python" \
		&& rm -rf ".venv/$*" && $(rustup) "$$python" -m venv ".venv/$*"
	@touch $@

$(VENV)/.core: | $(VENV)/.created
	@$(call pip,$(VENV)) $(ANSIBLE_CORE)
	@touch $@

$(VENV)/.demo: requirements.txt tests/requirements/demo.txt | $(VENV)/.created
	@echo "Installing what the collection needs into $(VENV)"
	@$(call pip,$(VENV)) $(ANSIBLE_CORE) -r tests/requirements/demo.txt
	@touch $@

$(VENV)/.test: tests/requirements/test.txt $(VENV)/.demo
	@echo "Installing what the tests need into $(VENV)"
	@$(call pip,$(VENV)) $(ANSIBLE_CORE) -r tests/requirements/test.txt
	@touch $@

$(VENV)/.browser: tests/requirements/browser.txt $(VENV)/.test
	@echo "Installing what a browser is driven with into $(VENV)"
	@$(call pip,$(VENV)) $(ANSIBLE_CORE) -r tests/requirements/browser.txt
	@touch $@

$(VENV)/.bench: tests/requirements/bench.txt $(VENV)/.demo
	@echo "Installing what measuring needs into $(VENV)"
	@$(call pip,$(VENV)) $(ANSIBLE_CORE) -r tests/requirements/bench.txt
	@touch $@

$(VENV)/.molecule: tests/requirements/molecule.txt $(VENV)/.demo
	@echo "Installing molecule into $(VENV)"
	@$(call pip,$(VENV)) $(ANSIBLE_CORE) -r tests/requirements/molecule.txt
	@touch $@

$(VENV)/.awx: tests/requirements/awx.txt $(VENV)/.test
	@echo "Installing what AWX runs into $(VENV)"
	@$(call pip,$(VENV)) $(ANSIBLE_CORE) -r tests/requirements/awx.txt
	@touch $@

# The wheel that carries it has 56 MB, of which this is one.
build/awx/.collection: tests/tools/community.py | $(VENV)/.created
	@echo "Fetching the collection awx.awx"
	@"$(VENV)/bin/python" tests/tools/community.py awx.awx build/awx
	@touch $@

$(LINT)/.lint: tests/requirements/lint.txt | $(LINT)/.created
	@echo "Installing the linters into $(LINT)"
	@$(call pip,$(LINT)) -r tests/requirements/lint.txt
	@touch $@

$(DOCS)/.docs: tests/requirements/docs.txt | $(DOCS)/.created
	@echo "Installing what the documentation needs into $(DOCS)"
	@$(call pip,$(DOCS)) -r tests/requirements/docs.txt
	@touch $@

$(MUTANTS)/.mutants: tests/requirements/mutants.txt tests/requirements/test.txt | $(MUTANTS)/.created
	@echo "Installing what mutants are made with into $(MUTANTS)"
	@$(call pip,$(MUTANTS)) -r tests/requirements/mutants.txt
	@touch $@

# Ansible and the tests import the checkout through this path.
$(LINK):
	@mkdir -p $(@D)
	@ln -sfn ../../../.. $@
