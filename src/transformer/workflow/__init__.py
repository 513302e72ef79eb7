"""What the rules of workflow/ need besides Snakemake: code as a parameter, GPUs, and what a run says."""
