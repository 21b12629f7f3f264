import { join } from "@std/path";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { MlcliError } from "../../../runtime/errors.ts";
import { buildContext } from "../../helpers/build_context.ts";
import { readTemplate } from "../../../runtime/image/scaffold.ts";
import { findApp } from "../../../runtime/app/app.ts";
import { makeDirectory, type TestDirectory } from "../../helpers/directory.ts";
import { it, suite } from "../../helpers/suite.ts";
import { entriesOf } from "../../helpers/tar.ts";

const APP = {
  "demo.json": "{}",
  "requirements.txt": "",
  "demo/mlcli_base/Dockerfile": "FROM x\n",
  "demo/mlcli_base/training/training.py": "train\n",
  "demo/mlcli_base/prediction/serve": "serve\n",
  "demo/mlcli_base/processing/processing.py": "process\n",
};

const SECRET = "the secret of a test";

/** What mlcli init wrote before it knew of private files. */
const OLD_IGNORE_FILE = `# What \`mlcli build\` does not send to the Docker Engine.
.git
.venv
venv
**/__pycache__
**/*.pyc
**/.ipynb_checkpoints
**/.DS_Store
**/.env
# Test data and models stay out of the image.
**/local_test
`;

/** What an app's context holds besides APP, and what was said to stay out. */
interface Sent {
  readonly paths: readonly string[];
  readonly leftOut: readonly string[];
}

/** Fails where a secret is in any file of the context. */
async function sentOf(directory: TestDirectory): Promise<Sent> {
  let leftOut: readonly string[] | undefined;
  const app = await findApp(directory.path, "demo");
  const stream = await buildContext(app, (paths) => {
    assertEquals(leftOut, undefined, "told once");
    leftOut = paths;
  });
  const paths: string[] = [];
  for (const [name, { header: { type }, text }] of await entriesOf(stream)) {
    assert(!text.includes(SECRET), `${name} holds a secret`);
    if (name.startsWith(".mlcli/") || type === "directory" || name in APP) continue;
    paths.push(name);
  }
  assert(leftOut !== undefined);
  return { paths: paths.sort(), leftOut };
}

/** The app with these files below `demo/mlcli_base/training`, by the path there. */
async function sentWith(
  files: Readonly<Record<string, string>>,
  ignoreFile = "",
): Promise<Sent> {
  await using directory = await makeDirectory({
    ...APP,
    ".dockerignore": ignoreFile,
    ...Object.fromEntries(
      Object.entries(files).map(([path, text]) => [`demo/mlcli_base/training/${path}`, text]),
    ),
  });
  const { paths, leftOut } = await sentOf(directory);
  const inner = (path: string): string => path.replace("demo/mlcli_base/training/", "");
  return {
    paths: paths.filter((path) => path !== ".dockerignore").map(inner),
    leftOut: leftOut.map(inner),
  };
}

const SECRETS = {
  ".git/config": SECRET,
  ".git/objects/ab/cd": SECRET,
  ".ssh/known_hosts": SECRET,
  ".aws/credentials": SECRET,
  "lib/.netrc": SECRET,
  ".env": SECRET,
  ".env.local": SECRET,
  ".pypirc": SECRET,
  ".git-credentials": SECRET,
  "keys/ID_RSA": SECRET,
  "keys/client.P12": SECRET,
};

const NAMED = [
  ...[".aws/", ".env", ".env.local", ".git-credentials", ".git/", ".pypirc", ".ssh/"],
  ...["keys/ID_RSA", "keys/client.P12", "lib/.netrc"],
];

suite("private files stay out of the context", () => {
  it("wherever they lie below the app, and are named", async () => {
    const sent = await sentWith({ ...SECRETS, "lib/env.py": "", ".gitignore": "" });
    assertEquals(sent.paths, [".gitignore", "lib/env.py"]);
    assertEquals([...sent.leftOut].sort(), NAMED);
  });

  it("beside the app's code, too", async () => {
    await using directory = await makeDirectory({ ...APP, "demo/.env": SECRET });
    assertEquals(await sentOf(directory), { paths: [], leftOut: ["demo/.env"] });
  });

  it("with a .dockerignore that names .env itself", async () => {
    const sent = await sentWith({ ...SECRETS, "lib/env.py": "" }, OLD_IGNORE_FILE);
    assertEquals(sent.paths, ["lib/env.py"]);
    assertEquals([...sent.leftOut].sort(), NAMED.filter((path) => path !== ".env"));
  });

  it("with the .dockerignore of the template, which keeps caches out below the app, too", async () => {
    const caches = {
      ".venv/bin/python": "",
      "venv/bin/python": "",
      "lib/__pycache__/a.pyc": "",
      ".ipynb_checkpoints/a": "",
    };
    const sent = await sentWith({ ...SECRETS, ...caches }, await readTemplate("dockerignore"));
    assertEquals(sent.paths, []);
    assertEquals(
      [...sent.leftOut].sort(),
      NAMED.filter((path) => ![".env", ".git/"].includes(path)),
    );
  });

  it("with a .dockerignore that lists what the image may have", async () => {
    for (const list of ["!demo", "!demo/**", "!**", "!demo\n!**/*.json\n!**/c*"]) {
      const files = { ".env": SECRET, ".docker/config.json": SECRET, "config.json": "" };
      const sent = await sentWith(files, `*\n${list}\n`);
      assertEquals(sent, { paths: ["config.json"], leftOut: [".docker/", ".env"] }, list);
    }
    const ofJson = await sentWith({ ".docker/config.json": SECRET }, "**\n!**/*.json\n");
    assertEquals(ofJson, { paths: [], leftOut: [".docker/config.json"] });
  });

  it("silently where the user leaves them out", async () => {
    const sent = await sentWith(SECRETS, "**/.*\n**/keys\n");
    assertEquals(sent, { paths: [], leftOut: [] });
  });

  it("but for those that an exception names", async () => {
    const files = {
      ".env": SECRET,
      ".env.example": "",
      ".aws/config": "",
      ".aws/credentials": SECRET,
      ".aws/sso/token": SECRET,
      ".ssh/known_hosts": "",
    };
    const base = "demo/mlcli_base/training";
    const sent = await sentWith(
      files,
      `!**/.env.example\n!${base}/.aws/config\n!${base}/.ssh\n`,
    );
    assertEquals(sent, {
      paths: [".aws/config", ".env.example", ".ssh/known_hosts"],
      leftOut: [".aws/credentials", ".aws/sso/", ".env"],
    });
    // Which a later line takes away again.
    const again = await sentWith(files, `!**/.env.example\n**/.e*\n**/.aws\n**/.ssh\n`);
    assertEquals(again, { paths: [], leftOut: [] });
  });
});

const KEY = (kind: string): string => `-----BEGIN ${kind}-----\n${SECRET}\n-----END ${kind}-----\n`;

suite("private keys stay out of the context", () => {
  const KINDS = [
    "PRIVATE KEY",
    "RSA PRIVATE KEY",
    "EC PRIVATE KEY",
    "ENCRYPTED PRIVATE KEY",
    "OPENSSH PRIVATE KEY",
    "PGP PRIVATE KEY BLOCK",
  ];
  for (const kind of KINDS) {
    it(`${kind}, in .pem and .key`, async () => {
      const sent = await sentWith({ "a.pem": KEY(kind), "b.KEY": KEY(kind) });
      assertEquals(sent, { paths: [], leftOut: ["a.pem", "b.KEY"] });
    });
  }

  it("behind a certificate and other text", async () => {
    const certificate = "-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n";
    const sent = await sentWith({
      "both.pem": certificate + KEY("PRIVATE KEY"),
      "late.pem": "#".repeat(60_000) + KEY("PRIVATE KEY"),
      "windows.pem": KEY("PRIVATE KEY").replaceAll("\n", "\r\n"),
    });
    assertEquals(sent, { paths: [], leftOut: ["both.pem", "late.pem", "windows.pem"] });
  });

  it("and what is none goes in", async () => {
    const files = {
      "ca.pem": "-----BEGIN CERTIFICATE-----\nx\n",
      "key.pub": "-----BEGIN PUBLIC KEY-----\n",
      "public.pem": "-----BEGIN PUBLIC KEY-----\nx\n",
      "empty.key": "",
      "names.key": "PRIVATE KEY\n",
      "test_keys.py": 'KEY = """-----BEGIN PRIVATE KEY-----"""\n',
    };
    assertEquals(await sentWith(files), { paths: Object.keys(files).sort(), leftOut: [] });
  });

  it("but for one that an exception names", async () => {
    const key = KEY("PRIVATE KEY").replace(SECRET, "of a test server");
    const files = { "server.pem": key, "client.key": KEY("PRIVATE KEY") };
    const sent = await sentWith(files, "!**/*.pem\n");
    assertEquals(sent, { paths: ["server.pem"], leftOut: ["client.key"] });
  });
});

suite("links and private files", () => {
  it("links go in as links, whatever they lead to; not under a private name", async () => {
    await using outside = await makeDirectory({ "credentials": SECRET, "key.pem": SECRET });
    await using directory = await makeDirectory({ ...APP, "demo/.env": SECRET });
    for (
      const [name, target] of [
        ["far.txt", `${outside.path}/credentials`],
        ["far.pem", `${outside.path}/key.pem`],
        ["folder", outside.path],
        ["near.txt", ".env"],
        [".netrc", `${outside.path}/credentials`],
        [".aws", outside.path],
      ] as const
    ) await Deno.symlink(target, join(directory.path, "demo", name));
    assertEquals(await sentOf(directory), {
      paths: ["demo/far.pem", "demo/far.txt", "demo/folder", "demo/near.txt"],
      leftOut: ["demo/.aws", "demo/.env", "demo/.netrc"],
    });
  });

  const refused: readonly (readonly [what: string, link: string, target: string])[] = [
    ["the requirements file", "requirements.txt", "demo/.env"],
    ["the requirements file, in a private directory", "requirements.txt", ".aws/config"],
    ["the Dockerfile", "demo/mlcli_base/Dockerfile", "../.env"],
    [".dockerignore", ".dockerignore", "demo/.env"],
  ];
  for (const [what, link, target] of refused) {
    it(`refuses a link to a private file as ${what}`, async () => {
      await using directory = await makeDirectory({
        ...APP,
        "demo/.env": SECRET,
        ".aws/config": SECRET,
        "server.pem": KEY("PRIVATE KEY"),
      });
      const path = join(directory.path, link);
      await Deno.remove(path).catch(() => {});
      await Deno.symlink(target, path);
      const error = await assertRejects(() => sentOf(directory), MlcliError);
      const real = join(directory.path, link, "..", target);
      assertEquals(
        [error.name, error.message],
        ["MlcliError", `${link} points to private data: ${real}`],
      );
    });
  }

  it("refuses a private key as the requirements file, through a link or not", async () => {
    await using directory = await makeDirectory({ ...APP, "server.pem": KEY("PRIVATE KEY") });
    const path = join(directory.path, "requirements.txt");
    await Deno.remove(path);
    await Deno.symlink("server.pem", path);
    const words = "server.pem is a private key, which must not get into an image";
    await assertRejects(() => sentOf(directory), MlcliError, words);
    await directory.write({ "demo.json": '{"requirements": "server.pem"}' });
    await assertRejects(() => sentOf(directory), MlcliError, words);
  });

  it("refuses them in a directory that is reached through a link, too", async () => {
    await using directory = await makeDirectory({ "real/key.pem": KEY("PRIVATE KEY") });
    await Deno.symlink("real", join(directory.path, "link"));
    await directory.write(
      Object.fromEntries(Object.entries(APP).map(([path, text]) => [`real/${path}`, text])),
    );
    await Deno.remove(join(directory.path, "real/requirements.txt"));
    await Deno.symlink("key.pem", join(directory.path, "real/requirements.txt"));
    const app = await findApp(join(directory.path, "link"), "demo");
    const message = "key.pem is a private key, which must not get into an image";
    await assertRejects(() => buildContext(app), MlcliError, message);
  });

  it("refuses an app's directory that is a private one", async () => {
    await using directory = await makeDirectory({
      "demo.json": "{}",
      "requirements.txt": "",
      ".aws/mlcli_base/Dockerfile": "FROM x\n",
      ".aws/credentials": SECRET,
    });
    await Deno.symlink(".aws", join(directory.path, "demo"));
    await assertRejects(() => sentOf(directory), MlcliError, "demo points to private data: ");
  });

  it("lets a link inside lead to what is not private", async () => {
    await using directory = await makeDirectory({ ...APP, "deps/base.txt": "" });
    await Deno.remove(join(directory.path, "requirements.txt"));
    await Deno.symlink("deps/base.txt", join(directory.path, "requirements.txt"));
    assertEquals((await sentOf(directory)).leftOut, []);
  });
});
