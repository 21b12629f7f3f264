/** Texts in source code. */

import ts from "typescript";
import type { Block } from "./prose.ts";

/** Returns the texts of a file in TypeScript, with X for each expression in them. */
export function textsOfTypeScript(source: string, path: string): readonly Block[] {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.ESNext, true);
  const blocks: Block[] = [];
  const visit = (node: ts.Node): void => {
    const text = ts.isJsxText(node) ? node.text.replaceAll(/\s+/g, " ") : textOf(node);
    if (text !== undefined && !isPiece(node)) {
      const line = file.getLineAndCharacterOfPosition(node.getStart()).line + 1;
      blocks.push(...text.split("\n").map((text) => ({ text: text.trim(), line })));
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return blocks;
}

/** The whole of a text that is put together of pieces, `undefined` for what is not a text. */
function textOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node)) {
    const spans = node.templateSpans.map(({ expression, literal }) =>
      (textOf(expression) ?? "X") + literal.text
    );
    return node.head.text + spans.join("");
  }
  if (ts.isParenthesizedExpression(node)) return textOf(node.expression);
  if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.PlusToken) return;
  const [left, right] = [textOf(node.left), textOf(node.right)];
  return left === undefined && right === undefined ? undefined : (left ?? "X") + (right ?? "X");
}

/** Whether a text is only a part of the text around it. */
function isPiece({ parent }: ts.Node): boolean {
  return textOf(ts.isTemplateSpan(parent) ? parent.parent : parent) !== undefined;
}

/** Returns the texts of a file in Python, but not its docstrings. */
export function textsOfPython(source: string): readonly Block[] {
  const code = source.replaceAll(/"""[^]*?"""/g, (text) => text.replaceAll(/[^\n]/g, ""));
  return code.split("\n").flatMap((line, index) =>
    [...line.replace(/(^|\s)#.*/, "").matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, text = ""]) => ({
      text,
      line: index + 1,
    }))
  );
}
