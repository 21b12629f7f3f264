import { assertEquals, assertThrows } from "@std/assert";
import { LARGEST_TEXT } from "../../../runtime/files.ts";
import { MlcliError } from "../../../runtime/errors.ts";
import { mappingIn, withStrings } from "../../../runtime/origin/yaml.ts";
import { it, suite } from "../../helpers/suite.ts";

const many = (count: number, line: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => line(n)).join("");

suite("YAML of another tool", () => {
  // mlflow/mlflow#3690 has a signature of 45,560 characters, and no limit.
  it("is read if an MLmodel of 1 MiB consists of a signature", () => {
    const columns = many(
      12_000,
      (n) => `, {"type": "double", "name": "column_${n}",\n    "x": true}`,
    );
    const inputs = `[{"type": "long"}${columns.replaceAll("\n", "\n\n")}]`.slice(0, 1_000_000);
    const text = `signature:\n  inputs: '${inputs}'\nmlflow_version: 3.1.0\n`;
    assertEquals(text.length < LARGEST_TEXT, true);
    const { signature, mlflow_version } = mappingIn(text, "MLmodel");
    assertEquals(mlflow_version, "3.1.0");
    assertEquals(signature, { inputs: inputs.replaceAll(/\n\n */g, "\n") });
  });

  it("is read with 20 aliases and keys of any simple type", () => {
    const text = `a: &a {b: 1}\nc: [${many(20, () => "*a, ")}]\n1: x\nnull: y\n`;
    const b = { b: 1 };
    assertEquals(mappingIn(text, "x"), { a: b, c: Array(20).fill(b), 1: "x", null: "y" });
  });

  const refused: Readonly<Record<string, readonly [text: string, reason: string]>> = {
    "the first of two mistakes": ["a: 1\nb: ]\nc: [\n", "Unexpected flow-seq-end token"],
    "a second document": ["a: 1\n---\nb: 1\n", "it contains several documents"],
    // https://github.com/advisories/GHSA-48c2-rrv3-qjmp
    "lists in 5,000 lists": [
      `a: ${"[".repeat(5_000)}${"]".repeat(5_000)}`,
      "it is nested too deeply",
    ],
    "a list as a key": ["? [a]\n: b\n", "With stringKeys, all keys must be strings (line 1)"],
    "the 21st alias": [`a: &a b\nc: [${"*a, ".repeat(21)}]`, "it contains more than 20 aliases"],
    "30,000 commas": [`a: [${",".repeat(30_000)}`, "it contains more than 30000 tokens"],
    "50,001 wrong escapes": [`a: "${"\\q".repeat(50_001)}"`, "it contains more than 50000 escapes"],
    "an unknown alias": ["a: *b\n", "Unresolved alias"],
  };
  for (const [what, [text, reason]] of Object.entries(refused)) {
    it(`is refused with the reason if it has ${what}`, () => {
      const start = `Cannot parse MLmodel as YAML: ${reason}`;
      const error = assertThrows(() => mappingIn(text, "MLmodel"), MlcliError, start);
      assertEquals(error.message.includes("\n"), false);
    });
  }

  it("names the line of a mistake", () => {
    const error = assertThrows(() => mappingIn("a: 1\nb: {\nc: 1\n", "x"), MlcliError);
    assertEquals(/\(line \d\)$/.exec(error.message)?.[0], "(line 3)");
  });

  it("has the last of two equal keys", () => {
    assertEquals(mappingIn("a: 1\nb: 2\na: 3\n", "x"), { a: 3, b: 2 });
  });

  it("is unchanged if no string is replaced", () => {
    const text = 'a: b # c\nd: [1, "e"]\n';
    assertEquals(withStrings(text, (value) => value), text);
  });
});
