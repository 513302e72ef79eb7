"""The page of a scale's results: one HTML file, which needs no server.

``make_page.py`` writes it.  What it shows: ``shown_table.py`` (tables), ``page_models.py`` and ``pack_models.py`` (the
models as JSON).  The JavaScript of the models is ``subwords.js``, ``transformer.js`` and ``translator.js``.
"""
