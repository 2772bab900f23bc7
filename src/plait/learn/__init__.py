"""Learning, whatever the model: learners, the online loop, jackknifing, options."""
