// Package reference holds the documents that the contract compiler writes, so that what the server gives
// out and what is published are the same bytes.
package reference

import _ "embed" // for the documents below

// OpenAPI is the REST API as OpenAPI 3.1.
//
//go:embed openapi.json
var OpenAPI []byte

// AsyncAPI is the WebSocket protocol as AsyncAPI 3.0.
//
//go:embed asyncapi.json
var AsyncAPI []byte

// Errors is the catalogue of error codes.
//
//go:embed errors.json
var Errors []byte

// Tools is the catalogue of tools.
//
//go:embed tools.json
var Tools []byte

// ConfigSchema is the JSON Schema of browserhive.config.json.
//
//go:embed config.schema.json
var ConfigSchema []byte
