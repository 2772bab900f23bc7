"""Training algorithms that are independent of the model: online and batch optimizers, checkpoints, jackknifing."""
