"""English verbs and their forms: what tells a finite verb from a noun without a model."""

from corpusgraph.tasks.text.wordlist import wordset

_IRREGULAR = """
    arise arose arisen; bear bore born; bear bore borne; beat beat beaten; beget begot begotten;
    become became become; begin
    began begun; bend bent bent; bind bound bound; bite bit bitten; bleed bled bled; blow blew blown;
    break broke broken; breed bred bred; bring brought brought; build built built; burn burnt burnt; buy
    bought bought; cast cast cast; catch caught caught; choose chose chosen; come came come; cost cost
    cost; cut cut cut; deal dealt dealt; dig dug dug; do did done; draw drew drawn; dream dreamt dreamt;
    drink drank drunk; drive drove driven; dwell dwelt dwelt; eat ate eaten; fall fell fallen; feed fed
    fed; feel felt felt; fight fought fought; find found found; flee fled fled; fly flew flown; forbid
    forbade forbidden; foresee foresaw foreseen; forget forgot forgotten; forgive forgave forgiven; freeze
    froze frozen; get got got; give gave given; go went gone; grow grew grown; hang hung hung; hear heard
    heard; hide hid hidden; hit hit hit; hold held held; hurt hurt hurt; keep kept kept; know knew known;
    lay laid laid; lead led led; leave left left; lend lent lent; let let let; lie lay lain; light lit
    lit; lose lost lost; make made made; mean meant meant; meet met met; mistake mistook mistaken;
    overcome overcame overcome; pay paid paid; prove proved proven; put put put; read read read; rise rose
    risen; run ran run; say said said; see saw seen; seek sought sought; sell sold sold; send sent sent;
    set set set; shake shook shaken; shed shed shed; shine shone shone; shoot shot shot; show showed
    shown; shrink shrank shrunk; shut shut shut; sing sang sung; sink sank sunk; sit sat sat; sleep slept
    slept; speak spoke spoken; spend spent spent; split split split; spread spread spread; spring sprang
    sprung; stand stood stood; steal stole stolen; stink stank stunk; stick stuck stuck; strike struck
    struck; strive strove striven; swear swore sworn; sweep swept swept; swell swelled swollen; swim swam
    swum; take took taken; teach taught taught; tear tore torn; tell told told; think thought thought;
    throw threw thrown; undergo underwent undergone; understand understood understood; undertake undertook
    undertaken; uphold upheld upheld; wear wore worn; weave wove woven; weep wept wept; win won won;
    withdraw withdrew withdrawn; overthrow overthrew overthrown; foretell foretold foretold; withstand
    withstood withstood; withhold withheld withheld; undo undid undone; wake woke woken;
    awake awoke awoken; slay slew slain; sting stung stung; grind ground ground; slide slid slid; fling flung
    flung; creep crept crept; smite smote smitten; tread trod trodden; thrust thrust thrust; burst burst
    burst; wring wrung wrung; write wrote written
"""
_REGULAR = """
    conspire predispose entertain foment inflame extinguish counteract frustrate disseminate
    amplify bully censure corrode cry degrade deplete dilute disable disqualify dissuade dry dull enfeeble
    erode evoke exile expedite expire fortify ignite incline intensify magnify nullify pressure quadruple
    quake quell rebuke reignite rekindle ridicule soothe stall sully weary writhe dismay enrage infuriate
    dishearten impoverish exhaust dent
    adjoin aggravate alleviate annex assault avail besiege bombard border broaden chronicle command
    conduce constrain contest corroborate crush culminate draft emanate encompass excite focus forestall
    ground hail headquarter hinge impede impute kindle model nourish obstruct obviate pen pertain preclude
    presuppose raid realise realize recur redound rename reside resort rout seize situate tie worsen
    abandon abolish absorb accept accompany account accumulate accuse achieve acknowledge acquire act
    adapt add address adjust administer admire admit adopt advance advise advocate affect affirm agree aim
    allege allow alter analyse analyze announce answer anticipate appear apply appoint approach approve
    argue arrange arrest arrive ascend ascribe ask assemble assert assess assign assist associate assume
    assure attach attack attain attempt attend attract attribute avert avoid award back ban base belong
    believe bequeath betray blame boil borrow bury calculate call capture care carry cause cease celebrate
    challenge change charge check chlorinate cite claim classify clean clear climb close collaborate
    collapse collect combat combine commence comment commission commit compare compete complain complete
    compose comprise compute conceal concede conceive concern conclude condemn conduct confer confess
    confine confirm confuse connect conquer consider consist constitute construct consult consume contain
    contaminate contend continue contract contradict contribute control convert convey convince convict
    cook correct correlate correspond count counter cover crawl create criticise criticize cross crown
    cultivate cure damage date debate decide declare decline decrease dedicate defeat defend define delay
    deliver demand demonstrate deny depart depend depict deplore deprive derive descend describe desert
    deserve design desire destroy detect deter determine develop devise devote dictate die differ diminish
    direct disagree disappear discharge disclose discover discredit discuss dismiss dispatch display
    displace dispose disprove dispute dissent dissolve distinguish distribute disturb divide document
    dominate donate doubt drain drift drop earn ease educate effect elect eliminate embody embrace emerge
    emigrate emphasise emphasize employ empty enable enact encounter encourage end endanger endorse endure
    enforce engage engender enhance enjoy enlarge enlist ensue ensure enter entitle equal eradicate erect
    escape establish estimate evaluate evolve examine exceed exclude excuse execute exercise exert exhibit
    exist expand expect expel experience explain explode exploit explore export expose express extend
    extract face facilitate fail fall favour favor fear feature fetch fill film finance finish fit fix
    flourish flow flush follow force forecast foresee form formulate foster found fuel fulfil fulfill
    function fund furnish gain gather generate govern graduate grant guarantee guard guide halt handle
    happen harm hasten hate head heal help hesitate hinder hire hope host hypothesise hypothesize identify
    ignore illustrate imagine impair implement imply import impose impress improve imprison incite include
    incorporate increase incur indicate induce infect infer inflict influence inform inhabit inherit
    inhibit initiate injure inquire insist inspect inspire install instigate instruct insure intend
    interfere interpret interrupt intervene interview introduce invade invent invest investigate invite
    invoke involve issue join judge jump justify kill kiss label lack land last laugh launch lecture
    legislate lessen like limit link list listen live locate lodge look lower maintain manage manufacture
    map march mark marry mask mass master match matter measure mention merge migrate miss mitigate mix
    modify mount move multiply murder name narrate necessitate need neglect negotiate nominate note notice
    notify number object oblige observe obtain occasion occupy occur offer open operate oppose order
    organise organize originate oversee owe own paint participate pass perceive perform permit persist
    persuade petition place plan plant play plead please point pollute portray possess postpone pour
    practise practice praise pray preach precede precipitate predict prefer prepare prescribe present
    preserve preside press presume pretend prevail prevent proceed proclaim procure produce progress
    prohibit project prolong promise promote prompt pronounce propagate propose prosecute protect protest
    provide provoke publish pull pump punish purchase purify pursue push qualify question quote raise rank
    reach react reason rebuild rebut recall receive reckon recognise recognize recommend record recover
    recruit rediscover reduce refer reflect reform refuse refute regard register regret regulate reign
    reinforce reject relate relax release relieve rely remain remark remedy remember remind remove render
    renew repair repeal repeat repel replace reply report represent reproduce request require rescue
    research resemble resent resign resist resolve respond rest restore restrain restrict result resume
    retain retire retreat return reveal revere reverse review revise revive revolt ruin rule rush sail
    sample save scatter schedule score search secure select separate serve settle sever share shape shift
    ship sign signal signify slow smell solve spark specify spell stage start state stay stem stimulate
    stop store strain strengthen stress study submit succeed succumb suffer suggest suit summon supersede
    supervise supplant supply support suppose suppress surrender surround survey survive suspect suspend
    sustain talk target taste tend terminate test testify thank threaten tolerate top touch trace trade
    train transfer transform translate transmit transport travel treat trigger trust try turn uncover
    underestimate underlie undermine unite urge use utilise utilize value vary venture vindicate violate
    visit voice volunteer vote wait walk want warn warrant wash waste watch weaken welcome widen wield
    wish witness wonder work worry worship wound yield leak overflow seep circulate ventilate isolate
    quarantine disinfect inoculate vaccinate sicken poison infest star debut release record premiere
    relocate chair co-found cofound acquire author edit illustrate air bottle
"""
AMBIGUOUS = wordset("""
    model ground tie border command draft pen contest raid assault chronicle focus resort crush account
    act address advance aim answer approach arrest attack attempt award back ban base blame bottle care
    cause challenge change charge check claim close clean clear comment commission concern conduct
    contract control cost count counter cover cross crown cure damage date deal debate decline decrease
    delay demand design desire discharge display dispute document doubt drain draw dream drift drink drive
    drop ease effect empty end escape estimate exercise experience export express extract face fall favour
    favor fear feature feed fight film finance finish fit fix flow force form found fuel function fund
    gain grant guarantee guard guide halt handle harm hate head help hire hold hope host hurt import
    increase influence interview issue judge jump kill label lack land last laugh launch lead leak lecture
    lie light like limit link list look lower love map march mark mask mass master match matter mean
    measure mention mix mount move murder name need note notice number object offer open order own paint
    pass pay petition place plan plant play point poison practice praise present press produce progress
    project promise protest pump purchase purpose push quarantine question rank reach reason record reform
    refuse regard register regret release remark remedy repair repeal reply report request rescue research
    resort rest result return review reverse revolt rise ruin rule run rush sail sample save schedule
    score search set shape share shift ship show shut sign signal sink slow smell spark spell split spread
    spring stage stand star start state stay stem stick stink stop store strain stress strike study suit
    supply support survey suspect swell target taste tear test throw top touch trace trade train transfer
    transport travel treat trigger trust try turn use value venture view visit voice volunteer vote wait
    walk want wash waste watch welcome will win wish witness wonder work worry worship wound yield read
    set cut let put hit cast bear bind bite blow break build catch chair air author debut premiere
    separate complete correct
""")
"""Verbs whose base form is as often a noun (or adjective): context decides."""

_VOWELS = "aeiou"
_DOUBLING = wordset("""
    admit omit abhor ban beg commit compel confer control deter drop equip expel fit incur infer jar map
    nip occur pat permit plan plot prefer propel refer regret remit rob ship stem step stop submit tip top
    transfer transmit travel trip star cancel quarrel
""")


def _suffixed(base: str) -> tuple[str, str, str]:
    """Return the third person, past and -ing forms of a regular verb."""
    if base.endswith("ie"):
        return base + "s", base + "d", base[:-2] + "ying"
    if base.endswith("e"):
        stem = base if base.endswith(("ee", "oe", "ye")) else base[:-1]
        return base + "s", base + "d", stem + "ing"
    if base.endswith("y") and base[-2] not in _VOWELS:
        return base[:-1] + "ies", base[:-1] + "ied", base + "ing"
    third = base + ("es" if base.endswith(("s", "sh", "ch", "x", "z", "o")) else "s")
    double = base + base[-1] if base in _DOUBLING else base
    return third, double + "ed", double + "ing"


def _forms() -> dict[str, tuple[str, str]]:
    """Map every form to (base, kind): V base, Z -s, A past, E participle, F past or participle, G -ing."""
    forms: dict[str, tuple[str, str]] = {}
    for base in sorted(set(_REGULAR.split())):
        third, past, ing = _suffixed(base)
        forms |= {third: (base, "Z"), past: (base, "F"), ing: (base, "G"), base: (base, "V")}
    for line in _IRREGULAR.split(";"):
        base, past, participle = line.split()
        third, _, ing = _suffixed(base)
        ing = {"sit": "sitting", "win": "winning", "run": "running", "put": "putting", "set": "setting",
               "cut": "cutting", "hit": "hitting", "let": "letting", "get": "getting", "begin": "beginning",
               "dig": "digging", "shed": "shedding", "shut": "shutting", "split": "splitting",
               "swim": "swimming", "forbid": "forbidding", "forget": "forgetting"}.get(base, ing)  # fmt: skip
        forms |= {third: (base, "Z"), ing: (base, "G"), base: (base, "V")}
        if past == participle:
            forms[past] = (base, "F" if past != base else "V")
        else:
            forms |= {past: (base, "A" if past != base else "V"), participle: (base, "E")}
    forms["found"] = ("find", "F")
    forms["founded"] = ("found", "F")
    forms["does"] = ("do", "Z")
    return forms


VERBS = _forms()
"""Form -> (base, kind)."""
