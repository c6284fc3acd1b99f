package settings

import (
	"runtime"
	"slices"
	"strings"

	"github.com/browserhive/browserhive/gen/config"
)

// Command is a line for the operator's shell that runs another command on the same data directory and config
// file, wherever it is typed. program is what this one was started as; the words name the command and its own
// flags, none meaning serve. It is the one place where a command that is proposed is put together.
func (r *Resolved) Command(program string, words ...string) string {
	command, _, err := findCommand(words)
	line := append([]string{program}, words...)
	carry := func(key, value string) {
		if err == nil && value != "" && (command.AllKeys || slices.Contains(command.Keys, key)) {
			line = append(line, "--"+key, value)
		}
	}
	named := func(key string) Source {
		for _, p := range r.Provenance {
			if p.Key == key && r.Explicit(key) {
				return p.Source
			}
		}
		return FromDefault
	}
	file := named(config.KeyConfig)
	if file == FromCLI || file == FromEnv {
		carry(config.KeyConfig, r.File)
	}
	switch named(config.KeyDataDir) {
	case FromDefault:
	case FromFile:
		if file != FromCLI && file != FromEnv { // The file may lie in the working directory of this call alone.
			carry(config.KeyDataDir, r.Config.DataDir)
		}
	default:
		carry(config.KeyDataDir, r.Config.DataDir)
	}
	for i, word := range line {
		line[i] = shellWord(word)
	}
	return strings.Join(line, " ")
}

// shellWord is a word as a shell of this system reads it back.
func shellWord(word string) string {
	special := func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(`-_./:=,@%+`, r) ||
			runtime.GOOS == "windows" && r == '\\')
	}
	switch {
	case word != "" && !strings.ContainsFunc(word, special):
		return word
	case strings.HasPrefix(word, "<") && strings.HasSuffix(word, ">"): // A place to fill in.
		return word
	case runtime.GOOS == "windows":
		return `"` + word + `"` // A path holds no quote there.
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
