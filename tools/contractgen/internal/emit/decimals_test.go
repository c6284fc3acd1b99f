package emit

import (
	"math"
	"math/rand/v2"
	"regexp"
	"strconv"
	"testing"
)

// TestDecimals compares the pattern of a range with the range, at its ends and within it.
func TestDecimals(t *testing.T) {
	t.Parallel()
	try := func(low, high int64, at ...int64) {
		re := regexp.MustCompile(`^` + decimals(low, high) + `$`)
		from := regexp.MustCompile(`^` + atLeast(low) + `$`)
		for _, n := range at {
			if n >= 0 && re.MatchString(strconv.FormatInt(n, 10)) != (low <= n && n <= high) {
				t.Fatalf("%d to %d: %s is wrong about %d", low, high, re, n)
			}
			if n >= 0 && from.MatchString(strconv.FormatInt(n, 10)) != (low <= n) {
				t.Fatalf("from %d: %s is wrong about %d", low, from, n)
			}
		}
	}
	var small []int64
	for n := range int64(130) {
		small = append(small, n)
	}
	for low := range int64(125) {
		for high := low; high < 125; high++ {
			try(low, high, small...)
		}
	}
	// The seed is fixed, so that a failure can be repeated.
	r := rand.New(rand.NewPCG(1, 2))
	number := func() int64 { return r.Int64() >> r.IntN(62) }
	for range 500 {
		low, high := number(), number()
		if low > high {
			low, high = high, low
		}
		at := []int64{0, low, high, low - 1, low/10 + 1, high / 10, math.MaxInt64}
		if high < math.MaxInt64 {
			at = append(at, high+1)
		}
		for range 20 {
			at = append(at, number())
		}
		try(low, high, at...)
	}
}
