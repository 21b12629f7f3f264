/**
 * Patterns with wildcards, matched in a time that grows with the pattern's length times the text's.
 *
 * The patterns may come from a stranger. A regular expression made of `*a*a*a*b` can run for years,
 * and Ctrl-C does not end it. So all the ways to read a pattern are followed at once, one character
 * of the text after the other.
 *
 * @module
 */

/** What a pattern wants at one of its places. */
type Part =
  /** This character. */
  | { readonly type: "character"; readonly character: string }
  /** `?`: a character, but no slash. */
  | { readonly type: "any" }
  /** `[a-c]`: one of these characters; or `[^a-c]`: another. */
  | { readonly type: "class"; readonly inverted: boolean; readonly ranges: readonly Range[] }
  /** `*`: characters, but no slash; `**` at the end: characters. */
  | { readonly type: "many"; readonly slashes: boolean }
  /** `**` in front of something: nothing, or directories with the slash behind them. */
  | { readonly type: "folders" };

type Range = readonly [first: string, last: string];

/** A pattern, ready to be used. */
export interface Pattern {
  /** Whether it fits all of a text. */
  fits(text: string): boolean;
  /** Whether it fits all of a path, or a directory that contains it; both with slashes. */
  fitsStart(path: string): boolean;
}

/**
 * Reads a pattern, as Docker does.
 *
 * @param pattern with slashes between directories.
 * @param escapes whether a backslash escapes the character behind it.
 * @throws SyntaxError for a `[` that is not closed, or a range whose end comes before its start.
 */
export function readPattern(pattern: string, escapes: boolean): Pattern {
  const parts = [...partsOf([...pattern], escapes)];
  const reader = new Reader(parts);
  return {
    fits: (text) => reader.read(text).fits,
    fitsStart: (path) => {
      const { fits, fitsFolder } = reader.read(path);
      return fits || fitsFolder;
    },
  };
}

function* partsOf(pattern: readonly string[], escapes: boolean): Generator<Part, void, void> {
  let index = 0;
  while (index < pattern.length) {
    const character = pattern[index++]!;
    if (character === "*" && pattern[index] === "*") {
      index += pattern[index + 1] === "/" ? 2 : 1;
      yield index === pattern.length ? { type: "many", slashes: true } : { type: "folders" };
    } else if (character === "*") {
      yield { type: "many", slashes: false };
    } else if (character === "?") {
      yield { type: "any" };
    } else if (character === "[") {
      const { part, end } = classAt(pattern, index, escapes);
      yield part;
      index = end;
    } else if (character === "\\" && escapes && index < pattern.length) {
      yield { type: "character", character: pattern[index++]! };
    } else {
      yield { type: "character", character };
    }
  }
}

/** @param start the place after the `[`. */
function classAt(
  pattern: readonly string[],
  start: number,
  escapes: boolean,
): { readonly part: Part; readonly end: number } {
  const inverted = pattern[start] === "^";
  const ranges: Range[] = [];
  let index = inverted ? start + 1 : start;
  const character = (): string => {
    if (pattern[index] === "\\" && escapes) index++;
    const found = pattern[index++];
    if (found === undefined) throw new SyntaxError("A [ that is not closed");
    return found;
  };
  // A ] that comes first is a character of the class.
  while (ranges.length === 0 || pattern[index] !== "]") {
    const first = character();
    const isRange = pattern[index] === "-" && pattern[index + 1] !== "]";
    if (isRange) index++;
    const last = isRange ? character() : first;
    if (last < first) throw new SyntaxError("A range that ends before it begins");
    ranges.push([first, last]);
  }
  return { part: { type: "class", inverted, ranges }, end: index + 1 };
}

/** A set of places in a pattern. */
class Places {
  readonly list: number[] = [];
  readonly #isThere: Uint8Array;

  constructor(size: number) {
    this.#isThere = new Uint8Array(size);
  }

  has(place: number): boolean {
    return this.#isThere[place] === 1;
  }

  add(place: number): void {
    if (this.has(place)) return;
    this.#isThere[place] = 1;
    this.list.push(place);
  }

  clear(): void {
    for (const place of this.list) this.#isThere[place] = 0;
    this.list.length = 0;
  }
}

/** Follows all readings of a text at once. */
class Reader {
  /** The places that are reached now, and those reached one character later. */
  #now: Places;
  #next: Places;
  /** The `**` whose directories are being read: what follows them may begin after any slash. */
  readonly #inFolders: Places;

  constructor(readonly parts: readonly Part[]) {
    const size = parts.length + 1;
    [this.#now, this.#next, this.#inFolders] = [size, size, size].map((n) => new Places(n)) as [
      Places,
      Places,
      Places,
    ];
  }

  read(text: string): { readonly fits: boolean; readonly fitsFolder: boolean } {
    this.#now.clear();
    this.#inFolders.clear();
    this.#reach(this.#now, 0);
    let fitsFolder = false;
    for (const character of text) {
      if (character === "/" && this.#atEnd) fitsFolder = true;
      this.#next.clear();
      for (const place of this.#now.list) this.#take(place, character);
      if (character === "/") {
        for (const place of this.#inFolders.list) this.#reach(this.#next, place + 1);
      }
      [this.#now, this.#next] = [this.#next, this.#now];
      if (this.#now.list.length === 0 && this.#inFolders.list.length === 0) break;
    }
    return { fits: this.#atEnd, fitsFolder };
  }

  get #atEnd(): boolean {
    return this.#now.has(this.parts.length);
  }

  #take(place: number, character: string): void {
    const part = this.parts[place];
    if (part === undefined) return;
    if (part.type === "folders") this.#inFolders.add(place);
    else if (part.type === "many") {
      if (part.slashes || character !== "/") this.#reach(this.#next, place);
    } else if (takes(part, character)) this.#reach(this.#next, place + 1);
  }

  /** Adds a place, and the next ones as long as a part may stand for nothing. */
  #reach(places: Places, start: number): void {
    for (let place = start; !places.has(place); place++) {
      places.add(place);
      const type = this.parts[place]?.type;
      if (type !== "many" && type !== "folders") return;
    }
  }
}

function takes(
  part: Exclude<Part, { type: "many" | "folders" }>,
  character: string,
): boolean {
  switch (part.type) {
    case "character":
      return part.character === character;
    case "any":
      return character !== "/";
    case "class":
      return part.inverted !==
        part.ranges.some(([first, last]) => first <= character && character <= last);
  }
}
