import { assertEquals } from "@std/assert";
import type { Variables } from "../../../runtime/contract/variables.ts";
import { dockerProxies, proxiesBeside, withoutProxy } from "../../../runtime/docker/proxies.ts";
import { makeDirectory } from "../../helpers/directory.ts";
import { it, suite } from "../../helpers/suite.ts";

const LOCAL = "localhost,127.0.0.1,host.docker.internal";
const HTTP = { HTTP_PROXY: "http://proxy:3128", http_proxy: "http://proxy:3128" };

/** Reads the proxies in a configuration file, for an engine at an address. */
async function read(content: unknown, address?: string) {
  await using directory = await makeDirectory();
  const text = typeof content === "string" ? content : JSON.stringify(content);
  await Deno.writeTextFile(`${directory.path}/config.json`, text);
  const env = (name: string) => name === "DOCKER_CONFIG" ? directory.path : undefined;
  return dockerProxies(env, address);
}

suite("dockerProxies", () => {
  it("reads all five keys, as variables in upper and in lower case", async () => {
    const { variables } = await read({
      proxies: {
        default: { httpProxy: "a", httpsProxy: "b", ftpProxy: "c", allProxy: "d", noProxy: "e" },
      },
    });
    assertEquals(variables, {
      ...{ HTTP_PROXY: "a", http_proxy: "a", HTTPS_PROXY: "b", https_proxy: "b" },
      ...{ FTP_PROXY: "c", ftp_proxy: "c", ALL_PROXY: "d", all_proxy: "d" },
      ...{ NO_PROXY: "e", no_proxy: "e" },
    });
  });

  it("prefers the object of the engine's address to the default", async () => {
    const proxies = {
      default: { httpProxy: "http://proxy:3128", noProxy: "corp" },
      "tcp://far:2375": { httpsProxy: "far" },
    };
    const far = await read({ proxies }, "tcp://far:2375");
    assertEquals(far.variables, { HTTPS_PROXY: "far", https_proxy: "far" });
    assertEquals(far.dependOnEngine, true);
    const near = await read({ proxies }, "unix:///var/run/docker.sock");
    assertEquals(near.variables, { ...HTTP, NO_PROXY: "corp", no_proxy: "corp" });
  });

  for (
    const [title, content] of [
      ["a file that is not JSON", "{"],
      ["a file without them", {}],
      ["values that are not text", { proxies: { default: { httpProxy: 7, httpsProxy: null } } }],
      // https://github.com/docker/compose/issues/8748
      ["empty values", { proxies: { default: { httpProxy: " ", noProxy: "" } } }],
      [
        "a null character, which an engine refuses in a message with the password",
        { proxies: { default: { httpProxy: "http://me:s3cret@proxy\0" } } },
      ],
      ["a list", { proxies: ["http://proxy"] }],
      ["text", { proxies: { default: "http://proxy" } }],
    ] as const
  ) {
    it(`finds no proxies in ${title}`, async () => {
      const { variables, isMisplaced } = await read(content);
      assertEquals({ variables, isMisplaced }, { variables: {}, isMisplaced: false });
    });
  }

  // https://github.com/docker/cli/issues/507
  it("reports addresses outside of an engine's object as misplaced", async () => {
    const { variables, isMisplaced } = await read({
      proxies: { httpProxy: "http://myproxy:8080", noProxy: "localhost,127.0.0.1,my.lan" },
    });
    assertEquals({ variables, isMisplaced }, { variables: {}, isMisplaced: true });
  });
});

suite("proxiesBeside and withoutProxy", () => {
  const cases: Readonly<
    Record<string, {
      readonly found: Variables;
      readonly user?: Variables;
      readonly ofRole?: Variables;
      readonly hosts?: readonly string[];
      readonly expected: Variables;
    }>
  > = {
    "pip's proxies alone add none": {
      found: {},
      ofRole: HTTP,
      expected: {},
    },
    // https://github.com/unslothai/unsloth/pull/11147
    "NO_PROXY contains the names of the container and of this machine": {
      found: HTTP,
      expected: { ...HTTP, NO_PROXY: LOCAL, no_proxy: LOCAL },
    },
    // https://github.com/docker/compose/issues/11433
    "NO_PROXY contains the names of the hosts": {
      found: HTTP,
      hosts: ["algo-1", "algo-2"],
      expected: {
        ...HTTP,
        NO_PROXY: `${LOCAL},algo-1,algo-2`,
        no_proxy: `${LOCAL},algo-1,algo-2`,
      },
    },
    // https://github.com/docker/docker-py/issues/2199
    "NO_PROXY keeps the file's exceptions, each name once": {
      found: { ...HTTP, NO_PROXY: "localhost, .corp", no_proxy: "localhost, .corp" },
      expected: {
        ...HTTP,
        NO_PROXY: "localhost,.corp,127.0.0.1,host.docker.internal",
        no_proxy: "localhost,.corp,127.0.0.1,host.docker.internal",
      },
    },
    // curl and Python's urllib compare the whole value with the star.
    "NO_PROXY stays *, which stands for all hosts": {
      found: { ...HTTP, NO_PROXY: "*", no_proxy: "*" },
      expected: { ...HTTP, NO_PROXY: "*", no_proxy: "*" },
    },
    // https://github.com/Syslifters/sysreptor/issues/510
    "the user's variables replace proxies in both spellings, even if they are empty": {
      found: { ...HTTP, HTTPS_PROXY: "x", https_proxy: "x" },
      user: { HTTP_PROXY: "", https_proxy: "mine" },
      expected: { NO_PROXY: LOCAL, no_proxy: LOCAL },
    },
    "the user's no_proxy is not completed": {
      found: { ...HTTP, NO_PROXY: "corp", no_proxy: "corp" },
      user: { no_proxy: "mine" },
      expected: HTTP,
    },
    "pip's variables replace proxies, and pip's no_proxy is completed": {
      found: { ...HTTP, NO_PROXY: "corp", no_proxy: "corp" },
      ofRole: { HTTP_PROXY: "http://pip", no_proxy: "index" },
      expected: { NO_PROXY: `index,${LOCAL}`, no_proxy: `index,${LOCAL}` },
    },
  };
  for (
    const [title, { found, user = {}, ofRole = {}, hosts = [], expected }] of Object.entries(cases)
  ) {
    it(title, () => {
      assertEquals(withoutProxy(proxiesBeside(found, user), ofRole, hosts), expected);
    });
  }
});
