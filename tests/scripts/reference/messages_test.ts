import { assertEquals } from "@std/assert";
import { messagesIn } from "../../../scripts/reference/messages.ts";
import { makeDirectory } from "../../helpers/directory.ts";
import { it, suite } from "../../helpers/suite.ts";

const ERRORS = `
export class MlcliError { constructor(message: string, details: { hint?: string } = {}) {} }
export class Special extends MlcliError {
  constructor(readonly kind: string, message: string, details: { hint?: string } = {}) {
    super(message, details);
  }
}
export const quoted = (name: string): string => name.trim();
export function usage(message: string, hint?: string): MlcliError {
  return new MlcliError(message, { hint: hint ?? "See --help." });
}
const warningText = (message: string, hint?: string): string => message;
const KINDS = { train: { title: "Training" }, process: { title: "Processing" } } as const;
declare const kind: "train" | "process";
declare const modelPath: string;
declare const names: readonly string[];
`;

suite("the messages of a source", () => {
  for (
    const [source, ...messages] of [
      ['new MlcliError("No app here")', "No app here"],
      ['new MlcliError("No app", { hint: "Make one." })', "No app: Make one."],
      ["new MlcliError(`Not found: ${modelPath}`)", "Not found: PATH"],
      ["new MlcliError(`Not found: ${quoted(modelPath)}`)", "Not found: PATH"],
      ["new MlcliError(`Several: ${names.slice(1).join()}`)", "Several: NAME"],
      ["new MlcliError(`${names.length - 1} more`)", "N more"],
      ['new MlcliError("One " + (names ? "way" : "other way"))', "One way", "One other way"],
      ["new MlcliError(`The ${kind} failed`)", "The train failed", "The process failed"],
      ["new MlcliError(`${KINDS[kind].title} failed`)", "Training failed", "Processing failed"],
      ["const { title } = KINDS.train; new MlcliError(`${title} failed`)", "Training failed"],
      ['new Special("x", "It is special")', "It is special"],
      ['usage("Too many", "Take one.")', "Too many: Take one."],
      ['usage("Too few")', "Too few: See --help."],
      ['warningText("It is late", "Go home.")', "It is late: Go home."],
      ['const found = { message: "Odd one", hint: "Look." }', "Odd one: Look."],
      ['const found = { status: "ok", message: "All is well" }'],
      ['const RULES = [() => ["It went wrong", "Do it again."]]', "It went wrong: Do it again."],
      ["new MlcliError(modelPath)"],
      ['new Error("of nobody")'],
    ] as const
  ) {
    it(`${source}: ${messages.join("; ") || "none"}`, async () => {
      await using directory = await makeDirectory({ "a.ts": `${ERRORS}${source};` });
      const found = messagesIn(["a.ts"], `${directory.path}/`.replaceAll("\\", "/"));
      assertEquals(found.map(({ text, hints }) => [text, ...hints].join(": ")), messages);
    });
  }
});
