/** What an expression of the source may be as text: `Model not found: PATH`. */

import ts from "typescript";

/** A condition that holds for one thing only. A message is listed as it is for several. */
const SINGULAR = /=== 1$/;

/** More ways than these to say a part of a text are a hole in it; and calls deeper than this. */
const MOST_WAYS = 9;
const DEEPEST = 7;

/** As the name of a member: whichever it is. */
const ANY = "*";

/** These only write what they are given in another way. */
const FORMATS = /^(listed|enumerated|grouped|nameOfType|engineWords)$/;

/** Words for names of the source that say little to a user. */
const HOLES: readonly (readonly [string, RegExp])[] = [
  ["PATH", /^(SHOWN|NAMED|LAYOUT|MODEL|WRITTEN|MADE|APPPATH)$/],
  ["NAME", /^(TYPED|BASE|PART|NAMES|MISSING|ONE|OTHER|OWN|ENV|END|UNKNOWN)$/],
  ["REASON", /^(ERROR|CAUSE|MESSAGE|BODY|HEADLINE|LOG)$/],
  ["FILE", /^(FIRST|POINT|LOCK)$/],
  ["FILES", /^(DANGEROUS|UNSEEN|LOST|UNUSABLE|PRIVATE|FAILING)$/],
  ["FLAG", /^WITH$/],
  ["HOST", /^LOGIN$/],
  ["IMAGE", /^REFERENCE$/],
  ["N", /^(LENGTH|LONGEST|MOST|COUNT|LEAST|ALL|LEFT|LATER|BYTES|TOTAL|ENTRIES)$/],
  ["DIRECTORY", /^(CWD|JOBS|FOLDER|BOUNDARY)$/],
  ["PLATFORM", /^(ITS|OTHERS)$/],
  ["RUN", /^NEXT$/],
  ["RUNS", /^GONE$/],
  ["SECONDS", /^(RUNTIME|GRACE|TIMEOUT)$/],
  ["TIME", /^(UPLOAD|EXPIRES)$/],
  ["URI", /^ARTIFACT$/],
  ["VALUE", /^ATTACHED$/],
  [
    "...",
    /^(UNDEFINED|WHAT|WHERE|WORDS|HOW|FOUND|ROW|DOUBT|METADATA|INFO|CHANGED|CHOICE|MEANINGS)$/,
  ],
];

/** The texts that expressions may be, with a word in capitals for what only a run knows. */
export class Texts {
  /**
   * @param given the texts that parameters of functions are, by their declarations.
   * @param assumed conditions, as they are written, that are taken to be true or false.
   */
  constructor(
    private readonly checker: ts.TypeChecker,
    private readonly given: ReadonlyMap<ts.Node, readonly string[]> = new Map(),
    private readonly depth: number = 0,
    private readonly assumed: ReadonlyMap<string, boolean> = new Map(),
  ) {}

  /** @param member where the expression is an object or a list, the texts are those of this one. */
  of(node: ts.Expression, member?: string): readonly string[] {
    if (node.getText() === "undefined") return [];
    const ways = this.#waysOf(node, member);
    if (ways.some(hasWords)) return [...new Set(ways)];
    return ways.length === 1 ? ways : [holeFor(node)];
  }

  /** The same in the function that is called, of which there is more to tell then. */
  inCall(call: ts.CallExpression | ts.NewExpression): Texts {
    const parameters = this.checker.getResolvedSignature(call)?.declaration?.parameters ?? [];
    const told = parameters.map((parameter, index) => {
      const node = call.arguments?.[index] ?? (parameter as ts.ParameterDeclaration).initializer;
      // The keys of a file are too many to tell.
      return [parameter, node && parameter.name.getText() !== "key" ? this.of(node) : []] as const;
    });
    const given = new Map(told.filter(([, texts]) => texts.some(hasWords)));
    return new Texts(this.checker, given, this.depth + 1);
  }

  #waysOf(node: ts.Expression, member?: string): readonly string[] {
    if (ts.isStringLiteralLike(node) || ts.isNumericLiteral(node)) return [node.text];
    if (ts.isTemplateExpression(node)) {
      // One condition has one value in the whole text.
      const open = this.#conditionsIn(node).find((one, index, all) =>
        !this.assumed.has(one) && all.indexOf(one) < index
      );
      if (open !== undefined) {
        return [true, false].flatMap((value) => this.#assuming(open, value).of(node, member));
      }
      return node.templateSpans.reduce<readonly string[]>((texts, { expression, literal }) => {
        const ways = this.of(expression);
        const few = ways.length > MOST_WAYS ? [holeFor(expression)] : ways;
        return joined(joined(texts, few), [literal.text]);
      }, [node.head.text]);
    }
    if (ts.isConditionalExpression(node)) {
      const condition = node.condition.getText();
      const value = SINGULAR.test(condition) ? false : this.assumed.get(condition);
      return [
        ...value === false ? [] : this.of(node.whenTrue, member),
        ...value === true ? [] : this.of(node.whenFalse, member),
      ];
    }
    if (ts.isBinaryExpression(node)) {
      const [left, right] = [this.of(node.left, member), this.of(node.right, member)];
      const operator = node.operatorToken.getText();
      if (operator === "??" || operator === "||") return [...left, ...right];
      if (operator === "&&") return right;
      return operator === "+" && !ts.isNumericLiteral(node.right) ? joined(left, right) : ["N"];
    }
    if (ts.isObjectLiteralExpression(node) || ts.isArrayLiteralExpression(node)) {
      return member === undefined ? [] : membersOf(node, member).flatMap((one) => this.of(one));
    }
    if (ts.isElementAccessExpression(node) && !ts.isCallExpression(node.expression)) {
      const keys = literalsOf(this.checker.getTypeAtLocation(node.argumentExpression));
      return (keys ?? [ANY]).flatMap((key) => this.of(node.expression, key)).filter(hasWords);
    }
    if (ts.isCallExpression(node)) return this.#returnedBy(node, member);
    if (ts.isParenthesizedExpression(node) || ts.isAwaitExpression(node)) {
      return this.of(node.expression, member);
    }
    const declaration = this.#declarationOf(node);
    const words = this.given.get(declaration!) ?? this.#wordsOfType(node);
    if (words.length > 0) return words;
    if (ts.isPropertyAccessExpression(node)) {
      return this.of(node.expression, node.name.text).filter(hasWords);
    }
    if (declaration && ts.isBindingElement(declaration)) return this.#taken(declaration);
    const isVariable = declaration && ts.isVariableDeclaration(declaration);
    return isVariable && declaration.initializer ? this.of(declaration.initializer, member) : [];
  }

  /** The conditions on which parts of a text depend, as they are written. */
  #conditionsIn(node: ts.Node): readonly string[] {
    const found: string[] = [];
    const visit = (node: ts.Node): void => {
      const declaration = ts.isIdentifier(node) ? this.#declarationOf(node) : undefined;
      const from = declaration && ts.isBindingElement(declaration)
        ? declaration.parent.parent
        : declaration;
      const value = from && ts.isVariableDeclaration(from) ? from.initializer : node;
      if (value && ts.isConditionalExpression(value)) found.push(value.condition.getText());
      ts.forEachChild(node, visit);
    };
    visit(node);
    return found;
  }

  #assuming(condition: string, value: boolean): Texts {
    const assumed = new Map([...this.assumed, [condition, value]]);
    return new Texts(this.checker, this.given, this.depth, assumed);
  }

  /** What a function of ours returns; what another's method makes is called as what it is made of. */
  #returnedBy(node: ts.CallExpression, member?: string): readonly string[] {
    if (FORMATS.test(node.expression.getText()) || this.depth > DEEPEST) return [];
    const declaration = this.checker.getResolvedSignature(node)?.declaration;
    const body = declaration && "body" in declaration && declaration.body as ts.ConciseBody;
    if (body) {
      const inside = this.inCall(node);
      const texts = returnsOf(body).flatMap((one) => inside.of(one, member));
      return texts.some(hasWords) ? texts : [];
    }
    if (!ts.isPropertyAccessExpression(node.expression)) return [];
    return this.of(node.expression.expression, member).filter(hasWords);
  }

  /** What a name stands for that is taken out of an object or a list: `const { hint } = found`. */
  #taken(element: ts.BindingElement): readonly string[] {
    const { parent: { parent, elements }, propertyName, name } = element;
    const isList = ts.isArrayBindingPattern(element.parent);
    const index = elements.findIndex((one) => one === element);
    const member = isList ? `${index}` : (propertyName ?? name).getText();
    return parent.initializer ? this.of(parent.initializer, member).filter(hasWords) : [];
  }

  #declarationOf(node: ts.Node): ts.Declaration | undefined {
    const symbol = ts.isShorthandPropertyAssignment(node.parent)
      ? this.checker.getShorthandAssignmentValueSymbol(node.parent)
      : this.checker.getSymbolAtLocation(node);
    const isImported = symbol !== undefined && (symbol.flags & ts.SymbolFlags.Alias) !== 0;
    return (isImported ? this.checker.getAliasedSymbol(symbol) : symbol)?.declarations?.[0];
  }

  /** The word that an expression is by its type, or the two; none where it may be others. */
  #wordsOfType(node: ts.Expression): readonly string[] {
    const words = literalsOf(this.checker.getTypeAtLocation(node)) ?? [];
    return words.length <= 2 ? words : [];
  }
}

/** The values of a type of literals. */
function literalsOf(type: ts.Type): readonly string[] | undefined {
  const types = type.isUnion() ? type.types : [type];
  return types.every((one) => one.isLiteral()) ? types.map((one) => `${one.value}`) : undefined;
}

/** The members of an object or a list that is written out: all, or the one of a name. */
export function membersOf(
  node: ts.ObjectLiteralExpression | ts.ArrayLiteralExpression,
  name: string,
): readonly ts.Expression[] {
  const isNamed = (one: string | undefined): boolean => name === ANY || one === name;
  if (ts.isArrayLiteralExpression(node)) return node.elements.filter((_, i) => isNamed(`${i}`));
  return node.properties.filter((one) => isNamed(one.name?.getText())).flatMap((one) => {
    if (ts.isPropertyAssignment(one)) return [one.initializer];
    return ts.isShorthandPropertyAssignment(one) ? [one.name] : [];
  });
}

/** Whether a text has words beside the holes. */
export function hasWords(text: string): boolean {
  return /[a-z]/.test(text);
}

/**
 * A word in capitals for an expression: the last one of its name. A call has that of what it makes, of
 * what it is a method of, or of its last argument.
 */
function holeFor(node: ts.Expression): string {
  const text = node.getText();
  const [, name = text] = text.match(/^(\w*(?:Path|Reference|Name))\(/) ??
    text.match(/^([a-z][\w.!?]*?)[?!]?\.\w+\(/) ?? text.match(/\(([^()]*)\)+$/) ?? [];
  const word = name.match(/([A-Z]?[a-z]+|[A-Z]+)!?$/)?.[1]?.toUpperCase() ?? "...";
  return HOLES.find(([, names]) => names.test(word))?.[0] ?? word;
}

/**
 * Each of some texts before each of others. Two holes without anything between them are one; a hole
 * before the rest of a word is its capital letter.
 */
function joined(left: readonly string[], right: readonly string[]): readonly string[] {
  return left.flatMap((one) =>
    right.map((other) => {
      if (/[A-Z]$/.test(one) && /^[A-Z]{2,}$/.test(other)) return one;
      const isCapital = one === "..." && /^[a-z]/.test(other);
      return isCapital ? other[0]!.toUpperCase() + other.slice(1) : one + other;
    })
  );
}

/** What a function returns, without the functions in it. */
function returnsOf(body: ts.ConciseBody): readonly ts.Expression[] {
  if (!ts.isBlock(body)) return [body];
  const found: ts.Expression[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isReturnStatement(node) && node.expression) found.push(node.expression);
    if (!ts.isFunctionLike(node)) ts.forEachChild(node, visit);
  };
  visit(body);
  return found;
}
