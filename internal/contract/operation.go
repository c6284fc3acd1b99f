package contract

import "encoding/json"

// Operation is the descriptor of one REST operation.
type Operation struct {
	ID, Method, Path string
	// Scope the caller needs, "" for none.
	Scope string
	// Auth lists how a caller may prove itself: cookie, bearer, grant, or public for nobody.
	Auth []string
	// SeedPassword operations are answered while the operator still has to change the seed password.
	SeedPassword bool
	// Planned operations are declared and not built: they answer NOT_IMPLEMENTED.
	Planned bool
	// Input is JSON Schema (2020-12) of the parts of a request: path, query and body, each where the
	// operation has it. Nil for planned operations and those that take nothing.
	Input json.RawMessage
	// ConstraintErrors maps a constraint of Input, such as body.new_password/minLength, to the error that is
	// answered when it is the only one broken.
	ConstraintErrors map[string]func() *Error
}

// Problem is a failed request as RFC 9457 describes it, with the members that the contract adds.
type Problem struct {
	Type      string          `json:"type"`
	Title     string          `json:"title"`
	Status    int             `json:"status"`
	Detail    string          `json:"detail"`
	Code      Code            `json:"code"`
	Retryable Retry           `json:"retryable"`
	Hint      string          `json:"hint,omitempty"`
	Details   json.RawMessage `json:"details,omitempty"`
	RequestID string          `json:"request_id"`
}
