import { assertEquals, assertRejects } from "@std/assert";
import { MlcliError } from "../../../runtime/errors.ts";
import { candidates } from "../../../runtime/docker/locate.ts";
import { makeDirectory } from "../../helpers/directory.ts";
import { sha256 } from "../../helpers/sigv4.ts";
import { it, suite } from "../../helpers/suite.ts";

type Variables = Readonly<Record<string, string>>;

async function withHome(
  { current, contexts = {} }: { current?: string; contexts?: Variables },
  work: (home: string) => Promise<void>,
): Promise<void> {
  await using home = await makeDirectory({
    ".docker/config.json": JSON.stringify({ currentContext: current }),
    ...Object.fromEntries(
      Object.entries(contexts).map(([Name, Host]) => [
        `.docker/contexts/meta/${sha256(Name)}/meta.json`,
        JSON.stringify({ Name, Endpoints: { docker: { Host } } }),
      ]),
    ),
  });
  await work(home.path);
}

async function found(variables: Variables, os?: typeof Deno.build.os): Promise<string[]> {
  const places = await candidates({ env: (name) => variables[name], os });
  return places.map(({ rule, address }) =>
    `${rule} ${address.kind === "tcp" ? address.host : address.path}`
  );
}

const CONTEXTS = { colima: "unix:///colima.sock", far: "tcp://build.example:2375" };

suite("candidates", () => {
  const COLIMA = 'context "colima" /colima.sock';
  const rows: readonly (readonly [title: string, Variables, place: string])[] = [
    [
      "takes DOCKER_HOST alone, before any context",
      { DOCKER_HOST: "unix:///my.sock", DOCKER_CONTEXT: "far" },
      "DOCKER_HOST /my.sock",
    ],
    ["takes an empty DOCKER_HOST for none", { DOCKER_HOST: "" }, COLIMA],
    [
      "takes DOCKER_CONTEXT before the configured context",
      { DOCKER_CONTEXT: "far" },
      'DOCKER_CONTEXT "far" build.example:2375',
    ],
    [
      "reads DOCKER_CONFIG instead of the home",
      { HOME: "/nowhere", DOCKER_CONFIG: "HERE/.docker" },
      COLIMA,
    ],
  ];
  for (const [title, variables, place] of rows) {
    it(title, async () => {
      await withHome({ current: "colima", contexts: CONTEXTS }, async (HOME) => {
        const all = Object.entries({ HOME, ...variables })
          .map(([name, value]) => [name, value.replace("HERE", HOME)]);
        assertEquals(await found(Object.fromEntries(all)), [place]);
      });
    });
  }

  it("waits for no pipe in the place of the configuration", async () => {
    await withHome({}, async (HOME) => {
      const bare = await found({ HOME });
      const pipe = `${HOME}/.docker/config.json`;
      await Deno.remove(pipe);
      await new Deno.Command("mkfifo", { args: [pipe] }).output();
      // Ends the test where mlcli waits for it: the context is not there.
      const script = 'sleep 10; echo \'{"currentContext": "late"}\' > "$0"';
      const late = new Deno.Command("sh", { args: ["-c", script, pipe] }).spawn();
      try {
        assertEquals(await found({ HOME }), bare);
      } finally {
        late.kill("SIGKILL");
        await late.status;
      }
    });
  });

  it("adds the engine's ports to an address without one", async () => {
    assertEquals(await found({ DOCKER_HOST: "tcp://far" }), ["DOCKER_HOST far:2375"]);
    assertEquals(await found({ DOCKER_HOST: "tcp://far", DOCKER_TLS_VERIFY: "1" }), [
      "DOCKER_HOST far:2376",
    ]);
  });

  it("takes the certificates of DOCKER_CERT_PATH, else those of the configuration", async () => {
    const tlsOf = async (variables: Variables): Promise<unknown> => {
      const all: Variables = { HOME: "/home/me", DOCKER_HOST: "tcp://far:1", ...variables };
      const [place] = await candidates({ env: (name) => all[name] });
      return place?.address.kind === "tcp" ? place.address.tls : place;
    };
    const folder = (path: string) => ({
      ca: `${path}/ca.pem`,
      cert: `${path}/cert.pem`,
      key: `${path}/key.pem`,
    });
    const verify = { DOCKER_TLS_VERIFY: "1" };
    assertEquals(await tlsOf(verify), folder("/home/me/.docker"));
    assertEquals(await tlsOf({ ...verify, DOCKER_CONFIG: "/etc/d" }), folder("/etc/d"));
    assertEquals(await tlsOf({ ...verify, DOCKER_CERT_PATH: "" }), folder("/home/me/.docker"));
    assertEquals(await tlsOf({ ...verify, DOCKER_CERT_PATH: "/certs" }), folder("/certs"));
    assertEquals(
      await tlsOf({ ...verify, DOCKER_CERT_PATH: "/certs", DOCKER_CONFIG: "/etc/d" }),
      folder("/certs"),
    );
    // Without the wish for it, there is none; empty is not set.
    assertEquals(await tlsOf({ DOCKER_CERT_PATH: "/certs" }), undefined);
    assertEquals(await tlsOf({ DOCKER_TLS_VERIFY: "", DOCKER_CERT_PATH: "/certs" }), undefined);
  });

  it("takes what docker takes: an address without a scheme, a scheme without a path", async () => {
    assertEquals(await found({ DOCKER_HOST: "far:1234" }), ["DOCKER_HOST far:1234"]);
    assertEquals(await found({ DOCKER_HOST: "unix://" }), ["DOCKER_HOST /var/run/docker.sock"]);
  });

  it("takes the pipes of Windows, by name, in a context, and where nobody names an engine", async () => {
    for (const given of ["npipe:////./pipe/engine", "npipe://\\\\.\\pipe\\engine"]) {
      assertEquals(await found({ DOCKER_HOST: given }), ["DOCKER_HOST //./pipe/engine"]);
    }
    assertEquals(await found({ DOCKER_HOST: "npipe://" }), ["DOCKER_HOST //./pipe/docker_engine"]);
    const desktop = "npipe:////./pipe/dockerDesktopLinuxEngine";
    const contexts = { "desktop-linux": desktop };
    await withHome({ current: "desktop-linux", contexts }, async (USERPROFILE) => {
      const place = 'context "desktop-linux" //./pipe/dockerDesktopLinuxEngine';
      assertEquals(await found({ USERPROFILE }, "windows"), [place]);
    });
    assertEquals(await found({ USERPROFILE: "/nobody" }, "windows"), [
      "default //./pipe/docker_engine",
      "Docker Desktop //./pipe/dockerDesktopLinuxEngine",
      "Podman machine //./pipe/podman-machine-default",
    ]);
    assertEquals((await found({ HOME: "/nobody" }, "darwin"))[0], "default /var/run/docker.sock");
  });

  it("takes the certificates of a context, and those alone", async () => {
    await withHome({ contexts: { ...CONTEXTS, safe: "tcp://safe.example" } }, async (HOME) => {
      const folder = `${HOME}/.docker/contexts/tls/${sha256("safe")}/docker`;
      await Deno.mkdir(folder, { recursive: true });
      await Deno.writeTextFile(`${folder}/ca.pem`, "");
      const tlsOf = async (name: string): Promise<unknown> => {
        const variables: Variables = { HOME, DOCKER_CONTEXT: name, DOCKER_TLS_VERIFY: "1" };
        const [place] = await candidates({ env: (variable) => variables[variable] });
        return place?.address;
      };
      assertEquals(await tlsOf("safe"), {
        kind: "tcp",
        host: "safe.example:2376",
        tls: { ca: `${folder}/ca.pem`, cert: `${folder}/cert.pem`, key: `${folder}/key.pem` },
      });
      assertEquals(await tlsOf("far"), {
        kind: "tcp",
        host: "build.example:2375",
        tls: undefined,
      });
    });
  });

  it("tries the default socket and the well-known ones otherwise", async () => {
    await withHome({ current: "default" }, async (HOME) => {
      const runtime = { XDG_RUNTIME_DIR: "/run/user/1", TMPDIR: "/folders/T", COLIMA_HOME: "/c" };
      const variables = { HOME, ...runtime, XDG_CONFIG_HOME: "/config" };
      const everywhere = [
        "default /var/run/docker.sock",
        "SageMaker Studio /docker/proxy.sock",
        "rootless Docker /run/user/1/docker.sock",
        `Docker Desktop ${HOME}/.docker/run/docker.sock`,
        `Docker Desktop ${HOME}/.docker/desktop/docker.sock`,
        `OrbStack ${HOME}/.orbstack/run/docker.sock`,
        `Rancher Desktop ${HOME}/.rd/docker.sock`,
        "Colima /c/default/docker.sock",
        `Colima ${HOME}/.colima/default/docker.sock`,
        "Colima /config/colima/default/docker.sock",
        "Podman /run/user/1/podman/podman.sock",
        "Podman /run/podman/podman.sock",
      ];
      assertEquals(await found(variables, "linux"), everywhere);
      assertEquals(await found(variables, "darwin"), [
        ...everywhere,
        "Podman machine /folders/T/podman/podman-machine-default-api.sock",
        `Podman machine ${HOME}/.local/share/containers/podman/machine/podman.sock`,
      ]);
    });
  });

  it("refuses a context that is not there, and an address that it cannot reach", async () => {
    await withHome({}, async (HOME) => {
      await assertRejects(
        () => found({ HOME, DOCKER_CONTEXT: "gone" }),
        MlcliError,
        'Docker context "gone" not found',
      );
      await assertRejects(
        () => found({ HOME, DOCKER_HOST: "ssh://far" }),
        MlcliError,
        'Docker Engine address "ssh://far" is not supported',
      );
    });
  });

  it("never shows a password in an address", async () => {
    await withHome({}, async (HOME) => {
      for (const scheme of ["tcp://", "my-scheme://", "ssh+x://", ""]) {
        for (const secret of ["me:s3:cr@t", "me@corp.example:pw", "TOKEN", "me:a\nb"]) {
          await assertRejects(
            () => found({ HOME, DOCKER_HOST: `${scheme}${secret}@far:2375` }),
            MlcliError,
            `Docker Engine address "${scheme}***@far:2375" is not supported`,
          );
        }
      }
    });
  });
});
