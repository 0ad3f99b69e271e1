"""The client: `ports.LanguageModel` over an OpenAI-compatible endpoint, with cache, limits and accounts.

Light to import: the libraries that speak to the endpoint are loaded when a prompt is not in the cache.
"""

import asyncio
import json
import re
import tempfile
import threading
import time
import weakref
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, wait
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import asdict, dataclass, replace
from functools import cached_property, lru_cache, partial
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Generic, Literal, Self, TypeVar
from weakref import WeakSet

from pydantic import BaseModel, Field, ValidationError

from corpusgraph.flows.files.cache import StageCache
from corpusgraph.flows.llm.limits import Account, Breaker, Budget, CallError, Pace
from corpusgraph.flows.llm.profiles import api_key, base_url, cost, price_of
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.llm import (
    Divisible,
    ModelOptions,
    Price,
    Profile,
    Prompt,
    Reply,
    ReplyFailure,
    StageUsage,
    Usage,
)
from corpusgraph.schemas.ports import Accept
from corpusgraph.tasks.progress import step

if TYPE_CHECKING:
    from anyio.from_thread import BlockingPortal

    from corpusgraph.flows.llm.wire import Wire

Turn = tuple[Literal["system", "user", "assistant"], str]
"""Who says what."""


@dataclass(frozen=True)
class Said:
    """A reply as the endpoint gave it; tokens are 0 where it did not count them."""

    text: str
    finish: str
    prompt_tokens: int
    completion_tokens: int


FORMAT = 1
"""Of cached replies: another number makes all of them be asked for again."""


@lru_cache(maxsize=256)
def schema(answer: type[BaseModel]) -> JsonDict:
    """Return the JSON schema of an answer.

    Parameters
    ----------
    answer : type of BaseModel
        What a reply has to be valid against.

    Returns
    -------
    JsonDict
        As pydantic makes it, definitions included.

    """
    return answer.model_json_schema()


@lru_cache(maxsize=256)
def schema_text(answer: type[BaseModel]) -> str:
    """Return the JSON schema of an answer on one line.

    Parameters
    ----------
    answer : type of BaseModel
        What a reply has to be valid against.

    Returns
    -------
    str
        Compact; letters as they are.

    """
    return json.dumps(schema(answer), ensure_ascii=False, separators=(",", ":"))


def in_words(answer: type[BaseModel]) -> str:
    """Ask for an answer of this shape in the prompt itself.

    Parameters
    ----------
    answer : type of BaseModel
        What a reply has to be valid against.

    Returns
    -------
    str
        For the end of a prompt, where an endpoint takes no schema.

    """
    return (
        "Reply with one JSON object and nothing else: no prose, no code fence. "
        f"It must be valid against this JSON schema:\n{schema_text(answer)}"
    )


_DECIDES = {"provider", "model", "temperature", "max_tokens", "seed", "extra_body"}
"""What decides a reply besides the prompt: not where the endpoint is, nor the key or limits."""


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


_THOUGHT = re.compile(r"<(think|thinking|reasoning)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_THOUGHT_END = re.compile(r"</(?:think|thinking|reasoning)>", re.IGNORECASE)
_DECODER = json.JSONDecoder(strict=False)
_MARK = re.compile(r'"(?:[^"\\]|\\.)*(?:"|\\?\Z)|[{}]', re.DOTALL)
"""A brace, or a string, whole or cut off: braces in it are none."""
_MAX_PROBLEMS = 8


def said(text: str) -> str:
    """Return a reply without the thoughts of a reasoning model, also where only their end is marked.

    Parameters
    ----------
    text : str
        As the endpoint sent it.

    Returns
    -------
    str
        Without blanks at its ends.

    """
    text = text.encode("utf-8", "replace").decode()  # half a surrogate pair is no text
    if "</" in text:
        text = _THOUGHT_END.split(_THOUGHT.sub("", text))[-1]
    return text.strip()


def json_object(text: str) -> str | None:
    """Return the longest outermost JSON object in a text; None if there is none, or the last one is cut off.

    Nothing is taken from inside of an object that is not whole: a piece would look like an answer.

    Parameters
    ----------
    text : str
        A reply, perhaps with prose or a code fence around.

    Returns
    -------
    str or None
        In plain form: line breaks inside of its strings are escaped.

    """
    best, longest, place = None, 0, text.find("{")
    while place >= 0:
        end = _end(text, place)
        if end is None:
            return best
        if end - place > longest and (found := _decoded(text[place:end])) is not None:
            best, longest = found, end - place
        place = text.find("{", end)
    return best


def _decoded(text: str) -> str | None:
    """Return a JSON object in plain form: line breaks inside of strings are escaped."""
    try:
        found = _DECODER.decode(text)
    except (json.JSONDecodeError, RecursionError):
        return None
    return json.dumps(found, ensure_ascii=False) if isinstance(found, dict) else None


def _end(text: str, start: int) -> int | None:
    """Return where the braces opened at `start` are closed; None where they never are."""
    depth = 0
    for mark in _MARK.finditer(text, start):
        depth += {"{": 1, "}": -1}.get(mark[0], 0)
        if not depth:
            return mark.end()
    return None


def problems(error: ValidationError, answer: type[BaseModel]) -> str:
    """Tell what is wrong with a reply, in words a model understands.

    Parameters
    ----------
    error : ValidationError
        Of the validation.
    answer : type of BaseModel
        What the reply had to be valid against.

    Returns
    -------
    str
        The first `_MAX_PROBLEMS`, and how many more there are.

    """
    found = error.errors(include_url=False, include_input=False, include_context=False)
    told = [f"{'.'.join(map(str, p['loc'])) or answer.__name__}: {p['msg']}" for p in found[:_MAX_PROBLEMS]]
    more = len(found) - len(told)
    return "; ".join(told) + (f"; and {more} more" if more > 0 else "")


FOLDER = ".llm"


@dataclass(frozen=True)
class Kept:
    """A reply that was valid and accepted, and what it cost in tokens; `text` is as the model wrote it."""

    text: str
    answer: str
    characters: int
    prompt_tokens: int
    completion_tokens: int


M = TypeVar("M", bound=BaseModel)
Check = Callable[[M], str | None]
_SHOWN = 12_000
"""Characters of a bad reply that the repair round shows."""


@dataclass(frozen=True)
class Judged(Generic[M]):
    """An answer with the JSON text it was read from, or what is wrong with the reply."""

    value: M | None = None
    text: str = ""
    code: ReplyFailure | None = None
    error: str | None = None


_UNUSABLE: dict[str, tuple[ReplyFailure, str]] = {
    "content_filter": ("refused", "the model, or a filter before it, refused to answer"),
    "length": ("truncated_reply", "the reply was cut off at the token limit"),
}
"""Why a reply ended -> what that is called; one cut off is no answer, even if it can be read."""


def judge(reply: Said, answer: type[M], check: Check[M] | None) -> Judged[M]:
    """Read an answer from a reply.

    Parameters
    ----------
    reply : Said
        With the reason why it ended.
    answer : type of M
        What it has to be valid against.
    check : Check[M] or None
        Says what is wrong with a valid answer, or None.

    Returns
    -------
    Judged[M]
        The answer, or a code and what is wrong.

    """
    text = said(reply.text)
    code, error = _UNUSABLE.get(reply.finish, ("empty_reply", "the reply was empty"))
    if reply.finish in _UNUSABLE or not text:
        return Judged(code=code, error=error, text=text)
    return _read(text, answer, check)


def _read(text: str, answer: type[M], check: Check[M] | None) -> Judged[M]:
    try:
        value = answer.model_validate_json(text)
    except ValidationError as error:
        if error.errors(include_url=False, include_input=False)[0]["type"] != "json_invalid":
            return Judged(code="invalid_reply", error=problems(error, answer), text=text)
        found = json_object(text)
        if found is None:
            return Judged(code="invalid_reply", error="there is no whole JSON object in the reply", text=text)
        if found == text:
            return Judged(code="invalid_reply", error="not JSON", text=text)
        return _read(found, answer, check)
    wrong = check(value) if check is not None else None
    if wrong is not None:
        return Judged(code="invalid_reply", error=wrong, text=text)
    return Judged(value=value, text=text)


def first_round(prompt: Prompt) -> list[Turn]:
    """Return the conversation of a prompt.

    Parameters
    ----------
    prompt : Prompt
        Task and data.

    Returns
    -------
    list of Turn
        (role, text), system first.

    """
    return [("system", prompt.system), ("user", prompt.user)]


def repair_round(prompt: Prompt, bad: Judged[M], answer: type[M]) -> list[Turn]:
    """Return the conversation so far, with what is wrong with the reply.

    A reply that was cut off is not shown: it is long, and the model would go on where it stopped.

    Parameters
    ----------
    prompt : Prompt
        That the reply was to.
    bad : Judged[M]
        The reply, with what is wrong.
    answer : type of M
        What it had to be valid against.

    Returns
    -------
    list of Turn
        After an empty reply, the first round again.

    """
    if bad.code == "empty_reply":
        return first_round(prompt)
    if bad.code == "truncated_reply":
        shorter = (
            "An earlier reply to this was cut off at the token limit. Reply again with a complete but much "
            "shorter JSON object: the same in fewer words, and nothing twice."
        )
        return [("system", prompt.system), ("user", f"{prompt.user}\n\n{shorter}")]
    wrong = (
        f"That reply cannot be used: {bad.error}. Reply again with the whole corrected JSON object and "
        f"nothing else. It must be valid against this JSON schema:\n{schema_text(answer)}"
    )
    return [*first_round(prompt), ("assistant", bad.text[:_SHOWN]), ("user", wrong)]


class ResponseCache:
    """Files `outputs/.llm/MODEL/ab/…`, each written in one step the moment a reply arrives.

    Parameters
    ----------
    outputs : Path
        Folder of all indexes.
    options : ModelOptions
        What of them decides a reply is part of every key.
    replay : Path, optional
        Folder of such files; a reply that is not in `outputs` is taken from there.

    """

    def __init__(self, outputs: Path, options: ModelOptions, replay: Path | None = None) -> None:
        self._files = StageCache(outputs / FOLDER)
        self._replay = StageCache(replay) if replay is not None else None
        self._stage = re.sub(r"[^A-Za-z0-9._-]+", "_", options.model).strip("._")[:80] or "model"
        decides = {"format": FORMAT, **options.model_dump(include=_DECIDES)}
        self._parameters = json.dumps(decides, sort_keys=True, ensure_ascii=False)
        self.fingerprint = blake2b(_bytes(self._parameters), digest_size=8).hexdigest()
        """Identifies model and parameters."""

    def key(self, prompt: Prompt, answer: type[BaseModel]) -> str:
        """Return the name of the reply to a prompt: a hash of model, parameters, prompt and schema.

        Parameters
        ----------
        prompt : Prompt
            Task and data.
        answer : type of BaseModel
            Its schema counts.

        Returns
        -------
        str
            40 hexadecimal digits.

        """
        digest = blake2b(digest_size=20)
        for part in (self._parameters, schema_text(answer), prompt.system, prompt.user):
            data = _bytes(part)
            digest.update(b"%d:" % len(data))
            digest.update(data)
        return digest.hexdigest()

    def get(self, key: str, answer: type[M]) -> M | None:
        """Return the answer under a key, validated again; a torn file counts as absent.

        Parameters
        ----------
        key : str
            As `key` returns it.
        answer : type of M
            What the reply has to be valid against.

        Returns
        -------
        M or None
            None where there is none, or it is not valid any more.

        """
        kept = _kept(self._files.get(self._stage, key))
        if kept is None and self._replay is not None:  # what a run used is then all in its own folder
            data = self._replay.get(self._stage, key)
            if data is not None and (kept := _kept(data)) is not None:
                self._files.put(self._stage, key, data)
        if kept is None:
            return None
        try:
            return answer.model_validate_json(kept.text)
        except ValidationError:
            return None

    def put(self, key: str, kept: Kept) -> None:
        """Store a reply.

        Parameters
        ----------
        key : str
            As `key` returns it.
        kept : Kept
            The reply, with its tokens.

        """
        self._files.put(self._stage, key, json.dumps(vars(kept), ensure_ascii=False).encode())

    def sample(self, size: int) -> list[Kept]:
        """Return some of this model's replies; names are hashes, so the first of them are a random sample.

        Parameters
        ----------
        size : int
            Replies at most.

        Returns
        -------
        list of Kept
            The same ones as long as none is added.

        """
        paths = islice(self._files.files(self._stage), size)
        return [kept for path in paths if (kept := _kept(self._files.read(path))) is not None]


def _kept(data: bytes | None) -> Kept | None:
    if data is None:
        return None
    try:
        return Kept(**json.loads(data))
    except (ValueError, TypeError):
        return None


CHARACTERS_PER_TOKEN = 4.0
"""Of English text, where no reply was seen yet."""
COMPLETION_PER_PROMPT = 0.5


@dataclass(frozen=True)
class Ratio:
    """What was seen of replies; the two ratios are the usual ones where `n` is 0."""

    n: int
    characters_per_token: float
    completion_per_prompt: float
    longest: int
    """Tokens of the longest reply."""


class Ratios:
    """Sums over replies by kind of answer; those in the cache are looked at when a ratio is first needed.

    Parameters
    ----------
    sample : callable
        Returns some of the replies in the cache.

    """

    def __init__(self, sample: Callable[[], Iterable[Kept]]) -> None:
        self._sample: Callable[[], Iterable[Kept]] | None = sample
        self._sums: dict[str, Counter[str]] = {}
        self._lock = Lock()

    def note(self, kept: Kept) -> None:
        """Add a reply.

        Parameters
        ----------
        kept : Kept
            With its characters and tokens.

        """
        with self._lock:
            self._add(kept)

    def of(self, answer: str | None = None) -> Ratio:
        """Return the ratios of one kind of answer, or of all; those of all where that kind was not seen.

        Parameters
        ----------
        answer : str, optional
            Name of the answer's class; None for all.

        Returns
        -------
        Ratio
            Defaults where no reply was seen yet.

        """
        with self._lock:
            sample, self._sample = self._sample, None
            for kept in sample() if sample else ():
                self._add(kept)
            chosen = [self._sums[answer]] if answer in self._sums else list(self._sums.values())
        whole = sum(chosen, Counter[str]())
        prompt = whole["prompt"]
        return Ratio(
            n=whole["n"],
            characters_per_token=whole["characters"] / prompt if prompt else CHARACTERS_PER_TOKEN,
            completion_per_prompt=whole["completion"] / prompt if prompt else COMPLETION_PER_PROMPT,
            longest=max((sums["longest"] for sums in chosen), default=0),
        )

    def seen(self, answer: str) -> int:
        """Return how many replies of a kind were seen.

        Parameters
        ----------
        answer : str
            Name of the answer's class.

        Returns
        -------
        int
            From 0.

        """
        with self._lock:
            return self._sums[answer]["n"] if answer in self._sums else 0

    def _add(self, kept: Kept) -> None:
        sums = self._sums.setdefault(kept.answer, Counter())
        sums.update(n=1, characters=kept.characters)
        sums.update(prompt=kept.prompt_tokens, completion=kept.completion_tokens)
        sums["longest"] = max(sums["longest"], kept.completion_tokens)


_LEAST = 256
"""Tokens that a reply needs to say anything."""
_MARGIN = 10
"""Tokens of a prompt are an estimate: where a reply has to be cut, one part in so many more are left out."""


def _characters(turns: list[Turn]) -> int:
    return sum(len(text) for _, text in turns)


def _tokens(text: str) -> int:
    return max(1, round(len(text) / CHARACTERS_PER_TOKEN)) if text else 0


Missing = tuple[int, Prompt, str]
"""Place, prompt, and its key in the cache."""
T = TypeVar("T")
_THREAD = "corpusgraph-llm"
_CLOSED = "the client is closed"


class Background:
    """Awaits things in an event loop of its own, whose thread begins with the first; `close` ends it.

    Parameters
    ----------
    at_end : callable
        Is awaited in the loop before it ends.

    """

    def __init__(self, at_end: Callable[[], Awaitable[None]]) -> None:
        self._at_end = at_end
        self._lock = Lock()
        self._portal: BlockingPortal | None = None
        self._stack = ExitStack()
        self._futures: WeakSet[Future[Any]] = WeakSet()
        self._closed = False

    def run(self, work: Callable[[], Awaitable[T]]) -> T:
        """Await something and return its result; whatever ends the wait (Ctrl-C) cancels it.

        Parameters
        ----------
        work : callable
            Is called in the background's loop.

        Returns
        -------
        T
            What it returned; what it raised is raised here.

        Raises
        ------
        RuntimeError
            After closing, and where what accepts an answer asks itself.
        CallCancelledError
            Where nobody waits for the result any more.

        """
        portal = self._started()
        try:
            future = portal.start_task_soon(work)
        except RuntimeError:
            if self._closed:
                raise RuntimeError(_CLOSED) from None
            message = "what accepts an answer cannot ask itself: it would wait for its own end"
            raise RuntimeError(message) from None
        self._futures.add(future)
        try:
            while not wait([future], timeout=1.0).done:  # one without end could not be interrupted everywhere
                step("waiting for the language model")
            return future.result()
        finally:
            future.cancel()

    def close(self) -> None:
        """Cancel what is under way, close what is open, and end the thread."""
        with self._lock:
            self._closed = True
            stack = self._stack.pop_all()
        for future in list(self._futures):
            future.cancel()
        if threading.current_thread().name == _THREAD:  # the collector of garbage may call from there
            threading.Thread(target=stack.close, daemon=True).start()
        else:
            stack.close()

    def _started(self) -> "BlockingPortal":
        with self._lock:
            if self._closed:
                raise RuntimeError(_CLOSED)
            if self._portal is None:
                from anyio.from_thread import start_blocking_portal

                self._portal = self._stack.enter_context(start_blocking_portal(name=_THREAD))
                self._stack.callback(self._portal.call, self._at_end)
            return self._portal


_SAMPLE = 200
_OTHER = "other"
_stage: ContextVar[str | None] = ContextVar("corpusgraph_llm_stage", default=None)


def open_client(
    profile: Profile,
    outputs: Path,
    *,
    budget: float | None = None,
    needs_key: bool = True,
    replay: Path | None = None,
) -> "Client":
    """Return a client of a profile whose replies are kept in `outputs/.llm`.

    Parameters
    ----------
    profile : Profile
        With the names of variables, not with a key.
    outputs : Path
        Folder of all indexes.
    budget : float, optional
        US dollars at most; the profile's unless given.
    needs_key : bool, default True
        Without, no key has to be there until a call is made, as for an estimate.
    replay : Path, optional
        Folder of stored replies: no call is ever made, and neither key nor price is needed.

    Returns
    -------
    Client
        To be used in a `with` statement.

    Raises
    ------
    MissingResourceError
        For a variable that is not set.
    InvalidInputError
        For a budget where the price is not known, and for Azure without a version.

    """
    limit = profile.limits.budget if budget is None else budget
    if replay is not None:
        return Client(profile, outputs, replay=replay)
    if needs_key:
        api_key(profile)
        base_url(profile)
    azure = profile.llm.provider == "azure"
    if azure and not profile.llm.api_version and not (profile.llm.base_url or "").rstrip("/").endswith("/v1"):
        raise InvalidInputError(
            f"Profile {profile.profile!r} has provider azure and no api_version.",
            hint="Give api_version, or a base_url that ends in /openai/v1.",
        )
    client = Client(profile, outputs, limit)
    if limit is not None and client.price is None:
        raise InvalidInputError(
            f"A budget of ${limit:g} cannot be kept: no price of {profile.llm.model!r} is known.",
            hint="Give it in the profile, per million tokens: `price: {input: 0.15, output: 0.6}` under llm.",
        )
    return client


class Client:
    """Answers prompts; may be used from several threads, and where an event loop runs.

    Parameters
    ----------
    profile : Profile
        Names the model, its endpoint and its limits.
    outputs : Path
        Folder of all indexes, where replies are kept.
    budget : float, optional
        US dollars at most; None for no limit.
    replay : Path, optional
        Folder of stored replies: no call is made.

    """

    def __init__(
        self, profile: Profile, outputs: Path, budget: float | None = None, replay: Path | None = None
    ) -> None:
        limits = profile.limits
        self.profile, self.budget, self.name = profile, budget, profile.llm.model
        """The name is the model's; where it runs does not change what is made with it."""
        self.stopped: ReplyFailure | None = None
        """Why no more calls are made: budget_exhausted, unreachable, unauthorized or not_found."""
        self.why = ""
        """What the endpoint said, or what became of the connection, when calls were stopped."""
        self._silent = replay is not None
        self._cache = ResponseCache(outputs, profile.llm, replay)
        self.fingerprint = self._cache.fingerprint
        """Identifies what decides replies besides the prompts: model and parameters."""
        self._ratios = Ratios(partial(self._cache.sample, _SAMPLE))
        self._accounts: dict[str, Account] = {}
        self._stages: list[str] = []
        self._lock = Lock()
        self._attempts, self._max_tokens = limits.attempts, profile.llm.max_tokens
        self._least = min(_LEAST, profile.llm.max_tokens)
        self._budget, self._pace = Budget(budget), Pace(limits)
        self._slots = asyncio.Semaphore(limits.concurrency)
        self._breaker = Breaker(limits.breaker, limits.cool_down)
        self._under_way: dict[str, asyncio.Future[Reply[Any]]] = {}
        self._stop = asyncio.Event()
        self._replied = False
        self._wires: list[Wire] = []
        self._background = Background(partial(_close, self._wires))
        # Also at the interpreter's end: nothing of it refers to the client itself.
        self._finalizer = weakref.finalize(self, self._background.close)

    @cached_property
    def price(self) -> Price | None:
        """US dollars per million tokens; None where it is not known."""
        return price_of(self.profile)

    @property
    def usage(self) -> tuple[StageUsage, ...]:
        """What each stage cost, in order."""
        with self._lock:
            return tuple(account.told() for account in self._accounts.values())

    @property
    def mode(self) -> str | None:
        """How the shape of an answer is asked for; None before the first call."""
        return self._wires[0].mode if self._wires else None

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Name the stage that the calls inside are accounted to; threads without one have the last opened.

        Parameters
        ----------
        name : str
            As it stands in reports.

        Yields
        ------
        None
            While the body runs.

        """
        token = _stage.set(name)
        with self._lock:
            self._stages.append(name)
        try:
            yield
        finally:
            with self._lock:
                self._stages.remove(name)
            _stage.reset(token)

    def ask(
        self, prompts: Sequence[Prompt], answer: type[M], accept: Accept[M] | None = None
    ) -> list[Reply[M]]:
        """Answer each prompt from the cache or by a call; a failure has its `error` and `code`.

        Parameters
        ----------
        prompts : sequence of Prompt
            Perhaps none: then nothing is asked.
        answer : type of M
            What the replies have to be valid against.
        accept : Accept[M], optional
            Says what is wrong with a valid answer, or None; see `LanguageModel.ask`.

        Returns
        -------
        list of Reply[M]
            As many as prompts, in their order; a cached one has cost nothing.

        """
        if not prompts:
            return []
        with self._lock:
            name = _stage.get() or (self._stages[-1] if self._stages else _OTHER)
            account = self._accounts.setdefault(name, Account(name, self.profile.llm.model))
        keys = [self._cache.key(prompt, answer) for prompt in prompts]
        replies = [self._cached(key, answer, n, accept) for n, key in enumerate(keys)]
        missing = [n for n, reply in enumerate(replies) if reply is None]
        account.count("reused", len(prompts) - len(missing))
        if missing:
            items = [(n, prompts[n], keys[n]) for n in missing]
            work = partial(self._answers, items, answer, accept, account)
            for n, reply in zip(missing, self._background.run(work), strict=True):
                replies[n] = reply
        return [reply for reply in replies if reply is not None]

    def cached(self, prompts: Sequence[Prompt], answer: type[BaseModel]) -> list[bool]:
        """Tell which prompts the response cache answers.

        Parameters
        ----------
        prompts : sequence of Prompt
            As they would be asked.
        answer : type of BaseModel
            What the replies have to be valid against.

        Returns
        -------
        list of bool
            In the order of the prompts.

        """
        return [self._cache.get(self._cache.key(prompt, answer), answer) is not None for prompt in prompts]

    def ratios(self, answer: type[BaseModel] | None = None) -> Ratio:
        """Return characters per token and tokens out per token in, as seen of one kind of answer or all.

        Parameters
        ----------
        answer : type of BaseModel, optional
            None for all.

        Returns
        -------
        Ratio
            Defaults where no reply was seen yet.

        """
        return self._ratios.of(answer.__name__ if answer else None)

    def estimate(self, prompts: Sequence[Prompt], answer: type[BaseModel]) -> Usage:
        """Return the calls, tokens and cost that `ask` is likely to need; cached prompts cost nothing.

        Parameters
        ----------
        prompts : sequence of Prompt
            As they would be asked.
        answer : type of BaseModel
            What the replies have to be valid against.

        Returns
        -------
        Usage
            US dollars, None where the price is unknown.

        """
        ratio = self.ratios(answer)
        asked = [p for p, known in zip(prompts, self.cached(prompts, answer), strict=True) if not known]
        tokens = sum(len(p.system) + len(p.user) for p in asked) / ratio.characters_per_token
        said = min(tokens * ratio.completion_per_prompt, len(asked) * self.profile.llm.max_tokens)
        price = cost(self.price, tokens, said) if asked else 0.0
        return Usage(calls=len(asked), prompt_tokens=round(tokens), completion_tokens=round(said), cost=price)

    def close(self) -> None:
        """Cancel what is under way and close the connections; the cache can still be read."""
        self._finalizer()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _cached(self, key: str, answer: type[M], place: int, accept: Accept[M] | None) -> Reply[M] | None:
        """Return the reply in the cache, unless it is not accepted any more."""
        value = self._cache.get(key, answer)
        if value is None or (accept is not None and accept(place, value) is not None):
            return None
        return Reply(value=value, cached=True)

    @cached_property
    def _wire(self) -> "Wire":
        from corpusgraph.flows.llm.wire import Wire

        self._wires.append(Wire(self.profile, base_url(self.profile), api_key(self.profile)))
        return self._wires[0]

    def _go_on(self) -> None:
        """Raise CallError once no more calls are made."""
        if self.stopped is not None:
            raise CallError(self.stopped, f"not asked: {self.why}")

    def _halt(self, error: CallError) -> None:
        """Make no more calls; the first reason is the one that is told."""
        if self.stopped is None:
            self.stopped, self.why = error.code, error.message
            self._stop.set()

    async def _answers(
        self, missing: Sequence[Missing], answer: type[M], accept: Accept[M] | None, account: Account
    ) -> list[Reply[M]]:
        """Answer all, side by side; the first error that is none of the endpoint's ends the rest."""
        if self._silent:
            account.count("failed", len(missing))
            error = "not asked: the run is replayed, and this reply was not stored"
            return [Reply(error=error, code="no_reply") for _ in missing]
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(self._answer(one, answer, accept, account)) for one in missing]
        except BaseExceptionGroup as errors:
            raise errors.exceptions[0] from None
        return [task.result() for task in tasks]

    async def _answer(
        self, missing: Missing, answer: type[M], accept: Accept[M] | None, account: Account
    ) -> Reply[M]:
        """Answer one prompt, or wait for the answer to an equal one that is under way."""
        place, prompt, key = missing
        while (other := self._under_way.get(key)) is not None:
            await asyncio.wait([other])
            if not other.cancelled() and (failed := other.result()).value is None:
                account.count("failed")
                return Reply(error=failed.error, code=failed.code)
        if (known := self._cached(key, answer, place, accept)) is not None:
            account.count("reused")
            return known
        check = None if accept is None else partial(accept, place)
        future = self._under_way[key] = asyncio.get_running_loop().create_future()
        try:
            async with self._slots:
                reply = await self._reply(prompt, key, answer, check, account)
            future.set_result(reply)
        finally:
            future.cancel()  # no effect on one that has its result
            del self._under_way[key]
        account.count("failed", int(reply.value is None))
        return reply

    async def _reply(
        self, prompt: Prompt, key: str, answer: type[M], check: Check[M] | None, account: Account
    ) -> Reply[M]:
        """Ask, and once more if the reply cannot be used."""
        usage, turns = Usage(), first_round(prompt)
        for repairing in (False, True):
            try:
                said = await self._send(turns, answer, account)
            except CallError as error:
                return Reply(usage=usage, error=error.message, code=error.code)
            spent = self._usage(said)
            usage += spent
            account.spend(spent)
            judged = judge(said, answer, check)
            tokens = spent.prompt_tokens, spent.completion_tokens
            kept = Kept(judged.text, answer.__name__, _characters(turns), *tokens)
            self._ratios.note(kept)
            if judged.value is not None:
                account.count("repaired", int(repairing))
                self._cache.put(key, kept)
                return Reply(usage=usage, value=judged.value)
            turns = repair_round(prompt, judged, answer)
            # another round does not help after a refusal, nor where a shorter answer would lack things
            hopeless = judged.code == "truncated_reply" and issubclass(answer, Divisible)
            if hopeless or judged.code == "refused" or not self._room(self._tokens(turns, answer)):
                break
        return Reply(usage=usage, error=judged.error, code=judged.code)

    async def _send(self, turns: list[Turn], answer: type[BaseModel], account: Account) -> Said:
        """Make attempts until one brings a reply, or no more may be made. Raises CallError."""
        failures, tokens = 0, self._tokens(turns, answer)
        if not (most := self._room(tokens)):
            options = self.profile.llm
            message = (
                f"the prompt has about {tokens:,} tokens, the context of {options.model} holds "
                f"{options.context_tokens:,} (context_tokens), of which a reply needs {self._least:,}"
            )
            raise CallError("bad_request", message)
        while True:
            self._go_on()
            try:
                async with self._breaker.request():
                    said = await self._attempt(turns, answer, most)
            except CallError as error:
                # Where something was answered before, neither the address is wrong nor the model's name.
                wrong = error.code == "not_found" and not self._replied
                if wrong or error.code in {"unauthorized", "budget_exhausted"}:
                    self._halt(error)
                elif self._breaker.down:
                    self._halt(CallError("unreachable", error.message))
                if error.at_once:
                    continue
                failures += 1
                if not error.again or failures >= self._attempts:
                    raise
                account.count("retried")
                with suppress(TimeoutError):  # it is not waited for what is over
                    async with asyncio.timeout(self._pace.wait(failures - 1, error.wait)):
                        await self._stop.wait()
            else:
                self._replied = True
                return said

    async def _attempt(self, turns: list[Turn], answer: type[BaseModel], most: int) -> Said:
        """Make one request when limits and budget allow it."""
        wire = self._wire  # the first time that takes longer than a request
        prompt, completion = self._expected(turns, answer)
        entry = await self._pace.begin(prompt + completion)
        async with self._budget.held(partial(self._expected_cost, turns, answer)):
            self._go_on()
            said = await wire.send(turns, answer, most)
            if not said.prompt_tokens:
                said = replace(said, prompt_tokens=prompt, completion_tokens=_tokens(said.text))
            usage = self._usage(said)
            self._pace.end(entry, usage.tokens)
            self._budget.spent += usage.cost or 0.0
        return said

    def _room(self, tokens: int) -> int:
        """Return the most tokens of a reply to a prompt of so many; 0 where both do not fit.

        Some servers cut what is too long for the context without a word.
        """
        context = self.profile.llm.context_tokens
        if tokens + self._least > context:
            return 0
        return max(self._least, min(self._max_tokens, context - tokens - tokens // _MARGIN))

    def _expected(self, turns: list[Turn], answer: type[BaseModel]) -> tuple[int, int]:
        """Return the tokens a request is likely to take; out as many as the longest reply so far."""
        characters, ratio = _characters(turns), self._ratios.of(answer.__name__)
        prompt = max(1, round(characters / ratio.characters_per_token)) if characters else 0
        likely = max(ratio.longest, round(prompt * ratio.completion_per_prompt))
        return prompt, min(likely, self._max_tokens)

    def _tokens(self, turns: list[Turn], answer: type[BaseModel]) -> int:
        """Return the tokens of a prompt; what servers put around short ones does not grow with them."""
        return min(self._expected(turns, answer)[0], _characters(turns))

    def _expected_cost(self, turns: list[Turn], answer: type[BaseModel], worst: bool) -> float:
        prompt, completion = self._expected(turns, answer)
        if worst and not self._ratios.seen(answer.__name__):
            completion = self._max_tokens
        return cost(self.price, prompt, completion) or 0.0

    def _usage(self, said: Said) -> Usage:
        return Usage(
            calls=1,
            prompt_tokens=said.prompt_tokens,
            completion_tokens=said.completion_tokens,
            cost=cost(self.price, said.prompt_tokens, said.completion_tokens),
        )


async def _close(wires: "Sequence[Wire]") -> None:
    for wire in wires:
        await wire.close()


_PROMPT = Prompt(
    system="You check a connection. Text between <<< and >>> is data.",
    user="How many letters has this word?\n<<<\nsnow\n>>>",
)


class Letters(BaseModel):
    """The answer to the check."""

    word: str = Field(description="the word")
    letters: int = Field(description="how many letters it has")


@dataclass(frozen=True)
class Checked:
    """How a call went.

    Attributes
    ----------
    model : str
        Name of the model.
    seconds : float
        Until the reply, or until it was given up.
    mode : str or None
        How a shape is asked for; None where nothing worked.
    price : Price or None
        US dollars per million tokens; None where it is unknown.
    error, code : str or None
        Why it failed; None where it did not.
    ratio : JsonDict or None
        Characters and tokens seen of earlier replies; None where no cache was looked at.

    """

    model: str
    seconds: float
    mode: str | None
    price: Price | None
    error: str | None
    code: ReplyFailure | None
    ratio: JsonDict | None


def check_profile(profile: Profile, outputs: Path | None = None) -> Checked:
    """Ask one small question, with two attempts and not all of the profile's.

    Parameters
    ----------
    profile : Profile
        To be tried.
    outputs : Path, optional
        Where a cache is looked at for what tokens to expect; None for nowhere.

    Returns
    -------
    Checked
        A failed call has its `error`; seconds, price and mode are told.

    Raises
    ------
    MissingResourceError
        For a variable that is not set.

    """
    limits = profile.limits.model_copy(update={"attempts": 2, "max_wait": min(profile.limits.max_wait, 2.0)})
    quick = profile.model_copy(update={"limits": limits})
    with tempfile.TemporaryDirectory() as folder, open_client(quick, Path(folder)) as client:
        start = time.perf_counter()
        [reply] = client.ask([_PROMPT], Letters)
        seconds = time.perf_counter() - start
    ratio = None
    if outputs:
        with open_client(profile, outputs, needs_key=False) as seen:
            ratio = asdict(seen.ratios())
    return Checked(client.name, seconds, client.mode, client.price, reply.error, reply.code, ratio)
