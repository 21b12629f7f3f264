import { assertEquals } from "@std/assert";
import { isPrivateName, PRIVATE_NAMES } from "../../../runtime/app/private_files.ts";
import { it, suite } from "../../helpers/suite.ts";

/** Names as people have them. */
const PRIVATE = [
  ...[".git", ".hg", ".svn", ".git-credentials"],
  ...[".env", ".env.local", ".env.example", ".envrc", ".netrc", "_netrc", ".htpasswd", ".pgpass"],
  ...[".my.cnf", ".mylogin.cnf", ".vault-token", "passwords.kdbx"],
  ...[".npmrc", ".pypirc", ".docker", ".dockercfg"],
  ...[".aws", ".azure", ".boto", ".kube", ".oci", ".s3cfg", ".databrickscfg"],
  "application_default_credentials.json",
  ...[".ssh", ".gnupg", "id_rsa", "id_dsa", "id_ecdsa", "id_ecdsa_sk", "id_ed25519"],
  ...["id_ed25519_sk", "putty.ppk", "client.p12", "client.pfx"],
];

const OTHERS = [
  ...["git", ".gitignore", ".gitkeep", ".gitattributes", ".github", ".git2", "x.git"],
  ...["env", "environment", "my.env", "x.env.py", "env.py", "netrc", ".netrc.py", "_netrc2"],
  ...["id_rsa.pub", "id_ed25519.pub", "my_id_rsa", "id_rsa2", "ssh", ".sshx", "aws", ".awsome"],
  ...[".dockerignore", "docker", "Dockerfile", ".kubeconfig.py", "npmrc", ".npmrc.bak"],
  // A dot is a dot.
  ...["xenv", "xppk", "Xssh", "clientxp12"],
  // What the content says is not the name's to say.
  ...["server.pem", "server.key", "credentials", "secrets.json", "config.json"],
  ...["training.py", "serve", "", ".", "..", ".p12.txt"],
];

suite("private names", () => {
  for (const name of PRIVATE) {
    it(`"${name}" is private, in capitals, too`, () => {
      assertEquals(isPrivateName(name), true);
      assertEquals(isPrivateName(name.toUpperCase()), true);
    });
  }

  for (const name of OTHERS) {
    it(`"${name}" is not`, () => assertEquals(isPrivateName(name), false));
  }

  it("each name of the list has an example here", () => {
    const starts = PRIVATE_NAMES.filter((glob) =>
      !PRIVATE.some((name) =>
        name.startsWith(glob.split("*")[0]!) && name.endsWith(glob.split("*").at(-1)!)
      )
    );
    assertEquals(starts, []);
  });

  it("docs/explanation/security.md lists exactly these", async () => {
    const document = await Deno.readTextFile(
      new URL("../../../docs/explanation/security.md", import.meta.url),
    );
    const section = document.split(/^## /m).find((text) =>
      text.startsWith("What stays out of images")
    );
    const rows = section?.match(/^\|.*$/gm) ?? [];
    const listed = rows.flatMap((row) => [...row.matchAll(/`([^`]+)`/g)].map(([, name]) => name!));
    assertEquals(listed.sort(), [...PRIVATE_NAMES].sort());
  });

  it("a line break in a name hides nothing", () => {
    assertEquals(isPrivateName(".env\nlocal"), true);
    assertEquals(isPrivateName("a\nb.p12"), true);
    assertEquals(isPrivateName("a\n.env"), false);
  });
});
