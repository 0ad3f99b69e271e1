"""The ASGI application behind the test server: endpoints, faults on the way, and the log of calls."""

import asyncio
import base64
import json
import math
import re
import struct
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from hashlib import blake2b
from typing import Any
from urllib.parse import parse_qs
from zlib import crc32

from tests.faults import server_answers, server_faults
from tests.faults.server_asked import Asked, asked
from tests.faults.server_faults import Fault

Receive = Callable[[], Awaitable[Mapping[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
DIMENSION = 384
_WORD = re.compile(r"\w+")


def characters(text: str) -> int:
    """Count tokens as a quarter of the characters."""
    return len(text) // 4


@dataclass
class Options:
    """How the server behaves. Times in seconds."""

    faults: dict[Fault, float] = field(default_factory=dict)
    seed: int = 0
    attempts: int | None = None
    """Of each prompt, only so many first attempts may fail; None: any."""
    kinds: frozenset[str] | None = None
    """Kinds of calls that may fail; None: all."""
    latency: float = 0.0
    retry_after: float | str = 0.2
    """What a 429 says; a string is sent as it is."""
    hang: float = 30.0
    most: int = 0
    """Entities of one round of extraction; 0: all."""
    json_schema: bool = True
    json_object: bool = True
    tools: bool = True
    """Which ways to ask for an answer's shape the server has; others are a 400."""
    key: str | None = None
    """The only API key; any other is a 401."""
    count: Callable[[str], int] = characters
    """Tokens of a text, for the usage."""
    answer: Callable[[Asked], tuple[str, str] | None] | None = None
    """Asked first: kind and text of the reply, or None."""


@dataclass
class Call:
    """One request. Moments as `time.time()`; `answered` is None if the client left or no reply was sent."""

    kind: str
    key: str
    attempt: int
    prompt: str
    fault: Fault | None
    repair: bool
    arrived: float
    status: int | None = None
    answered: float | None = None
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cut: bool = False
    """Whether the reply ended at the token limit."""

    @property
    def good(self) -> bool:
        """Tell whether a right answer was sent whole. Prose around it leaves it right."""
        whole = self.status == 200 and self.answered is not None and not self.cut
        return whole and self.fault in {None, "prose"}


@dataclass(frozen=True)
class Response:
    """What is sent; `whole` is false where the connection ends in the middle of the body."""

    status: int
    body: bytes
    headers: tuple[tuple[bytes, bytes], ...] = ()
    whole: bool = True


def ok(value: Any) -> Response:
    """Return a JSON response."""
    return Response(200, json.dumps(value, ensure_ascii=False).encode(errors="surrogatepass"))


def error(status: int, message: str, code: str, *headers: tuple[bytes, bytes]) -> Response:
    """Return an error as OpenAI's API words it."""
    said = {"error": {"message": message, "type": code, "param": None, "code": code}}
    return Response(status, json.dumps(said).encode(), headers)


class App:
    """Answers /v1/chat/completions, /v1/embeddings, /v1/models; tells /stats and /calls."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.calls: list[Call] = []
        self._attempts: Counter[str] = Counter()
        self._under_way = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self.peak = 0
        self.embedded = 0

    def reset(self) -> None:
        """Forget all calls and attempts."""
        self.calls, self._attempts = [], Counter()
        self.peak = self.embedded = 0

    def loop(self) -> asyncio.AbstractEventLoop:
        """Return the loop it last served in."""
        if self._loop is None:
            message = "nothing was asked yet"
            raise RuntimeError(message)
        return self._loop

    def stats(self) -> dict[str, Any]:
        """Count calls; `repeated` are those for prompts that had had a right answer."""
        calls, had, repeated = list(self.calls), set[str](), Counter[str]()
        moments = sorted((moment, last, n) for n, c in enumerate(calls) for moment, last in _moments(c))
        for _, last, n in moments:
            if last:
                had.add(calls[n].key)
            elif calls[n].key in had:
                repeated[calls[n].kind] += 1
        return {
            "calls": dict(Counter(c.kind for c in calls)),
            "n_calls": len(calls),
            "chat_calls": sum(c.kind != "embed" for c in calls),
            "good": sum(c.good for c in calls),
            "faults": dict(Counter(c.fault for c in calls if c.fault)),
            "statuses": dict(Counter(str(c.status) for c in calls)),
            "repairs": sum(c.repair for c in calls),
            "repeated": dict(repeated),
            "n_repeated": repeated.total(),
            "prompt_tokens": sum(c.prompt_tokens for c in calls),
            "completion_tokens": sum(c.completion_tokens for c in calls),
            "texts_embedded": self.embedded,
            "peak_under_way": self.peak,
        }

    async def __call__(self, scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        """Serve one request."""
        self._loop = asyncio.get_running_loop()
        body, more = b"", True
        while more:
            message = await receive()
            body, more = body + message.get("body", b""), message.get("more_body", False)
        path, query = scope["path"], parse_qs(scope["query_string"].decode())
        if path.endswith(("/chat/completions", "/embeddings")):
            headers = dict(scope["headers"])
            await self._serve(path.endswith("/embeddings"), body, headers, receive, send)
        else:
            await _sent(self._told(path, query), send)

    def _told(self, path: str, query: Mapping[str, list[str]]) -> Response:
        if path == "/stats":
            return ok(self.stats())
        if path == "/calls":
            return ok([asdict(call) | {"good": call.good} for call in self.calls])
        if path == "/reset":
            self.reset()
            return ok({})
        if path == "/config":
            if "latency_ms" in query:
                self.options.latency = float(query["latency_ms"][0]) / 1000
            if "rate" in query:
                rate = float(query["rate"][0])
                self.options.faults = server_faults.mixed(rate) if rate else {}
            return ok({"latency_ms": self.options.latency * 1000, "faults": self.options.faults})
        if path.endswith("/models"):
            return ok({"object": "list", "data": [{"id": "test", "object": "model"}]})
        return error(404, f"no such path: {path}", "not_found")

    async def _serve(
        self, embedding: bool, body: bytes, headers: Mapping[bytes, bytes], receive: Receive, send: Send
    ) -> None:
        """Log a call, and answer it after the latency, unless the client leaves before."""
        try:
            request = json.loads(body)
        except json.JSONDecodeError:
            return await _sent(error(400, "the body is no JSON", "invalid_request_error"), send)
        self._under_way += 1
        self.peak = max(self.peak, self._under_way)
        try:
            call, response = self._embeddings(request) if embedding else self._chat(request)
            refused = self._refused(request, headers)
            hang = self.options.hang if call.fault == "timeout" and refused is None else 0.0
            if await _left(receive, self.options.latency + hang):
                return None
            response = refused or response
            call.status = response.status
            # Before the reply is sent: who reads it may ask again before this task goes on.
            call.answered = time.time() if response.whole else None
            return await _sent(response, send)
        finally:
            self._under_way -= 1

    def _refused(self, request: Mapping[str, Any], headers: Mapping[bytes, bytes]) -> Response | None:
        """Return the error for a wrong key, or for a way of asking that the server does not have."""
        have, shape = self.options, (request.get("response_format") or {}).get("type")
        if have.key is not None and headers.get(b"authorization", b"").decode() != f"Bearer {have.key}":
            return error(401, "Incorrect API key provided.", "invalid_api_key")
        for lacks, what in (
            (shape == "json_schema" and not have.json_schema, "response_format json_schema"),
            (shape == "json_object" and not have.json_object, "response_format json_object"),
            (bool(request.get("tools")) and not have.tools, "tools"),
        ):
            if lacks:
                return error(400, f"{what} is not supported by this server", "invalid_request_error")
        return None

    def _logged(self, kind: str, key: str, prompt: str, *, repair: bool = False) -> Call:
        attempt, options = self._attempts[key], self.options
        self._attempts[key] += 1
        may = (options.attempts is None or attempt < options.attempts) and (
            options.kinds is None or kind in options.kinds
        )
        fault = server_faults.choose(options.faults, options.seed, key, attempt) if may else None
        call = Call(kind, key, attempt, prompt, fault, repair, time.time())
        self.calls.append(call)
        return call

    def _chat(self, request: Mapping[str, Any]) -> tuple[Call, Response]:
        asks, options = asked(request), self.options
        given = options.answer(asks) if options.answer else None
        kind = given[0] if given else asks.kind
        call = self._logged(kind, asks.key, f"{asks.system}\n\n{asks.user}", repair=asks.repair)
        if call.fault in server_faults.TRANSPORT - {"dropped"}:
            return call, self._failed(call.fault)
        right = given[1] if given else server_answers.content(server_answers.answer(asks, options.most))
        said = server_faults.within(server_faults.said(asks, call.fault, right), asks.max_tokens)
        call.cut = said.finish == "length"
        call.prompt_tokens = sum(options.count(text) for text in asks.texts)
        call.completion_tokens = options.count(said.text)
        made = ok(_completion(asks, said, call))
        return call, Response(200, made.body, whole=call.fault != "dropped")

    def _embeddings(self, request: Mapping[str, Any]) -> tuple[Call, Response]:
        given = request["input"]
        texts = [given] if isinstance(given, str) else [t if isinstance(t, str) else str(t) for t in given]
        joined = "\0".join(texts)
        key = blake2b(joined.encode(errors="surrogatepass"), digest_size=12).hexdigest()
        call = self._logged("embed", key, joined)
        if call.fault not in {None, "dropped"}:
            fault = call.fault if call.fault in server_faults.TRANSPORT else "500"
            call.fault = fault
            return call, self._failed(fault)
        self.embedded += len(texts)
        call.prompt_tokens = sum(self.options.count(text) for text in texts)
        packed = request.get("encoding_format") == "base64"
        data = [
            {"object": "embedding", "index": n, "embedding": _packed(embedded(text), packed)}
            for n, text in enumerate(texts)
        ]
        usage = {"prompt_tokens": call.prompt_tokens, "total_tokens": call.prompt_tokens}
        made = ok({"object": "list", "data": data, "model": request.get("model", ""), "usage": usage})
        return call, Response(200, made.body, whole=call.fault != "dropped")

    def _failed(self, fault: Fault | None) -> Response:
        if fault == "429":
            wait = self.options.retry_after
            text = wait if isinstance(wait, str) else f"{wait:g}"
            return error(429, "Rate limit reached.", "rate_limit_exceeded", (b"retry-after", text.encode()))
        if fault == "429_bare":
            return error(429, "Rate limit reached.", "rate_limit_exceeded")
        if fault == "timeout":
            return error(504, "The upstream server did not answer.", "server_error")
        return error(500, "The server had an error while processing your request.", "server_error")


def _moments(call: Call) -> list[tuple[float, bool]]:
    """Return when a call came, and, if it was answered rightly, when."""
    came = [(call.arrived, False)]
    return [*came, (call.answered, True)] if call.good and call.answered is not None else came


async def _left(receive: Receive, seconds: float) -> bool:
    """Wait; tell whether the client left meanwhile."""
    if seconds <= 0:
        return False
    try:
        while True:
            message = await asyncio.wait_for(receive(), seconds)
            if message["type"] == "http.disconnect":
                return True
    except TimeoutError:
        return False


async def _sent(response: Response, send: Send) -> None:
    """Send a response; one that is not whole lacks half its body, and the server then ends the connection."""
    length = str(len(response.body)).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", length), *response.headers]
    await send({"type": "http.response.start", "status": response.status, "headers": headers})
    body = response.body if response.whole else response.body[: len(response.body) // 2]
    await send({"type": "http.response.body", "body": body, "more_body": not response.whole})


def _completion(asks: Asked, said: server_faults.Said, call: Call) -> dict[str, Any]:
    """Return a chat completion in the way it was asked for."""
    message: dict[str, Any] = {"role": "assistant", "content": said.text, "refusal": None}
    finish: str = said.finish
    if said.refused:
        message |= {"content": None, "refusal": said.text}
    elif asks.mode == "tools" and not said.plain and said.text:
        function = {"name": asks.tool, "arguments": said.text}
        made = {"id": f"call_{call.key[:8]}", "type": "function", "function": function}
        message |= {"content": None, "tool_calls": [made]}
        finish = "tool_calls" if finish == "stop" else finish
    tokens = call.prompt_tokens, call.completion_tokens
    return {
        "id": f"chatcmpl-{call.key}-{call.attempt}",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": asks.model,
        "choices": [{"index": 0, "message": message, "finish_reason": finish, "logprobs": None}],
        "usage": {"prompt_tokens": tokens[0], "completion_tokens": tokens[1], "total_tokens": sum(tokens)},
    }


@cache
def _places(word: str) -> tuple[int, int, int, float]:
    drawn = crc32(word.encode(errors="surrogatepass"))
    sign = 1.0 if drawn >> 31 else -1.0
    return drawn % DIMENSION, (drawn >> 9) % DIMENSION, (drawn >> 18) % DIMENSION, sign


def embedded(text: str) -> list[float]:
    """Return a unit vector: each word adds its sign to three coordinates."""
    vector = [0.0] * DIMENSION
    for word in _WORD.findall(text.lower())[:2000] or [""]:
        one, two, three, sign = _places(word)
        vector[one] += sign
        vector[two] += sign
        vector[three] += sign
    length = math.sqrt(sum(x * x for x in vector if x)) or 1.0
    return [x / length for x in vector]


def _packed(vector: list[float], packed: bool) -> list[float] | str:
    return base64.b64encode(struct.pack(f"<{DIMENSION}f", *vector)).decode() if packed else vector
