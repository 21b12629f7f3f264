import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { dirname, join } from "@std/path";
import { completeApp, type TestApp } from "../helpers/app.ts";
import { runInProcess } from "../helpers/in_process.ts";
import { it, suite } from "../helpers/suite.ts";

/** Without an engine. */
function dryRun(app: TestApp, ...args: readonly string[]) {
  return runInProcess(["build", "--dry-run", ...args], { cwd: app.directory });
}

/** @param path relative to the app's directory. */
async function write({ directory }: TestApp, path: string, text: string): Promise<void> {
  const file = join(directory, path);
  await Deno.mkdir(dirname(file), { recursive: true });
  await Deno.writeTextFile(file, text);
}

/** Paths that are sent, without mlcli's own. */
function sentIn(stdout: string): readonly string[] {
  const { send } = JSON.parse(stdout);
  return send.map(({ path }: { path: string }) => path)
    .filter((path: string) => !path.startsWith(".mlcli"));
}

suite("build --dry-run", () => {
  it("prints what goes into the image and what stays out, and asks no engine", async () => {
    await using app = await completeApp();
    await write(app, ".dockerignore", "*/notes\n**/*.md\n!*/keep.md\n");
    for (const [path, text] of [["notes/a", "1"], ["x.md", "2"], ["keep.md", "345"]] as const) {
      await write(app, `${app.name}/${path}`, text);
    }
    await write(app, `${app.name}/.env`, "very-secret");
    const given = ["--build-arg", "TOKEN=very-secret", "-t", "v2", "--platform", "linux/amd64"];
    const { code, stdout, stderr } = await dryRun(app, ...given);
    assertEquals(code, 0, stderr);
    assertStringIncludes(stderr, "does not declare the build argument TOKEN");
    assert(!`${stdout}${stderr}`.includes("very-secret"));
    const { send, files, bytes, ignored, private: ofPrivate, ...rest } = JSON.parse(stdout);
    assertEquals(rest, {
      image: `${app.name}:v2`,
      dockerfile: `${app.name}/mlcli_base/Dockerfile`,
      target: null,
      platform: "linux/amd64",
      base_images: rest.base_images,
      build_arguments: ["APP", "BASE_IMAGE", "REQUIREMENTS", "TOKEN"],
    });
    const sent = sentIn(stdout);
    assert(sent.includes(`${app.name}/mlcli_base/Dockerfile`));
    assert(sent.includes(`${app.name}/keep.md`) && !sent.includes(`${app.name}/x.md`));
    const sizes = new Map<string, number>(
      send.map(({ path, bytes }: { path: string; bytes: number }) => [path, bytes]),
    );
    assertEquals(sizes.get(`${app.name}/keep.md`), 3);
    assert(sizes.get(".mlcli/entrypoint")! > 0);
    assertEquals(files, send.length);
    assertEquals(bytes, [...sizes.values()].reduce((sum, one) => sum + one));
    assertEquals(ignored, {
      count: 3,
      paths: ["mlcli_base/local_test", "notes/a", "x.md"].map((path) => `${app.name}/${path}`),
    });
    assertEquals(ofPrivate, { count: 1, paths: [`${app.name}/.env`] });
  });

  it("names a hundred of what stays out, and counts all", async () => {
    await using app = await completeApp();
    await write(app, ".dockerignore", "**/*.md\n");
    for (let index = 0; index < 120; index++) await write(app, `${app.name}/${index}.md`, "");
    const { ignored } = JSON.parse((await dryRun(app)).stdout);
    assertEquals([ignored.count, ignored.paths.length], [121, 100]);
  });

  it("prints the context of a Dockerfile of one's own", async () => {
    await using app = await completeApp();
    await write(app, "docker/Dockerfile", "ARG TAG=1\nFROM team/base:$TAG\nCOPY a /a\n");
    await write(app, "docker/a", "12");
    await write(app, "docker/.dockerignore", "b\n");
    await write(app, "docker/b", "1");
    const { stdout, stderr } = await dryRun(app, "--context", "docker", "--build-arg", "TAG=2");
    const plan = JSON.parse(stdout);
    assertEquals(stderr, "");
    assertEquals(sentIn(stdout), [".dockerignore", "Dockerfile", "a"]);
    assertEquals([plan.base_images, plan.build_arguments], [["team/base:2"], ["TAG"]]);
    assertEquals([plan.ignored.paths, plan.bytes > 2], [["b"], true]);
  });

  it("fails as the build would, where the app lacks something", async () => {
    await using app = await completeApp();
    await Deno.remove(app.path("Dockerfile"));
    const { code, stdout, stderr } = await dryRun(app);
    assertEquals([code, stdout], [1, ""]);
    assertMatch(stderr, /^error: Dockerfile not found: /);
  });
});
