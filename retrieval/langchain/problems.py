"""What can go wrong between LangChain and a library, as errors that say what to do."""

from __future__ import annotations

from errors import CitewiseError, StoreError
from providers.base import EmbeddingError
from schema import DocumentInfo, Message


def other_model(serving: str, wanted: str) -> StoreError:
    return StoreError(
        Message(
            zh=f"这个库里的向量由 {serving} 生成，不能与 {wanted} 的向量比较。",
            en=f"The vectors of this library were made by {serving}; those of {wanted} cannot be compared with them.",
        ),
        Message(
            zh="请改用生成它的嵌入模型，或换一个文件夹重新添加；本程序自己的资料库请用 as_vector_store()，"
            "不必指定模型。",
            en="Use the embeddings that it was filled with, or add the texts to another folder. "
            "A library of the app needs none: library.as_vector_store().",
        ),
    )


def nobody_embeds() -> EmbeddingError:
    return EmbeddingError(
        Message(
            zh="资料库的嵌入模型暂不可用，因此没有保存。",
            en="The embedding model of the library cannot be used right now, so nothing was stored.",
        ),
        Message(
            zh="请稍后再试，或检查 .env 中的嵌入模型。", en="Try again later, or check the embedding model in .env."
        ),
    )


def unusable(model: str) -> EmbeddingError:
    return EmbeddingError(
        Message(
            zh=f"嵌入模型 {model} 没有给出可用的向量（个数或维数不对，或含非数）。",
            en=f"The embedding model {model} gave no usable vectors (their number or length is wrong, "
            "or they hold what is no number).",
        ),
        Message(zh="请检查这个嵌入模型。", en="Check this embedding model."),
    )


def other_length(dimensions: int, given: int) -> StoreError:
    return StoreError(
        Message(
            zh=f"库里的向量是 {dimensions} 维，给出的是 {given} 维。",
            en=f"The library's vectors have {dimensions} dimensions, the given one has {given}.",
        ),
        Message(
            zh="请用生成库里向量的嵌入模型来生成它。", en="Embed it with the model that the library was filled with."
        ),
    )


def not_json(name: str, key: str) -> StoreError:
    return StoreError(
        Message(
            zh=f"文档“{name}”的元数据“{key}”无法存为 JSON，因此什么都没有保存。",
            en=f"The metadata {key!r} of document {name!r} cannot be kept as JSON, so nothing was stored.",
        ),
        Message(
            zh="元数据可以是文字、数、真假、空值，以及由它们组成的列表和字典（键为文字）；请先转换，例如 str(日期)。",
            en="Metadata may be strings, numbers, true, false, None, and lists and mappings (with string keys) of "
            "these; convert it first, a date by str(), say.",
        ),
    )


def unfit_filter(given: object) -> StoreError:
    return StoreError(
        Message(zh=f"不能按 {given!r} 筛选。", en=f"It is not possible to filter by {given!r}."),
        Message(
            zh='请用元数据的字典，例如 {"author": "李雷"} 或 {"author": ["李雷", "韩梅梅"]}，或用 schema.Scope。',
            en='Give a mapping of metadata, like {"author": "Ann"} or {"author": ["Ann", "Bob"]}, or a schema.Scope.',
        ),
    )


def no_ids() -> StoreError:
    return StoreError(
        Message(zh="没有说明要删除哪些 id。", en="It was not said which ids are to be deleted."),
        Message(
            zh="请给出 id；要清空整个文档集，请用 store.delete_doc_set(名称)。",
            en="Give their ids; store.delete_doc_set(name) empties a whole set.",
        ),
    )


def part_of(given: str, info: DocumentInfo) -> StoreError:
    return StoreError(
        Message(
            zh=f"“{given}”属于有 {info.chunks} 个切片的文档“{info.name}”，不能单独删除；没有删除任何内容。",
            en=f"{given!r} belongs to the document {info.name!r} of {info.chunks} chunks and cannot be deleted by "
            "itself; nothing was deleted.",
        ),
        Message(
            zh=f"要删除整个文档，请用 store.delete({info.name!r}, {info.doc_set!r})。",
            en=f"To delete the whole document: store.delete({info.name!r}, {info.doc_set!r}).",
        ),
    )


def on_its_own_loop() -> CitewiseError:
    return CitewiseError(
        "internal",
        Message(
            zh="这个检索器属于正在运行的事件循环，在循环里不能用 invoke。",
            en="This retriever belongs to the running event loop, where invoke would wait for itself.",
        ),
        Message(zh="请改用 await retriever.ainvoke(…)。", en="Use await retriever.ainvoke(...) there."),
    )
