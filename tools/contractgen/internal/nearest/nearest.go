// Package nearest finds the name that someone probably meant.
package nearest

// Hint is "; did you mean 'x'?" when one of the known names is close to have, or else "".
func Hint(have string, known []string) string {
	best, least := "", 1+len(have)/3
	for _, k := range known {
		if d := distance(have, k); d <= least && d < max(len(have), len(k)) {
			if d < least || best == "" {
				best, least = k, d
			}
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean '" + best + "'?"
}

// distance is how many letters must be put in, taken out or changed to make b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		left := row[0]
		row[0] = i + 1
		for j := range len(b) {
			d := left
			if a[i] != b[j] {
				d++
			}
			left = row[j+1]
			row[j+1] = min(d, row[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}
