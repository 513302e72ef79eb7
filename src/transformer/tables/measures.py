"""The measures of BLEU that Table 2 shows, a line each: their names in scores.json, and what the lines are called."""

# The measure that stands in scores.json as such, by the language; in the tables it is beside the paper's number.
HEADLINE = "headline"
MEASURES = {HEADLINE: "as in the paper", "sacrebleu": "sacreBLEU"}
