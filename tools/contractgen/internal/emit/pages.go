package emit

import (
	"fmt"
	"strings"

	"github.com/browserhive/browserhive/tools/contractgen/internal/model"
)

// values writes a table of constants; each row has an anchor made of prefix and name.
func (d *md) values(prefix string, list []model.Value) {
	var rows [][]string
	for _, v := range list {
		rows = append(rows, []string{anchor(prefix+v.Name) + code(v.Name), v.Raw, cell(v.Doc)})
	}
	d.table([]string{"Name", "Value", "Meaning"}, rows)
}

// settings replaces each {config:key} by what show makes of the key.
func settings(m *model.Model, doc string, show func(*model.Key) string) string {
	for _, k := range m.Keys {
		doc = strings.ReplaceAll(doc, "{config:"+k.Name+"}", show(k))
	}
	return doc
}

func toolsPage(m *model.Model) []byte {
	d := newMD("Tools", "contracts/tools", fmt.Sprintf("The %d tools that agents call over MCP, in the order of tools/list. Names, arguments, defaults and results only gain; nothing is renamed or removed.", len(m.Tools)))
	var rows [][]string
	for _, t := range m.Tools {
		rows = append(rows, []string{link(code(t.Name), "#"+t.Name), link(t.Pack.Name, "#pack-"+t.Pack.File),
			yesNo(!t.ReadOnly), yesNo(t.Stage != model.Planned)})
	}
	d.table([]string{"Tool", "Pack", "Changes the page or session", "Built"}, rows)
	d.heading(2, "bounds", "Bounds")
	d.values("bound-", m.CallLimits)
	d.heading(2, "capabilities", "Capabilities")
	rows = nil
	for _, c := range m.Capability {
		rows = append(rows, []string{anchor("capability-"+c.Value) + code(c.Value), cell(c.Doc)})
	}
	d.table([]string{"Capability", "Allows"}, rows)
	for _, p := range m.Packs {
		d.heading(2, "pack-"+p.File, p.Name)
		d.p("%s", prose(p.Doc))
		for _, t := range packTools(m, p) {
			d.tool(m, t)
		}
	}
	return d.page()
}

func (d *md) tool(m *model.Model, t *model.Tool) {
	d.heading(3, t.Name, code(t.Name))
	d.p("%s\n", settings(m, prose(t.Doc), func(k *model.Key) string { return keyLink(k.Name) }))
	if t.Stage == model.Planned {
		d.p("Not built yet: it answers %s.\n", codeLinks([]string{"TOOL_NOT_AVAILABLE"}))
	}
	d.p("Capability %s, since %s. Read only: %s. Destructive: %s. Idempotent: %s. Open world: %s.\n",
		link(code(t.Capability), "#capability-"+t.Capability), t.Since, yesNo(t.ReadOnly), yesNo(t.Destructive), yesNo(t.Idempotent), yesNo(t.OpenWorld))
	if len(t.Args) == 0 {
		d.p("It takes no arguments.\n")
	} else {
		d.p("Arguments:\n")
		d.fieldTable(t.Args)
	}
	base := t.Result.Type.Base()
	what := "Result:\n"
	if t.As != "" {
		what = fmt.Sprintf("Result: a list as text, and as `%s` in structured content. Each item:\n", t.As)
		base = base.Items.Type.Base()
	}
	d.p("%s", what)
	d.object(base)
	if t.Image {
		d.para("The answer also carries the image.")
	}
	d.para("Errors: %s. Any tool may answer %s.", orElse(codeLinks(t.Errors), "none of its own"), codeLinks(m.AnyErrors))
}

// object lists the fields of an object, or says that it names none.
func (d *md) object(t *model.Type) {
	if len(t.Fields) == 0 {
		d.para("An object whose keys are not fixed.")
		return
	}
	d.fieldTable(t.Fields)
	if t.Open {
		d.para("Further keys may occur.")
	}
}

func errorsPage(m *model.Model) []byte {
	d := newMD("Errors", "contracts/errors", fmt.Sprintf("The %d codes of BrowserHive. A code keeps its name and meaning for good.", len(m.Errors)))
	d.heading(2, "arrival", "How an error arrives")
	d.p("- From a tool: `isError` is true, the text is `[CODE] message`, and `_meta[\"browserhive.ai/error\"]` holds code, message, retryable, hint and details.")
	d.p("- From REST: a problem document (`application/problem+json`, RFC 9457) with code, retryable, hint, details and request_id.")
	d.p("- From the WebSocket: a frame of kind `error` with code, title, hint, details and the `corr` of the command.")
	d.p("- From the command line: `browserhive: [CODE] message` on stderr, and the exit code of the entry.")
	d.heading(2, "retryable", "What `retryable` says")
	var rows [][]string
	for _, r := range [][2]string{{"never", "Do not repeat it: it cannot succeed as sent."}, {"immediate", "Repeat it at once."}, {"backoff", "Repeat it later, with growing pauses."}, {"after_operator", "Repeat it once an operator has acted."}, {"different_args", "Repeat it with other arguments."}} {
		rows = append(rows, []string{anchor("retryable-"+r[0]) + code(r[0]), r[1]})
	}
	d.table([]string{"Value", "Meaning"}, rows)
	for _, c := range m.Categories {
		d.heading(2, "category-"+c.File, strings.ToUpper(c.Name[:1])+c.Name[1:])
		d.p("%s\n", prose(c.Doc))
		rows = nil
		for _, e := range m.Errors {
			if e.Category == c.Name {
				rows = append(rows, []string{link(code(e.Code), "#"+e.Code), cell(e.Title), fmt.Sprint(e.HTTP), code(e.Retryable)})
			}
		}
		d.table([]string{"Code", "Title", "HTTP", "Retryable"}, rows)
		for _, e := range m.Errors {
			if e.Category == c.Name {
				d.errorEntry(e)
			}
		}
	}
	return d.page()
}

func (d *md) errorEntry(e *model.Error) {
	d.heading(3, e.Code, code(e.Code))
	line := fmt.Sprintf("%s. HTTP %d, retryable `%s`", prose(e.Title), e.HTTP, e.Retryable)
	if e.Exit != nil {
		line += fmt.Sprintf(", exit code %d", *e.Exit)
	}
	d.p("%s.\n", line)
	d.p("- Message: %s\n- Hint: %s\n- Cause: %s\n- Resolution: %s\n", code(e.Message), prose(e.Hint), prose(oneLine(e.Cause)), prose(e.Resolution))
	if len(e.Details) > 0 {
		d.p("Details:\n")
		d.fieldTable(e.Details)
	}
}

func configPage(m *model.Model) []byte {
	d := newMD("Configuration", "contracts/config", fmt.Sprintf("The %d keys of BrowserHive. Each is a flag, an environment variable and a key of `browserhive.config.json`. Flags win over the file, the file over variables, variables over defaults.", len(m.Keys)))
	d.para("[config.schema.json](config.schema.json) describes the file to editors and validators, and refuses what the server refuses, save for the rules between keys. Beside JSON Schema it has the annotations `x-derived`, `x-runtime`, `x-secret` and `x-stage`, which a strict validator has to be told of.")
	for _, g := range m.KeyGroups {
		d.heading(2, "group-"+g.File, g.Name)
		d.p("%s\n", prose(g.Doc))
		var rows [][]string
		for _, k := range m.Keys {
			if k.Group == g {
				rows = append(rows, []string{link(code(k.Name), "#"+k.Name), defaultCell(k), cell(k.Doc)})
			}
		}
		d.table([]string{"Key", "Default", "Meaning"}, rows)
		for _, k := range m.Keys {
			if k.Group == g {
				d.key(k)
			}
		}
	}
	if len(m.Rules) > 0 {
		d.heading(2, "rules", "Rules between keys")
		d.p("Checked once all sources are merged.\n")
		var rows [][]string
		for _, r := range m.Rules {
			rows = append(rows, []string{anchor("rule-"+r.Name) + cell(r.Reason), codeLinks([]string{r.Code})})
		}
		d.table([]string{"Rule", "Error"}, rows)
	}
	if len(m.Reserved) > 0 {
		d.heading(2, "reserved", "Reserved keys")
		d.p("Setting one of these stops the start; the names are kept for later.\n")
		var rows [][]string
		for _, r := range m.Reserved {
			rows = append(rows, []string{anchor("reserved-"+r.Value) + code(r.Value), cell(r.Doc)})
		}
		d.table([]string{"Key", "For"}, rows)
	}
	return d.page()
}

// defaultCell shows a default as code, unless it is said in words.
func defaultCell(k *model.Key) string {
	text := defaultText(k)
	if k.Default == nil || text == "empty" {
		return cell(text)
	}
	return code(text)
}

// key writes the entry of a configuration key, a table with its flag as the head.
func (d *md) key(k *model.Key) {
	d.heading(3, k.Name, code(k.Name))
	d.p("%s\n", prose(k.Doc))
	var rows [][]string
	row := func(what, text string) { rows = append(rows, []string{what, text}) }
	row("Variable", code(envName(k.Name)))
	if k.Alias != "" {
		row("Also read from", code(k.Alias))
	}
	if !k.File {
		row("In the file", "not accepted")
	}
	row("Takes", cell(expected(k)))
	row("Default", defaultCell(k))
	for _, v := range k.Enum {
		if v.Doc != "" {
			row(code(v.Value), cell(v.Doc))
		}
	}
	for _, v := range k.Reserved {
		row(code(v.Value), "reserved: "+cell(v.Doc))
	}
	if len(k.Examples) > 0 {
		row("For example", codeList(k.Examples))
	}
	if k.Secret {
		row("Secret", "shown as `<redacted>`")
	}
	if k.Runtime {
		row("Change", "while the server runs")
	} else {
		row("Change", "with a restart")
	}
	if k.Stage == model.Planned {
		row("Stage", "validated, not built yet")
	}
	d.table([]string{"Flag", code(flagName(k.Name))}, rows)
}
