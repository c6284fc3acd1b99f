// Package contract is what generated code is made of: the error type, the descriptors of tools,
// keys and operations, and the validator that checks values against a compiled JSON Schema.
package contract
