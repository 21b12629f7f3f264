import { Composer, CST, type Document, isScalar, Lexer, Parser, visit } from "yaml";
import { messageOf, MlcliError } from "../errors.ts";
import { inOneLine, isObject } from "../text.ts";

/** Keys must be simple: comparing them, or making text of a list, takes the square of their number. */
const OPTIONS = { stringKeys: true, uniqueKeys: false } as const;

/**
 * The most of each kind of token in a file. For some texts, the library's time grows with the square of
 * the number of tokens (a string is one token), and it searches the whole document for each alias.
 */
const MOST = { tokens: 30_000, aliases: 20, escapes: 50_000 };

/**
 * Returns a YAML file's mapping. Tags make no objects of it, and aliases do not make it large. Of two
 * equal keys, the last counts.
 *
 * @param shown its path in messages.
 * @throws MlcliError if it is not valid YAML, has too many tokens, or holds no mapping.
 */
export function mappingIn(text: string, shown: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = documentIn(text).toJS();
  } catch (cause) {
    const reason = inOneLine(messageOf(cause));
    throw new MlcliError(`Cannot parse ${inOneLine(shown)} as YAML: ${reason}`, { cause });
  }
  if (isObject(value)) return value;
  throw new MlcliError(`${inOneLine(shown)} must contain a mapping`, {
    hint: "Write lines such as KEY: VALUE at the top level of the file",
  });
}

/** Parses a document. @throws Error with the reason for its first mistake. */
function documentIn(text: string): Document.Parsed {
  const [document, second] = new Composer(OPTIONS).compose(tokensOf(text), true, text.length);
  if (second !== undefined) throw new Error("it contains several documents");
  const [error] = document!.errors;
  if (error?.code === "RESOURCE_EXHAUSTION") throw new Error("it is nested too deeply");
  if (error !== undefined) throw mistake(text, error.message, error.pos[0]);
  return document!;
}

function mistake(text: string, reason: string, offset: number): Error {
  return new Error(`${reason} (line ${text.slice(0, offset).split("\n").length})`);
}

function* tokensOf(text: string): Generator<CST.Token> {
  const parser = new Parser();
  const count = { tokens: 0, aliases: 0, escapes: 0 };
  for (const lexeme of new Lexer().lex(text)) {
    count.tokens++;
    if (CST.tokenType(lexeme) === "alias") count.aliases++;
    // The library keeps an error for each wrong escape.
    if (lexeme.startsWith('"')) count.escapes += lexeme.split("\\").length - 1;
    for (const kind of ["tokens", "aliases", "escapes"] as const) {
      if (count[kind] > MOST[kind]) throw new Error(`it contains more than ${MOST[kind]} ${kind}`);
    }
    for (const token of parser.next(lexeme)) {
      if (token.type === "error") throw mistake(text, token.message, token.offset);
      yield token;
    }
  }
  yield* parser.end();
}

/**
 * Returns a YAML text with some strings replaced, and everything else as it was.
 *
 * @param edit returns the string for a value of a mapping, or the value itself.
 */
export function withStrings(text: string, edit: (value: string, key: string) => string): string {
  const pieces: string[] = [];
  let end = 0;
  visit(documentIn(text), {
    Pair(_, { key, value }) {
      if (!isScalar(value) || typeof value.value !== "string") return;
      const other = edit(value.value, isScalar(key) ? String(key.value) : "");
      if (other === value.value) return;
      const [start, after] = value.range!;
      pieces.push(text.slice(end, start), JSON.stringify(other));
      // A block scalar ends after its line break.
      end = text[after - 1] === "\n" ? after - 1 : after;
    },
  });
  return pieces.join("") + text.slice(end);
}
