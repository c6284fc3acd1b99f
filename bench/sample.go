package main

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// sample is a list of measurements of one kind.
type sample []float64

// took measures how long something takes, in milliseconds.
func (s *sample) took(do func() error) error {
	began := time.Now()
	err := do()
	*s = append(*s, milliseconds(time.Since(began)))
	return err
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// at is the measurement below which the share of all lies.
func (s sample) at(share float64) float64 {
	sorted := slices.Sorted(slices.Values(s))
	if len(sorted) == 0 {
		return math.NaN()
	}
	return sorted[int(share*float64(len(sorted)-1)+0.5)]
}

func (s sample) median() float64 { return s.at(0.5) }

// few is how many measurements are too few for percentiles.
const few = 10

// String is the median and the spread: from the 10th to the 90th percentile, or of all where there are few.
func (s sample) String() string {
	low, high := s.at(0.1), s.at(0.9)
	if len(s) < few {
		low, high = slices.Min(s), slices.Max(s)
	}
	return fmt.Sprintf("%s (%s–%s)", number(s.median()), number(low), number(high))
}

// number has as many digits as are worth reading.
func number(v float64) string {
	switch {
	case math.Abs(v) < 10:
		return fmt.Sprintf("%.2f", v)
	case math.Abs(v) < 100:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.0f", v)
}
