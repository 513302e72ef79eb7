"""The entry for `snakemake` in this folder: Snakemake looks for profiles/ beside the file that it is given.

The whole pipeline is on one page in workflow/Snakefile.
"""


include: "workflow/Snakefile"


# Snakemake forgets the default target of a file that is included.
workflow.default_target = "all"
