"""Results for people and for other programs: computed here, rendered by one file per format."""
