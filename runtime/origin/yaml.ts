import { Composer, type CST, type Document, isScalar, Lexer, Parser, visit } from "yaml";
import { messageOf, MlcliError } from "../errors.ts";
import { inOneLine, isObject } from "../text.ts";

/** Of two equal keys, the last counts: comparing them all takes the square of their number. */
const OPTIONS = {
  logLevel: "error",
  prettyErrors: false,
  stringKeys: true,
  uniqueKeys: false,
} as const;

/** Words, marks and line ends. The library takes the square of their number for some texts. */
const MOST_TOKENS = 30_000;

/** The library searches the whole document for an alias. */
const MOST_ALIASES = 20;

/**
 * Returns a YAML file's mapping. Tags make no objects of it, and aliases do not make it large.
 *
 * @param shown its path in messages.
 * @throws MlcliError if it is no valid YAML, has too many parts, or holds no mapping.
 */
export function mappingIn(text: string, shown: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = valueOf(documentIn(text));
  } catch (cause) {
    throw new MlcliError(
      `Cannot parse ${inOneLine(shown)} as YAML: ${inOneLine(messageOf(cause))}`,
      { cause },
    );
  }
  if (isObject(value)) return value;
  throw new MlcliError(`${inOneLine(shown)} must hold a mapping of keys`, {
    hint: "Without it, mlcli cannot tell what the project is.",
  });
}

/** Parses a document. @throws Error about the first mistake in it, with its line. */
function documentIn(text: string): Document.Parsed {
  const tokens = tokensOf(text);
  const [document, second] = new Composer(OPTIONS).compose(tokens, true, text.length);
  if (second !== undefined) throw new Error("it has several documents");
  const [error] = document!.errors;
  if (error !== undefined) throw mistake(text, error.message, error.pos[0]);
  return document!;
}

function* tokensOf(text: string): Generator<CST.Token> {
  const parser = new Parser();
  let count = 0;
  for (const lexeme of new Lexer().lex(text)) {
    if (++count > MOST_TOKENS) throw new Error(`it has more than ${MOST_TOKENS} tokens`);
    for (const token of parser.next(lexeme)) {
      if (token.type === "error") throw mistake(text, token.message, token.offset);
      yield token;
    }
  }
  yield* parser.end();
}

function mistake(text: string, reason: string, offset: number): Error {
  return new Error(`${reason} (line ${text.slice(0, offset).split("\n").length})`);
}

function valueOf(document: Document.Parsed): unknown {
  let aliases = 0;
  visit(document, {
    Alias() {
      if (++aliases > MOST_ALIASES) throw new Error(`it has more than ${MOST_ALIASES} aliases`);
    },
  });
  return document.toJS();
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
