# BrowserHive. `make` lists what there is.
SHELL := /usr/bin/env bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules
export CGO_ENABLED := 0

VERSION ?= $(shell git describe --tags --match 'v*' --dirty 2>/dev/null | sed 's/^v//')
COMMIT ?= $(shell git rev-parse HEAD 2>/dev/null)
MODIFIED ?= $(shell git diff-index --quiet HEAD -- 2>/dev/null || echo true)
LDFLAGS := -s -w $(if $(VERSION),-X github.com/browserhive/browserhive/internal/server.Version=$(VERSION)) \
	$(if $(COMMIT),-X main.commit=$(COMMIT) $(if $(MODIFIED),-X main.modified=$(MODIFIED)))
BIN := bin/browserhive
in_data_dir = $(if $(DATA_DIR),--dataDir '$(DATA_DIR)')

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: run
run: chromium build ## Install what is missing, build, and serve (DATA_DIR=… ARGS="--port …")
	$(BIN) init $(in_data_dir)
	exec $(BIN) $(in_data_dir) $(ARGS)

# Several times what the tests take on two quiet cores, and more than the longest wait of a test on a slow host.
TIMEOUT := -timeout 25m

.PHONY: test
test: chromium deps build ## Install what is missing, build, and run every test
	go vet ./...
	# Not from the cache: several tests run programs that go built, and go does not see what those depend on.
	go test -count=1 $(TIMEOUT) $$(go list ./... | grep -vE '/(internal/browser|e2e)$$')
	# Each of these keeps all cores busy with browsers, so one runs after the other.
	go test -count=1 -p 1 $(TIMEOUT) ./internal/browser ./e2e

.PHONY: build
build: ## Build bin/browserhive
	go build -trimpath -ldflags '$(LDFLAGS)' -o $(BIN) ./cmd/browserhive

.PHONY: chromium
chromium: # A browser for sessions and tests
	@tools/setup/chromium.sh

.PHONY: deps
deps: tools/npm/node_modules/.package-lock.json # npm packages that tests need

tools/npm/node_modules/.package-lock.json: tools/npm/package.json tools/npm/package-lock.json
	npm ci --prefix tools/npm --no-audit --no-fund
	@touch $@

.PHONY: generate
generate: ## Compile contracts/ and ent/schema into everything that follows from them
	go run ./tools/contractgen
	go run ./tools/storegen
	go test -count=1 -run '^TestDocuments$$' ./tools/repotest ./internal/server ./internal/toolset -args -write-docs

.PHONY: migration
migration: ## Write the migration to the present schema (NAME=…)
	go run ./tools/storegen -migration '$(NAME)'

.PHONY: check
check: deps ## Drift, lint, import layers, code generators, and the other platforms
	go run ./tools/contractgen -check
	cd tools/lint && go build -o ../../bin/golangci-lint github.com/golangci/golangci-lint/v2/cmd/golangci-lint
	bin/golangci-lint run ./...
	go test -count=1 ./tools/repotest/...
	cd tools/generators && go test -count=1 ./...
	GOOS=darwin go vet ./...
	GOOS=windows go vet ./...

.PHONY: test-race
test-race: chromium deps ## The tests under the race detector, and the program that e2e runs (needs cgo)
	CGO_ENABLED=1 go test -count=1 -race $(TIMEOUT) ./internal/... ./cmd/... ./e2e/...

.PHONY: e2e
e2e: chromium deps ## The end-to-end tests alone
	go test -count=1 $(TIMEOUT) ./e2e/...

.PHONY: leaks
leaks: chromium ## 200 sessions that come and go, and what they leave behind
	go test -count=1 $(TIMEOUT) ./e2e -run TestSessionsLeaveNothing -churned 200

.PHONY: test-patchright
test-patchright: chromium deps ## The tests of the browser and the end-to-end tests on Patchright
	BROWSERHIVE_TEST_ENGINE=patchright go test -count=1 $(TIMEOUT) ./internal/browser/... ./e2e/...

.PHONY: bench
bench: chromium ## The tables of docs/performance.md: launch, calls, load, snapshot, memory, crash
	go run ./bench

CHROMIUM ?= /usr/lib/chromium/chromium

.PHONY: bench-peers
bench-peers: chromium build bench/peers/node_modules/.package-lock.json ## BrowserHive beside other MCP servers, on one CHROMIUM (Linux)
	$(BIN) init --dataDir bin/bench-peers
	node bench/peers/main.mjs $(BIN) bin/bench-peers '$(CHROMIUM)'

bench/peers/node_modules/.package-lock.json: bench/peers/package.json bench/peers/package-lock.json
	PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 PUPPETEER_SKIP_DOWNLOAD=1 npm ci --prefix bench/peers --no-audit --no-fund
	@touch $@

FUZZTIME ?= 10s

.PHONY: fuzz
fuzz: ## Each fuzz target for FUZZTIME, which is 10s (.ci/run long: 1m)
	@targets=$$(go test -list '^Fuzz' ./... | awk '/^Fuzz/ { f[n++] = $$1 } /^ok/ { for (i = 0; i < n; i++) print $$2, f[i]; n = 0 }'); \
	while read -r p f; do \
	  echo "$$p $$f"; go test -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 20x "$$p" < /dev/null; \
	done <<< "$$targets"
