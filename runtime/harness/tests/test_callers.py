import unittest

import support  # noqa: F401
from mlcli_harness.serving.callers import Callers, host_of


class Objections(unittest.TestCase):
    def objection(self, host=None, origin=None, uri="/invocations"):
        environ = {"RAW_URI": uri, "HTTP_HOST": host, "HTTP_ORIGIN": origin}
        given = {name: value for name, value in environ.items() if value is not None}
        return Callers(["My-Server", "host.docker.internal"]).objection(given)

    def test_are_none_to_this_machine_and_the_servers_names(self):
        for host in [
            None,
            "localhost",
            "LOCALHOST:8080",
            "localhost.",
            "a.localhost:1",
            "127.0.0.1:8080",
            "[::1]:8080",
            "[fe80::1%25eth0]",
            "192.0.2.7",
            "my-server:8080",
            "MY-SERVER.:1",
            "host.docker.internal",
        ]:
            with self.subTest(host):
                self.assertIsNone(self.objection(host))

    def test_are_made_to_other_names(self):
        for host, name in {
            "example.org": "example.org",
            "example.org:8080": "example.org",
            "localhost.example.org": "localhost.example.org",
            "notlocalhost": "notlocalhost",
            "other-server": "other-server",
            "127.0.0.1.nip.io:8080": "127.0.0.1.nip.io",
            "evil.my-server": "evil.my-server",
            "docker.internal": "docker.internal",
        }.items():
            with self.subTest(host):
                self.assertEqual(
                    self.objection(host),
                    'Refused: the host "%s" is unknown. '
                    "To allow it: mlcli local deploy --allow-host %s" % (host, name),
                )
        for host in (
            ["", "a b", "[1.2.3.4.5]", "user@localhost", "localhost, localhost", "localhost:80:80"]
            + ["a:localhost", "[::1", "::1", "[example.org]"]
        ):
            with self.subTest(host):
                self.assertEqual(
                    self.objection(host),
                    'Refused: the host "%s" is unknown. The name is not valid.' % host,
                )

    def test_are_none_to_pages_of_this_machine(self):
        for host, origin in [
            ("localhost:8080", "http://localhost:3000"),
            ("localhost:8080", "http://127.0.0.1"),
            ("localhost:8080", "https://[::1]:3000"),
            ("localhost:8080", "http://0.0.0.0:1"),
            ("localhost:8080", "http://app.localhost"),
            ("192.0.2.7:8080", "http://192.0.2.7:8080"),
            ("localhost", "http://my-server"),
            ("localhost", "tauri://localhost"),
        ]:
            with self.subTest(origin):
                self.assertIsNone(self.objection(host, origin))

    def test_are_made_to_other_pages(self):
        for origin, hint in {
            "http://example.org": "To allow it: mlcli local deploy --allow-host example.org",
            # A page anywhere has an address, too.
            "http://192.0.2.8": "To allow it: mlcli local deploy --allow-host 192.0.2.8",
            "http://localhost.example.org/localhost": (
                "To allow it: mlcli local deploy --allow-host localhost.example.org"
            ),
            "null": "Serve the page from http://localhost.",
            "": "Serve the page from http://localhost.",
        }.items():
            with self.subTest(origin):
                self.assertEqual(
                    self.objection("localhost", origin),
                    'Refused: web pages of the origin "%s" are not allowed. %s' % (origin, hint),
                )

    def test_look_at_an_absolute_uri_in_the_place_of_the_host(self):
        self.assertIsNone(self.objection("example.org", uri="http://localhost:8080/ping"))
        self.assertIn("example.org", self.objection("localhost", uri="http://example.org/ping"))
        self.assertIn("example.org", self.objection("localhost", uri="http://example.org?localhost"))

    def test_spell_a_host_in_one_way(self):
        for authority, host in {
            "[0:0:0:0:0:0:0:1]:80": "::1",
            "EXAMPLE.org.": "example.org",
            "127.0.0.1": "127.0.0.1",
            "[::1": None,
            "a:b": None,
            "": None,
        }.items():
            with self.subTest(authority):
                self.assertEqual(host_of(authority), host)
