package session

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestTurnsKeepTheOrderOfATab(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &Session{}
		first, err := s.Turn(t.Context(), "t1")
		if err != nil {
			t.Fatal(err)
		}
		var order []int
		finished := make(chan struct{}, 5)
		for i := range 5 {
			go func() {
				done, err := s.Turn(t.Context(), "t1")
				if err != nil {
					t.Error(err)
				}
				order = append(order, i)
				time.Sleep(time.Second) // virtual: the others would overtake here
				done()
				finished <- struct{}{}
			}()
			synctest.Wait() // it stands in the queue before the next one comes
		}
		if done, err := s.Turn(t.Context(), "t2"); err != nil {
			t.Error("another tab waits")
		} else {
			done()
		}
		// One that gives up is not served and holds nobody up.
		short, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if _, err := s.Turn(short, "t1"); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		first()
		for range 5 {
			<-finished
		}
		for i, n := range order {
			if i != n {
				t.Errorf("order %v", order)
			}
		}
		if len(s.turns.tabs) != 0 {
			t.Errorf("%d tabs are remembered", len(s.turns.tabs))
		}
	})
}
