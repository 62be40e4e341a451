/** The names and texts of a well-formed XML document; an error that says where it is not well-formed. */
export function parseXml(xml: string): { names: string[]; texts: string[] } {
  const names: string[] = [];
  const texts: string[] = [];
  const open: string[] = [];
  let at = 0;
  while (at < xml.length) {
    const rest = xml.slice(at, at + 400_000);
    const tag = /^<(\/?)([a-zA-Z][\w-]*)((?:\s+[a-zA-Z][\w:-]*="[^"<]*")*)\s*(\/?)>/.exec(rest);
    const content = /^[^<]+/.exec(rest);
    if (tag) {
      const [all, closing, name, attributes, empty] = tag;
      const keys = [...attributes.matchAll(/\s([a-zA-Z][\w:-]*)="/g)].map((match) => match[1]);
      if (new Set(keys).size < keys.length) throw new Error(`<${name}> has an attribute twice`);
      checkCharacters(attributes);
      if (closing) {
        if (open.pop() !== name) throw new Error(`</${name}> closes nothing at ${at}`);
      } else {
        names.push(name);
        if (!empty) open.push(name);
      }
      at += all.length;
    } else if (content && open.length > 0) {
      checkCharacters(content[0]);
      texts.push(content[0]);
      at += content[0].length;
    } else {
      throw new Error(`not well-formed at ${at}: ${rest.slice(0, 60)}`);
    }
  }
  if (open.length > 0) throw new Error(`<${open.pop()}> is not closed`);
  return { names, texts };
}

function checkCharacters(text: string): void {
  const bad =
    /&(?!(?:amp|lt|gt|quot|#39);)|[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/u.exec(text);
  if (bad) throw new Error(`${JSON.stringify(bad[0])} does not belong in XML`);
}
