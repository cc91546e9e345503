"""The formats of tables, one file each; `ndcgstudy.formats.registry` finds them here."""
