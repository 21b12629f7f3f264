/** The messages that mlcli prints, as its source has them. */

import { dirname, join } from "@std/path";
import ts from "typescript";
import { type Known, saysSomething, Templates } from "./templates.ts";

/** A message, with a word in capitals for what only a run knows: `Model not found: PATH`. */
export interface Message {
  readonly text: string;
  /** What mlcli says to do about it, in as many ways as it knows. */
  readonly hints: readonly string[];
  /** The file that has it: `runtime/app/layout.ts`. */
  readonly path: string;
}

/** Where a message and its hint stand in the source. */
interface Place {
  readonly message: ts.Expression;
  /** The hint, or an object that holds it. */
  readonly details: ts.Expression | undefined;
}

/** All messages in files, which are named relative to a directory that ends with `/`. */
export function messagesIn(paths: readonly string[], root: string): readonly Message[] {
  const program = programOf(paths.map((path) => root + path));
  const checker = program.getTypeChecker();
  const templates = new Templates(checker);
  const nodes = paths.flatMap((path) => descendants(program.getSourceFile(root + path)!));
  const calls = callsIn(nodes, checker);
  return nodes.flatMap((node) => placesAt(node, checker)).flatMap(({ message, details }) => {
    const path = message.getSourceFile().fileName.slice(root.length);
    const parts = details === undefined ? [message] : [message, details];
    return callersOf(parts, calls, templates).flatMap((known) => {
      const hints = details === undefined ? [] : templates.textsOfMember(details, "hint", known);
      return templates.textsOf(message, known).filter(saysSomething)
        .map((text) => ({ text, hints: hints.filter(saysSomething), path }));
    });
  });
}

/** Of these files alone: what is installed on a machine, and where, changes nothing. */
function programOf(files: readonly string[]): ts.Program {
  const options = { noLib: true, strict: true, target: ts.ScriptTarget.ESNext, types: [] };
  const host = ts.createCompilerHost(options);
  host.resolveModuleNameLiterals = (names, from) =>
    names.map(({ text }) => {
      const resolvedFileName = join(dirname(from), text).replaceAll("\\", "/");
      const resolvedModule = { resolvedFileName, extension: ts.Extension.Ts };
      return { resolvedModule: files.includes(resolvedFileName) ? resolvedModule : undefined };
    });
  return ts.createProgram(files, options, host);
}

function descendants(node: ts.Node): readonly ts.Node[] {
  const found = [node];
  // What is found is looked into in its turn.
  for (const one of found) ts.forEachChild(one, (child) => void found.push(child));
  return found;
}

type Call = ts.CallExpression | ts.NewExpression;

/** The calls of each function and constructor. */
function callsIn(nodes: readonly ts.Node[], checker: ts.TypeChecker) {
  const calls = nodes.filter((node) => ts.isCallExpression(node) || ts.isNewExpression(node));
  return Map.groupBy(calls, (call) => checker.getResolvedSignature(call)?.declaration);
}

/** The message that a node of the source makes, if it makes one. */
function placesAt(node: ts.Node, checker: ts.TypeChecker): readonly Place[] {
  if (ts.isArrowFunction(node) && ts.isArrayLiteralExpression(node.body)) {
    const [message, details, more] = node.body.elements; // as those of a table of failures
    return message && details && !more && [message, details].every(isSentence)
      ? [{ message, details }]
      : [];
  }
  if (ts.isObjectLiteralExpression(node)) {
    const message = property(node, "message");
    return message && property(node, "status")?.getText() !== '"ok"'
      ? [{ message, details: property(node, "hint") }]
      : [];
  }
  if (!ts.isCallExpression(node) && !ts.isNewExpression(node)) return [];
  const isSuper = node.expression.kind === ts.SyntaxKind.SuperKeyword;
  const made = isSuper ? ts.findAncestor(node, ts.isClassLike)! : node;
  const isMessage = /^(.+\.#?)?(warn|warning|warningText)$/.test(node.expression.getText()) ||
    (isSuper || ts.isNewExpression(node)) && isError(checker.getTypeAtLocation(made));
  const at = checker.getResolvedSignature(node)?.parameters
    .findIndex(({ name }) => name === "message") ?? -1;
  const [message, details] = node.arguments?.slice(Math.max(at, 0)) ?? [];
  // What a class hands on to the one above it is where it is made.
  const isHandedOn = isSuper && message !== undefined && ts.isIdentifier(message);
  return isMessage && message && !isHandedOn ? [{ message, details }] : [];
}

function isSentence(node: ts.Expression): boolean {
  return !ts.isCallExpression(node) && / .* /.test(node.getText());
}

function isError(type: ts.Type): boolean {
  const bases = type.isClassOrInterface() ? type.getBaseTypes() ?? [] : [];
  return type.symbol?.name === "MlcliError" || bases.some(isError);
}

function property(node: ts.ObjectLiteralExpression, name: string): ts.Expression | undefined {
  const found = node.properties.find((one) => one.name?.getText() === name);
  if (found === undefined) return undefined;
  if (ts.isPropertyAssignment(found)) return found.initializer;
  return ts.isShorthandPropertyAssignment(found) ? found.name : undefined;
}

/** What the parameters in expressions stand for, in each call of their function. */
function callersOf(
  parts: readonly ts.Expression[],
  calls: ReadonlyMap<ts.Node | undefined, readonly Call[]>,
  templates: Templates,
  depth = 0,
): readonly Known[] {
  const names = parts.flatMap(descendants).filter(ts.isIdentifier);
  const parameters = new Set(names.flatMap((name) => templates.parameterOf(name) ?? []));
  const [first] = parameters;
  const callers = calls.get(first?.parent);
  if (first === undefined || callers === undefined || depth > 3) return [new Map()];
  return callers.flatMap(({ arguments: given = [] }) => {
    const told = [...parameters].flatMap((parameter) => {
      const node = given[first.parent.parameters.indexOf(parameter)];
      return node === undefined ? [] : [[parameter, node] as const];
    });
    const args = told.map(([, node]) => node);
    return callersOf(args, calls, templates, depth + 1).map((known) =>
      new Map(
        told.map(([parameter, node]) => [parameter, { node, known }] as const)
          .filter(([, { node, known }]) => templates.textsOf(node, known).some(saysSomething)),
      )
    );
  });
}
