/**
 * What `mlcli build` costs, against the same context sent to BuildKit by curl, and to the classic
 * builder, which mlcli used before.
 */

import { join } from "@std/path";
import { findApp } from "../../runtime/app/app.ts";
import { parseHost } from "../../runtime/docker/locate.ts";
import { contextEntries, contextStream } from "../../runtime/image/build_context.ts";
import type { Comparison } from "./measure.ts";
import { mlcli, run, time } from "./program.ts";

const NAME = "bench";
const IMAGE = "mlcli-bench-build";

/** The comparisons, and the app that is built. */
export interface BuildBench extends AsyncDisposable {
  readonly comparisons: readonly Comparison[];
}

/** What curl sends a context to. */
type Builder = "BuildKit" | "the classic builder";

/**
 * Makes an app as `mlcli init` does. Undefined where the engine has no socket for curl.
 *
 * @param address of the engine, as `DOCKER_HOST` has it.
 * @param binary where there is one.
 */
export async function makeBuildBench(
  baseImage: string,
  address: string,
  binary: string | undefined,
): Promise<BuildBench | undefined> {
  const engine = parseHost(address, () => undefined);
  if (engine.kind !== "unix") return undefined;
  const socket = engine.path;
  const directory = await Deno.makeTempDir({ prefix: "mlcli-bench-build-" });
  const configuration = { image_name: IMAGE, base_image: baseImage };
  await Deno.writeTextFile(join(directory, `${NAME}.json`), JSON.stringify(configuration));
  await run(mlcli("init", NAME), { cwd: directory });
  const base = join(directory, NAME, "mlcli_base");
  const dockerfile = join(base, "Dockerfile");
  const ours = await Deno.readTextFile(dockerfile);
  // The classic builder knows no mounts.
  const classic = ours.replaceAll(/--mount=\S+(\s+\\\n)?\s*/g, "");

  async function edit(): Promise<void> {
    const code = `# ${crypto.randomUUID()}\ndef train(data, model): pass\n`;
    await Deno.writeTextFile(join(base, "training/training.py"), code);
  }

  /** Sends what mlcli would send; making the archive does not count. */
  async function send(builder: Builder, noCache: boolean): Promise<number> {
    await edit();
    await Deno.writeTextFile(dockerfile, builder === "BuildKit" ? ours : classic);
    const context = join(directory, "context.tar");
    await Deno.writeFile(context, contextStream(await contextEntries(await findApp(directory))));
    await Deno.writeTextFile(dockerfile, ours);
    const parameters = new URLSearchParams({
      ...(builder === "BuildKit" ? { version: "2" } : {}),
      ...(noCache ? { nocache: "1" } : {}),
      t: `${IMAGE}:direct`,
      dockerfile: `${NAME}/mlcli_base/Dockerfile`,
      buildargs: JSON.stringify({
        BASE_IMAGE: baseImage,
        APP: NAME,
        REQUIREMENTS: "requirements.txt",
      }),
      rm: "1",
      forcerm: "1",
    });
    const answer = join(directory, "answer");
    const taken = await time([
      ...["curl", "--silent", "--fail", "--unix-socket", socket, "--output", answer] as const,
      ...["--header", "Content-Type: application/x-tar", "--data-binary", `@${context}`],
      `http://engine/build?${parameters}`,
    ]);
    const said = await Deno.readTextFile(answer);
    if (said.includes('"errorDetail"')) throw new Error(`The build failed: ${said.slice(-500)}`);
    return taken;
  }

  function comparison(
    builder: Builder,
    noCache: boolean,
    atMost: number,
    program = mlcli,
  ): Comparison {
    // Without the files for pip's network, which curl does not send, either.
    const option = ["--no-network-settings", ...noCache ? ["--no-cache"] : []];
    const who = program === mlcli ? "" : "binary: ";
    return {
      title: `${who}build ${noCache ? "without cache" : "after an edit"}, against ${builder}`,
      unit: "ms",
      ours: {
        command: ["mlcli build", ...option].join(" "),
        async measure(): Promise<number> {
          await edit();
          return await time(program("build", ...option), { cwd: directory });
        },
      },
      theirs: {
        command: `curl --data-binary @context.tar http://engine/build (${builder})`,
        measure: () => send(builder, noCache),
      },
      goal: { atMost },
      rounds: noCache ? 5 : 9,
    };
  }

  return {
    comparisons: [
      comparison("BuildKit", false, 1.2),
      ...binary ? [comparison("BuildKit", false, 1.2, (...args) => [binary, ...args])] : [],
      comparison("BuildKit", true, 1.1),
      comparison("the classic builder", false, 0.6),
      comparison("the classic builder", true, 0.6),
    ],
    async [Symbol.asyncDispose](): Promise<void> {
      await run(["docker", "image", "rm", "--force", `${IMAGE}:latest`, `${IMAGE}:direct`]);
      await Deno.remove(directory, { recursive: true });
    },
  };
}
