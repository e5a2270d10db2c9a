"""Fixtures of the report: example data, and a headless Chromium driven over its debugging pipe."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
)


def find_chromium() -> str | None:
    """Path of an installed Chromium or Chrome."""
    return next((path for name in CHROMIUM_NAMES if (path := shutil.which(name))), None)


class Browser:
    """One browser with one page, speaking the DevTools protocol through file descriptors 3 and 4.

    Everything that the page logs as an error, throws, or fetches from elsewhere is kept in
    `problems` and `requests`.
    """

    def __init__(self, width: int = 1280, height: int = 900):
        self.problems: list[str] = []
        self.requests: list[str] = []
        self._profile = tempfile.mkdtemp(prefix="nearkin-browser-")
        self._next_id = 0
        self._buffer = b""
        to_read, self._write = os.pipe()
        self._read, to_write = os.pipe()
        program = find_chromium()
        assert program is not None
        # The shell gives the two pipe ends the numbers that Chromium expects.
        command = f'exec "$0" "$@" 3<&{to_read} 4>&{to_write}'
        flags = [*FLAGS, f"--user-data-dir={self._profile}", "--remote-debugging-pipe", "about:blank"]
        self._process = subprocess.Popen(
            ["bash", "-c", command, program, *flags],
            pass_fds=(to_read, to_write),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_read)
        os.close(to_write)
        self._session: str | None = None
        self._attach(width, height)

    def _attach(self, width: int, height: int) -> None:
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.resize(width, height)

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Send one command and wait for its answer."""
        self._next_id += 1
        message: dict[str, Any] = {"id": self._next_id, "method": method, "params": params}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == self._next_id:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self._note(answer)

    def _receive(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            chunk = os.read(self._read, 1 << 20)
            if not chunk:
                raise RuntimeError("the browser went away")
            self._buffer += chunk
        text, self._buffer = self._buffer.split(b"\0", 1)
        return json.loads(text)

    def _note(self, event: dict[str, Any]) -> None:
        method, params = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.problems.append(details.get("exception", {}).get("description", details.get("text", "")))
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
            self.problems.append(" ".join(str(arg.get("value", arg)) for arg in params["args"]))
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.problems.append(params["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])

    def resize(self, width: int, height: int) -> None:
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )

    def prefer(self, scheme: str) -> None:
        """Pretend that the reader's system is set to "light" or "dark"."""
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def open(self, path: Path, ready: str = "true", timeout: float = 60.0) -> None:
        """Load a file and wait until the expression `ready` is true in the page."""
        self.call("Page.navigate", url=path.resolve().as_uri())
        self.wait_for(f"document.readyState === 'complete' && ({ready})", timeout)

    def wait_for(self, expression: str, timeout: float = 30.0) -> None:
        end = time.monotonic() + timeout
        while not self.evaluate(f"Boolean({expression})"):
            if time.monotonic() > end:
                raise TimeoutError(f"still not true in the page: {expression}; problems: {self.problems}")
            time.sleep(0.1)

    def evaluate(self, expression: str) -> Any:
        """The value of a JavaScript expression in the page."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(json.dumps(answer["exceptionDetails"])[:2000])
        return answer["result"].get("value")

    def move_mouse(self, x: float, y: float) -> None:
        # Two moves: plotly needs one to enter its drag layer and one to hover.
        for dx in (-3, 0):
            self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x + dx, y=y)
            time.sleep(0.1)

    def screenshot(self, path: Path, full: bool = True) -> None:
        params: dict[str, Any] = {"format": "png", "captureBeyondViewport": full}
        if full:
            size = self.call("Page.getLayoutMetrics")["cssContentSize"]
            params["clip"] = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
        Path(path).write_bytes(base64.b64decode(self.call("Page.captureScreenshot", **params)["data"]))

    def close(self) -> None:
        try:
            self._session = None
            self.call("Browser.close")
        except (RuntimeError, OSError):
            self._process.kill()
        self._process.wait(timeout=20)
        os.close(self._write)
        os.close(self._read)
        shutil.rmtree(self._profile, ignore_errors=True)


@pytest.fixture(scope="session")
def browser():
    if find_chromium() is None:
        pytest.skip("no Chromium or Chrome on this machine")
    opened = Browser()
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def comparison():
    """A comparison with every kind of row: winner, baseline, reference model, worse and unfinished ones."""
    from nearkin.evaluation import METRICS, Comparison, Standing

    rng = np.random.default_rng(0)

    def row(label, mean, **values):
        scores = tuple(np.clip(mean + 0.02 * rng.standard_normal(10), 0, 1))
        shared = {"mean": mean, "sd": 0.02, "interval": (mean - 0.02, mean + 0.02), "n_folds": 10}
        return Standing(label, "done", scores=scores, n_planned=10, **shared, **values)

    def tested(label, mean, difference, p, verdict, **values):
        found = {"difference": difference, "p_value": p, "p_adjusted": min(1, 3 * p), "verdict": verdict}
        return row(label, mean, **found, **values)

    rows = (
        tested("RBF SVM", 0.99, 0.04, 0.01, "beats", reference=True, fit_seconds=0.01),
        tested("LMNN", 0.985, 0.035, 0.004, "beats", hub_skewness=0.5, fit_seconds=0.2),
        tested("RCA", 0.96, 0.01, 0.4, "no difference", hub_skewness=0.8, fit_seconds=0.001),
        row(
            "Euclid",
            0.95,
            baseline=True,
            hub_skewness=0.9,
            fit_seconds=0.0004,
            setting={"model__n_neighbors": 7},
        ),
        tested("MoveQuery", 0.9, -0.05, 0.001, "worse", hub_skewness=3.0, fit_seconds=0.001),
        Standing("<Slow & co>", "failed", note="10 of 10 folds failed (timeout)"),
    )
    return Comparison("wine & <cheese>", METRICS["accuracy"], "Euclid", rows, {}, 0)


@pytest.fixture(scope="session")
def circumstances():
    from nearkin.report.circumstances import Circumstances

    return Circumstances(
        facts={"rows": "178", "seed": "0"},
        versions={"nearkin": "0.1"},
        command="nearkin compare wine",
        notices=["One learner failed."],
    )


@pytest.fixture(scope="session")
def views():
    """Views of the iris data under Euclid and under a random linear map."""
    from sklearn.datasets import load_iris
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    from nearkin.evaluation import Hubness
    from nearkin.predictors import KNNClassifier
    from nearkin.report.look import confusion_view, embedding_view
    from nearkin.report.views import LocalView, LocalViews, Views

    iris = load_iris()
    X, y = iris.data, np.asarray(iris.target_names)[iris.target]
    train, test = np.arange(0, 150, 3), np.setdiff1d(np.arange(150), np.arange(0, 150, 3))
    euclid = make_pipeline(KNNClassifier(n_neighbors=5)).fit(X[train], y[train])
    scaled = make_pipeline(StandardScaler(), KNNClassifier(n_neighbors=3)).fit(X[train], y[train])
    predicted = euclid.predict(X[test])
    hubness = Hubness.of(euclid[-1].kneighbors(X[test], 10)[1], len(train), y[test], y[train])
    parts = [
        LocalView(f"region {i}", {"setosa": 20 + i, "virginica": 9}, {"petal": 1.0 - i / 4, "sepal": 0.5})
        for i in (1, 2)
    ]
    return Views(
        hubness={"Euclid": hubness, "LMNN": hubness},
        embedding=embedding_view({"Euclid": euclid, "LMNN": scaled}, X, y, train, test),
        confusion=[confusion_view("Euclid", y[test], predicted)],
        local=[LocalViews("MoLMNN", "region", parts)],
        protocol="One split.",
    )
