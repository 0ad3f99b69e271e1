"""Default labels of a process: what is alike is one activity, so that cases share variants.

An event is described by a frame, "found company" or "be born". Its label is the activity that its verb
belongs to, whatever the object: "establish school" and "found company" are both "found". Of any other verb
the object is put under what it is a kind of: "direct film" is "direct work". Whoever is or becomes what is an
office holds office. Whoever was killed, and nobody is named who did it, died.
"""

from corpusgraph.tasks.index.rules.wordlist import wordset

_ACTIVITIES = """
    be born: be born, bear
    marry: marry, wed, remarry
    die: die, succumb, perish, death, demise
    kill: kill, murder, assassinate, execute, hang, massacre
    move: move, relocate, transfer, emigrate, immigrate, migrate, settle, resettle, return, come
    study: study, attend school, attend university, attend college, attend organisation, enrol, enroll
    graduate: graduate, earn degree, receive degree, obtain degree, complete degree
    found: found, co-found, cofound, establish, create, form, set up, institute, organise, organize
    found: incorporate, foundation, establishment, formation, creation, introduce, invent, develop
    found: launch organisation
    build: build, construct, erect, rebuild, complete building, construction, erection
    open: open, reopen, inaugurate, opening
    begin: begin, start, commence
    end: end, cease, close, shut down, dissolve, disband, abolish, discontinue, conclude, finish, closure
    end: dissolution, abolition, break up, split up
    publish: publish, release, issue, reissue, re-release, print, air, broadcast, premiere, screen
    publish: publication
    debut: debut, make debut
    perform: perform, play, star, appear, act, tour, feature
    write: write, compose, author, pen
    record: record, film, shoot
    win: win, receive award, earn award, award
    elect: elect, re-elect, reelect, win election, win seat, election
    nominate: nominate, shortlist
    appoint: appoint, name, designate, promote, hire, choose, select, crown
    hold office: serve as, become office, be office, hold office, hold position, succeed, serve
    join: join, enter, enlist, sign with
    leave: leave, depart, quit, resign, retire, step down, abdicate, withdraw, resignation, retirement
    acquire: acquire, buy, purchase, take over, acquisition
    sell: sell, sale
    merge: merge, unite, unify, amalgamate, merger, unification
    rename: rename, change name, retitle, rebrand
    discover: discover, detect, identify, discovery
    attack: attack, invade, raid, bomb, assault, besiege, bombard, invasion
    capture: capture, seize, conquer, occupy, annex, conquest
    defeat: defeat, beat, overthrow, rout, depose
    fight: fight, battle, war, siege, skirmish
    conclude treaty: conclude treaty, sign treaty, ratify treaty, sign agreement, conclude agreement
    meet: meet, assemble, convene, gather, meeting
    destroy: destroy, demolish, raze, burn, burn down, demolition, destruction
"""
"""Activity and the verbs and nouns of frames that belong to it, with an object where only that one does."""
_KINDS = {
    "work": """
        book novel album single song film movie ep dvd episode series play poem story article journal
        newspaper magazine video opera track record version soundtrack show documentary collection memoir
        anthology sonata symphony report pamphlet essay cover recording
    """,
    "organisation": """
        company firm band club team school university college society party association institute organization
        institution agency department corporation label group league council church
    """,
    "place": "city town village settlement colony state country region island area district territory",
    "building": "house bridge castle palace tower theatre theater stadium station airport temple hospital",
    "award": "prize medal title championship cup trophy tournament race honour honor",
    "person": "man woman child son daughter father mother brother sister wife husband people player",
    "office": """
        president governor mayor minister king queen emperor professor director coach captain chairman manager
        chancellor senator ambassador bishop pope head leader editor judge secretary commissioner chief
        commander principal dean officer member representative deputy consul prince duke
    """,
}
"""Kind -> nouns of it."""
_ROWS = [row.strip().split(": ") for row in _ACTIVITIES.strip().splitlines()]
_BY_FRAME = {frame: activity for activity, frames in _ROWS for frame in frames.split(", ")}
_KIND_OF = {noun: kind for kind, nouns in _KINDS.items() for noun in wordset(nouns)}


def default_label(activity: str, *, has_agent: bool = True) -> str:
    """Return the activity that a frame belongs to; `has_agent`: somebody is named who did it."""
    verb, _, rest = activity.partition(" ")
    general = f"{verb} {_KIND_OF.get(rest, rest)}".strip()
    known = (activity, general, " ".join(activity.split()[:2]), verb)
    label = next((_BY_FRAME[frame] for frame in known if frame in _BY_FRAME), general)
    return "die" if label == "kill" and not has_agent else label
