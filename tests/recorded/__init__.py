"""Recordings of what the product does, to show that a change of names or of structure leaves it as it was.

    python -m tests.recorded                 compare everything with what is recorded: turns, rows, plans and evidence
    python -m tests.recorded turns           only the scripted turns; `rows` only the ingestion,
                                             `plans` only what is understood, `evidence` only what is found and answered
    python -m tests.recorded turns --scene replaced-zh --show
                                             print what one scene gives now
    python -m tests.recorded turns --write   record anew: only where behaviour was meant to change
    python -m tests.recorded plans --draw    choose anew what is said, once the rules do much more than it reaches

There are four recordings, JSON lines that are packed in `data/`:

* `turns.jsonl.xz`: more than 200 scripted turns in both languages, with a scripted model server, with a local website,
  and without either. A line is a turn's head (what was said), an event, or its end (what is stored, and what a program
  gets). Events stand in the order in which a reader of the turn gets them.
* `rows.jsonl.xz`: what a library holds after the ingestion of 1,000 made files: for each document a digest of every
  column of every table, and the rows of the small tables in full.
* `plans.jsonl.xz`: what the rules make of messages and of questions over tables: the plan, what the words were taken
  for, the query and the computed answer. Messages of the benchmarks, questions that are put together from the words
  that compute (`sentences.yaml`), and what is mixed of both at random stand in the recording with all that they are
  said beside: new words of the rules change no more than what they are said in. `plans --draw` has chosen them, those
  that take a way of their own through the rules (`telling.py`), and chooses anew. Sets that are kept back are not read.
* `evidence.jsonl.xz`: what small libraries, those of the benchmark, find by each strategy and answer without a model,
  with every score on the way to it; how claims are judged that are right, changed, of other files, or in the other
  language; what the lab makes of two runs over them. The set that is kept back is not read.

What may differ from run to run is taken out by `normal.py`: ids, times, ports, paths, how tokens are batched, and how
often the way of a file is told. Floats are compared with a tolerance.

After a renaming, the recording stays and `names.py` is edited: its table says under which recorded name a class, a
field or a column goes. After a change of how a turn is run, `product.py` is edited: it is the only file here that
starts, follows and stops turns. A behaviour that changes on purpose is recorded anew in the commit that changes it.

`earlier/` holds a data folder and a backup as an earlier version wrote them; `test_earlier.py` opens them. They are
never written again by a later version: that they are old is what they are for.
"""
