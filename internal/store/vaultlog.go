package store

import (
	"context"
	"time"

	"github.com/browserhive/browserhive/gen/types"
)

// VaultLogQuery chooses rows of the vault log by their time. Empty lists and nil choose all.
type VaultLogQuery struct {
	Span
	Results                              []types.VaultAccessResult
	OriginChecks                         []types.OriginCheck
	EntryNames, SessionIDs, PrincipalIDs []string
	EvaluateEnabled                      *bool
	From, To                             *time.Time
	// Text is a part of the entry, the reason or the address.
	Text string
}

const tableVaultLog = "vault_accesses"

var vaultTable = table[types.VaultAccess]{
	tableVaultLog, "id, session_id, session_slug, tool_event_id, entry_name, handle, result, reason, evaluate_enabled, page_url, " +
		"origin_check, principal_id, details, ts",
	func(a *types.VaultAccess) []any {
		return []any{
			&a.EventID, &a.SessionID, &a.SessionSlug, &a.ToolEventID, &a.EntryName, &a.Handle, &a.Result, &a.Reason, &a.EvaluateEnabled, &a.PageURL,
			&a.OriginCheck, &a.PrincipalID, object{&a.Details}, &a.Ts,
		}
	},
}

var vaultWays = []way{
	{index: "vaultaccess_session_id_id", columns: []string{"session_id"}},
	{index: "vaultaccess_entry_name_id", columns: []string{"entry_name"}},
	{index: "vaultaccess_result_id", columns: []string{"result"}},
	{index: "vaultaccess_principal_id_id", columns: []string{"principal_id"}},
	{index: "sqlite_autoindex_vault_accesses_1"},
}

func (q VaultLogQuery) question() question {
	a := question{Span: q.Span, table: tableVaultLog, ways: vaultWays, facets: []facet{
		{name: "result", column: "result", chosen: texts(q.Results)}, {name: "origin_check", column: "origin_check", chosen: texts(q.OriginChecks)},
	}}
	a.filter("session_id", values(q.SessionIDs))
	a.filter("entry_name", values(q.EntryNames))
	a.filter("principal_id", values(q.PrincipalIDs))
	if q.EvaluateEnabled != nil {
		a.filter("evaluate_enabled", []any{*q.EvaluateEnabled})
	}
	a.bounds.between(q.From, q.To)
	if q.Text != "" {
		a.rest.add(contains(q.Text, "entry_name", "reason", "page_url"))
	}
	return a
}

// ListVaultLog returns a page of the vault log, with the facets result and origin_check.
func (s *Store) ListVaultLog(ctx context.Context, q VaultLogQuery) (Page[types.VaultAccess], error) {
	return counted(ctx, s, vaultTable, q.question())
}
