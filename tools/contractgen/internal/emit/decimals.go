package emit

import (
	"fmt"
	"strconv"
	"strings"
)

// decimals is a pattern of the whole numbers from low to high, neither of them negative, written without
// leading zeros.
func decimals(low, high int64) string {
	var forms []string
	for from := low; ; {
		length := len(strconv.FormatInt(from, 10))
		to := high
		// The last number of as many digits; the comparison keeps it from overflowing.
		if length < len(strconv.FormatInt(high, 10)) {
			to, _ = strconv.ParseInt(strings.Repeat("9", length), 10, 64)
		}
		forms = append(forms, sameLength(strconv.FormatInt(from, 10), strconv.FormatInt(to, 10))...)
		if to == high {
			break
		}
		from = to + 1
	}
	return "(?:" + strings.Join(joined(forms), "|") + ")"
}

// atLeast is a pattern of the whole numbers from low on, which is not negative, without leading zeros.
func atLeast(low int64) string {
	n := strconv.FormatInt(low, 10)
	forms := sameLength(n, strings.Repeat("9", len(n)))
	return "(?:" + strings.Join(append(forms, fmt.Sprintf("[1-9][0-9]{%d,}", len(n))), "|") + ")"
}

// sameLength is decimals for two numbers of as many digits.
func sameLength(low, high string) []string {
	if low == "" {
		return []string{""}
	}
	first, last := low[0], high[0]
	if first == last {
		return prefixed(string(first), sameLength(low[1:], high[1:]))
	}
	rest := len(low) - 1
	var below, above []string
	if strings.Trim(low[1:], "0") != "" {
		below = prefixed(string(first), sameLength(low[1:], strings.Repeat("9", rest)))
		first++
	}
	if strings.Trim(high[1:], "9") != "" {
		above = prefixed(string(last), sameLength(strings.Repeat("0", rest), high[1:]))
		last--
	}
	var between []string
	if first <= last {
		between = []string{digits(first, last) + anyDigits(rest)}
	}
	return append(append(below, between...), above...)
}

func prefixed(prefix string, list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = prefix + s
	}
	return out
}

func digits(first, last byte) string {
	if first == last {
		return string(first)
	}
	return fmt.Sprintf("[%c-%c]", first, last)
}

func anyDigits(n int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return "[0-9]"
	}
	return fmt.Sprintf("[0-9]{%d}", n)
}

// joined writes neighbours such as [1-9][0-9]{4} and [1-9][0-9]{5}, all numbers of some lengths, as one.
func joined(forms []string) []string {
	var out []string
	first, last := -1, -1
	flush := func() {
		switch {
		case first < 0:
		case first == last:
			out = append(out, "[1-9]"+anyDigits(first))
		default:
			out = append(out, fmt.Sprintf("[1-9][0-9]{%d,%d}", first, last))
		}
		first = -1
	}
	for _, f := range forms {
		n := -1
		if rest, ok := strings.CutPrefix(f, "[1-9]"); ok {
			for n = 0; n < 19 && rest != anyDigits(n); n++ {
			}
			if n == 19 {
				n = -1
			}
		}
		switch {
		case n < 0:
			flush()
			out = append(out, f)
		case first >= 0 && n == last+1:
			last = n
		default:
			flush()
			first, last = n, n
		}
	}
	flush()
	return out
}
