import { assertEquals, assertStringIncludes } from "@std/assert";
import { command, type Group } from "../../../commands/command.ts";
import { options } from "../../../commands/options/option.ts";
import { helpText } from "../../../commands/render/help.ts";
import { topicOf } from "../../../commands/topic.ts";
import { it, suite } from "../../helpers/suite.ts";

const run = command({
  details: "It takes a while.",
  options: options({
    "[file]": { path: "typed" },
    "--wait": { description: "Stay." },
    "--timeout": {
      value: "seconds",
      description: "With --wait: how long (5 s).",
      default: "5",
      onlyWith: "--wait",
    },
    "--port": { short: "-p", value: "port", description: "Where.", default: "8080" },
    "--name": { short: "-n", value: "name", description: "Which.", required: true },
  }),
  examples: [["Run it", "mlcli group run -n it"]],
  action: () => Promise.reject(new Error("The help runs nothing")),
});

const group: Group = {
  options: options({ "--kind": { value: "kind", description: "Kind.", default: "all" } }),
  commands: {
    run: { summary: "Run something.", load: () => Promise.resolve({ default: run }) },
    secret: { summary: "", load: () => Promise.resolve({ default: run }), isHidden: true },
  },
};

const ROOT: Group = {
  details: "What it is.",
  examples: [["Do all of it", "mlcli group run -n it && mlcli group run -n it again"]],
  more: "It is said at more length in what comes with it.",
  options: options({ "--no-color": { group: "Global", description: "Plain." } }),
  commands: {
    group: { summary: "Hold commands.", load: () => Promise.resolve({ default: group }) },
  },
};

const PLAIN = { columns: 40, colour: false };

suite("the help as text", () => {
  for (
    const [names, text] of [
      [
        [],
        `What it is.

Usage: mlcli COMMAND [OPTIONS]

Commands:
  group  Hold commands.

Global:
      --no-color  Plain.
  -h, --help      Show this help
  -V, --version   Show the version (with
                  --output json, as
                  JSON)

Examples:
  Do all of it
    mlcli group run -n it && mlcli group run -n it again

It is said at more length in what comes
with it.
`,
      ],
      [
        ["group"],
        `Hold commands.

Usage: mlcli group COMMAND [OPTIONS]

Commands:
  run  Run something.

Options:
      --kind KIND  Kind. (default: all)

Global:
  -h, --help       Show this help
      --no-color   Plain.
`,
      ],
      [
        ["group", "run"],
        `Run something.

It takes a while.

Usage: mlcli group run [FILE]
       --name NAME [OPTIONS]

Required:
  -n, --name NAME
      Which. (required)

Options:
  --wait
      Stay.
  --timeout SECONDS
      With --wait: how long (5 s).
  -p, --port PORT
      Where. (default: 8080)

Global:
  -h, --help
      Show this help
  --no-color
      Plain.

Examples:
  Run it
    mlcli group run -n it
`,
      ],
    ] as const
  ) {
    it(`of ${["mlcli", ...names].join(" ")}`, async () => {
      assertEquals(helpText(await topicOf(ROOT, names), PLAIN, "common"), text);
    });
  }

  it("has bold headings where colour is wanted", async () => {
    const text = helpText(await topicOf(ROOT, ["group"]), { columns: 80, colour: true }, "all");
    for (const heading of ["Usage:", "Commands:", "Options:"]) {
      assertStringIncludes(text, `\x1b[1m${heading}\x1b[22m`);
    }
  });
});
