// Runs a script as an agent wrote it and returns its result as text: "v" and JSON, or "e" and the
// error. The result never fails to encode: what JSON does not know becomes the nearest thing it does.
async source => {
  const json = JSON.stringify;
  // Half of a surrogate pair becomes U+FFFD: JSON lets it through, but many readers of JSON do not.
  const stringify = text => json(text.toWellFormed());
  const maxLength = 16 * 1024 * 1024; // Characters; a larger answer would stall every session on the driver.
  const maxDepth = 200; // Deeper structures are cut off long before the stack is.

  const encode = (value, seen) => {
    switch (typeof value) {
      case 'string': return stringify(value);
      case 'boolean': return String(value);
      case 'number': return Number.isFinite(value) ? String(value === 0 ? 0 : value) : stringify(String(value));
      case 'bigint': return stringify(String(value));
      case 'symbol': return stringify(String(value));
      case 'undefined': return 'null';
      case 'function': return stringify(`[Function${value.name ? ' ' + value.name : ''}]`);
    }
    if (value === null) return 'null';
    if (seen.includes(value)) return stringify('[Circular]');
    if (seen.length >= maxDepth) return stringify('[Too deep]');
    return object(value, [...seen, value]);
  };

  const object = (value, seen) => {
    const kind = Object.prototype.toString.call(value).slice(8, -1);
    if (typeof value.nodeType === 'number' && typeof value.nodeName === 'string') return stringify(node(value));
    if (value.window === value) return stringify('[Window]');
    if (typeof value.then === 'function') return stringify('[Promise]');
    switch (kind) {
      case 'Date': return stringify(Number.isNaN(+value) ? 'Invalid Date' : value.toISOString());
      case 'RegExp': return stringify(String(value));
      case 'Boolean': case 'Number': case 'String': case 'BigInt': case 'Symbol':
        if (typeof value.valueOf() !== 'object') return encode(value.valueOf(), seen);
        break;
      case 'Error': case 'DOMException':
        return record({ name: String(value.name), message: String(value.message) }, seen);
      case 'Map': return list(Array.from(value), seen);
      case 'Set': return list(Array.from(value), seen);
      case 'ArrayBuffer': return list(Array.from(new Uint8Array(value)), seen);
    }
    if (typeof value.toJSON === 'function') return encode(value.toJSON(), seen);
    const indexed = Array.isArray(value) || ArrayBuffer.isView(value) && kind !== 'DataView' ||
      ['NodeList', 'HTMLCollection', 'DOMTokenList', 'FileList', 'Arguments'].includes(kind);
    return indexed ? list(value, seen) : record(value, seen);
  };

  let length = 0;
  const counted = text => {
    if ((length += text.length) > maxLength) throw new RangeError('the result is larger than 16 MiB');
    return text;
  };
  const list = (items, seen) => {
    const parts = [];
    for (let i = 0; i < items.length; i++) parts.push(counted(guarded(() => items[i], seen)));
    return '[' + parts.join(',') + ']';
  };
  const record = (value, seen) => {
    const parts = [];
    for (const key of Object.keys(value)) {
      const text = guarded(() => value[key], seen, 'omit');
      if (text !== undefined) parts.push(counted(stringify(key) + ':' + text));
    }
    return '{' + parts.join(',') + '}';
  };
  // A getter may throw; its error takes the place of its value.
  const guarded = (get, seen, undefinedIs) => {
    let value;
    try {
      value = get();
    } catch (error) {
      return stringify('[Threw ' + describe(error) + ']');
    }
    if (value === undefined && undefinedIs === 'omit') return undefined;
    return encode(value, seen);
  };

  const node = value => {
    switch (value.nodeType) {
      case 1: { // An element: its opening tag.
        const tag = value.cloneNode(false).outerHTML.replace(/<\/[^>]*>$/, '');
        return tag.length > 300 ? tag.slice(0, 300) + '…' : tag;
      }
      case 9: return `[Document ${value.URL}]`;
      case 3: case 8: return String(value.nodeValue);
      default: return `[${value.nodeName}]`;
    }
  };
  const describe = error => {
    if (error instanceof Error || error && typeof error.message === 'string') return `${error.name || 'Error'}: ${error.message}`;
    return typeof error === 'object' && error !== null ? encode(error, []) : String(error);
  };

  try {
    // As Playwright does: a function written as a declaration is taken as a value, and is then called.
    const text = source.trim();
    let value = (0, eval)(/^(async)?\s*function(\s|\(|\*)/.test(text) ? `(${text})` : text);
    if (typeof value === 'function') value = value();
    return 'v' + encode(await value, []);
  } catch (error) {
    return 'e' + describe(error);
  }
}
