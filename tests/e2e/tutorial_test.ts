import { assert } from "@std/assert";
import { dirname, join } from "@std/path";
import { Box } from "../helpers/box/box.ts";
import { runCloud, runShellLine } from "../helpers/cloud.ts";
import { makeDirectory } from "../helpers/directory.ts";
import { removeImage, sklearnImage } from "../helpers/engine.ts";
import { type Command, firstDifference, patched, stepsOf, TIMES } from "../helpers/page.ts";
import { it, suite } from "../helpers/suite.ts";

const PAGE = "docs/tutorial.md";

/** What the page says of the account. */
const BUCKET = "my-bucket";
const ROLE = "arn:aws:iam::123456789012:role/mlcli-execution";
const REGISTRY = "123456789012.dkr.ecr.eu-west-1.amazonaws.com";
/** Times that a test can wait for. */
const QUICK = { pingInterval: 20, healthyPings: 2, restart: 100 };

/**
 * The page is followed in an empty directory, from its first line to its last, on a platform on this
 * machine. Variables of mlcli's put other values in the place of the page's base image, since Docker
 * Hub may be out of reach, and of the tag and the port, which somebody may use.
 */
suite(PAGE, () => {
  it("shows what its commands print", async () => {
    const page = await Deno.readTextFile(new URL(`../../${PAGE}`, import.meta.url));
    await using directory = await makeDirectory();
    await using state = await makeDirectory();
    await using box = await Box.open({ registry: true, jobs: true, endpoints: true });
    box.s3.createBucket(BUCKET);
    box.jobs.roles.add(ROLE);
    Object.assign(box.hosting.settings, QUICK);
    const tag = `test-${crypto.randomUUID().slice(0, 8)}`;
    const port = freePort();
    const options = {
      cwd: directory.path,
      env: {
        DOCKER_HOST: Deno.env.get("DOCKER_HOST"), // of the engine that the tests run on
        XDG_STATE_HOME: state.path,
        MLCLI_BASE_IMAGE: sklearnImage(),
        MLCLI_DOCKER_TAG: tag,
        MLCLI_PORT: port,
      },
      timeout: 180_000, // of a push of all the packages, on a slow machine
    };
    /** The time in the name of a job, by that on the page. */
    const times = new Map<string, string>();

    const typed = (text: string): string =>
      text.replaceAll("8080", port).replaceAll(TIMES, (time) => times.get(time) ?? time)
        .replace("local stop", `$& --port ${port}`); // which no variable says

    const linesOf = (text: string): readonly string[] =>
      text.replaceAll(` --docker-tag ${tag}`, "").replaceAll(tag, "latest")
        .replaceAll(port, "8080").replaceAll(box.ecr.front.host, REGISTRY)
        .replace(/\n$/, "").split("\n").filter((line, index) => index > 0 || line !== "");

    const follow = async ({ line, text, output }: Command): Promise<void> => {
      const { code, stdout } = await runShellLine(box, `{ ${typed(text)}; } 2>&1`, options);
      const came = linesOf(stdout);
      const index = firstDifference(output, came);
      if (index !== undefined) {
        const shown = output[index] ?? "(no more)";
        throw new Error(
          `${PAGE}:${line + 1 + index} shows after \`${text}\`\n  ${shown}\nThere came\n${
            came.map((one) => `  ${one}\n`).join("")
          }`,
        );
      }
      const fails = output.some((one) => one.startsWith("error: "));
      assert((code !== 0) === fails, `${PAGE}:${line}: \`${text}\` ended with ${code}`);
      const last = (lines: readonly string[]) => lines.join("\n").match(TIMES)?.at(-1);
      times.set(last(output) ?? "", last(came) ?? "");
    };

    try {
      for (const step of stepsOf(page)) {
        if (step.kind === "command") {
          await follow(step);
          continue;
        }
        const path = join(directory.path, step.path);
        const text = step.kind === "file"
          ? step.lines.map((line) => `${line}\n`).join("")
          : patched(await Deno.readTextFile(path), step.lines);
        await Deno.mkdir(dirname(path), { recursive: true });
        await Deno.writeTextFile(path, text);
      }
    } finally {
      await runCloud(box, ["local", "stop", "--port", port], options);
      await removeImage(`heights:${tag}`);
    }
  });
});

/** A port that nobody uses now. */
function freePort(): string {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return String(listener.addr.port);
}
