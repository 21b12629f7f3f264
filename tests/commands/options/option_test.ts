import type { Setting } from "../../../runtime/setting.ts";
import { assertEquals } from "@std/assert";
import {
  argumentsOf,
  each,
  type NamedOption,
  options,
  optionsOf,
  propertyName,
  restArgumentOf,
  type Values,
} from "../../../commands/options/option.ts";
import { it, suite } from "../../helpers/suite.ts";

suite("the property of an option", () => {
  for (
    const [form, name] of [
      ["--wait", "wait"],
      ["--app-name", "appName"],
      ["--iam-role-arn", "iamRoleArn"],
      ["--no-cache", "cache"],
      ["--no-op-name", "opName"],
      ["--node-count", "nodeCount"],
      ["[file]", "file"],
      ["<endpoint-name>", "endpointName"],
      ["[word...]", "word"],
      ["[-- word...]", "word"],
    ] as const
  ) {
    it(`${form} is ${name}`, () => assertEquals(propertyName(form), name));
  }
});

/** Whether two types are the same. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true
  : false;

const SHARED = options({
  "--output": { value: "format", choices: ["text", "json"], description: "", default: "text" },
});

const DECLARED = options({
  "<name>": {},
  "[count]": { parse: (text: string) => Number(text) },
  "[-- args...]": {},
  ...SHARED,
  "--wait": { description: "" },
  "--no-cache": { description: "" },
  "--base-image, --from IMAGE": { description: "" },
  "-f, --file FILE": { description: "", required: true, path: "typed" },
  "--port": { value: "port", description: "", default: "1", parse: (text: string) => Number(text) },
  ...each({ group: "AWS", traced: true }, {
    "--memory SIZE": { description: "", parse: (text: string) => Number(text) },
    "-i, --input [NAME=]DIR...": { description: "", parse: (text: string) => [text] },
  }),
  "--timeout SECONDS": { description: "", onlyWith: "--wait" },
});

suite("a declaration", () => {
  it("says what each value is", () => {
    const isSame: Same<Values<typeof DECLARED>, {
      readonly name: string;
      readonly count: number | undefined;
      readonly output: "text" | "json";
      readonly wait: boolean;
      readonly cache: boolean;
      readonly baseImage: string | undefined;
      readonly file: string;
      readonly port: number;
      readonly memory: Setting<number> | undefined;
      readonly input: readonly Setting<string[]>[];
      readonly timeout: string | undefined;
      readonly args: readonly string[];
    }> = true;
    assertEquals(isSame, true);
  });

  it("has the fields of its forms, and those that several options share", () => {
    const { group, traced, short, value, repeatable } = DECLARED["--input"] as NamedOption[1] & {
      readonly repeatable?: true;
    };
    assertEquals({ group, traced, short, value, repeatable }, {
      ...{ group: "AWS", traced: true, short: "-i", value: "[name=]dir", repeatable: true },
    });
    assertEquals(
      DECLARED["--base-image"],
      {
        ...{ alias: "--from", value: "image", description: "" },
      } as unknown as typeof DECLARED["--base-image"],
    );
  });

  it("keeps the order of its options, and of its arguments", () => {
    assertEquals(argumentsOf(DECLARED).map(([form]) => form), ["<name>", "[count]"]);
    assertEquals(restArgumentOf(DECLARED)?.[0], "[-- args...]");
    assertEquals(restArgumentOf(SHARED), undefined);
    assertEquals(optionsOf(DECLARED).slice(0, 3).map(([flag]) => flag), [
      "--output",
      "--wait",
      "--no-cache",
    ]);
  });

  it("has no field that means nothing, and no option that is not there", () => {
    // @ts-expect-error A misspelt field.
    options({ "--wait": { descripton: "" } });
    // @ts-expect-error Nothing may be required of a switch.
    options({ "--wait": { description: "", required: true } });
    // @ts-expect-error It needs an option of another name.
    options({ "--await": { description: "" }, "--timeout": DECLARED["--timeout"] });
    // @ts-expect-error A file needs a path.
    options({ "--report": { value: "file", description: "" } });
    // @ts-expect-error A directory among the arguments needs a path.
    options({ "[dir...]": {} });
  });
});
