/** What an expression of the source may be as text: `Model not found: PATH`. */

import ts from "typescript";

/** The texts that the parameters of a function may be in a call of it. */
export type Given = ReadonlyMap<ts.Node, readonly string[]>;

/** More ways than these to say a part of a text are a hole in it; and steps deeper than these. */
const MOST_WAYS = 9;
const DEEPEST = 9;

/** As the name of a member: whichever it is. */
const ANY = "*";

/** These only write what they are given in another way. */
const FORMATS = /^(listed|enumerated|grouped|nameOfType|engineWords)$/;

/** Words for names of the source that say little to a user. */
const HOLES: readonly (readonly [string, RegExp])[] = [
  ["PATH", /^(SHOWN|NAMED|LAYOUT|MODEL|WRITTEN|MADE|APPPATH)$/],
  ["NAME", /^(TYPED|BASE|PART|NAMES)$/],
  ["REASON", /^(ERROR|CAUSE|MESSAGE|BODY)$/],
  ["FILES", /^(DANGEROUS|UNSEEN)$/],
  ["IMAGE", /^REFERENCE$/],
  ["N", /^(LENGTH|LONGEST|MOST|COUNT|LEAST)$/],
  ["DIRECTORY", /^(CWD|JOBS|FOLDER)$/],
  ["...", /^(WHAT|WHERE|WORDS|HOW|FOUND|ROW|DOUBT|METADATA|AGAIN|INFO|CHANGED|CHOICE|MEANINGS)$/],
];

/** The texts that expressions may be, with a word in capitals for what only a run knows. */
export class Texts {
  constructor(private readonly checker: ts.TypeChecker) {}

  /** @param member the texts are of that member, where the expression is an object or a list. */
  of(node: ts.Expression, given: Given, member?: string, depth = 0): readonly string[] {
    if (node.getText() === "undefined") return [];
    const ways = depth > DEEPEST ? [] : this.#ways(node, given, member, depth);
    if (ways.some(hasWords)) return [...new Set(ways)];
    return ways.length === 1 ? ways : [hole(node)];
  }

  /** What a call gives to the function that it calls; no names of keys, of which there are many. */
  givenBy(call: ts.CallExpression | ts.NewExpression, given: Given, depth = 0): Given {
    const parameters = this.checker.getResolvedSignature(call)?.declaration?.parameters ?? [];
    const texts = parameters.map((parameter, index) => {
      const node = call.arguments?.[index] ?? (parameter as ts.ParameterDeclaration).initializer;
      const isKey = parameter.name.getText() === "key";
      return [parameter, node && !isKey ? this.of(node, given, undefined, depth + 1) : []] as const;
    });
    return new Map(texts.filter(([, ways]) => ways.some(hasWords)));
  }

  /** The texts, if there are any; and what an expression is made of, as if it were that. */
  #ways(
    node: ts.Expression,
    given: Given,
    member: string | undefined,
    depth: number,
  ): readonly string[] {
    const of = (part: ts.Expression | undefined, name = member): readonly string[] =>
      part ? this.of(part, given, name, depth + 1) : [];
    if (ts.isStringLiteralLike(node) || ts.isNumericLiteral(node)) return [node.text];
    if (ts.isTemplateExpression(node)) {
      return node.templateSpans.reduce<readonly string[]>((texts, { expression, literal }) => {
        const ways = of(expression);
        const few = ways.length > MOST_WAYS ? [hole(expression)] : ways;
        return joined(joined(texts, few), [literal.text]);
      }, [node.head.text]);
    }
    if (ts.isConditionalExpression(node)) return [...of(node.whenTrue), ...of(node.whenFalse)];
    if (ts.isBinaryExpression(node)) {
      const operator = node.operatorToken.getText();
      if (operator === "??" || operator === "||") return [...of(node.left), ...of(node.right)];
      if (operator === "&&") return of(node.right);
      const isSum = operator === "+" && !ts.isNumericLiteral(node.right);
      return isSum ? joined(of(node.left), of(node.right)) : ["N"];
    }
    if (ts.isObjectLiteralExpression(node) || ts.isArrayLiteralExpression(node)) {
      if (member === undefined) return [];
      return membersOf(node, member).flatMap((one) => this.of(one, given, undefined, depth + 1));
    }
    if (ts.isElementAccessExpression(node) && !ts.isCallExpression(node.expression)) {
      return of(node.expression, ANY).filter(hasWords);
    }
    if (ts.isCallExpression(node)) return this.#callWays(node, given, member, depth);
    if (ts.isParenthesizedExpression(node) || ts.isAwaitExpression(node)) {
      return of(node.expression);
    }
    const declaration = this.#declarationOf(node);
    const words = given.get(declaration!) ?? this.#wordsOfType(node);
    if (words.length > 0) return words;
    if (ts.isPropertyAccessExpression(node)) {
      return of(node.expression, node.name.text).filter(hasWords);
    }
    if (declaration && ts.isBindingElement(declaration)) {
      const { parent: { parent, elements }, propertyName, name } = declaration;
      const isList = ts.isArrayBindingPattern(declaration.parent);
      const key = isList ? elements.findIndex((one) => one === declaration) : propertyName ?? name;
      return of(parent.initializer, typeof key === "number" ? `${key}` : key.getText())
        .filter(hasWords);
    }
    return declaration && ts.isVariableDeclaration(declaration) ? of(declaration.initializer) : [];
  }

  /** What a function of ours returns; of another's method, what it is a method of. */
  #callWays(
    node: ts.CallExpression,
    given: Given,
    member: string | undefined,
    depth: number,
  ): readonly string[] {
    if (FORMATS.test(node.expression.getText())) return [];
    const declaration = this.checker.getResolvedSignature(node)?.declaration;
    const body = declaration && "body" in declaration && declaration.body as ts.ConciseBody;
    if (body) {
      const inner = this.givenBy(node, given, depth);
      const texts = returnsOf(body).flatMap((one) => this.of(one, inner, member, depth + 1));
      return texts.some(hasWords) ? texts : [];
    }
    if (!ts.isPropertyAccessExpression(node.expression)) return [];
    return this.of(node.expression.expression, given, member, depth + 1).filter(hasWords);
  }

  /** What a name stands for. */
  #declarationOf(node: ts.Node): ts.Declaration | undefined {
    const symbol = ts.isShorthandPropertyAssignment(node.parent)
      ? this.checker.getShorthandAssignmentValueSymbol(node.parent)
      : this.checker.getSymbolAtLocation(node);
    const isImported = symbol !== undefined && (symbol.flags & ts.SymbolFlags.Alias) !== 0;
    return (isImported ? this.checker.getAliasedSymbol(symbol) : symbol)?.declarations?.[0];
  }

  /** The word that an expression is by its type, or the two; none where it may be others. */
  #wordsOfType(node: ts.Expression): readonly string[] {
    const type = this.checker.getTypeAtLocation(node);
    const types = type.isUnion() ? type.types : [type];
    const isKnown = types.length <= 2 && types.every((one) => one.isLiteral());
    return isKnown ? types.map((one) => `${(one as ts.LiteralType).value}`) : [];
  }
}

/** The members of an object or a list that is written out: all, or the one of a name. */
export function membersOf(
  node: ts.ObjectLiteralExpression | ts.ArrayLiteralExpression,
  name: string,
): readonly ts.Expression[] {
  const isNamed = (one: string | undefined): boolean => name === ANY || one === name;
  if (ts.isArrayLiteralExpression(node)) return node.elements.filter((_, i) => isNamed(`${i}`));
  return node.properties.filter((one) => isNamed(one.name?.getText())).flatMap((one) =>
    ts.isPropertyAssignment(one)
      ? [one.initializer]
      : ts.isShorthandPropertyAssignment(one)
      ? [one.name]
      : []
  );
}

/** Whether a text has words beside the holes. */
export function hasWords(text: string): boolean {
  return /[a-z]/.test(text);
}

/**
 * A word in capitals for an expression: the last one of its name. A call has that of what it makes, of
 * what it is a method of, or of its last argument.
 */
function hole(node: ts.Expression): string {
  const text = node.getText();
  const [, name = text] = text.match(/^(\w*(?:Path|Reference|Name))\(/) ??
    text.match(/^([a-z][\w.!?]*?)[?!]?\.\w+\(/) ?? text.match(/\(([^()]*)\)+$/) ?? [];
  const word = name.match(/([A-Z]?[a-z]+|[A-Z]+)!?$/)?.[1]?.toUpperCase() ?? "...";
  return HOLES.find(([, names]) => names.test(word))?.[0] ?? word;
}

/** Each of some texts before each of others; two holes without anything between them are one. */
function joined(left: readonly string[], right: readonly string[]): readonly string[] {
  return left.flatMap((one) =>
    right.map((other) => /[A-Z]$/.test(one) && /^[A-Z]{2,}$/.test(other) ? one : one + other)
  );
}

/** What a function returns, without the functions in it. */
function returnsOf(body: ts.Node): readonly ts.Expression[] {
  if (ts.isExpression(body)) return [body];
  const found: ts.Expression[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isReturnStatement(node) && node.expression) found.push(node.expression);
    if (!ts.isFunctionLike(node)) ts.forEachChild(node, visit);
  };
  ts.forEachChild(body, visit);
  return found;
}
