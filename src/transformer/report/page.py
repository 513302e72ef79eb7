"""A table in Markdown as a web page that needs nothing else, for ``snakemake --report``."""

from markdown_it import MarkdownIt

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{title}</title>
<style>
body {{ font: 14px/1.4 system-ui, sans-serif; margin: 2em; color: #1a1a1a; background: white }}
table {{ border-collapse: collapse; border-top: 1.5px solid; border-bottom: 1.5px solid }}
th, td {{ padding: 0.2em 0.7em; text-align: left; white-space: nowrap }}
thead {{ border-bottom: 1px solid }}
tbody tr:hover {{ background: #eef3fa }}
p {{ max-width: 60em }}
</style>
</head>
<body>
{body}</body>
</html>
"""


def page(markdown: str) -> str:
    """The page; its title is the text's first heading."""
    title = next(line.removeprefix("# ") for line in markdown.splitlines() if line.startswith("# "))
    return PAGE.format(title=title, body=MarkdownIt("commonmark").enable("table").render(markdown))
