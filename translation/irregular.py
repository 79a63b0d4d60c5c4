"""Forms of English words that no stemmer takes back to their word: "wrote", "children", "highest", "colour"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from text import search_tokens

_FORMS = """
awoke:awake beaten:beat became:become began:begin begun:begin bent:bend bit:bite bitten:bite blew:blow blown:blow
broke:break broken:break brought:bring built:build burnt:burn bought:buy caught:catch chose:choose chosen:choose
came:come dealt:deal dug:dig drew:draw drawn:draw drank:drink drove:drive driven:drive ate:eat eaten:eat fell:fall
fallen:fall fed:feed felt:feel fought:fight found:find fled:flee flew:fly flown:fly forbade:forbid forbidden:forbid
forgot:forget forgotten:forget froze:freeze frozen:freeze gave:give given:give went:go gone:go grew:grow grown:grow
heard:hear hid:hide hidden:hide held:hold kept:keep knew:know known:know laid:lay led:lead left:leave lent:lend
lost:lose made:make meant:mean met:meet paid:pay proven:prove rode:ride ridden:ride rang:ring rose:rise risen:rise
ran:run said:say saw:see seen:see sought:seek sold:sell sent:send shook:shake shaken:shake shone:shine shot:shoot
shown:show sang:sing sung:sing sank:sink sat:sit slept:sleep slid:slide spoke:speak spoken:speak spent:spend
stood:stand stole:steal stolen:steal stuck:stick struck:strike swore:swear swam:swim took:take taken:take
taught:teach tore:tear torn:tear told:tell thought:think threw:throw thrown:throw understood:understand woke:wake
wore:wear worn:wear won:win wrote:write written:write children:child men:man women:woman people:person feet:foot
teeth:tooth mice:mouse lives:life leaves:leave knives:knife wives:wife criteria:criterion data:data indices:index
analyses:analysis better:good best:good worse:bad worst:bad
"""
# As they are spelt in Britain; the dictionary's English is mostly American.
_SPELLINGS = """
metre:meter millimetre:millimeter centimetre:centimeter kilometre:kilometer litre:liter millilitre:milliliter
centre:center theatre:theater fibre:fiber calibre:caliber lustre:luster colour:color favour:favor labour:labor
behaviour:behavior harbour:harbor neighbour:neighbor neighbourhood:neighborhood honour:honor humour:humor
flavour:flavor vapour:vapor odour:odor armour:armor endeavour:endeavor rumour:rumor tumour:tumor vigour:vigor
favourite:favorite organise:organize realise:realize recognise:recognize specialise:specialize standardise:standardize
optimise:optimize minimise:minimize maximise:maximize summarise:summarize initialise:initialize normalise:normalize
synchronise:synchronize catalyse:catalyze utilise:utilize apologise:apologize emphasise:emphasize licence:license
defence:defense offence:offense pretence:pretense practise:practice programme:program catalogue:catalog
dialogue:dialog analogue:analog grey:gray tyre:tire aluminium:aluminum jewellery:jewelry mould:mold plough:plow
sceptical:skeptical counsellor:counselor diarrhoea:diarrhea oestrogen:estrogen anaemia:anemia paediatric:pediatric
orthopaedic:orthopedic haemorrhage:hemorrhage leukaemia:leukemia judgement:judgment manoeuvre:maneuver kerb:curb
pyjamas:pajamas sulphur:sulfur moustache:mustache draught:draft encyclopaedia:encyclopedia archaeology:archeology
"""
IRREGULAR = {
    search_tokens(form)[0]: search_tokens(base)[0]
    for form, _, base in (pair.partition(":") for pair in (_FORMS + _SPELLINGS).split())
    if search_tokens(form) and search_tokens(base)
}
_OTHERS: dict[str, list[str]] = {}  # by each form the others of its word
for _form, _base in IRREGULAR.items():
    _OTHERS.setdefault(_base, []).append(_form)
_superlative = re.compile(r"(?P<base>[a-z]{3,})(?:i?est)")


def base_form(stem: str) -> str:
    """The search token of the word that a form belongs to; the form's own where none is known."""
    if stem in IRREGULAR:
        return IRREGULAR[stem]
    found = _superlative.fullmatch(stem)
    return search_tokens(found["base"])[0] if found and search_tokens(found["base"]) else stem


def inflected(tokens: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The search tokens of a term with one of its words in a form that no stemmer knows: "lost" of "lose", "paid" of
    "overtime pay", "millimetre" of "millimeter"."""
    for place, token in enumerate(tokens):
        for form in _OTHERS.get(token, ()):
            if form not in tokens:
                yield (*tokens[:place], form, *tokens[place + 1 :])
