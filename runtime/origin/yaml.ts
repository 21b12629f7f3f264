import { Composer, type CST, type Document, isScalar, Lexer, Parser, visit } from "yaml";
import { messageOf, MlcliError } from "../errors.ts";
import { inOneLine, isObject } from "../text.ts";

/** Keys must be simple: comparing them, or making text of a list, takes the square of their number. */
const OPTIONS = { prettyErrors: false, stringKeys: true, uniqueKeys: false } as const;

/** The library takes the square of their number for some texts. A string is one token. */
const MOST_TOKENS = 30_000;

/** The library searches the whole document for each alias. */
const MOST_ALIASES = 20;

/**
 * Returns a YAML file's mapping. Tags make no objects of it, and aliases do not make it large. Of two
 * equal keys, the last counts.
 *
 * @param shown its path in messages.
 * @throws MlcliError if it is not valid YAML, has too many tokens, or holds no mapping.
 */
export function mappingIn(text: string, shown: string): Readonly<Record<string, unknown>> {
  let [value, aliases]: [unknown, number] = [undefined, 0];
  try {
    const document = documentIn(text);
    visit(document, {
      Alias() {
        if (++aliases > MOST_ALIASES) throw new Error(`it has more than ${MOST_ALIASES} aliases`);
      },
    });
    value = document.toJS();
  } catch (cause) {
    const reason = inOneLine(messageOf(cause));
    throw new MlcliError(`Cannot parse ${inOneLine(shown)} as YAML: ${reason}`, { cause });
  }
  if (isObject(value)) return value;
  throw new MlcliError(`${inOneLine(shown)} must hold a mapping of keys`, {
    hint: "Without it, mlcli cannot tell what the project is.",
  });
}

/** Parses a document up to its first mistake. @throws Error with the reason. */
function documentIn(text: string): Document.Parsed {
  const [document, second] = new Composer(OPTIONS).compose(tokensOf(text), true, text.length);
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
