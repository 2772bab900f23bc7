"""Training of the chain systems; not imported when a trained model is used."""
