"""Models over HTTP: a REST interface, its description, and one web page; needs the extra ``plait[web]``."""
