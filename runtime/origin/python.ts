/** Python files, as far as they can be understood without running Python. */

/** A statement that begins in the first column, with all that is indented below it. */
export interface Statement {
  /** As it stands, with its decorators and the comments before it. */
  text: string;
  /** Without comments, strings as `""`, and what is in brackets in one line. */
  code: string;
}

/** A string, a comment, a joined line, plain characters, or any other character. */
const TOKEN =
  /"""(?:\\[^]|[^\\])*?"""|'''(?:\\[^]|[^\\])*?'''|"(?:\\[^]|[^\\\n"])*"|'(?:\\[^]|[^\\\n'])*'|#[^\n]*|\\\n|[\w \t.,:;=]+|[^]/g;

/**
 * The statements of a file; their texts make it up again. `undefined` where it cannot be split for
 * certain: it is no valid Python, or has strings within strings, as Python 3.12 may.
 */
export function statementsOf(file: string): readonly Statement[] | undefined {
  const source = file.replace(/^\uFEFF/, "").replaceAll(/\r\n?/g, "\n").replace(/\n?$/, "\n");
  const statements: Statement[] = [];
  let [line, code, comments, depth, isDecorated] = ["", "", "", 0, false];
  for (const { 0: token, index } of source.matchAll(TOKEN)) {
    // Quotes and backslashes that do nothing, and what sets the column back.
    if (/^["'\\\f\0]$/.test(token)) return undefined;
    depth += Number(/^[([{]$/.test(token)) - Number(/^[)\]}]$/.test(token));
    const isInside = depth > 0 && token === "\n";
    // What cannot stand in brackets: one that counted was none, or is not closed.
    if (isInside && /^(def|class|import)\b/.test(source.slice(index + 1, index + 9))) depth = -1;
    if (depth < 0) return undefined;
    line += token;
    if (/^["']/.test(token)) code += '""';
    else if (!token.startsWith("#")) code += isInside || token === "\\\n" ? " " : token;
    if (token !== "\n" || isInside) continue;
    const last = statements.at(-1);
    const isMore = isDecorated || /^([ \t]|(else|elif|except|finally)\b)/.test(code);
    if (code.trim() === "") comments += line;
    else {
      if (last !== undefined && isMore) {
        last.text += comments + line;
        last.code += code;
      } else statements.push({ text: comments + line, code });
      [comments, isDecorated] = ["", code.startsWith("@")];
    }
    [line, code] = ["", ""];
  }
  const last = statements.at(-1);
  if (last !== undefined) last.text += comments;
  return depth === 0 ? statements : undefined;
}

/** First names of the modules that a file imports: `a` of `import a.b`; empty for a relative import. */
export function importsOf(file: string): readonly string[] {
  const code = statementsOf(file)?.map((statement) => statement.code).join("") ?? file;
  const found = /(?:^|[;:])[ \t]*(?:import[ \t]+([^\n;#]+)|from[ \t]+([.\w]+)[ \t]+import\b)/gm;
  return Array.from(code.matchAll(found), ([, names, from = ""]) => names?.split(",") ?? [from])
    .flat().map((name) => name.trim().split(/[.\s]/)[0]!);
}

/** The names that a statement gives: to a function, a variable, or what it imports. */
export function namesOf({ code }: Statement): readonly string[] {
  const [, defined, imported, assigned] =
    /^(?:@.*\n)*(?:(?:async )?(?:def|class) +(\w+)|(?:from .*)?import +(.*)|([\w ,]+)[:=](?!=))/
      .exec(code) ?? [];
  const names = (defined ?? imported ?? assigned ?? "").split(",");
  return names.map((name) => name.match(/\w+/g)?.at(-1) ?? "").filter((name) => name !== "");
}

const WORD = /(?<![.\w])[A-Za-z_]\w*/g;
const BINDING = /^(?:async )?def.{0,2000}?\)[^:\n]{0,200}:|\b\w+ *=(?!=)|\b(?:as|for) +\w+/g;

/** The names that a statement may take from others: in a function, those that it does not bind. */
function needsOf({ code }: Statement): ReadonlySet<string> {
  const [, decorators = "", rest = ""] = /^((?:@.*\n)*)([^]*)$/.exec(code) ?? [];
  const bindings = /^(async )?(def|class)\b/.test(rest) ? rest.match(BINDING) ?? [] : [];
  const own = new Set(bindings.flatMap((text) => text.match(WORD) ?? []));
  const words = (rest.match(WORD) ?? []).filter((word) => !own.has(word));
  return new Set([...words, ...decorators.match(WORD) ?? []]);
}

/** Flask's application, the model that a script loads for it, and what starts the two. */
const SERVER =
  /^[ \t]*(from|import)\b.*\bflask|\bFlask *\(|^\w+ *= *model_fn *\(|^if\b.*\b__name__\b/m;

/**
 * A serving script's statements: those to keep, and Flask's with all that mention what is cut. `undefined`
 * where the functions of the model cannot be told from the server.
 */
export function withoutServer(
  file: string,
): readonly [kept: Statement[], cut: Statement[]] | undefined {
  // No serving script is longer.
  const all = file.length > 100_000 ? undefined : statementsOf(file);
  if (all === undefined || !all.some(({ code }) => /\bflask\b/i.test(code))) {
    return all && [[...all], []];
  }
  const uses = all.flatMap((user) => Array.from(needsOf(user), (name) => ({ name, user })));
  const usesOf = Map.groupBy(uses, ({ name }) => name);
  const cut = new Set(all.filter(({ code }) => SERVER.test(code)));
  // The loop adds to `cut`.
  for (const name of cut.values().flatMap(namesOf)) {
    for (const { user } of usesOf.get(name) ?? []) cut.add(user);
    usesOf.delete(name);
  }
  const kept = all.filter((one) => !cut.has(one));
  const has = kept.flatMap(namesOf);
  // A line that is cut may do something else, too.
  const isMixed = [...cut].some(({ code }) => /^.*;|^import\b.*,/.test(code));
  if (isMixed || !has.includes("model_fn") || !has.includes("predict_fn")) return undefined;
  return [kept, all.filter((one) => cut.has(one))];
}
