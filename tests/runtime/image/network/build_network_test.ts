import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { findApp } from "../../../../runtime/app/app.ts";
import type { TarEntry } from "../../../../runtime/archive/writer.ts";
import { MlcliError } from "../../../../runtime/errors.ts";
import {
  type BuildNetwork,
  buildNetwork,
  withBaseImages,
} from "../../../../runtime/image/network/build_network.ts";
import { makeDirectory, type TestDirectory } from "../../../helpers/directory.ts";
import { it, suite } from "../../../helpers/suite.ts";

const PEM = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";
const OTHER_PEM = PEM.replace("MIIB", "MIIC");
const KEY = "-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----\n";

const MOUNTED = "FROM x\nRUN --mount=type=cache,target=/root/.cache/pip \\\n" +
  "    --mount=type=bind,source=.mlcli-build,target=/run/mlcli-build \\\n    /opt/mlcli/install\n";

const UNKNOWN = "a base image, whose name is unknown, might put them into the image with ONBUILD";

const DOCKERFILE = "app/demo/mlcli_base/Dockerfile";

/** A machine: its files, below a directory that is its root, with the app in `app/`. */
async function machine(files: Readonly<Record<string, string>> = {}): Promise<TestDirectory> {
  return await makeDirectory({
    "app/demo.json": "{}",
    "app/requirements.txt": "pandas\n",
    [DOCKERFILE]: MOUNTED,
    ...files,
  });
}

async function handed(
  directory: TestDirectory,
  variables: Readonly<Record<string, string>> = {},
): Promise<BuildNetwork> {
  const { path } = directory;
  const app = await findApp(join(path, "app"), "demo");
  return await buildNetwork(app, join(path, DOCKERFILE), {
    env: (name) => variables[name]?.replaceAll("ROOT", path),
    system: { os: "linux", root: path },
  });
}

async function contentsOf(
  { entries }: { readonly entries: readonly TarEntry[] },
): Promise<Record<string, string>> {
  const texts: Record<string, string> = {};
  for (const entry of entries) {
    if (entry.type !== "content") continue;
    texts[entry.path.replace(".mlcli-build/", "")] = new TextDecoder().decode(await entry.read());
  }
  return texts;
}

suite("the settings for pip stay here", () => {
  const withPassword = { PIP_INDEX_URL: "https://me:secret@pypi.corp/simple" };
  const takes = [
    "COPY . /x",
    "COPY ${SOURCE} /x",
    "COPY $SOURCE/* /x",
    "COPY ${APP}/.. /x",
    "COPY a b/../../c/.. /x",
    "COPY [!a-z]* /x",
    "COPY .${PREFIX}-build /x",
    "COPY ${SOURCE:-.}/ /x",
    "COPY \\.mlcli-build /x",
    'COPY ["./.mlcli-?uild", "/x"]',
    "ADD .m* /x",
    `COPY "\${SOURCE}"/ '.'/ /x`,
    "COPY ${APP}/ /x",
    "ARG APP\nFROM x\nCOPY $APP /x",
    "COPY ${REQUIREMENTS} /x",
    "ARG APP\nENV APP=.\nCOPY ${APP}/ /x",
    "RUN --mount=source=$APP,target=/c true # COPY",
    "RUN sh -c 'cat <<EOF > /x'\nCOPY . /x",
    'RUN python -c "print(1 <<n if n else \\"2\\")"\nCOPY . /x',
  ];
  for (const line of takes) {
    it(`where the Dockerfile may copy them: ${line}`, async () => {
      await using directory = await machine({ [DOCKERFILE]: `${MOUNTED}${line}\n` });
      const { entries, warnings } = await handed(directory, withPassword);
      assertEquals([entries.length, warnings.length], [1, 1]);
      assertMatch(warnings[0]!.message, /which (?:would|might) put them into the image$/);
    });
  }

  const leaves = [
    "ARG REQUIREMENTS=r APP\nCOPY ${APP}/mlcli_base/ ${REQUIREMENTS} $APP /x",
    "COPY ${APP}/mlcli_base/ /x",
    "RUN echo 'it' <<EOF\nCOPY . /x\nEOF",
    "COPY bin-${TARGETARCH} /x",
    "COPY ${SOURCE}/train.py demo/* *.py /x",
    "COPY --from=base . /x",
    "COPY .mlcli/ ./demo.json ****************************************x /x",
  ];
  for (const line of leaves) {
    it(`but not where it copies something else: ${line}`, async () => {
      await using directory = await machine({ [DOCKERFILE]: `${MOUNTED}${line}\n` });
      const { entries, warnings } = await handed(directory, withPassword);
      assertEquals([entries.length, warnings], [2, []]);
    });
  }
});

suite("what pip in a build gets of this machine's network", () => {
  it("is nothing but an empty directory where nothing is set", async () => {
    await using directory = await machine();
    const found = await handed(directory, { NO_PROXY: "localhost", PIP_FIND_LINKS: "/wheels" });
    assertEquals(found.entries, [{ type: "directory", path: ".mlcli-build", mode: 0o755 }]);
    assertEquals([found.warnings, found.secret], [[], []]);
  });

  it("is variables and pip's files, as variables that a shell reads", async () => {
    await using directory = await machine({
      "etc/pip.conf": "[global]\nindex-url = https://me:it's@pypi.corp/simple\ntimeout = 60\n",
      "home/.config/pip/pip.conf": "[install]\nextra-index-url =\n  https://a/x\n  https://b/y\n",
      "home/.netrc": "machine a login me password for-a\nmachine github.com login me password no\n",
    });
    const found = await handed(directory, {
      HOME: "ROOT/home",
      https_proxy: "http://me:secret@proxy:3128",
      HTTP_PROXY: "http://proxy:3128",
      NO_PROXY: "corp",
      PIP_FIND_LINKS: "/wheels https://c/z",
      PIP_NO_INDEX: "0",
    });
    assertEquals(await contentsOf(found), {
      environment: [
        "export HTTP_PROXY='http://proxy:3128'",
        "export NO_PROXY='corp'",
        "export PIP_EXTRA_INDEX_URL='https://a/x https://b/y'",
        "export PIP_FIND_LINKS='https://c/z'",
        "export PIP_INDEX_URL='https://me:it'\\''s@pypi.corp/simple'",
        "export PIP_NO_INDEX='0'",
        "export PIP_TIMEOUT='60'",
        "export https_proxy='http://me:secret@proxy:3128'\n",
      ].join("\n"),
      netrc: "machine a\n  login me\n  password for-a\n",
    });
    const { path } = directory;
    assertEquals(found.secret, [`${path}/etc/pip.conf`, "https_proxy", `${path}/home/.netrc`]);
    assertEquals(found.warnings, []);
  });

  it("is certificates and nothing else of a file; the app's go before pip's, the system's last", async () => {
    await using directory = await machine({
      "app/certs/company.pem": `${KEY}${PEM.replaceAll("\n", "\r\n")}`,
      "pip.pem": `# comment\n${OTHER_PEM}`,
      "usr/local/share/ca-certificates/team/a.crt": OTHER_PEM,
      "usr/local/share/ca-certificates/b.crt": PEM,
      "usr/local/share/ca-certificates/notes.txt": PEM,
    });
    const certificates = async (variables: Readonly<Record<string, string>> = {}) =>
      (await contentsOf(await handed(directory, variables)))["certificates.pem"];
    assertEquals(await certificates(), PEM + OTHER_PEM);
    assertEquals(await certificates({ SSL_CERT_FILE: "ROOT/pip.pem" }), OTHER_PEM);
    assertEquals(
      await certificates({ PIP_CERT: "ROOT/pip.pem", SSL_CERT_FILE: "/other" }),
      OTHER_PEM,
    );
    assertEquals(await certificates({ SSL_CERT_FILE: "/not/there" }), PEM + OTHER_PEM);
    await directory.write({ "app/demo.json": '{"certificate_file": "certs/company.pem"}' });
    assertEquals(await certificates({ PIP_CERT: "ROOT/pip.pem" }), PEM);
  });

  it("refuses a certificate_file that holds none, is not there, or leads out of the app", async () => {
    await using directory = await machine({
      "app/demo.json": '{"certificate_file": "a.pem"}',
      "elsewhere.pem": PEM,
    });
    const place = join(directory.path, "app/a.pem");
    const refused = async (words: string) =>
      await assertRejects(() => handed(directory), MlcliError, words);
    await refused("Cannot use certificate file a.pem: No such file or directory");
    await Deno.writeTextFile(place, KEY);
    await refused("Cannot use certificate file a.pem: it contains no certificate");
    await Deno.remove(place);
    await Deno.symlink("../elsewhere.pem", place);
    await refused("a.pem points outside");
  });

  it("is docker's own proxies for builds where no variable names one", async () => {
    const proxies = {
      default: { httpsProxy: "http://me:secret@proxy:3128", noProxy: "corp", httpProxy: 7 },
    };
    await using directory = await machine({
      "home/.docker/config.json": JSON.stringify({ proxies }),
    });
    const env = { HOME: "ROOT/home" };
    const found = await handed(directory, env);
    assertEquals((await contentsOf(found))["environment"]?.split("\n"), [
      "export HTTPS_PROXY='http://me:secret@proxy:3128'",
      "export NO_PROXY='corp'",
      "export https_proxy='http://me:secret@proxy:3128'",
      "export no_proxy='corp'",
      "",
    ]);
    assertEquals(found.secret, [`${directory.path}/home/.docker/config.json`]);
    const other = await handed(directory, { ...env, HTTP_PROXY: "http://other:1" });
    assertEquals(await contentsOf(other), { environment: "export HTTP_PROXY='http://other:1'\n" });
  });

  it("warns of what cannot work, and hands the rest over", async () => {
    await using directory = await machine({ "own.conf/x": "" });
    const { warnings, entries } = await handed(directory, {
      HTTPS_PROXY: "http://me:secret@localhost:3128",
      PIP_INDEX_URL: "http://127.0.0.1:3141/simple",
      PIP_CERT: "/not/there.pem",
      PIP_CONFIG_FILE: "ROOT/own.conf",
    });
    assertEquals(warnings.map(({ message }) => message), [
      `Cannot use ${directory.path}/own.conf, so the build ignores it: Is a directory`,
      "The build container cannot reach the package index on this machine, 127.0.0.1 (index-url from PIP_INDEX_URL)",
      "The build container cannot reach the proxy on this machine, localhost (from HTTPS_PROXY), so pip does not use it",
      "Cannot use /not/there.pem, so the build ignores it: No such file or directory",
    ]);
    assertEquals(await contentsOf({ entries }), {
      environment: "export PIP_INDEX_URL='http://127.0.0.1:3141/simple'\n",
    });
    await Deno.symlink("loop", `${directory.path}/loop`);
    const circle = await handed(directory, { PIP_CONFIG_FILE: "ROOT/loop", PIP_CERT: "ROOT/loop" });
    assertEquals(circle.warnings.map(({ message }) => /os error/.test(message)), [false, false]);
  });
});

suite("where this machine's network settings go", () => {
  const variables = { PIP_INDEX_URL: "https://me:secret@pypi.corp/simple" };
  const mount = "--mount=type=bind,source=.mlcli-build,target=/run/mlcli-build";
  const SAID = {
    handed: undefined,
    copied: "the Dockerfile copies",
    mounted: "the Dockerfile mounts",
    read: "(# syntax=) might put",
    missing: "does not let pip",
  };
  type Row = readonly [title: string, dockerfile: string, outcome: keyof typeof SAID];
  const rows: readonly Row[] = [
    ["the template's line", MOUNTED, "handed"],
    ["other words for it", "RUN --mount=src=./.mlcli-build/,dst=/x true\n", "handed"],
    ["the app copied", `${MOUNTED}ARG APP\nCOPY \${APP}/ /x/\nADD [ "demo/a", "/y" ]\n`, "handed"],
    ["another stage's files", `${MOUNTED}COPY --from=base . /x\n`, "handed"],
    ["no mount", "FROM x\nRUN /opt/mlcli/install\n", "missing"],
    ["a comment", `# RUN ${mount} x\nRUN x\n`, "missing"],
    ["a mount of another stage", "RUN --mount=from=a,source=.mlcli-build,target=/x x\n", "missing"],
    ["all copied", `${MOUNTED}COPY . /x\n`, "copied"],
    ["all copied, in other words", `${MOUNTED}COPY ["a", "./", "/x"]\n`, "copied"],
    ["all added", `${MOUNTED}ADD / /x/\n`, "copied"],
    ["a variable", `${MOUNTED}ARG X=.\nCOPY \${X} /x\n`, "copied"],
    ["a variable in one", `${MOUNTED}ARG X=.\nCOPY \${Y:-\${X}} /x\n`, "copied"],
    ["a variable in one, part of a name", `${MOUNTED}COPY .\${Y:-\${X}}-build /x\n`, "copied"],
    ["a pattern", `${MOUNTED}COPY --chown=1:1 .ml* * /x/\n`, "copied"],
    ["the directory itself", `${MOUNTED}COPY .mlcli-build/netrc /root/.netrc\n`, "copied"],
    ["all mounted", `${MOUNTED}RUN --mount=type=bind,target=/c cp -r /c /x\n`, "mounted"],
    ["all mounted, by its name", `${MOUNTED}RUN --mount=src=./,dst=/c true\n`, "mounted"],
    ["all mounted, in capitals", `${MOUNTED}RUN --mount=Target=/c,Source=/ true\n`, "mounted"],
    [
      "all mounted, in quotes",
      `${MOUNTED}RUN --mount="type=bind,source=a/..",to=/c x\n`,
      "mounted",
    ],
    ["all mounted, from nowhere else", `${MOUNTED}RUN --mount=from=,target=/c x\n`, "mounted"],
    ["what only the builder knows", `${MOUNTED}RUN --mount=source=\${X},target=/c x\n`, "mounted"],
    ["a type that only it knows", `${MOUNTED}RUN --mount=type=\${X},target=/c x\n`, "mounted"],
    ["files mounted", `${MOUNTED}RUN --mount=src=demo,dst=/c --mount=type=ssh x\n`, "handed"],
    ["another stage mounted", `${MOUNTED}RUN --mount=type=bind,from=a,target=/c x\n`, "handed"],
    [
      "a file of the directory mounted",
      `${MOUNTED}RUN --mount=src=.mlcli-build/netrc,dst=/r x\n`,
      "handed",
    ],
    ["what a later stage copies", `${MOUNTED}ONBUILD ONBUILD COPY . /x\nFROM a\n`, "copied"],
    ["all copied from nowhere else", `${MOUNTED}COPY --from= . /x\n`, "copied"],
    ["somebody else's reader", `# syntax=corp/dockerfile:1 x\n${MOUNTED}`, "read"],
    ["it in other words", `#!/bin/x\n//Syntax = docker.corp/docker/dockerfile\n${MOUNTED}`, "read"],
    ["it as JSON", `{"syntax": "docker/dockerfiles"}\n${MOUNTED}`, "read"],
    ["Docker's own reader", `# syntax=docker/dockerfile:1.7\n${MOUNTED}`, "handed"],
    ["what a clone may have built", `# syntax=docker/dockerfile\n${MOUNTED}`, "read"],
    ["a pattern of other files", `${MOUNTED}COPY *.txt demo/* /x/\n`, "handed"],
  ];
  for (const [title, dockerfile, outcome] of rows) {
    it(`${title}: ${outcome}`, async () => {
      await using directory = await machine({ [DOCKERFILE]: dockerfile });
      const found = await handed(directory, variables);
      assertEquals(found.entries.length, outcome === "handed" ? 2 : 1);
      assertEquals(found.secret, outcome === "handed" ? ["PIP_INDEX_URL"] : []);
      const [warning] = found.warnings;
      assertEquals(warning?.message.includes(SAID[outcome] ?? ""), SAID[outcome] && true);
    });
  }

  it("no warning is printed if pip installs nothing, or if no settings are found", async () => {
    await using directory = await machine({
      [DOCKERFILE]: "FROM x\n",
      "app/requirements.txt": "\n  # nothing\n",
    });
    assertEquals((await handed(directory, variables)).warnings, []);
    // "\n# x" in UTF-16: without decoding, its lines look like packages.
    const utf16 = new Uint8Array(
      Uint16Array.from("\ufeff\n# x", (one) => one.charCodeAt(0)).buffer,
    );
    await Deno.writeFile(join(directory.path, "app/requirements.txt"), utf16);
    assertEquals((await handed(directory, variables)).warnings, []);
    await directory.write({ "app/requirements.txt": "pandas\n" });
    assertEquals((await handed(directory)).warnings, []);
    assertEquals((await handed(directory, { PIP_DEFAULT_TIMEOUT: "60" })).warnings, []);
    assertEquals((await handed(directory, variables)).warnings, [{
      level: "warning",
      message: "demo/mlcli_base/Dockerfile does not let pip use this machine's network settings: " +
        "PIP_INDEX_URL",
      hint:
        "Add this option to the Dockerfile, between RUN and /opt/mlcli/install, then run mlcli build: " +
        mount,
    }]);
  });
});

suite("once its base images are here, a build gets them", () => {
  const variables = { PIP_INDEX_URL: "https://me:secret@pypi.corp/simple" };
  const images: Readonly<Record<string, readonly string[] | null>> = {
    plain: null,
    careful: ["COPY --from=other . /x", "RUN x \\", "COPY demo/ /x"],
    greedy: ["ENV A=b", "COPY . /usr/src/app"],
    mounting: ["RUN --mount=target=/c cp -r /c /x"],
  };
  const rows: readonly (readonly [string, readonly string[], string?, boolean?])[] = [
    ["where they add nothing", ["plain"]],
    ["where they copy something else", ["plain", "careful"]],
    [
      "but not where one copies them",
      ["plain", "greedy"],
      "the base image greedy copies . (ONBUILD), which would put them into the image",
    ],
    [
      "nor where one mounts them",
      ["mounting"],
      "the base image mounting mounts the whole context (ONBUILD), which might put them into the image",
    ],
    ["nor where nobody knows one", ["plain"], UNKNOWN, true],
    ["nor where one is not here", ["gone"], UNKNOWN],
  ];
  for (const [title, names, reason, hasUnknown = false] of rows) {
    it(title, async () => {
      await using directory = await machine();
      const network = await handed(directory, variables);
      const bases = names.map((reference) => ({
        reference,
        image: Object.hasOwn(images, reference)
          ? { Config: { OnBuild: images[reference]! } }
          : undefined,
      }));
      const found = withBaseImages(network, bases, hasUnknown);
      if (reason === undefined) return assertEquals(found, network);
      const prefix = "pip cannot use this machine's network settings (PIP_INDEX_URL): ";
      const { entries, secret, passwords, warnings } = found;
      assertEquals([entries.length, secret, passwords], [1, [], []]);
      assertEquals(warnings.map(({ message }) => message), [`${prefix}${reason}`]);
    });
  }
});
