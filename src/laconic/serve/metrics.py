"""What Prometheus is told: counts, times and the queue; never a text."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from laconic.serve.pool import WorkPool

_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)


class Metrics:
    """The numbers of one running service."""

    def __init__(self, pool: WorkPool) -> None:
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "laconic_requests", "Requests by path and status.", ("path", "status"), registry=self.registry
        )
        self.seconds = Histogram(
            "laconic_request_seconds",
            "Seconds until the answer was written.",
            ("path",),
            buckets=_BUCKETS,
            registry=self.registry,
        )
        self.refusals = Counter("laconic_refusals", "Refusals by kind.", ("kind",), registry=self.registry)
        at_work = Gauge("laconic_at_work", "Requests that a worker has in hand.", registry=self.registry)
        at_work.set_function(lambda: min(pool.taken, pool.workers))
        waiting = Gauge("laconic_waiting", "Requests that wait for a worker.", registry=self.registry)
        waiting.set_function(lambda: pool.waiting)

    def text(self) -> bytes:
        """The numbers in Prometheus's format."""
        return bytes(generate_latest(self.registry))
