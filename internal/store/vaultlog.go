package store

import (
	"context"
	"time"

	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/store/listing"
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

var vaultTable = listing.Table[types.VaultAccess]{
	Columns: "id, session_id, session_slug, tool_event_id, entry_name, handle, result, reason, evaluate_enabled, page_url, " +
		"origin_check, principal_id, details, ts",
	Into: func(a *types.VaultAccess) []any {
		return []any{
			&a.EventID, &a.SessionID, &a.SessionSlug, &a.ToolEventID, &a.EntryName, &a.Handle, &a.Result, &a.Reason, &a.EvaluateEnabled, &a.PageURL,
			&a.OriginCheck, &a.PrincipalID, listing.JSON(&a.Details), &a.Ts,
		}
	},
}

var vaultPaths = []listing.AccessPath{
	{Index: "vaultaccess_session_id_id", Columns: []string{"session_id"}},
	{Index: "vaultaccess_entry_name_id", Columns: []string{"entry_name"}},
	{Index: "vaultaccess_result_id", Columns: []string{"result"}},
	{Index: "vaultaccess_principal_id_id", Columns: []string{"principal_id"}},
	{Index: "sqlite_autoindex_vault_accesses_1"},
}

func (q VaultLogQuery) query() listing.Query {
	list := listing.Query{Span: q.Span, Table: tableVaultLog, Paths: vaultPaths, Facets: []listing.Facet{
		listing.NewFacet("result", q.Results), listing.NewFacet("origin_check", q.OriginChecks),
	}}
	list.Filter("session_id", listing.Values(q.SessionIDs))
	list.Filter("entry_name", listing.Values(q.EntryNames))
	list.Filter("principal_id", listing.Values(q.PrincipalIDs))
	if q.EvaluateEnabled != nil {
		list.Filter("evaluate_enabled", []any{*q.EvaluateEnabled})
	}
	list.Range = idsWithin(q.From, q.To)
	if q.Text != "" {
		list.Residual.Add(listing.Contains(q.Text, "entry_name", "reason", "page_url"))
	}
	return list
}

// ListVaultLog returns a page of the vault log, with the facets result and origin_check.
func (s *Store) ListVaultLog(ctx context.Context, q VaultLogQuery) (Page[types.VaultAccess], error) {
	return listing.List(ctx, s.reads, vaultTable, q.query())
}
