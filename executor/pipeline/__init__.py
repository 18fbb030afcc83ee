"""How one call runs: its body, its channel for progress, the results the executor writes itself."""
