"""HTTP for model calls: one pool of connections for each event loop that uses it, kept alive between calls."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Self

from uaef.errors import ProviderError
from uaef.text.strict_json import strict_json

if TYPE_CHECKING:
    import aiohttp

MOST_BYTES = 8 * 1024 * 1024
"""No verdict is longer; whatever is, is not read to its end."""

_TRANSIENT = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529})
_GIVEN_UP = frozenset({504, 524})
"""A gateway did not wait for the answer, which the server behind it may have written all the same."""
_SHOWN = 500


class Transport:
    """Posts JSON and reads JSON.

    Args:
        timeout_s: how long one call may take, from connecting to the last byte.
        connections: how many may be open at once.
    """

    def __init__(self, timeout_s: float, connections: int) -> None:
        self._timeout_s = timeout_s
        self._connections = connections
        self._pools: dict[asyncio.AbstractEventLoop, tuple[aiohttp.ClientSession, int]] = {}

    async def __aenter__(self) -> Self:
        loop = asyncio.get_running_loop()
        session, users = self._pools.get(loop) or (self._session(), 0)
        self._pools[loop] = (session, users + 1)
        return self

    async def __aexit__(self, *exception: object) -> None:
        loop = asyncio.get_running_loop()
        session, users = self._pools.pop(loop)
        if users > 1:
            self._pools[loop] = (session, users - 1)
        else:
            await session.close()

    async def post(self, url: str, headers: Mapping[str, str], body: bytes) -> dict[str, object]:
        """The JSON object that the server answers with.

        Raises:
            ProviderError: it cannot be reached, refuses, or answers with something else.
        """
        import aiohttp  # noqa: PLC0415 - 270 ms, wanted only where a model is asked
        from yarl import URL  # noqa: PLC0415 - aiohttp's own

        pool = self._pools.get(asyncio.get_running_loop())
        if pool is None:
            raise RuntimeError("a client makes its calls inside `async with client:`")
        try:
            where = URL(url, encoded=True)  # byte for byte as it was signed
            async with pool[0].post(where, data=body, headers=headers, allow_redirects=False) as response:
                raw = bytearray()
                async for chunk in response.content.iter_any():
                    raw += chunk
                    if len(raw) > MOST_BYTES:
                        break
        except TimeoutError:
            late = f"no answer within {self._timeout_s:g} s"
            raise ProviderError(late, transient=True, may_be_billed=True) from None
        except (ValueError, aiohttp.NonHttpUrlClientError) as error:
            # an address, a header or a certificate is wrong, and a second attempt makes none of them right
            raise ProviderError(f"{type(error).__name__}: {error}") from error
        except (aiohttp.ClientError, OSError) as error:
            asked = not isinstance(error, aiohttp.ClientConnectorError | aiohttp.ClientHttpProxyError)
            raise ProviderError(f"{type(error).__name__}: {error}", transient=True, may_be_billed=asked) from error
        return _read(response.status, response.headers, bytes(raw))

    def _session(self) -> aiohttp.ClientSession:
        import aiohttp  # noqa: PLC0415

        proxied = any(os.environ.get(name) for name in ("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"))
        return aiohttp.ClientSession(
            cookie_jar=aiohttp.DummyCookieJar(),  # models are asked with a key; looking through cookies costs time
            connector=aiohttp.TCPConnector(limit=self._connections),
            timeout=aiohttp.ClientTimeout(total=self._timeout_s),
            trust_env=proxied,  # it costs each call a look at the environment and at .netrc
        )


def _read(status: int, headers: Mapping[str, str], raw: bytes) -> dict[str, object]:
    answered = 200 <= status < 300  # noqa: PLR2004 - HTTP's own line
    if len(raw) > MOST_BYTES:
        raise ProviderError(f"the answer is longer than {MOST_BYTES} bytes", status=status, may_be_billed=answered)
    if not answered:
        raise ProviderError(
            f"HTTP {status}: {' '.join(raw.decode('utf-8', 'replace').split())[:_SHOWN]}",
            status=status,
            transient=status in _TRANSIENT,
            retry_after=_retry_after(headers),
            may_be_billed=status in _GIVEN_UP,
        )
    try:
        data = strict_json(raw.decode("utf-8-sig"))
    except UnicodeDecodeError:
        data = None
    if not isinstance(data, dict):
        kind = headers.get("Content-Type", "nothing known")
        unread = f"answered with {kind} that is no JSON object: {raw[:_SHOWN]!r}"
        raise ProviderError(unread, status=status, may_be_billed=True)
    return data


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait, as the server asks for: a number of seconds or a date (RFC 9110, 10.2.3)."""
    asked = headers.get("Retry-After", "").strip()
    if not asked:
        return None
    try:
        return max(0.0, float(asked))
    except ValueError:
        pass
    import datetime as dt  # noqa: PLC0415 - servers seldom send a date
    from email.utils import parsedate_to_datetime  # noqa: PLC0415

    try:
        return max(0.0, (parsedate_to_datetime(asked) - dt.datetime.now(dt.UTC)).total_seconds())
    except (TypeError, ValueError, OverflowError):
        return None
