package main

import (
	"context"
	"fmt"
	"io"
	"strings"
)

// longestAnswer bounds what is read of an answer, in bytes.
const longestAnswer = 100

// agreed asks a question that only YES answers with yes. Without anybody to answer, and after an interrupt,
// the answer is no.
func (p *program) agreed(ctx context.Context, question string) bool {
	fmt.Fprint(p.stdout, question)
	answer, ended := p.answer(ctx)
	if ended {
		fmt.Fprintln(p.stdout)
	}
	if answer == "YES" {
		return true
	}
	fmt.Fprintln(p.stdout, "Nothing was changed.")
	return false
}

// answer reads a line. It ends without one when the input ends or an interrupt comes.
func (p *program) answer(ctx context.Context) (line string, ended bool) {
	type read struct {
		line  string
		ended bool
	}
	done := make(chan read, 1)
	// Nothing can take back a read of a terminal. After an interrupt the process ends, and this with it.
	go func() {
		line, err := readLine(p.stdin, longestAnswer)
		done <- read{strings.TrimSpace(line), err != nil}
	}()
	select {
	case r := <-done:
		return r.line, r.ended
	case <-ctx.Done():
		return "", true
	}
}

// readLine reads up to the end of a line, or as many bytes as there may be, and nothing behind it: that is the
// answer to the next question.
func readLine(r io.Reader, most int) (string, error) {
	var line []byte
	for one := make([]byte, 1); len(line) < most; {
		n, err := r.Read(one)
		if n > 0 && one[0] == '\n' {
			return string(line), nil
		}
		line = append(line, one[:n]...)
		if err != nil {
			return string(line), err
		}
	}
	return string(line), nil
}
