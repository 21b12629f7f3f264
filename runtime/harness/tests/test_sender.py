import socket
import threading
import unittest
from types import SimpleNamespace
from unittest import mock

import support  # noqa: F401
from mlcli_harness.serving import sender as module
from mlcli_harness.serving.sender import STREAM_BYTES, ClientGone, Sender


class Pipe:
    """In place of a socket: takes as many bytes as the test says."""

    def __init__(self, room):
        self.room = room
        self.sent = b""

    def send(self, data):
        if isinstance(self.room, Exception):
            raise self.room
        if not self.room and len(data):
            raise BlockingIOError
        part = bytes(data[: self.room])
        self.room -= len(part)
        self.sent += part
        return len(part)


class Sending(unittest.TestCase):
    def sender(self, room):
        return Sender(Pipe(room))

    def assert_kept(self, sender, sent, kept):
        self.assertEqual(sender.socket.sent, sent)
        self.assertEqual(b"".join(sender.backlog), kept)
        self.assertEqual(sender.size, len(kept))
        self.assertEqual(bool(sender.backlog), bool(kept))

    def test_is_done_at_once_where_there_is_room(self):
        sender = self.sender(100)
        for data in (b"one", b"", b"two"):
            sender.send(data)
        self.assert_kept(sender, b"onetwo", b"")

    def test_keeps_what_is_not_taken(self):
        sender = self.sender(4)
        sender.send(b"onetwo")
        self.assert_kept(sender, b"onet", b"wo")
        sender.send(b"three")
        self.assert_kept(sender, b"onet", b"wothree")
        sender.flush()
        self.assert_kept(sender, b"onet", b"wothree")
        for room, sent, kept in [
            (1, b"onetw", b"othree"),
            (3, b"onetwoth", b"ree"),
            (9, b"onetwothree", b""),
            (9, b"onetwothree", b""),
        ]:
            sender.socket.room = room
            sender.flush()
            self.assert_kept(sender, sent, kept)

    def test_goes_on_with_what_is_kept_first(self):
        sender = self.sender(0)
        sender.send(b"one")
        sender.socket.room = 5
        sender.send(b"two")
        self.assert_kept(sender, b"onetw", b"o")

    def test_waits_where_a_signal_comes(self):
        sender = self.sender(InterruptedError())
        sender.send(b"one")
        sender.socket.room = 3
        sender.flush()
        self.assert_kept(sender, b"one", b"")

    def test_fails_for_good_where_the_client_is_gone(self):
        for error in (BrokenPipeError(), ConnectionResetError(), TimeoutError(), OSError(9, "closed")):
            with self.subTest(error):
                sender = self.sender(2)
                sender.send(b"one")
                sender.socket.room = error
                with self.assertRaises(ClientGone) as caught:
                    sender.flush()
                self.assertIs(caught.exception.__cause__, error)
                self.assert_gone(sender)

    def assert_gone(self, sender):
        sent = sender.socket.sent
        self.assertTrue(sender.is_broken)
        sender.socket.room = 100
        sender.flush()
        self.assertRaises(ClientGone, sender.send, b"more")
        self.assertRaises(ClientGone, sender.wait_for_room, 0)
        self.assert_kept(sender, sent, b"")

    def test_fails_where_it_was_given_up(self):
        sender = self.sender(2)
        sender.send(b"one")
        sender.give_up()
        self.assert_gone(sender)


class Room(unittest.TestCase):
    def full(self, more=1):
        """A sender that keeps this much more than there is room for."""
        sender = Sender(Pipe(0))
        sender.send(bytes(STREAM_BYTES))
        sender.send(bytes(more))
        return sender

    def wait(self, sender):
        """Waits in a thread. Returns the thread, and what is going to hold what it raised."""
        raised, waits = [], threading.Event()
        changed = sender.changed

        class Changed:
            """Tells that the thread waits."""

            def __enter__(self):
                return changed.__enter__()

            def __exit__(self, *error):
                return changed.__exit__(*error)

            def wait(self, seconds):
                waits.set()
                return changed.wait(seconds)

            def notify_all(self):
                changed.notify_all()

        def run():
            try:
                sender.wait_for_room(60)
            except ClientGone as error:
                raised.append(error)

        sender.changed = Changed()
        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        self.assertTrue(waits.wait(20))
        return thread, raised

    def ends(self, thread):
        thread.join(20)
        return not thread.is_alive()

    def test_is_there_up_to_the_limit(self):
        sender = Sender(Pipe(0))
        sender.wait_for_room(0)
        sender.send(bytes(STREAM_BYTES))
        with mock.patch.object(sender.changed, "wait", side_effect=AssertionError("waits")):
            sender.wait_for_room(20)
            sender.send(b"x")
            self.assertRaises(AssertionError, sender.wait_for_room, 20)

    def test_comes_as_the_client_takes_what_is_kept(self):
        sender = self.full(more=2)
        thread, raised = self.wait(sender)
        sender.socket.room = 1
        sender.flush()
        # Enough is taken with the next byte alone.
        self.assertEqual(sender.size, STREAM_BYTES + 1)
        sender.socket.room = 1
        sender.flush()
        self.assertTrue(self.ends(thread))
        self.assertEqual((raised, sender.is_broken, sender.size), ([], False, STREAM_BYTES))

    def test_is_not_awaited_for_longer_because_the_client_takes_a_little(self):
        now, waited = 1000.0, []

        def wait(seconds):
            nonlocal now
            waited.append(seconds)
            now += 3
            sender.size -= 1

        with mock.patch.object(module, "time", SimpleNamespace(monotonic=lambda: now)):
            for more, is_gone, expected in [(3, False, [7, 4, 1]), (4, True, [7, 4, 1])]:
                sender = self.full(more)
                with mock.patch.object(sender.changed, "wait", wait):
                    if is_gone:
                        self.assertRaises(ClientGone, sender.wait_for_room, 7)
                    else:
                        sender.wait_for_room(7)
                self.assertEqual((waited, sender.is_broken), (expected, is_gone))
                waited.clear()

    def test_that_does_not_come_ends_the_answer(self):
        sender = self.full()
        self.assertRaises(ClientGone, sender.wait_for_room, 0)
        self.assertEqual((sender.is_broken, sender.size, len(sender.backlog)), (True, 0, 0))

    def test_is_not_awaited_once_the_client_is_gone(self):
        for end in (Sender.give_up, self.break_off):
            sender = self.full()
            thread, raised = self.wait(sender)
            end(sender)
            self.assertTrue(self.ends(thread))
            self.assertEqual(len(raised), 1)

    def break_off(self, sender):
        sender.socket.room = BrokenPipeError()
        self.assertRaises(ClientGone, sender.flush)


class Clients(unittest.TestCase):
    def setUp(self):
        self.served, self.client = socket.socketpair()
        for one in (self.served, self.client):
            self.addCleanup(one.close)
        self.served.setblocking(False)
        self.client.settimeout(20)
        self.sender = Sender(self.served)

    def test_that_read_slowly_get_all_of_it(self):
        # One thread makes a stream, another sends what is kept, as the worker's do.
        limit = mock.patch.object(module, "STREAM_BYTES", 300000)
        limit.start()
        self.addCleanup(limit.stop)
        parts = [b"%d" % (number % 10) * 70000 for number in range(50)]
        most = []

        def produce():
            for part in parts:
                self.sender.send(part)
                most.append(self.sender.size)
                # Longer than the client waits, and the test.
                self.sender.wait_for_room(60)
            self.sender.send(b"end")

        thread = threading.Thread(target=produce, daemon=True)
        thread.start()
        got = b""
        while not got.endswith(b"end"):
            got += self.client.recv(30000)
            self.sender.flush()
        thread.join(20)
        self.assertEqual(got, b"".join(parts) + b"end")
        self.assertLessEqual(max(most), 370000)
        self.assertEqual((self.sender.size, len(self.sender.backlog)), (0, 0))

    def test_that_are_gone_are_noticed(self):
        self.client.close()
        self.assertRaises(ClientGone, self.sender.send, b"one")
        self.assertRaises(ClientGone, self.sender.send, b"two")
