package hosttest

import (
	"testing"
	"time"
)

func TestFactor(t *testing.T) {
	t.Parallel()
	for took, want := range map[time.Duration]float64{0: 1, ordinary / 2: 1, ordinary: 1, 3 * ordinary: 3, time.Hour: slowest} {
		if got := factor(took); got != want {
			t.Errorf("%v makes %v, not %v", took, got, want)
		}
	}
}

// A limit is never shorter than what was asked for, and the same each time.
func TestLimit(t *testing.T) {
	t.Parallel()
	first := Limit(time.Second)
	if first < time.Second || first > slowest*time.Second {
		t.Errorf("a second becomes %v", first)
	}
	if Slow() != (first >= slow*time.Second) {
		t.Errorf("slow: %v, and a second becomes %v", Slow(), first)
	}
	if again := Limit(time.Second); again != first || Milliseconds(time.Second) != first.Milliseconds() {
		t.Errorf("a second becomes %v, and then %v", first, again)
	}
}
