"""The entry for `snakemake` in this folder, and for `snakemake --snakefile` from others.

The whole pipeline is on one page in workflow/Snakefile.  This file exists because Snakemake looks for profiles/ beside
the file that it is given.
"""


include: "workflow/Snakefile"


# Snakemake forgets the default target of a file that is included.
workflow.default_target = "all"
