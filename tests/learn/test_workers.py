"""Threads of training: results in order, and one thread is the caller's own."""

import threading
import time

from plait.learn.workers import start_workers


def test_results_come_in_order_whatever_the_number_of_threads():
    for count in (1, 2, 5):
        with start_workers(count) as workers:
            assert workers.count == count
            assert workers.map(lambda a, b: a * b, range(20), range(1, 21)) == [k * (k + 1) for k in range(20)]


def test_one_worker_is_the_caller_and_several_run_at_once():
    caller = threading.get_ident()
    with start_workers(1) as workers:
        assert set(workers.map(lambda _: threading.get_ident(), range(4))) == {caller}
    for count in (2, 3):
        barrier = threading.Barrier(count)  # is passed when all of them are there, and only then

        def wait(_, barrier=barrier):
            barrier.wait(10)
            return threading.get_ident()

        with start_workers(count) as workers:
            found = set(workers.map(wait, range(count)))
        assert len(found) == count
        assert caller not in found


def test_no_more_run_at_once_than_there_are_workers():
    lock, running, most = threading.Lock(), 0, 0

    def work(_):
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        time.sleep(0.01)
        with lock:
            running -= 1

    with start_workers(2) as workers:
        workers.map(work, range(8))
    assert most <= 2
