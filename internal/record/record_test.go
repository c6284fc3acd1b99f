package record

import (
	"testing"
	"time"
)

func TestIDsSortByTime(t *testing.T) {
	t.Parallel()
	at := time.UnixMilli(1_772_600_767_123)
	first, next, id := FirstID(at), FirstID(at.Add(time.Millisecond)), IDAt(at)
	if !(first <= id && id < next) {
		t.Errorf("%s is not from %s to before %s", id, first, next)
	}
	for _, one := range []string{first, id} {
		if !TimeOf(one).Equal(at) {
			t.Errorf("%s is of %v", one, TimeOf(one))
		}
	}
	for _, other := range []string{"", "0190", "shop-1", "not-a-time-at-all"} {
		if !TimeOf(other).IsZero() {
			t.Errorf("%q is of %v", other, TimeOf(other))
		}
	}
	if before := FirstID(time.UnixMilli(-1)); before > first {
		t.Errorf("%s is after %s", before, first)
	}
}
