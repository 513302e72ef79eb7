"""The entry for `snakemake` in this folder: Snakemake looks for profiles/ beside the file that it is given.

The whole pipeline is on one page in workflow/Snakefile.
"""


include: "workflow/Snakefile"
