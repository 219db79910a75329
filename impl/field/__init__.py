"""Fields ``F(x; θ)``: Transformer layers, and abstract fields with exactly known constants."""
