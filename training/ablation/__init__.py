"""SOLAR-RL against its relatives with the pointer policy on the pocket phone: arms, runs, measures, report.

One command, `scripts/reproduce_ablation`. Nothing here knows what should come out: claims are judged from the runs.
"""
