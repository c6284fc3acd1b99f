// A selector engine that takes an element to what a mouse can click in its place. That is the element
// itself, except for a checkbox or radio button that a page has hidden, or covers with a drawing of its own,
// inside or beside its label: then it is a visible part of that label. It never takes to a link or to
// another control in the label, because a click there does something else.
({
  queryAll(element) {
    if (element.localName !== 'input' || element.type !== 'checkbox' && element.type !== 'radio') return [element];
    const labels = [...element.labels ?? []];
    const visible = node => {
      const box = node.getBoundingClientRect();
      return box.width > 0 && box.height > 0 && node.checkVisibility({visibilityProperty: true});
    };
    if (!labels.length) return [element];
    if (visible(element)) {
      const box = element.getBoundingClientRect();
      const hit = element.getRootNode().elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
      const offscreen = hit === null && box.width > 1 && box.height > 1;
      if (hit === element || offscreen && getComputedStyle(element).opacity !== '0') return [element];
    }
    const other = 'a, button, input, select, textarea, summary, [tabindex], [contenteditable], [onclick], [role=button], [role=link]';
    const safe = node => node !== element && visible(node) && !node.closest('a, button') && !node.matches(other) &&
      ![...node.querySelectorAll(other)].some(inner => inner !== element);
    const next = element.nextElementSibling;
    for (const label of labels)
      for (const node of [next, label, ...label.children])
        if (node && label.contains(node) && safe(node)) return [node];
    return [element];
  },
})
