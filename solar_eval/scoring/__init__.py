"""Scorers: pure functions from (label, prediction) columns and a protocol to verdicts, and what is counted from them.

`columns` turns steps and parsed replies into arrays, `geometry` and `text` hold the rules, `match` applies a protocol,
`metrics` and `statistics` count. Training's validity calls `match.judge_one`: evaluation and reward can't drift apart.
"""
