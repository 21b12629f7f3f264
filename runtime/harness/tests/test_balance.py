import os
import unittest

import support  # noqa: F401
from mlcli_harness.serving.balance import PLACES, Balance


class Shares(unittest.TestCase):
    def setUp(self):
        self.balance = Balance()

    def tell(self, counts):
        for age, connections in counts.items():
            self.balance.tell(age, connections)

    def test_have_no_limit_where_there_is_no_other_worker(self):
        self.assertIsNone(self.balance.share(1))
        self.balance.tell(1, 5)
        self.assertIsNone(self.balance.share(1))

    def test_are_some_more_than_those_of_the_worker_with_the_fewest(self):
        for others, share in [
            ([0], 1),
            ([1], 2),
            ([3], 4),
            ([4], 6),
            ([100], 126),
            ([9, 4, 50], 6),
            ([5, 0], 1),
            ([100000], 125001),
        ]:
            with self.subTest(others):
                self.balance = Balance()
                self.balance.tell(1, 0)
                self.tell(dict(enumerate(others, 2)))
                self.assertEqual(self.balance.share(1), share)

    def test_follow_what_is_told(self):
        self.tell({1: 3, 2: 8, 3: 9})
        self.assertEqual([self.balance.share(age) for age in (1, 2, 3)], [11, 4, 4])
        self.balance.tell(1, 12)
        self.assertEqual([self.balance.share(age) for age in (1, 2, 3)], [11, 12, 11])

    def test_do_not_count_those_who_have_left(self):
        self.tell({1: 3, 2: 8, 3: 9})
        self.balance.leave(1)
        self.assertEqual([self.balance.share(age) for age in (2, 3)], [12, 11])
        self.balance.leave(3)
        self.assertIsNone(self.balance.share(2))
        # Twice, or without ever having been there.
        self.balance.leave(3)
        self.balance.leave(77)
        self.assertIsNone(self.balance.share(2))

    def test_are_those_of_any_worker_that_comes_later(self):
        age = 5 * PLACES
        self.tell({age - 1: 8, age: 4, age + 1: 9})
        self.assertEqual([self.balance.share(one) for one in (age - 1, age, age + 1)], [6, 11, 6])
        self.balance.leave(age)
        self.assertEqual(self.balance.share(age + 1), 11)

    def test_are_of_all_processes(self):
        self.balance.tell(1, 8)
        child = os.fork()
        if not child:
            # The test goes on in the parent alone.
            status = 1
            try:
                self.balance.tell(2, 20)
                status = 0 if self.balance.share(2) == 11 else 2
            finally:
                os._exit(status)
        self.assertEqual(os.waitpid(child, 0), (child, 0))
        self.assertEqual(self.balance.share(1), 26)
        self.balance.leave(2)
        self.assertIsNone(self.balance.share(1))

    def test_are_of_one_server(self):
        Balance().tell(2, 8)
        self.assertIsNone(self.balance.share(1))
