"""How chain systems are trained. Nothing that analyses with a trained model imports this."""
