package contract

import (
	"encoding/json"
	"errors"
	"fmt"
)

// Code is the stable name of an error in the contract, such as TAB_NOT_FOUND.
type Code string

// Retry says what a client may do after an error. The values are those of the contract.
type Retry string

// Error is the one error type that crosses a door. Message and Details are for the client and never
// hold the value of a sensitive field. Cause is for the operator: it goes to the log alone.
type Error struct {
	Code    Code
	Message string
	// Details is the JSON object declared for the code, or nil.
	Details json.RawMessage
	cause   error
}

// NewError builds an error from generated code. details is a struct that encodes to a JSON object.
func NewError(code Code, message string, details any) *Error {
	e := &Error{Code: code, Message: message}
	if details != nil {
		// Generated details hold only JSON values, so encoding cannot fail.
		e.Details, _ = json.Marshal(details)
	}
	return e
}

// Because attaches what the operator needs to know and returns e.
func (e *Error) Because(cause error) *Error {
	e.cause = cause
	return e
}

// Error implements error with the text "[CODE] message", which clients may parse.
func (e *Error) Error() string { return fmt.Sprintf("[%s] %s", e.Code, e.Message) }

// Unwrap returns the operator's cause.
func (e *Error) Unwrap() error { return e.cause }

// CodeOf returns the code that err carries, or "" when it carries none.
func CodeOf(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}
