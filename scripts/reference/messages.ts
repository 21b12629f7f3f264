/** The messages that mlcli prints, as its source has them. */

import ts from "typescript";
import { hasWords, membersOf, Texts } from "./texts.ts";

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
  readonly hint: ts.Expression | undefined;
}

/** All messages in files, which are named relative to a directory that ends with `/`. */
export function messagesIn(paths: readonly string[], root: string): readonly Message[] {
  const options: ts.CompilerOptions = {
    lib: ["lib.esnext.d.ts"],
    strict: true,
    target: ts.ScriptTarget.ESNext,
    types: [],
    // Finds no package: which are installed on a machine, and where, changes nothing.
    moduleResolution: ts.ModuleResolutionKind.Classic,
  };
  const program = ts.createProgram(paths.map((path) => root + path), options);
  const checker = program.getTypeChecker();
  const nodes = paths.flatMap((path) => descendants(program.getSourceFile(root + path)!));
  const calls = Map.groupBy(
    nodes.filter((node) => ts.isCallExpression(node) || ts.isNewExpression(node)),
    (call) => checker.getResolvedSignature(call)?.declaration,
  );
  // A function with a message in it says another one in each call, and in each call of its caller.
  const readersAt = (node: ts.Node, depth = 0): readonly Texts[] => {
    const callers = depth < 2 ? calls.get(ts.findAncestor(node, ts.isFunctionLike)) : undefined;
    if (callers === undefined) return [new Texts(checker)];
    return callers.flatMap((call) => readersAt(call, depth + 1).map((one) => one.inCall(call)));
  };
  return nodes.flatMap((node) => {
    const place = placeAt(node, checker);
    if (place === undefined) return [];
    const path = node.getSourceFile().fileName.slice(root.length);
    return readersAt(node).flatMap((texts) => {
      const hints = place.hint ? texts.of(place.hint, "hint").filter(hasWords) : [];
      return texts.of(place.message).filter(hasWords).map((text) => ({ text, hints, path }));
    });
  });
}

function descendants(node: ts.Node): readonly ts.Node[] {
  const found = [node];
  // What is found is looked into in its turn.
  for (const one of found) ts.forEachChild(one, (child) => void found.push(child));
  return found;
}

/**
 * The message that a node of the source makes: what is called `message` in an object, or by whoever
 * takes it as an argument; the hint is with it.
 */
function placeAt(node: ts.Node, checker: ts.TypeChecker): Place | undefined {
  if (ts.isObjectLiteralExpression(node)) {
    const of = (name: string): ts.Expression | undefined => membersOf(node, name)[0];
    const message = of("message");
    const isGood = of("status")?.getText() === '"ok"'; // as a check of doctor's
    return message && !isGood ? { message, hint: of("hint") } : undefined;
  }
  if (ts.isArrayLiteralExpression(node)) {
    const type = checker.getContextualType(node) as Partial<ts.TupleTypeReference> | undefined;
    const label = type?.target?.labeledElementDeclarations?.[0]?.name.getText();
    const [message, hint] = node.elements;
    return label === "message" && message ? { message, hint } : undefined;
  }
  if (!ts.isCallExpression(node) && !ts.isNewExpression(node)) return undefined;
  if (/note(Text)?$/.test(node.expression.getText())) return undefined; // neither error nor warning
  const signature = checker.getResolvedSignature(node);
  if (signature?.declaration?.getSourceFile().isDeclarationFile) return undefined;
  const names = signature?.parameters.map(({ name }) => name) ?? [];
  const of = (name: string): ts.Expression | undefined => node.arguments?.[names.indexOf(name)];
  const message = of("message");
  // What a class hands on to the one above it is where it is made.
  const isSuper = node.expression.kind === ts.SyntaxKind.SuperKeyword;
  if (isSuper && message?.getText() === "message") return undefined;
  return message && { message, hint: of("hint") ?? of("details") };
}
