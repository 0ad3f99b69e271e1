"""Sentences parsed by hand: word, lemma, tag, features, head and label of CLEAR, head and label of UD."""

SENTENCES = {
    ("Contaminated water", "causes", "cholera"): """
Contaminated contaminate VERB part 2 amod 2 amod
water water NOUN - 3 nsubj 3 nsubj
led lead VERB fin 0 ROOT 0 root
to to ADP - 3 prep 5 case
cholera cholera NOUN - 4 pobj 3 obl
. . PUNCT - 3 punct 3 punct""",
    ("bad water", "causes", "Cholera"): """
Cholera cholera NOUN - 3 nsubjpass 3 nsubj:pass
was be AUX fin 3 auxpass 3 aux:pass
caused cause VERB part 0 ROOT 0 root
by by ADP - 3 agent 6 case
bad bad ADJ - 6 amod 6 amod
water water NOUN - 4 pobj 3 obl:agent
. . PUNCT - 3 punct 3 punct""",
    ("pump", "causes", "outbreak"): """
The the DET - 2 det 2 det
pump pump NOUN - 7 nsubj 9 nsubj
that that PRON rel 6 dobj 6 obj
the the DET - 5 det 5 det
engineers engineer NOUN - 6 nsubj 6 nsubj
built build VERB fin 2 relcl 2 acl:relcl
was be AUX fin 0 ROOT 9 cop
the the DET - 9 det 9 det
cause cause NOUN - 7 attr 0 root
of of ADP - 9 prep 12 case
the the DET - 12 det 12 det
outbreak outbreak NOUN - 10 pobj 9 nmod
. . PUNCT - 7 punct 9 punct""",
    ("drought", "causes", "harvest failed"): """
Because because SCONJ - 8 prep 4 case
of of ADP - 1 pcomp 1 fixed
the the DET - 4 det 4 det
drought drought NOUN - 2 pobj 8 obl
, , PUNCT - 8 punct 8 punct
the the DET - 7 det 7 det
harvest harvest NOUN - 8 nsubj 8 nsubj
failed fail VERB fin 0 ROOT 0 root
. . PUNCT - 8 punct 8 punct""",
    ("Foul air", "causes!", "cholera"): """
Foul foul ADJ - 2 amod 2 amod
air air NOUN - 5 nsubj 5 nsubj
did do AUX fin 5 aux 5 aux
not not PART - 5 neg 5 advmod
cause cause VERB inf 0 ROOT 0 root
cholera cholera NOUN - 5 dobj 5 obj
. . PUNCT - 5 punct 5 punct""",
    ("fog", "causes", "delay"): """
The the DET - 2 det 2 det
delay delay NOUN - 3 nsubj 6 nsubj
was be AUX fin 0 ROOT 6 cop
due due ADP - 3 acomp 6 case
to to ADP - 4 prep 4 fixed
fog fog NOUN - 5 pobj 0 root
. . PUNCT - 3 punct 6 punct""",
    ("gas", "causes", "fire"): """
The the DET - 2 det 2 det
mayor mayor NOUN - 3 nsubj 3 nsubj
blamed blame VERB fin 0 ROOT 0 root
the the DET - 5 det 5 det
fire fire NOUN - 3 dobj 3 obj
on on ADP - 3 prep 7 case
gas gas NOUN - 6 pobj 3 obl
. . PUNCT - 3 punct 3 punct""",
    ("lack of food", "causes", "soldiers to desert"): """
The the DET - 2 det 2 det
lack lack NOUN - 5 nsubj 5 nsubj
of of ADP - 2 prep 4 case
food food NOUN - 3 pobj 2 nmod
caused cause VERB fin 0 ROOT 0 root
the the DET - 7 det 7 det
soldiers soldier NOUN - 9 nsubj 5 obj
to to PART - 9 aux 9 mark
desert desert VERB inf 5 ccomp 5 xcomp
. . PUNCT - 5 punct 5 punct""",
    ("flood", "prevents", "selling grain"): """
The the DET - 2 det 2 det
flood flood NOUN - 3 nsubj 3 nsubj
prevented prevent VERB fin 0 ROOT 0 root
farmers farmer NOUN - 3 dobj 3 obj
from from ADP - 3 prep 6 mark
selling sell VERB ing 5 pcomp 3 advcl
grain grain NOUN - 6 dobj 6 obj
. . PUNCT - 3 punct 3 punct""",
    ("foul air", "causes!", "cholera"): """
Snow Snow PROPN - 2 nsubj 2 nsubj
denied deny VERB fin 0 ROOT 0 root
that that SCONJ - 6 mark 6 mark
foul foul ADJ - 5 amod 5 amod
air air NOUN - 6 nsubj 6 nsubj
caused cause VERB fin 2 ccomp 2 ccomp
cholera cholera NOUN - 6 dobj 6 obj
. . PUNCT - 2 punct 2 punct""",
    ("Debts", "causes", "war"): """
Debts debt NOUN - 2 nsubj 2 nsubj
made make VERB fin 0 ROOT 0 root
war war NOUN - 5 nsubj 2 obj
more more ADV - 5 advmod 5 advmod
likely likely ADJ - 2 ccomp 2 xcomp
. . PUNCT - 2 punct 2 punct""",
    ("gas", "causes!", "fever"): """
There there PRON - 2 expl 2 expl
is be VERB fin 0 ROOT 0 root
no no DET - 4 det 4 det
evidence evidence NOUN - 2 attr 2 nsubj
that that SCONJ - 7 mark 7 mark
gas gas NOUN - 7 nsubj 7 nsubj
causes cause VERB fin 4 acl 4 acl
fever fever NOUN - 7 dobj 7 obj
. . PUNCT - 2 punct 2 punct""",
    ("smoke", "causes!", "fever"): """
It it PRON - 2 nsubj 3 expl
is be AUX fin 0 ROOT 3 cop
false false ADJ - 2 acomp 0 root
that that SCONJ - 6 mark 6 mark
smoke smoke NOUN - 6 nsubj 6 nsubj
causes cause VERB fin 2 ccomp 3 csubj
fever fever NOUN - 6 dobj 6 obj
. . PUNCT - 2 punct 3 punct""",
    ("heat", "causes", "vapours"): """
The the DET - 2 det 2 det
heat heat NOUN - 3 nsubj 3 nsubj
gave give VERB fin 0 ROOT 0 root
rise rise NOUN - 3 dobj 3 obj
to to ADP - 3 dative 6 case
vapours vapour NOUN - 5 pobj 3 obl
. . PUNCT - 3 punct 3 punct""",
    ("war", "causes", "famine"): """
The the DET - 2 det 2 det
war war NOUN - 3 nsubj 3 nsubj
ruined ruin VERB fin 0 ROOT 0 root
trade trade NOUN - 3 dobj 3 obj
and and CCONJ - 3 cc 6 cc
led lead VERB fin 3 conj 3 conj
to to ADP - 6 prep 8 case
famine famine NOUN - 7 pobj 6 obl
. . PUNCT - 3 punct 3 punct""",
    ("poison", "causes", "fevers"): """
The the DET - 2 det 2 det
poison poison NOUN - 7 nsubj 8 nsubj
from from ADP - 6 prep 4 case
which which PRON rel 3 pobj 6 obl
fevers fever NOUN - 6 nsubj 6 nsubj
arose arise VERB fin 2 relcl 2 acl:relcl
was be AUX fin 0 ROOT 8 cop
arsenic arsenic NOUN - 7 attr 0 root
. . PUNCT - 7 punct 8 punct""",
    ("Bad water", "causes", "outbreak"): """
Bad bad ADJ - 2 amod 2 amod
water water NOUN - 3 nsubj 3 nsubj
seems seem VERB fin 0 ROOT 0 root
responsible responsible ADJ - 3 acomp 3 xcomp
for for ADP - 4 prep 7 case
the the DET - 7 det 7 det
outbreak outbreak NOUN - 5 pobj 4 obl
. . PUNCT - 3 punct 3 punct""",
    ("dam broke", "causes", "town suffered"): """
The the DET - 2 det 2 det
town town NOUN - 3 nsubj 3 nsubj
suffered suffer VERB fin 0 ROOT 0 root
because because SCONJ - 7 mark 7 mark
the the DET - 6 det 6 det
dam dam NOUN - 7 nsubj 7 nsubj
broke break VERB fin 3 advcl 3 advcl
. . PUNCT - 3 punct 3 punct""",
    ("water", "causes", "cholera"): """
Farr Farr PROPN - 2 nsubj 2 nsubj
regarded regard VERB fin 0 ROOT 0 root
water water NOUN - 2 dobj 2 obj
as as ADP - 2 prep 6 case
the the DET - 6 det 6 det
cause cause NOUN - 4 pobj 2 obl
of of ADP - 6 prep 8 case
cholera cholera NOUN - 7 pobj 6 nmod
. . PUNCT - 2 punct 2 punct""",
    ("envy", "causes", "quarrel"): """
The the DET - 2 det 2 det
quarrel quarrel NOUN - 3 nsubj 3 nsubj
arose arise VERB fin 0 ROOT 0 root
from from ADP - 3 prep 5 case
envy envy NOUN - 4 pobj 3 obl
and and CCONJ - 5 cc 7 cc
pride pride NOUN - 5 conj 5 conj
. . PUNCT - 3 punct 3 punct""",
    ("king's pride", "causes", "quarrel"): """
The the DET - 2 det 2 det
king king NOUN - 4 poss 4 nmod:poss
's 's PART - 2 case 2 case
pride pride NOUN - 5 nsubj 5 nsubj
caused cause VERB fin 0 ROOT 0 root
the the DET - 7 det 7 det
quarrel quarrel NOUN - 5 dobj 5 obj
, , PUNCT - 7 punct 7 punct
according accord VERB ing 5 prep 11 case
to to ADP - 9 prep 9 fixed
Farr Farr PROPN - 10 pobj 5 obl
. . PUNCT - 5 punct 5 punct""",
}

OTHERS = """
Snow Snow PROPN - 2 nsubj 2 nsubj
went go VERB fin 0 ROOT 0 root
out out ADP - 2 prep 5 case
of of ADP - 3 prep 5 case
London London PROPN - 4 pobj 2 obl
to to ADP - 2 prep 7 case
towns town NOUN - 6 pobj 2 obl
such such ADJ - 9 amod 10 case
as as ADP - 7 prep 8 fixed
Leeds Leeds PROPN - 9 pobj 7 nmod
. . PUNCT - 2 punct 2 punct

The the DET - 2 det 2 det
pump pump NOUN - 3 nsubj 6 nsubj
was be AUX fin 0 ROOT 6 cop
in in ADP - 3 prep 6 case
Broad Broad PROPN - 6 compound 6 compound
Street Street PROPN - 4 pobj 0 root
, , PUNCT - 3 punct 6 punct
not not PART - 11 neg 11 advmod
in in ADP - 3 conj 11 case
the the DET - 11 det 11 det
square square NOUN - 9 pobj 6 conj
. . PUNCT - 3 punct 6 punct

Kings king NOUN - 6 nsubj 6 nsubj
, , PUNCT - 1 punct 1 punct
priests priest NOUN - 1 conj 1 conj
and and CCONJ - 3 cc 5 cc
soldiers soldier NOUN - 3 conj 1 conj
feared fear VERB fin 0 ROOT 0 root
war war NOUN - 6 dobj 6 obj
rather rather ADV - 9 advmod 10 cc
than than ADP - 7 cc 8 fixed
plague plague NOUN - 7 conj 7 conj
. . PUNCT - 6 punct 6 punct

It it PRON - 4 nsubjpass 4 expl
was be AUX fin 4 auxpass 4 aux:pass
never never ADV - 4 neg 4 advmod
denied deny VERB part 0 ROOT 0 root
that that SCONJ - 9 mark 9 mark
all all DET - 8 predet 8 det:predet
the the DET - 8 det 8 det
men man NOUN - 9 nsubj 9 nsubj
gave give VERB fin 4 ccomp 4 csubj:pass
Snow Snow PROPN - 9 dative 9 iobj
up up ADP - 9 prt 9 compound:prt
that that DET - 13 det 13 det
day day NOUN - 9 npadvmod 9 obl:unmarked
. . PUNCT - 4 punct 4 punct

After after ADP - 7 prep 2 mark
reading read VERB ing 1 pcomp 7 advcl
what what PRON - 5 dobj 5 obj
Farr Farr PROPN - 5 nsubj 5 nsubj
wrote write VERB fin 2 ccomp 2 ccomp
he he PRON - 7 nsubj 7 nsubj
called call VERB fin 0 ROOT 0 root
it it PRON - 10 nsubj 7 obj
a a DET - 10 det 10 det
mistake mistake NOUN - 7 oprd 7 xcomp
. . PUNCT - 7 punct 7 punct"""
"""Sentences that state no relation of ours, or several, for what the ones above have not."""
