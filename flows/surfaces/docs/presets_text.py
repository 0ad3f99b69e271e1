"""What docs/presets.md says in words."""

INTRODUCTION = """\
A method is data: a graph, a chain of tools with named results, and an answer. These come with the
package; a path of a file of your own works wherever a name does. Made by `make docs`; the tests fail
when it is not current.

```console
$ corpusgraph method list
$ corpusgraph ask "Did contaminated water cause cholera?" --method hipporag
```

Every one runs without a language model: what would call one has an offline stand-in, and says so in the
warning `no_llm`. Numbers are those of the paper or its code where they are published. `seed_…` are
chains that cannot run, kept to show why; [see below](#the-three-example-chains)."""

SHAPES = """\
## Graphs

`graph:` names the graph that a method walks. It is made from the index when the method first asks for
it, and kept for as long as the index is open.

| kind | what it is |
|---|---|
| `tkg` | the index as it is: entities and relationships with descriptions |
| `kg` | names, and types of relationships, alone: nothing else is seen or searched |
| `rkg` | `tkg` with keywords on relationships: their own, or words of type and description |
| `passage` | chunks as nodes, edges between those that share entities |
| `tree` | chunks, summaries of clusters of them, summaries of clusters of those |
| `none` | chunks alone |

Synonyms are found by spelling (cosine of groups of 2 to 4 letters), which is the weight of their edge;
no passage states it. The weight of an edge between passages is the sum of 1 / ln(chunks of the entity)
over the entities that both name (Adamic & Adar 2003).

A tree reduces vectors by principal components (RAPTOR: UMAP) and fits Gaussian mixtures with diagonal
covariances, as many components as the Bayesian information criterion wants, first to the whole, then
inside each cluster. Summaries are the sentences most like the cluster as a whole. entity_vdb_search
searches all layers at once, and a summary leads to the passages below it.

Options stand beside `kind`, as in `graph: {kind: kg, synonym_edges: {threshold: 0.8, top_k: 10}}`:"""

OWN = """\
## Writing one

A file has the name, the graph, the steps and the answer. Each step is a tool with its arguments and may
be named with `as:`. `$q` is the question; `$name` a result; `$query.entities` and `$query.keywords.low`
or `.high` what `query: [entities, keywords]` reads out of the question; `$a or $b` the first that holds
something. An input that reads what an earlier step wrote, and is not given, is wired to the latest
result of its kind. `when: $x` or `when: not $x` runs a step only if x holds something, or nothing.
`union:` joins results, by `max`, `sum`, `rrf` or `first`; `loop:` repeats steps, `each` over a list
with `$item`, or in `rounds` that `carry` values on. With `adapt: true` the checker puts in tools that a
chain leaves out."""

ANSWER = """\
The arguments under `answer:` are those of [generate_answer](tools.md#generate_answer); what is not
given is wired to the latest results, and `answer: none` only retrieves. An argument set to `null` is
left out of what is read."""

SEEDS = """\
## The three example chains

Three chains stood at the start of this project. As they were written none can run, and the check says
why. The method beside each, with `adapt: true`, has the tools put in that are missing (marked +); the
published methods are `hipporag`, `fast_graphrag`, and `llightrag`, `glightrag` and `hlightrag`.

- `seed_hipporag` scores passages by relationships that nothing has scored, and has no PageRank.
- `seed_fast_graphrag` starts with a PageRank that has no seeds.
- `seed_light_rag` reads the ends of relationships before it looks for relationships; in the right order it is
  `glightrag` alone."""
