package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/browserhive/browserhive/gen/ent"
	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/store"
)

func TestGrantsNeedATrace(t *testing.T) {
	t.Parallel()
	s := open(t, store.Options{Dir: t.TempDir(), Now: func() time.Time { return now }})
	history(s, "shop-1", ago(1), 1, time.Hour)
	wantCode(t, s.Grantable(t.Context(), types.GrantRouteTrace, "shop-2"), errcode.CodeSessionNotFound)
	// What history has begun is committed before this.
	err := s.Commit(t.Context(), "sessions", func(ctx context.Context, tx *ent.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE sessions SET trace = NULL WHERE id = 'shop-1'")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	wantCode(t, s.Grantable(t.Context(), types.GrantRouteTrace, "shop-1"), errcode.CodeTraceUnavailable)
	err = s.Commit(t.Context(), "sessions", func(ctx context.Context, tx *ent.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE sessions SET trace = '{"state":"complete"}' WHERE id = 'shop-1'`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Grantable(t.Context(), types.GrantRouteTrace, "shop-1"); err != nil {
		t.Error(err)
	}
}
