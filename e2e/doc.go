// Package e2e drives the built program as its users do: as a process, over stdio and HTTP, with MCP
// clients that were not written here and with a real browser. It has tests only.
package e2e
