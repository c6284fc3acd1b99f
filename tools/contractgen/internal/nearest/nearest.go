// Package nearest finds the name that someone probably meant.
package nearest

import "github.com/hbollon/go-edlib"

// Hint is "; did you mean 'x'?" when one of the known names is close to have, or else "".
func Hint(have string, known []string) string {
	best, least := "", 1+max(1, len(have)/4)
	for _, k := range known {
		if d := edlib.OSADamerauLevenshteinDistance(have, k); d < least {
			best, least = k, d
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean '" + best + "'?"
}
