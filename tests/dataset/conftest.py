import pytest

from tests.dataset.corpus import HandMade, hand_made


@pytest.fixture(scope="module")
def corpus() -> HandMade:
    return hand_made()
