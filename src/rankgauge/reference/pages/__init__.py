"""The reference pages, one file each, made from the registries."""
