package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// sharers are how many sessions run on the driver that is killed.
const sharers = 4

// crash measures what the death of a driver costs: each of its sessions has a call under way, which has to
// be answered, and then a new session is launched on a new driver.
func (b *bench) crash() error {
	var answered, launched sample
	for range repeats {
		err := b.with(func(p *product) error {
			ids, err := p.open(sharers, b.site.URL)
			if err != nil {
				return err
			}
			driver, err := p.driver()
			if err != nil {
				return err
			}
			waiting := make(chan error, 1)
			go func() {
				waiting <- each(ids, func(_ int, id string) error {
					err := p.on(id, "evaluate", map[string]any{"expression": "new Promise(() => {})"})()
					if err == nil || !strings.Contains(err.Error(), "BROWSER_CRASHED") {
						return fmt.Errorf("a call of a killed driver was answered: %v", err) //nolint:errorlint // it may be nil
					}
					return nil
				})
			}()
			rest(calm) // the calls are under way
			killed := time.Now()
			if err := driver.Kill(); err != nil {
				return err
			}
			if err := <-waiting; err != nil {
				return err
			}
			answered = append(answered, milliseconds(time.Since(killed)))
			_, err = p.launch(nil)
			launched = append(launched, milliseconds(time.Since(killed)))
			return err
		}, "--maxSessions", strconv.Itoa(sharers+1))
		if err != nil {
			return err
		}
	}
	t := table{
		title: fmt.Sprintf("A driver is killed while %d sessions that share it have a call under way, in ms from the kill.", sharers),
		head:  []string{"", "n", "time"},
	}
	t.add("every call is answered BROWSER_CRASHED", repeats, answered)
	t.add("a new session, on a new driver, is launched", repeats, launched)
	t.print()
	return nil
}

// driver is the server's driver process.
func (p *product) driver() (*os.Process, error) {
	family, err := p.family()
	if err != nil {
		return nil, err
	}
	for _, one := range family {
		if one.isDriver() {
			return os.FindProcess(one.pid)
		}
	}
	return nil, errors.New("the server has no driver")
}
