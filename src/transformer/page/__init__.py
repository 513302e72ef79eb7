"""The trained models inside a web page: they translate and parse what its reader types, without a server.

``pack_models.packed_models(models: Sequence[ModelFiles], budget_bytes: int) -> str`` returns JSON.  ``ModelFiles`` is a
dataclass there, one for each trained model in the order in which they get room: base of each pair, the parsers, then
all others.  ``pack_models.translator(models: str) -> str`` returns the HTML that stands in the page's body: style, form,
these models, and the scripts.  The page defines the colours --fg, --bg, --accent, --muted and --line.
"""
