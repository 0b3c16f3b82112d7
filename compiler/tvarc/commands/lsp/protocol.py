"""The protocol below the session. It answers malformed messages as the protocol requires: a request
gets an error, and a notification is ignored. Neither is a fault of tvarc, so the log of the editor
has no report.
"""

from __future__ import annotations

import logging
import os
from typing import Any, Final

from lsprotocol import types
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInvalidRequest,
    JsonRpcParseError,
    JsonRpcServerNotInitialized,
)
from pygls.protocol import LanguageServerProtocol

_OF_TEXTS: Final = (
    types.TEXT_DOCUMENT_DID_OPEN, types.TEXT_DOCUMENT_DID_CHANGE, types.TEXT_DOCUMENT_DID_CLOSE,
)  # fmt: skip


class Protocol(LanguageServerProtocol):
    """Reads the messages of one editor, and answers those that it cannot read."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        if os.environ.get("TVARC_TRACEBACK") != "1":
            # A malformed message of a client gets an answer. The library would also print a
            # traceback.
            logging.getLogger("pygls").setLevel(logging.CRITICAL)
        for method in _OF_TEXTS:  # the session itself keeps the texts, once
            del self.fm.builtin_features[method]

    def structure_message(self, data: dict[str, Any]) -> Any:
        """*data* as it is. The library calls this for each object within a message, too."""
        return data

    def handle_message(self, message: Any) -> None:
        """Answer *message*, the JSON of it."""
        if not isinstance(message, dict) or message.get("jsonrpc") != self.VERSION:
            return
        try:
            self._check_order(message)
            read = super().structure_message(message)
        except JsonRpcException as fault:
            self.refuse(message, fault)
            return
        super().handle_message(read)

    def _check_order(self, message: dict[str, Any]) -> None:
        """Raise an error for a message that may not come before the start of a session, or after
        its end."""
        method = message.get("method")
        if self._shutdown and method != types.EXIT:
            raise JsonRpcInvalidRequest("the session has ended")
        if self._workspace is None and method not in (types.INITIALIZE, types.EXIT):
            raise JsonRpcServerNotInitialized("the session has not begun")
        if self._workspace is not None and method == types.INITIALIZE:
            raise JsonRpcInvalidRequest("the session has begun already")

    def refuse(self, message: dict[str, Any], fault: JsonRpcException) -> None:
        """Answer *message* with *fault* if it is a request."""
        number = message.get("id")
        if "method" in message and isinstance(number, int | str):
            self._send_response(number, error=fault.to_response_error())

    def unreadable(self) -> None:
        """Answer a message that is not JSON. Its number is unknown."""
        error = JsonRpcParseError("this is no JSON").to_response_error()
        self._send_data(types.ResponseErrorMessage(id=None, error=error))
