"""The path diagram of a structural equation model: factors are ellipses, observed variables boxes."""

from corpusgraph.tasks.export.pictures.arrows import arc, arrow, loop
from corpusgraph.tasks.export.pictures.frame import MARGIN
from corpusgraph.tasks.export.pictures.letters import wrapped
from corpusgraph.tasks.export.pictures.nodes import Entry, Kind, node, sign_of, sign_of_arrow, size_of
from corpusgraph.tasks.export.pictures.pack import packed
from corpusgraph.tasks.export.pictures.page import Look, Page
from corpusgraph.tasks.export.pictures.style import BODY, GREY, INK, ORANGE, SKY, WHITE, mixed
from corpusgraph.tasks.export.pictures.variables import given
from corpusgraph.tasks.statistics.analysis import StatisticalAnalysis

MOST = 45
"""Variables of a diagram; the caption says how many are left out."""
_FACTOR = Kind("ellipse", Look(fill=mixed(SKY, 0.45), edge=INK, width=1.2), "factor (latent)")
_OBSERVED = Kind("box", Look(fill=WHITE, edge=INK, width=0.8), "observed")
_MEASURES = Look(edge=GREY, width=1.0)
_ACTS = Look(edge=INK, width=1.6)
_VARIES = Look(edge=ORANGE, width=1.1, dash=(4.0, 2.0))


def diagram(page: Page, result: StatisticalAnalysis, top: float, room: float) -> tuple[float, float, int]:
    """Draw the model; return its width and height, and how many variables are left out."""
    model = result.model
    links = [(factor, name) for factor, names in model.latents.items() for name in names]
    links += [(cause, effect) for effect, cause in model.regressions]
    every = list(dict.fromkeys([*model.latents, *model.variables()]))
    names = [name for name in every if name != model.group][:MOST]
    number = {name: at for at, name in enumerate(names)}
    inside = [(at, (number[a], number[b])) for at, (a, b) in enumerate(links) if a in number and b in number]
    known = given(result)
    texts = [wrapped(known.get(name, name), BODY, 100, 3) for name in names]
    kinds = [_FACTOR if name in model.latents else _OBSERVED for name in names]
    sizes = [size_of(text, kind.shape) for text, kind in zip(texts, kinds, strict=True)]
    plan = packed(sizes, [ends for _, ends in inside], left=MARGIN + 6, top=top + 6, room=room)
    page.width = max(page.width, plan.width + 2 * MARGIN + 20)
    measures = sum(map(len, model.latents.values()))
    for place, (at, ends) in enumerate(inside):
        look, gid = (_MEASURES if at < measures else _ACTS), f"edge-{at + 1}"
        page.hint(gid, f"{known.get(links[at][0], links[at][0])} → {known.get(links[at][1], links[at][1])}")
        if place in plan.curves:
            arrow(page, plan.curves[place], look, gid)
        else:
            loop(page, plan.boxes[ends[0]], look, gid)
    for at, (a, b) in enumerate(model.covariances, 1):
        if a in number and b in number and a != b:
            arc(page, number[a], number[b], plan.boxes, _VARIES, f"covariance-{at}")
    for at, (name, kind, text) in enumerate(zip(names, kinds, texts, strict=True)):
        page.hint(f"node-{at + 1}", f"{known.get(name, name)} ({kind.meaning})")
        node(page, plan.boxes[at], kind, text, f"node-{at + 1}")
    return plan.width + 12, plan.height + 16, len(every) - len(names)


def signs(result: StatisticalAnalysis) -> list[Entry]:
    """Return the legend of a diagram."""
    model = result.model
    found = [sign_of(_FACTOR)] if model.latents else []
    found.append(sign_of(_OBSERVED))
    if model.latents:
        found.append(sign_of_arrow(_MEASURES, "is measured by"))
    if model.regressions:
        found.append(sign_of_arrow(_ACTS, "predicts"))
    if model.covariances:
        found.append(sign_of_arrow(_VARIES, "may covary", head="both"))
    return found
