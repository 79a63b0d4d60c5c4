"""Checked, backed up, restored, repaired; what was lost is noticed."""
