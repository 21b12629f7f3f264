import { dirname, join } from "@std/path";
import { freePort } from "../../runtime/serving/ports.ts";
import { Box } from "../helpers/box/box.ts";
import { runCloud, runShellLine } from "../helpers/cloud.ts";
import { makeDirectory } from "../helpers/directory.ts";
import { removeImage, sklearnImage } from "../helpers/engine.ts";
import { firstDifference, patched, type Step, stepsOf, TIMES } from "../helpers/page.ts";
import { it, suite } from "../helpers/suite.ts";

const PAGE = "docs/tutorial.md";

/** What the page says of the account. */
const BUCKET = "my-bucket";
const ROLE = "arn:aws:iam::123456789012:role/mlcli-execution";
const REGISTRY = "123456789012.dkr.ecr.eu-west-1.amazonaws.com";

/**
 * The page is followed in an empty directory, from its first line to its last, on a platform on this
 * machine. Variables of mlcli's put other values in the place of the page's base image, since Docker
 * Hub may be out of reach, and of the tag and the port, which somebody may use.
 */
suite(PAGE, () => {
  it("shows what its commands print", async () => {
    const page = await Deno.readTextFile(new URL(`../../${PAGE}`, import.meta.url));
    await using directory = await makeDirectory();
    await using box = await Box.open({ registry: true, jobs: true, endpoints: true });
    box.s3.createBucket(BUCKET);
    box.jobs.roles.add(ROLE);
    Object.assign(box.hosting.settings, { pingInterval: 20, healthyPings: 2, restart: 100 });
    const tag = `test-${crypto.randomUUID().slice(0, 8)}`;
    const port = String(freePort());
    const options = {
      cwd: directory.path,
      env: {
        DOCKER_HOST: Deno.env.get("DOCKER_HOST"), // of the engine that the tests run on
        XDG_STATE_HOME: join(directory.path, "state"),
        MLCLI_BASE_IMAGE: sklearnImage(),
        MLCLI_DOCKER_TAG: tag,
        MLCLI_PORT: port,
      },
      timeout: 180_000, // of a push of all the packages, on a slow machine
    };
    /** The times in the names of jobs, by those on the page. */
    const times = new Map<string, string>();

    const follow = async ({ line, what, lines }: Step): Promise<void> => {
      const command = what.replaceAll("8080", port).replace(TIMES, (time) => times.get(time) ?? "")
        .replace("local stop", `$& --port ${port}`); // which no variable says
      const { code, stdout } = await runShellLine(box, `{ ${command}; } 2>&1`, options);
      const came = stdout.replaceAll(` --docker-tag ${tag}`, "").replaceAll(tag, "latest")
        .replaceAll(port, "8080").replaceAll(box.ecr.front.host, REGISTRY)
        .split(/\n(?!$)/).map((one) => one.trimEnd());
      const index = firstDifference(lines, stdout === "" ? [] : came);
      const problem = index !== undefined
        ? `shows in line ${line + 1 + index}:\n${lines[index] ?? "(no more)"}`
        : (code !== 0) !== lines.some((one) => one.startsWith("error: "))
        ? `does not say so, but it ended with ${code}`
        : undefined;
      if (problem !== undefined) {
        throw new Error(`${PAGE}:${line}: $ ${what}\n${came.join("\n")}\nThe page ${problem}`);
      }
      const last = (all: readonly string[]) => all.join("\n").match(TIMES)?.at(-1) ?? "";
      times.set(last(lines), last(came));
    };

    try {
      for (const step of stepsOf(page.replaceAll("\r", ""))) {
        const path = join(directory.path, step.what);
        if (step.kind === "command") await follow(step);
        else if (step.kind === "patch") {
          await Deno.writeTextFile(path, patched(await Deno.readTextFile(path), step.lines));
        } else {
          await Deno.mkdir(dirname(path), { recursive: true });
          await Deno.writeTextFile(path, `${step.lines.join("\n")}\n`);
        }
      }
    } finally {
      await runCloud(box, ["local", "stop", "--port", port], options);
      await removeImage(`flats:${tag}`);
    }
  });
});
