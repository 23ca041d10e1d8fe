"""The state of a training that may be stopped and goes on: a model folder that says which training it is of."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from laconic.errors import ModelError
from laconic.storage.content import Content, Stored
from laconic.storage.model_folder import open_model, write_model

_KIND = "checkpoint"
_Restored = TypeVar("_Restored")


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A folder for the state of a training; `identity` is what must be the same for it to go on.

    It names the learner, its options and its data, in what JSON can hold.
    """

    folder: Path
    identity: Mapping[str, Any]

    def write(self, state: Content) -> None:
        """Replace the state that is there by this one, whole or not at all."""
        write_model(self.folder, _KIND, Content({"identity": dict(self.identity)}) | state.within("state"))

    def resume(self, restore: Callable[[Stored], _Restored]) -> _Restored | None:
        """What `restore` makes of the state that was written last; None if there is none.

        The state of other training, or one that `restore` refuses, is an error.
        """
        if not self.folder.exists() or (self.folder.is_dir() and not any(self.folder.iterdir())):
            return None
        try:
            with open_model(self.folder, _KIND) as stored:
                found, wanted = stored.settings.get("identity"), json.loads(json.dumps(dict(self.identity)))
                if found != wanted:
                    raise ModelError(f"{self.folder}: a checkpoint of other training ({found}, not {wanted})")
                return restore(stored.within("state"))
        except ModelError as error:
            raise ModelError(f"{error}; remove the folder to start anew") from None
