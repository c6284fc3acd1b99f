package model

import "slices"

// Tool is one MCP tool.
type Tool struct {
	Name, Title, Doc string
	Pos              Pos
	Pack             *Group
	Capability       string
	Since            string
	Stage            Stage
	ReadOnly         bool
	Destructive      bool
	Idempotent       bool
	OpenWorld        bool
	Args             []*Field
	Result           *Field
	As               string // the property that wraps a list
	Image            bool
	// AtOnce tools do not wait for earlier calls that change the tab.
	AtOnce     bool
	Errors     []string // sets expanded, in order, without the codes that any tool may answer
	ErrorRefs  []NameAt // what was written, for checks
	Deprecated *Deprecation
}

// NameAt is a name together with where it was written.
type NameAt struct {
	Name string
	Pos  Pos
}

// ChangesTab reports whether the tool takes its turn behind earlier calls that change the same tab.
func (t *Tool) ChangesTab() bool { return t.UsesPage() && !t.ReadOnly && !t.AtOnce }

// UsesPage reports whether dispatch looks the page up before the handler runs: the tool acts in a session,
// and takes a tab_id.
func (t *Tool) UsesPage() bool { return t.UsesSession() && t.takes("tab_id") }

// ReadsOn reports whether the tool can go on in what an earlier call answered, for which it needs no page.
func (t *Tool) ReadsOn() bool { return t.UsesPage() && t.takes("cursor") }

func (t *Tool) takes(arg string) bool {
	return slices.ContainsFunc(t.Args, func(a *Field) bool { return a.Name == arg })
}

// UsesSession reports whether dispatch looks the session up before the handler runs: the tool names
// one and declares that it may be unknown.
func (t *Tool) UsesSession() bool {
	return t.takes("session_id") && slices.Contains(t.Errors, "SESSION_NOT_FOUND")
}
