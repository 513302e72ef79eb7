"""The trained models inside a web page: they translate and parse what its reader types, without a server.

The page calls ``pack_models.packed_models(models: Sequence[ModelFiles], budget_bytes: int) -> str``.  ``ModelFiles`` is
a dataclass there, one for each trained model in the order in which they get room: base of each pair, the parsers, then
all others.  It returns JSON in which no ``<`` occurs.  The page holds::

    <script type="application/json" id="models">…</script>
    <style>translator.css</style>        needs the page's --fg, --bg, --accent, --muted and --line
    <div id="translator">translator.html</div>
    <script>(() => {
    "use strict";
    subwords.js, transformer.js, translator.js, in this order
    const models = JSON.parse(document.getElementById("models").textContent);
    startTranslator(document.getElementById("translator"), models);
    })();</script>

``read_part(name)`` of pack_models.py returns the text of one of these files.  All classes in translator.css begin with
``t-``.
"""
