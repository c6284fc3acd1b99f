package e2e

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

const controls = `
	<style>.menu { display: none; position: absolute; left: 80px } #menu:hover .menu { display: block } .pad { height: 3000px }
		#list { height: 100px; overflow: auto } #list div { height: 2000px }</style>
	<div id=menu>Menu <button class=menu>Entry</button></div>
	<select id=one><option value=0>1</option><option value=1>2</option><option value=x>Label  of x</option></select>
	<label>Many <select id=many multiple><option value=a>A</option><option value=b>B</option><option value=c disabled>C</option></select></label>
	<div id=hidden hidden>Hidden</div>
	<div id=list><div>Long</div></div>
	<div id=native draggable=true>Native</div><div id=target>Target</div>
	<div id=pointer style="width:40px;height:40px;background:red">P</div><div id=slot style="width:200px;height:80px">Slot</div>
	<div style="position:relative"><div id=under>Under</div><div style="position:absolute;inset:0">Cover</div></div>
	<p class=pad>Long</p><p id=end>End</p>
	<script>
		native.ondragstart = e => e.dataTransfer.setData('text/plain', 'ünï😀');
		target.ondragover = e => e.preventDefault();
		target.ondrop = e => { e.preventDefault(); target.textContent = 'got ' + e.dataTransfer.getData('text/plain') };
		let moves = 0, held = false;
		pointer.onpointerdown = e => { held = true; moves = 0 };
		document.onpointermove = () => { if (held) moves++ };
		document.onpointerup = e => {
			if (held) slot.textContent = document.elementsFromPoint(e.clientX, e.clientY).includes(slot) && moves > 3 ? 'dropped' : 'missed';
			held = false;
		};
		many.onchange = () => document.title = [...many.selectedOptions].map(o => o.value).join();
	</script>`

func TestInteraction(t *testing.T) {
	work(t)
	site := newSite(t)
	site.page("/", "Controls", controls)
	a := tenant(t).connect(stateful)
	id := a.launch()
	a.call("navigate", args{"session_id": id, "url": site.URL})
	on := func(selector string, more args) args {
		in := args{"session_id": id, "selector": selector, "timeout": ample}
		for k, v := range more {
			in[k] = v
		}
		return in
	}

	a.call("hover", on("#menu", nil))
	a.call("click", on(".menu", nil))
	a.refused("ELEMENT_NOT_ACTIONABLE", "hover", on("#hidden", args{"timeout": brief}))
	a.refused("ELEMENT_NOT_FOUND", "hover", on("#none", args{"timeout": brief}))

	for _, test := range []struct {
		selector string
		values   []string
		want     []any
	}{
		{"#one", []string{"1"}, []any{"1"}}, // A value, though the option before has it as its label.
		{"#one", []string{"2"}, []any{"1"}},
		{"#one", []string{"Label of x"}, []any{"x"}},
		{"#many", []string{"B", "a"}, []any{"a", "b"}},
		{"label", []string{"b"}, []any{"b"}},
	} {
		got := a.call("select_option", on(test.selector, args{"values": test.values})).fields["selected"]
		if !reflect.DeepEqual(got, test.want) {
			t.Errorf("select_option %s %v: %v, want %v", test.selector, test.values, got, test.want)
		}
	}
	if got := a.evaluate(id, "document.title"); got != "b" {
		t.Errorf("the page was told of %v", got)
	}
	for values, want := range map[string]string{"z": "missing", "c": "disabled"} {
		f := a.refused("ELEMENT_NOT_ACTIONABLE", "select_option", on("#many", args{"values": []string{values}, "timeout": brief}))
		if detail := fmt.Sprint(f.Details["detail"]); !strings.Contains(detail, want) {
			t.Errorf("select_option %s: %s, want %s", values, detail, want)
		}
	}
	a.refused("ELEMENT_NOT_ACTIONABLE", "select_option", on("#menu", args{"values": []string{"a"}}))

	for _, test := range []struct {
		in   args
		x, y float64
	}{
		{args{"mode": "by", "dy": 100}, 0, 100},
		{args{"mode": "by", "dy": 50, "behavior": "smooth"}, 0, 150},
		{args{"mode": "by", "dy": -1e9}, 0, 0},
		{args{"mode": "to", "y": 300.5}, 0, 300.5},
		{args{"mode": "to", "x": 0}, 0, 300.5},
		{args{"mode": "by", "dy": 40, "selector": "#list"}, 0, 40},
		{args{"mode": "to", "y": 5, "behavior": "smooth", "selector": "#list"}, 0, 5},
	} {
		test.in["session_id"] = id
		got := a.call("scroll", test.in).fields
		if y := got["y"].(float64); got["x"] != test.x || y < test.y-1 || y > test.y+1 {
			t.Errorf("scroll %v: %v", test.in, got)
		}
	}
	for _, behavior := range []string{"auto", "smooth"} {
		a.call("scroll", args{"session_id": id, "mode": "to", "y": 0})
		if y := a.call("scroll", on("#end", args{"mode": "selector", "behavior": behavior})).fields["y"].(float64); y < 1000 {
			t.Errorf("scroll to the end, %s: %v", behavior, y)
		}
	}
	a.refused("INVALID_ARGUMENTS", "scroll", args{"session_id": id, "mode": "selector"})
	a.refused("INVALID_ARGUMENTS", "scroll", args{"session_id": id, "mode": "to"})
	a.refused("ELEMENT_NOT_FOUND", "scroll", on("#none", args{"mode": "selector", "timeout": brief}))

	drag := func(source, target string) args {
		return args{"session_id": id, "source_selector": source, "target_selector": target, "timeout": ample}
	}
	a.call("drag_and_drop", drag("#native", "#target"))
	if got := a.evaluate(id, "target.textContent"); got != "got ünï😀" {
		t.Errorf("the target of a native drag holds %v", got)
	}
	a.call("drag_and_drop", drag("#pointer", "#slot"))
	if got := a.evaluate(id, "slot.textContent"); got != "dropped" {
		t.Errorf("the target of a pointer drag holds %v", got)
	}
	in := drag("#pointer", "#under")
	in["timeout"] = 3 * brief
	f := a.refused("ELEMENT_NOT_ACTIONABLE", "drag_and_drop", in)
	if f.Details["selector"] != "#under" || !strings.Contains(fmt.Sprint(f.Details["detail"]), "covered") {
		t.Errorf("a covered target: %v", f.Details)
	}
	if got := a.evaluate(id, "held"); got != false {
		t.Error("the button stays pressed after a drag that failed")
	}
	in = drag("#pointer", "#none")
	in["timeout"] = brief
	if f := a.refused("ELEMENT_NOT_FOUND", "drag_and_drop", in); f.Details["selector"] != "#none" {
		t.Errorf("no target: %v", f.Details)
	}
	if f := a.refused("INVALID_ARGUMENTS", "drag_and_drop", drag("#pointer", "###")); !strings.Contains(f.Message, "target_selector") {
		t.Errorf("a target that is no selector: %s", f.Message)
	}
}
