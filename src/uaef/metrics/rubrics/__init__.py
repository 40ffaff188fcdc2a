"""The built-in rubrics, one Markdown file each."""
