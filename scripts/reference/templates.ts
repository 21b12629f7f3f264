/** What an expression of the source may be as text: `Model not found: PATH`. */

import ts from "typescript";

/** What parameters stand for, by their declarations. */
export type Known = ReadonlyMap<ts.Node, Value>;

/** An expression, with what the parameters in it stand for. */
interface Value {
  readonly node: ts.Expression;
  readonly known: Known;
}

/** More ways than these to say a part of a text are a hole in it, and calls deeper than this. */
const MOST_WAYS = 5;
const DEEPEST = 12;

/** These only write what they are given in another way. */
const FORMATS = /^(listed|enumerated|grouped|nameOfType|engineWords|reasonOf)$/;

/** Words for names of the source that say little to a user. */
const HOLES: Readonly<Record<string, string>> = {
  ...byWord("PATH", "SHOWN JOIN NAMED APPPATH LAYOUT MODEL WRITTEN"),
  ...byWord("FILE", "BASENAME"),
  ...byWord("DIRECTORY", "CWD JOBS"),
  ...byWord("NAME", "TYPED BASE PART NAMES"),
  ...byWord("REASON", "ERROR CAUSE MESSAGE"),
  ...byWord("IMAGE", "REFERENCE"),
  ...byWord("CALL", "FIND"),
  ...byWord("N", "LENGTH MATH MOST COUNT LEAST"),
  ...byWord(
    "...",
    "OBJECT OF WHAT WHERE WORDS HOW FOUND ROW DOUBT METADATA UNDEFINED AGAIN INFO CHANGED",
  ),
};

/** The texts that expressions may be, with a word in capitals for what only a run knows. */
export class Templates {
  constructor(private readonly checker: ts.TypeChecker) {}

  textsOf(node: ts.Expression, known: Known): readonly string[] {
    return this.#texts({ node, known }, 0);
  }

  /** The texts of a member of objects; of what is none, its own. */
  textsOfMember(node: ts.Expression, name: string, known: Known): readonly string[] {
    return this.#values({ node, known }, 0)
      .flatMap((one) => ts.isObjectLiteralExpression(one.node) ? membersOf(one, name) : [one])
      .flatMap((one) => this.#texts(one, 0));
  }

  #declarationOf(node: ts.Node): ts.Declaration | undefined {
    const symbol = ts.isShorthandPropertyAssignment(node.parent)
      ? this.checker.getShorthandAssignmentValueSymbol(node.parent)
      : this.checker.getSymbolAtLocation(node);
    const isAlias = symbol !== undefined && (symbol.flags & ts.SymbolFlags.Alias) !== 0;
    return (isAlias ? this.checker.getAliasedSymbol(symbol) : symbol)?.declarations?.[0];
  }

  /** The parameter that a name is, or is a part of. */
  parameterOf(name: ts.Identifier): ts.ParameterDeclaration | undefined {
    let declaration: ts.Node | undefined = this.#declarationOf(name);
    while (declaration && ts.isBindingElement(declaration)) {
      declaration = declaration.parent.parent;
    }
    return declaration && ts.isParameter(declaration) ? declaration : undefined;
  }

  #texts(value: Value, depth: number): readonly string[] {
    const texts = this.#values(value, depth).flatMap((one) => this.#write(one, depth + 1));
    const different = [...new Set(texts)];
    if (!different.some((text) => /[a-z]/.test(text))) {
      return [different.find((text) => text.trim() !== "") ?? hole(value.node)];
    }
    return depth > 0 && different.length > MOST_WAYS ? [hole(value.node)] : different;
  }

  #write({ node, known }: Value, depth: number): readonly string[] {
    const of = (part: ts.Expression): readonly string[] =>
      this.#texts({ node: part, known }, depth);
    if (ts.isStringLiteralLike(node) || ts.isNumericLiteral(node)) return [node.text];
    if (ts.isTemplateExpression(node)) {
      return node.templateSpans.reduce<readonly string[]>(
        (texts, { expression, literal }) => joined(joined(texts, of(expression)), [literal.text]),
        [node.head.text],
      );
    }
    if (ts.isBinaryExpression(node)) {
      const { flags } = this.checker.getTypeAtLocation(node);
      const isNumber = (flags & ts.TypeFlags.NumberLike) !== 0 || ts.isNumericLiteral(node.right);
      return isNumber ? ["N"] : joined(of(node.left), of(node.right));
    }
    const words = this.#literals(node);
    return words.length > 0 && words.length <= MOST_WAYS ? words : [hole(node)];
  }

  /** The words that an expression may be, by its type; none where it may be any. */
  #literals(node: ts.Expression): readonly string[] {
    const type = this.checker.getTypeAtLocation(node);
    const types = type.isUnion() ? type.types : [type];
    const words = types.flatMap((one) => one.isStringLiteral() ? [one.value] : []);
    return words.length === types.length ? words : [];
  }

  /** What an expression stands for: an argument, a constant, what a function returns, a choice. */
  #values(value: Value, depth: number): readonly Value[] {
    const { node, known } = value;
    const of = (...parts: readonly ts.Expression[]): readonly Value[] =>
      parts.flatMap((part) => this.#values({ node: part, known }, depth + 1));
    if (depth > DEEPEST) return [value];
    if (node.getText() === "undefined") return [];
    if (ts.isConditionalExpression(node)) return of(node.whenTrue, node.whenFalse);
    if (ts.isBinaryExpression(node)) {
      if (!/^(\?\?|\|\|)$/.test(node.operatorToken.getText())) return [value];
      const left = of(node.left);
      const isText = left.length > 0 && left.every((one) => ts.isStringLiteralLike(one.node));
      return isText ? left : [...left, ...of(node.right)];
    }
    if (ts.isCallExpression(node)) return this.#returned(node, known, depth) ?? [value];
    if (ts.isElementAccessExpression(node)) {
      const keys = this.#literals(node.argumentExpression);
      const members = of(node.expression).flatMap((one) =>
        keys.length === 0 ? membersOf(one) : keys.flatMap((key) => membersOf(one, key))
      );
      return members.length === 0
        ? [value]
        : members.flatMap((one) => this.#values(one, depth + 1));
    }
    if ("expression" in node && !ts.isPropertyAccessExpression(node) && !ts.isNewExpression(node)) {
      return of(node.expression as ts.Expression); // (...), await, as, satisfies, !
    }
    const found = ts.isPropertyAccessExpression(node)
      ? of(node.expression).flatMap((one) => membersOf(one, node.name.text))
      : this.#declared(value, depth);
    return found.length === 0 ? [value] : found.flatMap((one) => this.#values(one, depth + 1));
  }

  /** What a name was declared as. */
  #declared({ node, known }: Value, depth: number): readonly Value[] {
    const declaration = ts.isIdentifier(node) ? this.#declarationOf(node) : undefined;
    if (declaration === undefined) return [];
    const given = known.get(declaration);
    if (given !== undefined) return [given];
    if (ts.isBindingElement(declaration)) {
      const { parent: pattern } = declaration;
      const source = known.get(pattern.parent) ??
        (pattern.parent.initializer && { node: pattern.parent.initializer, known });
      const name = ts.isArrayBindingPattern(pattern)
        ? `${pattern.elements.indexOf(declaration)}`
        : (declaration.propertyName ?? declaration.name).getText();
      return source ? this.#values(source, depth + 1).flatMap((one) => membersOf(one, name)) : [];
    }
    const isConstant = ts.isVariableDeclaration(declaration) &&
      (declaration.parent.flags & ts.NodeFlags.Const) !== 0;
    return isConstant && declaration.initializer ? [{ node: declaration.initializer, known }] : [];
  }

  /** What a function of ours returns. What another one makes is called as what it makes it of. */
  #returned(
    node: ts.CallExpression,
    known: Known,
    depth: number,
  ): readonly Value[] | undefined {
    if (FORMATS.test(node.expression.getText())) return undefined;
    const declaration = this.checker.getResolvedSignature(node)?.declaration;
    const body = declaration && "body" in declaration && declaration.body as ts.ConciseBody;
    if (!body) {
      const of = ts.isPropertyAccessExpression(node.expression) ? node.expression.expression : node;
      const made = /^([A-Z][a-z]+|JSON)$/.test(of.getText()) ? node.arguments[0] : of;
      if (made === undefined || made === node) return undefined;
      const values = this.#values({ node: made, known }, depth + 1);
      return values.some((one) => ts.isArrayLiteralExpression(one.node)) ? undefined : values;
    }
    const given = new Map(known);
    declaration.parameters.forEach((parameter, index) => {
      const argument = node.arguments[index] ?? (parameter as ts.ParameterDeclaration).initializer;
      if (argument !== undefined) given.set(parameter, { node: argument, known });
    });
    const returned = ts.isBlock(body) ? returnsOf(body) : [body];
    return returned.flatMap((one) => this.#values({ node: one, known: given }, depth + 1));
  }
}

/** Whether a text has words beside the holes. */
export function saysSomething(text: string): boolean {
  return /[a-z]{2}/.test(text);
}

/** A member of an object or a list; all, without a name. */
function membersOf({ node, known }: Value, name?: string): readonly Value[] {
  const members: readonly (readonly [string, ts.Expression])[] = ts.isArrayLiteralExpression(node)
    ? node.elements.map((element, index) => [`${index}`, element])
    : ts.isObjectLiteralExpression(node)
    ? node.properties.flatMap((one) =>
      ts.isPropertyAssignment(one)
        ? [[one.name.getText(), one.initializer] as const]
        : ts.isShorthandPropertyAssignment(one)
        ? [[one.name.text, one.name] as const]
        : []
    )
    : [];
  return members.filter(([key]) => name === undefined || key === name)
    .map(([, member]) => ({ node: member, known }));
}

/** A word in capitals for an expression: the last word of its name. */
function hole(node: ts.Expression): string {
  if (ts.isCallExpression(node)) {
    const [first] = node.arguments;
    if (first && !ts.isFunctionLike(first)) return hole(first);
    const callee = node.expression;
    return hole(ts.isPropertyAccessExpression(callee) ? callee.expression : callee);
  }
  if (ts.isElementAccessExpression(node) || ts.isNonNullExpression(node)) {
    return hole(node.expression);
  }
  const name = ts.isPropertyAccessExpression(node) ? node.name.text : node.getText();
  const word = name.match(/([A-Z]?[a-z]+|[A-Z]+)$/)?.[0].toUpperCase() ?? "...";
  return HOLES[word] ?? word;
}

function byWord(word: string, names: string): Readonly<Record<string, string>> {
  return Object.fromEntries(names.split(" ").map((name) => [name, word]));
}

/**
 * Each of some texts before each of others. Two holes without a word between them are one; one before
 * a word is its first letter, or may be nothing.
 */
function joined(left: readonly string[], right: readonly string[]): readonly string[] {
  return left.flatMap((one) =>
    right.map((other) => {
      if (/[A-Z]$/.test(one) && /^[A-Z]+$/.test(other)) return one;
      return (/^([a-z]|N )/.test(other) ? one.replace(/(\.\.\.|[A-Z]{2,})$/, "") : one) + other;
    })
  );
}

/** What a function returns, without the functions in it. */
function returnsOf(node: ts.Node): readonly ts.Expression[] {
  if (ts.isReturnStatement(node)) return node.expression ? [node.expression] : [];
  const found: ts.Expression[] = [];
  ts.forEachChild(node, (child) => {
    if (!ts.isFunctionLike(child)) found.push(...returnsOf(child));
  });
  return found;
}
