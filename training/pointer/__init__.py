"""The pointer policy: a small network that points at interface elements, for experiments on credit rules.

It sees a goal and an element list and no picture. Its results carry its name ("pointer policy, pocket") and are never
compared with those of vision-language models.
"""
