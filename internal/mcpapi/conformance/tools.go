package main

import (
	"context"
	"encoding/json"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// noArguments is the input schema of a tool that takes none.
var noArguments = json.RawMessage(`{"type":"object"}`)

func addTools(s *mcp.Server) {
	fixed := func(name, description string, content ...mcp.Content) {
		s.AddTool(&mcp.Tool{Name: name, Description: description, InputSchema: noArguments},
			func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return &mcp.CallToolResult{Content: content}, nil
			})
	}
	fixed("test_simple_text", "Answers one text.", text("This is a simple text response for testing."))
	fixed("test_image_content", "Answers one image.", image())
	fixed("test_audio_content", "Answers one sound.", &mcp.AudioContent{Data: silence, MIMEType: "audio/wav"})
	fixed("test_embedded_resource", "Answers one resource.", &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{
		URI: "test://embedded-resource", MIMEType: "text/plain", Text: "This is an embedded resource content.",
	}})
	fixed("test_multiple_content_types", "Answers a text, an image and a resource.",
		text("Multiple content types test:"), image(), &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{
			URI: "test://mixed-content-resource", MIMEType: "application/json", Text: `{"test":"data","value":123}`,
		}})
	s.AddTool(&mcp.Tool{Name: "test_error_handling", Description: "Always fails.", InputSchema: noArguments}, fail)
	s.AddTool(&mcp.Tool{Name: "test_tool_with_logging", Description: "Logs while it works.", InputSchema: noArguments}, logging)
	s.AddTool(&mcp.Tool{Name: "test_tool_with_progress", Description: "Reports progress.", InputSchema: noArguments}, progress)
	s.AddTool(&mcp.Tool{Name: "test_reconnection", Description: "Drops its stream before it answers.", InputSchema: noArguments}, reconnection)
	s.AddTool(&mcp.Tool{
		Name: "json_schema_2020_12_tool", Description: "Has an input schema with keywords that must not get lost.",
		InputSchema: json.RawMessage(`{
			"$schema": "https://json-schema.org/draft/2020-12/schema",
			"type": "object",
			"$defs": {"address": {"type": "object", "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
			"properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}},
			"additionalProperties": false
		}`),
	}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return answer("ok"), nil })
}

func text(s string) *mcp.TextContent { return &mcp.TextContent{Text: s} }

func answer(s string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{text(s)}}
}

func fail(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	res := answer("This tool intentionally returns an error for testing")
	res.IsError = true
	return res, nil
}

// pause is what the suite wants between two notifications: enough for each to go out by itself.
const pause = 50 * time.Millisecond

// rest waits for the pause, or until the call is cancelled.
func rest(ctx context.Context) error {
	select {
	case <-time.After(pause):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func logging(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	for i, line := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
		if i > 0 {
			if err := rest(ctx); err != nil {
				return nil, err
			}
		}
		if err := req.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "info", Data: line}); err != nil {
			return nil, err
		}
	}
	return answer("logged"), nil
}

func progress(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	token := req.Params.GetProgressToken()
	for done := 0.0; done <= 100; done += 50 {
		if done > 0 {
			if err := rest(ctx); err != nil {
				return nil, err
			}
		}
		if token == nil {
			continue
		}
		if err := req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: done, Total: 100}); err != nil {
			return nil, err
		}
	}
	return answer("done"), nil
}

func reconnection(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if req.Extra != nil && req.Extra.CloseSSEStream != nil {
		req.Extra.CloseSSEStream(mcp.CloseSSEStreamArgs{RetryAfter: pause})
	}
	// The answer must come when the stream is gone.
	if err := rest(ctx); err != nil {
		return nil, err
	}
	return answer("resumed"), nil
}
