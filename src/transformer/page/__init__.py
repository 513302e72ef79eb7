"""The page of a scale's results, one HTML file without a server, in which the trained models translate and parse.

``make_page.py`` writes it.  What it shows: ``printed.py`` (tables), ``variations.py`` (Table 3 as small multiples),
``chains.py`` (the files behind each number), ``page_models.py`` and ``pack_models.py`` (the models as JSON).  The
models' program is ``subwords.js``, ``transformer.js`` and ``translator.js``.
"""
