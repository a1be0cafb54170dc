"""SOLAR-RL on verl 0.9.1, without a fork: dataset, agent loop, credit and trainer over the functions of `training`."""
