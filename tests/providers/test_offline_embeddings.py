import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from providers.base import EmbeddingError
from providers.embeddings import chosen, offline, restore, serves
from providers.features import character_grams
from providers.hashing import HashingEmbedder
from providers.tfidf import EARLIER_MODELS, MODEL, TextSample, TfidfEmbedder, fit, looked_at
from providers.word_vectors import DIMENSIONS
from settings import Settings
from tests.each_row import each_row
from text import search_tokens

TEXTS = [
    "The lighthouse on the northern cliff was built in 1874.",
    "Bread needs flour, water, salt and time.",
    "灯塔建于1874年，位于北面的悬崖上。",
    "新生儿的体温应当每四小时测量一次。",
    "A configuration file is read once, when the server starts.",
]


def lengths(vectors):
    return np.linalg.norm(vectors, axis=1)


@pytest.fixture(scope="module")
def fitted():
    return fit(TEXTS, 256)


@pytest.fixture(params=["tfidf", "hashing"])
def embedder(request, fitted):
    return fitted if request.param == "tfidf" else HashingEmbedder(256)


@pytest.mark.parametrize(
    ("question", "best"),
    [("Who built the lighthouse?", 0), ("新生儿体温多久测一次？", 3), ("server configuration", 4), ("燈塔在哪裡", 2)],
)
def test_question_is_nearest_to_its_text(embedder, question, best):
    assert np.argmax(embedder.embed(TEXTS) @ embedder.embed_question(question)) == best


def test_typing_error_is_bridged_by_character_grams(embedder):
    assert np.argmax(embedder.embed(TEXTS) @ embedder.embed_question("lighthuose on a clif")) == 0


@given(st.lists(st.text(" abc，是"), max_size=5))
def test_character_grams_cross_from_no_text_into_the_next(texts):
    texts = [*texts, "end"]
    for text, grams in zip(texts, character_grams(texts), strict=True):
        np.testing.assert_array_equal(grams, character_grams([text])[0])


def test_a_text_has_the_same_vector_among_others_as_alone(embedder):
    many = [*TEXTS, ""] * 50  # more than are embedded together
    alone = np.vstack([embedder.embed([text]) for text in [*TEXTS, ""]])
    np.testing.assert_allclose(embedder.embed(many), np.vstack([alone] * 50), atol=1e-5)


def test_rows_have_length_one_and_float32(embedder):
    vectors = embedder.embed(TEXTS)
    assert vectors.dtype == np.float32
    assert vectors.shape == (len(TEXTS), embedder.space.dimensions)
    np.testing.assert_allclose(lengths(vectors), 1, atol=1e-5)


def test_nothing_to_know_is_a_row_of_zeros(embedder):
    assert not embedder.embed(["", " \n", "…！？"]).any()


def test_words_that_came_after_fitting_are_known_too(fitted):
    texts = ["a zeppelin over Friedrichshafen", "quinoa and amaranth", *TEXTS]
    assert np.argmax(fitted.embed(texts) @ fitted.embed_question("Which zeppelin?")) == 0


def test_no_texts_give_no_rows(embedder):
    assert embedder.embed([]).shape == (0, embedder.space.dimensions)


def test_restored_space_embeds_the_same(embedder):
    again = restore(embedder.space, Settings.from_mapping({}))
    assert again.space.key == embedder.space.key
    np.testing.assert_array_equal(again.embed(TEXTS), embedder.embed(TEXTS))


def test_fitting_is_deterministic_and_the_revision_tells_spaces_apart():
    assert fit(TEXTS, 3).space.key == fit(TEXTS, 3).space.key
    assert fit(TEXTS, 3).space.key != fit(TEXTS[:4], 3).space.key


def test_hash_is_the_same_in_another_process():
    code = "from providers.hashing import HashingEmbedder as H; print(H(32).embed(['灯塔 lighthouse']).tolist())"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    np.testing.assert_allclose(eval(printed), HashingEmbedder(32).embed(["灯塔 lighthouse"]), atol=1e-6)


@each_row(
    "texts",
    [["one chunk alone"], ["two", "chunks"], ["the same text"] * 5, ["the same text"] * 2 + ["another"], [""], ["的"]],
)
def test_small_libraries(texts):
    space = fit(texts, 256)
    vectors = space.embed(texts)
    assert space.space.fitted_on == len(texts)
    assert 128 < space.space.dimensions - DIMENSIONS <= 128 + len(texts)
    assert np.isfinite(vectors).all()
    if texts[0]:
        np.testing.assert_allclose(lengths(vectors), 1, atol=1e-5)


def test_dimensions_are_a_limit():
    for dimensions in (8, 9):
        space = fit([f"number {n} and word{n}" for n in range(30)], dimensions).space
        assert space.dimensions - DIMENSIONS == dimensions


@settings(max_examples=40)
@given(st.lists(st.text(), max_size=6), st.text())
def test_wild_texts(texts, question):
    embedder = fit(texts, 8)
    found = lengths(np.vstack([embedder.embed(texts), embedder.embed_question(question)]))
    assert np.all((abs(found - 1) < 1e-4) | (found == 0))


@each_row(
    ("question", "best"),
    [
        ("I want my money back", {0}),
        ("薪水何时到账", {1}),
        ("我的口令想不起来了", {2, 3}),  # both say it
        ("can't log in, lost my credentials", {2, 3}),
    ],
)
def test_what_is_said_in_other_words_is_near(question, best):
    texts = [
        "A refund is paid within three working days.",
        "工资在每月十五日发放。",
        "忘记密码时，点击登录页的链接重新设置。",
        "Reset a forgotten password on the sign-in page.",
        "The lamp needs a wireless network of 2.4 GHz.",
        "手表放在底座上充电，约两小时充满。",
    ]
    embedder = fit(texts, 512)
    assert np.argmax(embedder.embed(texts) @ embedder.embed_question(question)) in best


@pytest.mark.parametrize(("model", "kept"), EARLIER_MODELS.items())
def test_a_space_of_an_earlier_version_serves_until_it_is_fitted_again(fitted, model, kept):
    shorter = fitted.space.dimensions - DIMENSIONS + kept
    earlier = replace(fitted.space, model=model, dimensions=shorter)
    embedder = restore(earlier, Settings.from_mapping({}))
    vectors = embedder.embed(TEXTS)
    assert vectors.shape == (len(TEXTS), shorter)
    assert np.argmax(vectors @ embedder.embed_question("Who built the lighthouse?")) == 0
    assert not vectors[:, shorter - kept :].any()
    assert not serves(earlier, Settings.from_mapping({}))
    assert serves(replace(fitted.space, model=MODEL), Settings.from_mapping({}))


def test_unknown_provider_has_a_remedy(fitted):
    for other in (replace(fitted.space, provider="gone"), replace(fitted.space, model="words-of-old")):
        with pytest.raises(EmbeddingError) as raised:
            restore(other, Settings.from_mapping({}))
        assert raised.value.suggestions
        assert other.model in raised.value.message.zh


def test_a_pickle_is_no_payload(fitted):
    import pickle

    with pytest.raises(ValueError, match="allow_pickle"):
        TfidfEmbedder.from_space(replace(fitted.space, payload=pickle.dumps([1])))


def test_hashing_when_asked_for_or_without_scipy(monkeypatch):
    import providers.embeddings

    assert offline(Settings.from_mapping({"CITEWISE_EMBEDDING": "hashing"})) == "hashing"
    assert offline(Settings.from_mapping({})) == "tfidf"
    monkeypatch.setattr(providers.embeddings, "find_spec", lambda name: None)
    assert offline(Settings.from_mapping({})) == "hashing"
    assert chosen(Settings.from_mapping({"CITEWISE_EMBEDDING": "tfidf"})).provider == "tfidf"


def test_neither_fitting_nor_embedding_needs_scikit_learn(fitted):
    """It would take more time to import than most uploads take to be embedded."""
    code = (
        "import sys; from providers.tfidf import TfidfEmbedder as T, fit;"
        "s = fit(['灯塔在河边', 'a lighthouse'], 64).space;"
        "assert T.from_space(s).embed_question('灯塔').any(); assert 'sklearn' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_fit_needs_no_more_than_the_texts_that_it_looks_at(monkeypatch):
    monkeypatch.setattr("providers.tfidf._LANDMARKS", 7)
    monkeypatch.setattr("providers.calibration._TEXTS", 5)
    texts = [f"number {n} and word{n} with some of the others of {n % 4}" for n in range(60)]
    places = looked_at(len(texts))
    assert len(places) < len(texts)
    assert fit(TextSample(len(texts), {n: texts[n] for n in places}), 16).space == fit(texts, 16).space


def test_a_fit_with_known_terms_is_the_same(fitted):
    texts = [f"number {n} and word{n} with some of the others of {n % 4}." for n in range(60)]
    terms = [" ".join(search_tokens(text)) for text in texts]
    assert fit(texts, 16, terms).space == fit(texts, 16).space


def test_known_search_terms_make_the_same_vectors(fitted):
    for some in (fitted, HashingEmbedder(64)):
        terms = [" ".join(search_tokens(text)) for text in TEXTS]
        assert np.array_equal(some.embed(TEXTS, terms), some.embed(TEXTS))
