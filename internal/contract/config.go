package contract

// Choice is one allowed value and what it means.
type Choice struct{ Value, Doc string }

// Key is the descriptor of one configuration key.
type Key struct {
	Name, Group, Doc string
	// Flag and Env are the other spellings of the name: --maxSessions, BROWSERHIVE_MAX_SESSIONS.
	Flag, Env string
	// Alias is a standard variable that is read just below Env, or "".
	Alias string
	// Grammar names how text becomes a value.
	Grammar string
	// Expected says in words what the grammar accepts.
	Expected string
	// Default is a JSON value in the form of the config file, or nil.
	Default any
	// Min and Max bound the value in the key's own unit, "" when there is no bound.
	Min, Max string
	Enum     []Choice
	// Reserved members are refused as reserved for a later release.
	Reserved []Choice
	// Secret values are shown as <redacted>.
	Secret bool
	// Runtime keys can change while the server runs.
	Runtime bool
	// File keys are accepted in the config file.
	File bool
	// DerivedFrom names what an unset key follows; DerivedDoc says how.
	DerivedFrom []string
	DerivedDoc  string
	Examples    []string
	// Planned keys are validated and named as not built yet.
	Planned bool
	// DeprecatedSince is the version that deprecated the key, "" for none; Use is the key to set instead.
	DeprecatedSince, Use string
}

// Cond is a condition on one key.
type Cond struct {
	Key        string
	Is         any
	In         []string
	Set        *bool
	Explicit   bool
	ExplicitBy []string
	Above      *float64
	BelowKey   string
	Loopback   *bool
}

// Rule relates several keys: when all of If hold, all of Need and one of NeedAny must.
type Rule struct {
	Name              string
	If, Need, NeedAny []Cond
	Code              Code
	Reason            string
}

// Flag is a flag or a positional argument of a command.
type Flag struct {
	Name, Doc, Kind string
	Optional        bool
	Enum            []Choice
	Planned         bool
	// Path says that it is one of the file system.
	Path bool
}

// Command is the descriptor of one command.
type Command struct {
	Name, Doc   string
	Planned     bool
	AllKeys     bool
	Keys        []string
	Args, Flags []Flag
	Help        string
}

// Topic is what help explains beside commands.
type Topic struct{ Name, Help string }

// To returns a pointer to v, for optional values in tables.
func To[T any](v T) *T { return &v }
