"""The service: what the library does, over HTTP, and the page that shows it."""
