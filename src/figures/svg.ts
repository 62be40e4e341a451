/** An attribute's value; `undefined` leaves the attribute out. */
type Attribute = string | number | undefined;

/** An SVG element as text. Children are SVG already; texts go through `escapeText` first. */
export function element(name: string, attributes: Record<string, Attribute>, ...children: string[]): string {
  let open = `<${name}`;
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined) continue;
    open += ` ${key}="${typeof value === 'number' ? coordinate(value) : escapeText(value)}"`;
  }
  return children.length > 0 ? `${open}>${children.join('')}</${name}>` : `${open}/>`;
}

/** A line of text at a place. */
export function text(
  content: string,
  x: number,
  y: number,
  attributes: Record<string, Attribute> = {},
): string {
  return element('text', { class: 'text', x, y, ...attributes }, escapeText(content));
}

/** Hundredths of a pixel are enough for any picture, and keep files small. */
export function coordinate(value: number): string {
  if (!Number.isFinite(value)) throw new RangeError(`a figure cannot show a coordinate of ${value}`);
  return String(Math.round(value * 100) / 100);
}

/** Text that is safe inside an element or an attribute, of SVG and of HTML. */
export function escapeText(value: string): string {
  return value.replace(NOT_IN_XML, '\uFFFD').replace(/[&<>"']/g, (sign) => ENTITIES[sign]);
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Everything but the characters that XML 1.0 allows: no control characters, no halves of surrogate pairs. */
const NOT_IN_XML = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu;
