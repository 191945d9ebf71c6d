"""RASP's addons."""
