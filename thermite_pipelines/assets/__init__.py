"""What exists: one module a group of assets. Each asset is short and calls the packages below."""
