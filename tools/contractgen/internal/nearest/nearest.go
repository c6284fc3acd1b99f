// Package nearest finds the name that someone probably meant.
package nearest

// Hint is "; did you mean 'x'?" when one of the known names is close to have, or else "".
func Hint(have string, known []string) string {
	best, least := "", 1+max(1, len(have)/4)
	for _, k := range known {
		if d := distance(have, k); d < least {
			best, least = k, d
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean '" + best + "'?"
}

// distance is how many slips make b of a: a letter too many, missing or wrong, or two exchanged.
func distance(a, b string) int {
	before, above := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range above {
		above[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row := make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			wrong := above[j-1]
			if a[i-1] != b[j-1] {
				wrong++
			}
			row[j] = min(wrong, above[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, above = above, row
	}
	return above[len(b)]
}
