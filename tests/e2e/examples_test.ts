import { assert, assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { freePort } from "../../runtime/serving/ports.ts";
import { runShellLine } from "../helpers/cloud.ts";
import { makeDirectory, namesIn } from "../helpers/directory.ts";
import { pipImage, removeImage } from "../helpers/engine.ts";
import { type Step, stepsOf } from "../helpers/page.ts";
import { itByPypi, PYPI_TIMEOUT } from "../helpers/pypi.ts";
import { it, suite } from "../helpers/suite.ts";

const EXAMPLES = fromFileUrl(new URL("../../docs/examples", import.meta.url));

const TEMPLATE = fromFileUrl(new URL("../../runtime/image/template/Dockerfile", import.meta.url));

const PAGE = Deno.readTextFileSync(`${EXAMPLES}/README.md`).replaceAll("\r", "");

/** A row of the table of libraries: directory, request, response, and how it is tested. */
const ROW = /^\| `(\w+)` +\| `(.+?)` +\| `(.+?)` +\| (nightly|by hand) +\|$/gm;

const NUMBER = /\d+(?:\.\d+)?/g;

/** Returns whether two lines have equal text, and numbers that differ by at most a quarter. */
function isLike(line: string, shown: string): boolean {
  const [numbers, expected] = [line, shown].map((one) => (one.match(NUMBER) ?? []).map(Number));
  return line.replaceAll(NUMBER, "N") === shown.replaceAll(NUMBER, "N") &&
    expected!.every((number, index) => Math.abs(numbers![index]! - number) <= number / 4);
}

/** Runs the commands of an example, and asserts that they print the lines that the page shows. */
async function follow(steps: readonly Step[]): Promise<void> {
  await using directory = await makeDirectory();
  const tag = `test-${crypto.randomUUID().slice(0, 8)}`;
  const port = String(freePort());
  const options = {
    cwd: directory.path,
    env: {
      ...Deno.env.toObject(), // this machine's settings for pip
      EXAMPLES,
      MLCLI_BASE_IMAGE: pipImage(), // Docker Hub might be unreachable
      MLCLI_DOCKER_TAG: tag,
      MLCLI_PORT: port,
      XDG_STATE_HOME: "/dev/null",
    },
    timeout: PYPI_TIMEOUT,
  };
  const run = async (command: string): Promise<string> => {
    const line = command.replace("local stop", `$& --port ${port}`); // no variable sets this port
    const { code, stdout, stderr } = await runShellLine({ env: () => ({}) }, line, options);
    assertEquals(code, 0, `$ ${command}\n${stdout}${stderr}`);
    return stdout;
  };
  try {
    for (const { what, lines } of steps) {
      const stdout = await run(what);
      for (const shown of lines.filter((line) => !["", "..."].includes(line))) {
        const isPrinted = stdout.split("\n").some((line) => isLike(line, shown));
        assert(isPrinted, `$ ${what}\n${stdout}\nThe page shows:\n${shown}`);
      }
    }
  } finally {
    await run("mlcli local stop").catch(() => {});
    await removeImage(`flats:${tag}`);
  }
}

/** Returns the steps of a section of the page. */
function stepsBelow(heading: string): readonly Step[] {
  const section = PAGE.split("\n## ").find((one) => one.startsWith(`${heading}\n`)) ?? "";
  const steps = stepsOf(section);
  assert(steps.length > 0, `The page has no commands below ${heading}`);
  return steps;
}

async function linesOf(path: string): Promise<readonly string[]> {
  return (await Deno.readTextFile(path)).split(/\r?\n/);
}

// The images contain the packages, so the binary would not change the result.
if (!Deno.env.get("MLCLI_UNDER_TEST")) {
  suite("docs/examples/README.md", () => {
    const rows = [...PAGE.matchAll(ROW)];

    it("docs/examples/README.md names each example's directory", async () => {
      const named = [
        ...rows.map(([, directory]) => directory!),
        "README.md",
        "notebook",
        "processing",
      ];
      assertEquals(await namesIn(EXAMPLES), named.sort());
    });

    for (const name of ["huggingface", "lightgbm"]) {
      it(`the Dockerfile of ${name} has all lines that mlcli init writes`, async () => {
        const lines = await linesOf(`${EXAMPLES}/${name}/flats/mlcli_base/Dockerfile`);
        const missing = (await linesOf(TEMPLATE)).filter((line) => !lines.includes(line));
        assertEquals(missing, []);
      });
    }

    for (const [, directory = "", request = "", response = "", tested] of rows) {
      if (tested !== "nightly") continue;
      itByPypi(`${directory} trains, also with --strict, and predicts as shown`, async () => {
        const steps = stepsBelow("Libraries").map((step) => {
          const what = step.what.replace("sklearn", directory).replace("72,3,15", request);
          const lines = what.includes("invoke")
            ? [response]
            : directory === "sklearn"
            ? step.lines
            : [];
          return { ...step, what, lines };
        });
        await follow(steps);
      });
    }

    for (const heading of ["Feature processing", "From a notebook"]) {
      itByPypi(`${heading}: the commands print what the page shows`, async () => {
        await follow(stepsBelow(heading));
      });
    }
  });
}
