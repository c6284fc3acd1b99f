package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"image/color"
	"image/png"
	"strings"

	goimage "image"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func addResources(s *mcp.Server) {
	fixed := func(uri, name string, c mcp.ResourceContents) {
		c.URI = uri
		s.AddResource(&mcp.Resource{URI: uri, Name: name, Description: "A " + name + " for tests.", MIMEType: c.MIMEType},
			func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
				return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{&c}}, nil
			})
	}
	fixed("test://static-text", "static text", mcp.ResourceContents{MIMEType: "text/plain", Text: "This is the content of the static text resource."})
	fixed("test://static-binary", "static image", mcp.ResourceContents{MIMEType: "image/png", Blob: pixel})
	fixed("test://watched-resource", "watched text", mcp.ResourceContents{MIMEType: "text/plain", Text: "Watched resource content."})
	s.AddResourceTemplate(&mcp.ResourceTemplate{
		URITemplate: "test://template/{id}/data", Name: "template", Description: "A resource per id.", MIMEType: "application/json",
	}, func(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		id := strings.TrimSuffix(strings.TrimPrefix(req.Params.URI, "test://template/"), "/data")
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{
			URI: req.Params.URI, MIMEType: "application/json",
			Text: fmt.Sprintf(`{"id":%q,"templateTest":true,"data":%q}`, id, "Data for ID: "+id),
		}}}, nil
	})
}

// pixel is a PNG of one red pixel.
var pixel = func() []byte {
	dot := goimage.NewRGBA(goimage.Rect(0, 0, 1, 1))
	dot.Set(0, 0, color.RGBA{R: 255, A: 255})
	var b bytes.Buffer
	if err := png.Encode(&b, dot); err != nil {
		panic(err) // a buffer takes everything
	}
	return b.Bytes()
}()

func image() *mcp.ImageContent { return &mcp.ImageContent{Data: pixel, MIMEType: "image/png"} }

// silence is a WAV file of one sample: mono, 8 kHz, 8 bits.
var silence = func() []byte {
	const rate, channels, bits, samples = 8000, 1, 8, 1
	var b bytes.Buffer
	chunk := func(id string, fields ...any) {
		b.WriteString(id)
		for _, f := range fields {
			_ = binary.Write(&b, binary.LittleEndian, f) // a buffer takes everything
		}
	}
	chunk("RIFF", uint32(36+samples))
	chunk("WAVE")
	chunk("fmt ", uint32(16), uint16(1), uint16(channels), uint32(rate), uint32(rate*channels*bits/8), uint16(channels*bits/8), uint16(bits))
	chunk("data", uint32(samples), uint8(128))
	return b.Bytes()
}()
