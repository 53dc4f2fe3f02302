"""The room of fusion methods: a file for each."""
