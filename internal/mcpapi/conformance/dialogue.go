package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// addDialogues adds the tools that ask the client something before they answer.
func addDialogues(s *mcp.Server) {
	s.AddTool(&mcp.Tool{
		Name: "test_sampling", Description: "Has the client's model answer a prompt.",
		InputSchema: json.RawMessage(`{"type":"object","properties":{"prompt":{"type":"string"}},"required":["prompt"]}`),
	}, sample)
	s.AddTool(&mcp.Tool{
		Name: "test_elicitation", Description: "Asks the user for a name and an address.",
		InputSchema: json.RawMessage(`{"type":"object","properties":{"message":{"type":"string"}},"required":["message"]}`),
	}, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var a struct{ Message string }
		if err := json.Unmarshal(req.Params.Arguments, &a); err != nil {
			return nil, err
		}
		return elicit(ctx, req, "User response", a.Message, contactForm)
	})
	for name, form := range map[string]json.RawMessage{
		"test_elicitation_sep1034_defaults": defaultsForm,
		"test_elicitation_sep1330_enums":    choicesForm,
	} {
		s.AddTool(&mcp.Tool{Name: name, Description: "Asks the user to fill in a form.", InputSchema: noArguments},
			func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return elicit(ctx, req, "Elicitation completed", "Please fill in the form.", form)
			})
	}
}

// The forms that the suite looks at field by field.
var (
	contactForm = json.RawMessage(`{"type":"object","properties":{
		"username":{"type":"string","description":"User's response"},
		"email":{"type":"string","description":"User's email address"}
	},"required":["username","email"]}`)
	defaultsForm = json.RawMessage(`{"type":"object","properties":{
		"name":{"type":"string","default":"John Doe"},
		"age":{"type":"integer","default":30},
		"score":{"type":"number","default":95.5},
		"status":{"type":"string","enum":["active","inactive","pending"],"default":"active"},
		"verified":{"type":"boolean","default":true}
	}}`)
	choicesForm = json.RawMessage(`{"type":"object","properties":{
		"untitledSingle":{"type":"string","enum":["option1","option2","option3"]},
		"titledSingle":{"type":"string","oneOf":[
			{"const":"value1","title":"First Option"},{"const":"value2","title":"Second Option"},{"const":"value3","title":"Third Option"}]},
		"legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],"enumNames":["Option One","Option Two","Option Three"]},
		"untitledMulti":{"type":"array","items":{"type":"string","enum":["option1","option2","option3"]}},
		"titledMulti":{"type":"array","items":{"anyOf":[
			{"const":"value1","title":"First Choice"},{"const":"value2","title":"Second Choice"},{"const":"value3","title":"Third Choice"}]}}
	}}`)
)

func elicit(ctx context.Context, req *mcp.CallToolRequest, prefix, message string, form json.RawMessage) (*mcp.CallToolResult, error) {
	res, err := req.Session.Elicit(ctx, &mcp.ElicitParams{Message: message, RequestedSchema: form})
	if err != nil {
		return nil, err
	}
	content, err := json.Marshal(res.Content)
	if err != nil {
		return nil, err
	}
	return answer(fmt.Sprintf("%s: action=%s, content=%s", prefix, res.Action, content)), nil
}

func sample(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var a struct{ Prompt string }
	if err := json.Unmarshal(req.Params.Arguments, &a); err != nil {
		return nil, err
	}
	res, err := req.Session.CreateMessage(ctx, &mcp.CreateMessageParams{
		MaxTokens: 100, Messages: []*mcp.SamplingMessage{{Role: "user", Content: text(a.Prompt)}},
	})
	if err != nil {
		return nil, err
	}
	content, err := json.Marshal(res.Content)
	if err != nil {
		return nil, err
	}
	if t, ok := res.Content.(*mcp.TextContent); ok {
		content = []byte(t.Text)
	}
	return answer("LLM response: " + string(content)), nil
}
